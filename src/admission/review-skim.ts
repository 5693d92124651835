/** MAX_REVIEW_BYTES bounds an AdmissionReview: the API server's own objects stay below 3 MiB, and an UPDATE carries two. */
export const MAX_REVIEW_BYTES = 8 * 1024 * 1024;
/** MAX_REVIEW_DEPTH bounds how deep lists and objects of a review may stand in each other; those of a pod stay below 30. */
export const MAX_REVIEW_DEPTH = 100;

/** Values that no decision reads and that make up half of what the API server sends: who set which field, and what runs. */
const MANAGED_FIELDS = new TextEncoder().encode('managedFields');
const STATUS = new TextEncoder().encode('status');

const QUOTE = 0x22;
const COLON = 0x3a;
const ESCAPE = 0x5c;
const LIST = 0x5b;
const OBJECT = 0x7b;

/** Skimmed is a JSON text before it is parsed. */
export interface Skimmed {
  /** Whether lists and objects stand in each other deeper than allowed. */
  readonly deep: boolean;
  /** Where the values that nothing reads begin and end, by pairs of offsets, in ascending order. */
  readonly unread: readonly number[];
}

/**
 * skim looks over the bytes of a JSON text once: how deep it is, and which values need not be parsed. It decides nothing: where the
 * text is no JSON it gives some answer, and whatever it leaves out is a whole value of a field that is never read.
 */
export function skim(bytes: Uint8Array, mostDepth: number): Skimmed {
  const end = bytes.length;
  const unread: number[] = [];
  let depth = 0;
  /** Depth of the value that is being left out, with its beginning; 0 outside of one. */
  let leaving = 0;
  let from = 0;
  for (let at = 0; at < end; at += 1) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) {
      const begin = (at += 1);
      while (at < end) {
        const inside = bytes[at];
        if (inside === QUOTE) break;
        at += inside === ESCAPE ? 2 : 1;
      }
      const length = at - begin;
      if ((length === 13 || length === 6) && leaving === 0 && isUnread(bytes, begin, at)) {
        leaving = depth + 1;
        from = at + 2;
      }
    } else if (byte > 0x5a) {
      // Most bytes are small letters: brackets and braces stand before and behind them.
      if (byte === OBJECT || byte === LIST) {
        depth += 1;
        if (depth > mostDepth) return { deep: true, unread };
      } else if (byte === 0x7d || byte === 0x5d) {
        depth -= 1;
        if (leaving > depth) {
          unread.push(from, at + 1);
          leaving = 0;
        }
      }
    }
  }
  return { deep: false, unread };
}

/** withoutUnread gives the text of the bytes with `null` for each value that was found to be unread. */
export function withoutUnread(bytes: Buffer, { unread }: Skimmed): string {
  let text = '';
  let at = 0;
  for (let i = 0; i < unread.length; i += 2) {
    text += `${bytes.toString('utf8', at, unread[i])}null`;
    at = unread[i + 1] as number;
  }
  return at === 0 ? bytes.toString('utf8') : text + bytes.toString('utf8', at);
}

/** Whether a text between quotes is the key of a value to leave out, which begins right behind the colon. */
function isUnread(bytes: Uint8Array, begin: number, end: number): boolean {
  if (bytes[end + 1] !== COLON) return false;
  const key = end - begin === STATUS.length ? STATUS : MANAGED_FIELDS;
  if (bytes[end + 2] !== (key === STATUS ? OBJECT : LIST)) return false;
  for (let i = 0; i < key.length; i += 1) if (bytes[begin + i] !== key[i]) return false;
  return true;
}
