/** MAX_REVIEW_BYTES bounds an AdmissionReview: the API server's own objects stay below 3 MiB, and an UPDATE carries two. */
export const MAX_REVIEW_BYTES = 8 * 1024 * 1024;
/** MAX_REVIEW_DEPTH bounds how deep lists and objects of a review may stand in each other; those of a pod stay below 30. */
export const MAX_REVIEW_DEPTH = 100;

/**
 * UNREAD are the fields that no decision reads, at whatever place, by what their values are; the lists and objects under these keys make up
 * two thirds of what the API server sends: who set which field, what runs, and how a container is run.
 */
export const UNREAD = {
  list: [
    ...['args', 'command', 'env', 'envFrom', 'imagePullSecrets', 'managedFields', 'tolerations'],
    ...['topologySpreadConstraints', 'volumeDevices', 'volumeMounts'],
  ],
  object: [
    ...['extra', 'lifecycle', 'livenessProbe', 'podAffinity', 'podAntiAffinity', 'projected'],
    ...['readinessProbe', 'resources', 'startupProbe', 'status'],
  ],
} as const;

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
 * skim looks over the bytes of a JSON text once: how deep it is, and which values need not be parsed. It decides nothing: where the text is
 * not JSON it gives some answer, and whatever it leaves out is a whole value of a field that is never read.
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
      if (leaving === 0 && bytes[at + 1] === COLON && isUnread(bytes, begin, at)) {
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
  if (unread.length === 0) return bytes.toString('utf8');
  let left = 0;
  for (let i = 0; i < unread.length; i += 2)
    left += (unread[i + 1] as number) - (unread[i] as number) - NULL.length;
  // One text out of one piece of memory: a text for each part takes longer than to copy them.
  const kept = Buffer.allocUnsafe(bytes.length - left);
  let [at, to] = [0, 0];
  for (let i = 0; i < unread.length; i += 2) {
    to += bytes.copy(kept, to, at, unread[i]);
    to += NULL.copy(kept, to);
    at = unread[i + 1] as number;
  }
  bytes.copy(kept, to, at);
  return kept.toString('utf8');
}

const NULL = Buffer.from('null');

/** The keys of values to leave out by what the value begins with, by length; no key is longer. */
const LISTS = byLength(UNREAD.list);
const OBJECTS = byLength(UNREAD.object);

function byLength(keys: readonly string[]): readonly (readonly Buffer[])[] {
  const longest = Math.max(...keys.map((key) => key.length));
  return Array.from({ length: longest + 1 }, (_, length) =>
    keys.filter((key) => key.length === length).map((key) => Buffer.from(key)),
  );
}

/** Whether a text between quotes is the key of a value to leave out, which begins right behind the colon. */
function isUnread(bytes: Uint8Array, begin: number, end: number): boolean {
  const opens = bytes[end + 2];
  const lists = opens === LIST ? LISTS : NONE;
  const keys = opens === OBJECT ? OBJECTS : lists;
  const sameLength = end - begin < keys.length ? (keys[end - begin] as readonly Buffer[]) : NONE;
  for (const key of sameLength) if (isAt(bytes, begin, key)) return true;
  return false;
}

const NONE: readonly never[] = [];

function isAt(bytes: Uint8Array, begin: number, key: Buffer): boolean {
  for (let i = 0; i < key.length; i += 1) if (bytes[begin + i] !== key[i]) return false;
  return true;
}
