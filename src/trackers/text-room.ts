import type { TrackerChannel } from '../channels/index.ts';
import type { Block } from '../text/index.ts';

/** TextRoom is what one text in a tracker may hold. */
export interface TextRoom {
  /** The size that a tracker takes, in whatever it counts. */
  readonly max: number;
  /** The size of a text as it would be sent, whole and with its marker. */
  sizeOf(blocks: readonly Block[]): number;
}

/** SummaryRoom is the room for a summary: the issue's own text, and each comment that continues it. */
export interface SummaryRoom {
  readonly issue: TextRoom;
  readonly comment: TextRoom;
}

/** TextRooms gives the room in the tracker of a channel. */
export type TextRooms = (channel: TrackerChannel) => SummaryRoom;
