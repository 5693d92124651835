import assert from 'node:assert/strict';
import { runs } from './runs.ts';

/** mutatedRuns gives how many mutated texts are read: as many as given, and ten times as many under `npm run torture`. */
export function mutatedRuns(usual: number): number {
  return runs(usual, 10);
}

/** Numbers below a bound, the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed | 0;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below) | 0;
  };
}

const ODD: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1e308,
  1e-7,
  2 ** 53,
  '',
  ' ',
  '0',
  'null',
  '\u0000',
  '\ud800',
  '‮',
  'é'.repeat(300),
  'a'.repeat(5000),
  [],
  {},
  [[]],
  [null],
  { a: 1 },
  '2026-13-45',
  '0001-01-01T00:00:00Z',
  '__proto__',
  'constructor',
];

const SNIPPETS: readonly string[] = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  '\u0000',
  '\n',
  'null',
  '-',
  '1e999',
  '[[[[[[[[',
  '{"__proto__":',
  '\\ud800',
  '\ufeff',
  '@',
  '/',
  '%',
  '..',
  'sha256:',
  'A',
  'é',
];

/**
 * mutations gives texts made of a value, the same in every run: values replaced, taken out, doubled or put elsewhere, keys renamed, and
 * then, for every other one, bytes of its JSON changed. A text is mutated as it stands.
 */
export function* mutations(base: unknown, count: number, seed = 1): Generator<string> {
  const below = numbers(seed);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  for (let n = 0; n < count; n += 1) {
    if (typeof base === 'string') {
      yield garble(base, 1 + below(4), below, pick);
      continue;
    }
    const value = structuredClone(base);
    for (let times = below(3); times >= 0; times -= 1) change(value as object, below, pick);
    const text = JSON.stringify(value);
    yield n % 2 === 0 ? text : garble(text, 1 + below(3), below, pick);
  }
}

type Below = (bound: number) => number;
type Pick = <T>(list: readonly T[]) => T;

function change(root: object, below: Below, pick: Pick): void {
  const places: [object: Record<string, unknown>, key: string][] = [];
  const walk = (value: unknown): void => {
    if (value === null || typeof value !== 'object' || places.length > 500) return;
    for (const key of Object.keys(value)) {
      places.push([value as Record<string, unknown>, key]);
      walk((value as Record<string, unknown>)[key]);
    }
  };
  walk(root);
  if (places.length === 0) return;
  const [object, key] = pick(places);
  switch (below(6)) {
    case 0:
      object[key] = structuredClone(pick(ODD));
      return;
    case 1:
      if (Array.isArray(object)) object.splice(Number(key), 1);
      else delete object[key];
      return;
    case 2: {
      const [other, from] = pick(places);
      object[key] = structuredClone(other[from]);
      return;
    }
    case 3:
      if (Array.isArray(object)) object.push(structuredClone(object[Number(key)]));
      else object[`${key}${pick(['', 's', '2'])}`] = object[key];
      return;
    case 4:
      if (!Array.isArray(object)) {
        object[key.toLowerCase()] = object[key];
        delete object[key];
      }
      return;
    default:
      object[key] = [object[key]];
  }
}

function garble(text: string, times: number, below: Below, pick: Pick): string {
  let made = text;
  for (let i = 0; i < times; i += 1) {
    const at = below(made.length + 1);
    const until = below(8) === 0 ? below(made.length + 1) : at + below(3);
    made = made.slice(0, at) + (below(3) === 0 ? '' : pick(SNIPPETS)) + made.slice(Math.max(at, until));
  }
  return made;
}

/** A machine that does other things may hold up a call once, never the same one each time. */
const TRIES = 5;
const LONGEST_MS = 100;

/** withinTime gives what a call gives, and fails when it takes over 100 ms each time that it is made. */
export function withinTime<T>(call: () => T): T {
  for (let left = TRIES; ; left -= 1) {
    const began = performance.now();
    try {
      const result = call();
      if (performance.now() - began <= LONGEST_MS) return result;
    } catch (error) {
      if (performance.now() - began <= LONGEST_MS) throw error;
    }
    assert.ok(left > 0, `a call took more than ${LONGEST_MS} ms each time`);
  }
}
