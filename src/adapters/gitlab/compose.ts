import type { Block, SummaryRoom, TextRoom } from '../../trackers/index.ts';
import { markdownSize, markerIn, toInertTitle, toMarkdown } from '../markup/index.ts';

/** What GitLab takes of a title, in characters. */
const MAX_TITLE = 255;
/**
 * GitLab takes about a million characters. Its answers repeat the text, some characters as six (`\u003c`), and an answer of more than 1 MiB
 * is not read: the issue could neither be recorded nor found again.
 */
const MAX_TEXT = 160_000;

/** toTitle makes a title that GitLab takes. */
export function toTitle(title: string): string {
  return toInertTitle(title, MAX_TITLE);
}

/** toDescription renders the text of an issue with its marker. */
export function toDescription(blocks: readonly Block[], marker: string): string {
  return toMarkdown(blocks, marker, MAX_TEXT);
}

/** toNote renders the text of a comment with its marker. */
export function toNote(blocks: readonly Block[], marker: string): string {
  return toMarkdown(blocks, marker, MAX_TEXT);
}

const TEXT: TextRoom = { max: MAX_TEXT, sizeOf: markdownSize };

/** gitlabRoom is the room that issues and notes have. */
export const gitlabRoom: SummaryRoom = { issue: TEXT, comment: TEXT };

/** markerOf finds the marker in a description or note; null for none. */
export function markerOf(body: string): string | null {
  return markerIn(body);
}
