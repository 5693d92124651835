import type { Block } from '../../trackers/index.ts';
import { markerInAdf, markerInWiki, toAdf, toPlainTitle, toWiki, type AdfDocument } from '../markup/index.ts';

/** What Jira takes, in characters: a summary of one line, and texts. */
const MAX_SUMMARY = 255;
const MAX_TEXT = 32_767;

/** toSummary makes a title that Jira takes; nothing in it is acted on. */
export function toSummary(title: string): string {
  return toPlainTitle(title, MAX_SUMMARY);
}

/** toText renders the text of an issue (marked by a label, so `marker` is null) or of a comment, for the API in use. */
export function toText(api: 2 | 3, blocks: readonly Block[], marker: string | null): AdfDocument | string {
  return api === 3 ? toAdf(blocks, marker, MAX_TEXT) : toWiki(blocks, marker, MAX_TEXT);
}

/** markerOf finds the marker that toText put behind a comment; null for none. */
export function markerOf(body: unknown): string | null {
  return typeof body === 'string' ? markerInWiki(body) : markerInAdf(body);
}
