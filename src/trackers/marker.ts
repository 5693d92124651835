import { createHmac } from 'node:crypto';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz234567';
const LENGTH = 26;

/** MARKER finds markers in a text; a reader also checks the author, since anyone can copy a marker. */
export const MARKER = /\bipo-1-[a-z2-7]{26}\b/g;

/** Markers makes what an issue or a comment is recognised by, when it is not known whether it was written. */
export interface Markers {
  /** The marker of the issue that a row's generation was claimed for. */
  issue(channelId: string, rowId: number, generation: number): string;
  /** The marker of the comment that one closing writes. */
  comment(closingId: string): string;
}

/**
 * openMarkers makes markers under a key of 32 bytes, so that nobody else can make the marker of an issue yet to come. A restored database
 * counts rows again that others had before: `epoch`, of no two restores, keeps their markers apart; null before the first one.
 */
export function openMarkers(key: Buffer, installation: string, epoch: string | null = null): Markers {
  const log = epoch === null ? [installation] : [installation, { epoch }];
  return {
    issue: (channelId, rowId, generation) => mark(key, ['issue', ...log, channelId, rowId, generation]),
    comment: (closingId) => mark(key, ['comment', ...log, closingId]),
  };
}

function mark(key: Buffer, parts: readonly unknown[]): string {
  const hash = createHmac('sha256', key).update(JSON.stringify(parts)).digest();
  return `ipo-1-${base32(hash).slice(0, LENGTH)}`;
}

function base32(bytes: Buffer): string {
  let text = '';
  let held = 0;
  let bits = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += LETTERS[(held >> bits) & 31];
    }
    held &= (1 << bits) - 1;
  }
  return text;
}
