/** Random gives numbers from 0 up to 1, the same for the same seed. */
export type Random = () => number;

/** random gives a sequence of its own for a seed (mulberry32). */
export function random(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const pick = <T>(next: Random, from: readonly T[]): T => from[Math.floor(next() * from.length)] as T;

/** mutateBytes changes, drops, doubles or exchanges a few bytes. */
export function mutateBytes(next: Random, bytes: Uint8Array): Buffer {
  let result = Buffer.from(bytes);
  for (let times = 1 + Math.floor(next() * 3); times > 0; times -= 1) {
    const at = Math.floor(next() * result.length);
    const length = 1 + Math.floor(next() * next() * 40);
    switch (Math.floor(next() * 4)) {
      case 0:
        result[at] = (result[at] ?? 0) ^ (1 << Math.floor(next() * 8));
        break;
      case 1:
        result = Buffer.concat([result.subarray(0, at), result.subarray(at + length)]);
        break;
      case 2:
        result = Buffer.concat([result.subarray(0, at + length), result.subarray(at)]);
        break;
      default:
        result[at] = Math.floor(next() * 256);
    }
  }
  return result;
}

const ODD: readonly unknown[] = [
  null,
  '',
  0,
  -1,
  1e308,
  [],
  {},
  'é',
  '\u0000',
  true,
  '9'.repeat(400),
  '0x10',
  [[[[]]]],
  { a: 1 },
];

type Holder = Record<string, unknown>;

/** places lists every member of a JSON value: what holds it, and under which key. */
function places(value: unknown, found: [Holder, string][] = []): [Holder, string][] {
  if (value === null || typeof value !== 'object') return found;
  for (const key of Object.keys(value)) {
    found.push([value as Holder, key]);
    places((value as Holder)[key], found);
  }
  return found;
}

/**
 * mutateJson changes a JSON value where it stands: a member goes, becomes odd, trades places with one of another
 * document, or a text in it changes, also inside of its base64 (and in JSON or DER inside of that).
 */
export function mutateJson(next: Random, value: unknown, other: unknown): void {
  for (let times = 1 + Math.floor(next() * 2); times > 0; times -= 1) {
    const all = places(value);
    if (all.length === 0) return;
    const [holder, key] = pick(next, all);
    const old = holder[key];
    switch (Math.floor(next() * 6)) {
      case 0:
        delete holder[key];
        break;
      case 1:
        holder[key] = structuredClone(pick(next, ODD));
        break;
      case 2: {
        const same = places(other).filter(([, name]) => name === key);
        const from = same.length > 0 ? pick(next, same) : undefined;
        if (from !== undefined) holder[key] = structuredClone(from[0][from[1]]);
        break;
      }
      case 3:
        if (Array.isArray(old)) holder[key] = [...old, ...structuredClone(old)];
        else holder[`${key}x`] = old;
        break;
      default:
        if (typeof old === 'string') holder[key] = mutateText(next, old);
    }
  }
}

function mutateText(next: Random, text: string): string {
  if (next() < 0.3 || text.length < 8) return mutateBytes(next, Buffer.from(text)).toString('utf8');
  const decoded = Buffer.from(text, 'base64');
  return decoded.length === 0 ? `${text}A` : mutateBytes(next, decoded).toString('base64');
}
