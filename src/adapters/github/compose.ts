import type { Block, SummaryRoom, TextRoom } from '../../trackers/index.ts';
import { markdownSize, markerIn, toInertTitle, toMarkdown } from '../markup/index.ts';

/** What GitHub takes, in characters; it answers 422 to more. */
const MAX_TITLE = 256;
const MAX_BODY = 65_536;

/** toTitle makes a title that GitHub takes. */
export function toTitle(title: string): string {
  return toInertTitle(title, MAX_TITLE);
}

/** toBody renders the text of an issue or a comment with its marker. */
export function toBody(blocks: readonly Block[], marker: string): string {
  return toMarkdown(blocks, marker, MAX_BODY);
}

const BODY: TextRoom = { max: MAX_BODY, sizeOf: markdownSize };

/** githubRoom is the room that issues and comments have. */
export const githubRoom: SummaryRoom = { issue: BODY, comment: BODY };

/** markerOf finds the marker that toBody put into a text; null for none. */
export function markerOf(body: string): string | null {
  return markerIn(body);
}
