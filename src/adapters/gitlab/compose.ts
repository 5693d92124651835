import type { Block } from '../../trackers/index.ts';
import { markerIn, toInertTitle, toMarkdown } from '../markup/index.ts';

/** What GitLab takes, in characters. */
const MAX_TITLE = 255;
const MAX_DESCRIPTION = 1_048_576;
const MAX_NOTE = 1_000_000;

/** toTitle makes a title that GitLab takes. */
export function toTitle(title: string): string {
  return toInertTitle(title, MAX_TITLE);
}

/** toDescription renders the text of an issue with its marker. */
export function toDescription(blocks: readonly Block[], marker: string): string {
  return toMarkdown(blocks, marker, MAX_DESCRIPTION);
}

/** toNote renders the text of a comment with its marker. */
export function toNote(blocks: readonly Block[], marker: string): string {
  return toMarkdown(blocks, marker, MAX_NOTE);
}

/** markerOf finds the marker in a description or note; null for none. */
export function markerOf(body: string): string | null {
  return markerIn(body);
}
