import type { Block, SummaryRoom, TextRoom } from '../../trackers/index.ts';
import {
  adfSize,
  markerInAdf,
  markerInWiki,
  toAdf,
  toPlainTitle,
  toWiki,
  wikiSize,
  type AdfDocument,
} from '../markup/index.ts';

/** What Jira takes of a summary, in characters. */
const MAX_SUMMARY = 255;
/**
 * What Jira takes of a text. Data Center counts characters of the markup. The cloud does not say what it counts of a document: it answers
 * CONTENT_LIMIT_EXCEEDED to "more than 32767 characters", which has been found to mean its whole JSON; bytes of that are the strictest
 * reading.
 */
const MAX_TEXT = 32_767;

/** toSummary makes a title that Jira takes; nothing in it is acted on. */
export function toSummary(title: string): string {
  return toPlainTitle(title, MAX_SUMMARY);
}

/** toText renders the text of an issue (marked by a label, so `marker` is null) or of a comment, for the API in use. */
export function toText(api: 2 | 3, blocks: readonly Block[], marker: string | null): AdfDocument | string {
  return api === 3 ? toAdf(blocks, marker, MAX_TEXT) : toWiki(blocks, marker, MAX_TEXT);
}

const DOCUMENT: TextRoom = { max: MAX_TEXT, sizeOf: adfSize };
const MARKUP: TextRoom = { max: MAX_TEXT, sizeOf: wikiSize };

/** jiraRoom is the room that issues and comments have, for the API in use. */
export function jiraRoom(api: 2 | 3): SummaryRoom {
  const room = api === 3 ? DOCUMENT : MARKUP;
  return { issue: room, comment: room };
}

/** textIn gives the words of a text that Jira has: markup of Data Center as it stands, or the texts of a document of the cloud. */
export function textIn(body: unknown): string {
  if (typeof body === 'string') return body;
  const texts: string[] = [];
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { text, content } = node as { readonly text?: unknown; readonly content?: unknown };
    if (typeof text === 'string') texts.push(text);
    if (Array.isArray(content)) {
      for (const child of content) walk(child);
      texts.push('\n');
    }
  };
  walk(body);
  return texts.join('');
}

/** markerOf finds the marker that toText put behind a comment; null for none. */
export function markerOf(body: unknown): string | null {
  return typeof body === 'string' ? markerInWiki(body) : markerInAdf(body);
}
