import type { Block } from '../text/index.ts';
import type { Content } from './content.ts';

/** SEVERITIES say how soon a person should look, from the least; `good` is that something ended well. */
export const SEVERITIES = ['good', 'info', 'warning', 'critical'] as const;

/** Severity is one of them. */
export type Severity = (typeof SEVERITIES)[number];

/** MAX_TITLE is how long a title is at most, in characters: what the lock screen of a phone shows. */
export const MAX_TITLE = 78;

/** Message is what a channel is told, in no markup; an adapter writes it in that of its kind. */
export interface Message {
  /** Stays the same on every try: `msg_` and 26 letters or digits. */
  readonly id: string;
  /** When the last of what it tells happened, in UTC milliseconds. */
  readonly at: number;
  readonly severity: Severity;
  /** One line of at most MAX_TITLE characters; values from outside in it are cut, and are of characters that can be seen. */
  readonly title: string;
  /** Headings, paragraphs and lists; values from outside stand in `code` pieces and in headings. */
  readonly blocks: readonly Block[];
  /** Ids of the messages that told of the same subjects first, oldest first; none where this is the first. */
  readonly references: readonly string[];
  /** What it was made of, for machines. */
  readonly content: Content;
}
