import { foldedOf } from './pattern-fold.ts';
import type { Pattern } from './pattern.ts';

/**
 * Program is a pattern as the automaton that RE2 makes of it, to ask what a match says nothing of: whether a text that begins so can
 * still match, and whether all texts of one pattern are texts of another. A state is a set of places, none of which is met twice.
 */
export interface Program {
  readonly start: State;
  /** The state after one more character (a code point); without places where no text that goes on matches. */
  step(state: State, rune: number): State;
  /** The same by what stands in no group that captures: of a pattern of `markMade`, what somebody wrote. */
  stepWritten(state: State, rune: number): State;
  /** Whether a text that ends here matches. */
  accepts(state: State): boolean;
  /** Code points of which each stands for all up to the next: whatever the state, they lead to the same. In ascending order. */
  readonly classes: readonly number[];
}

/** State is a set of places in the program, and what was read last as far as its assertions ask. */
export interface State {
  readonly places: readonly number[];
  readonly before: Kind;
  /** Equal for equal sets. */
  readonly key: string;
}

/** Steps are what looking into programs may cost; those that are left are taken from. */
export interface Steps {
  left: number;
}

/** OutOfSteps ends a look that would cost more than it may. */
export class OutOfSteps extends Error {}

interface Instruction {
  readonly op: number;
  readonly out: number;
  readonly arg: number;
  readonly runes: Int32Array;
  matchRune(rune: number): boolean;
}

/** Kinds of instructions, as the library numbers them; a test holds what is made of them against its matching. */
const [ALTERNATIVE, ALTERNATIVE_MATCH, CAPTURE, ASSERTION, FAIL, MATCH, NOTHING, FIRST_RUNE, LAST_RUNE] = [
  1, 2, 3, 4, 5, 6, 7, 8, 11,
];
const [BEGIN_LINE, END_LINE, BEGIN_TEXT, END_TEXT, BOUNDARY, NO_BOUNDARY] = [1, 2, 4, 8, 16, 32];
const FOLD_CASE = 1;

/** Kind is what assertions tell characters by: `none` stands before the first and behind the last. */
type Kind = 'none' | 'line' | 'word' | 'other';

/** openProgram looks into a pattern. */
export function openProgram({ compiled }: Pick<Pattern, 'compiled'>, steps: Steps): Program {
  const program = compiled.re2().prog as { readonly start: number; readonly inst: readonly Instruction[] };
  const { inst } = program;
  const at = (place: number): Instruction => inst[place] as Instruction;

  const asserted = inst.reduce((all, { op, arg }) => (op === ASSERTION ? all | arg : all), 0);
  const kindOf = (rune: number): Kind => {
    if ((asserted & (BOUNDARY | NO_BOUNDARY)) !== 0 && isWord(rune)) return 'word';
    return (asserted & (BEGIN_LINE | END_LINE)) !== 0 && rune === NEWLINE ? 'line' : 'other';
  };

  const reach = (from: readonly number[], held: number): readonly number[] => {
    const seen = new Set<number>();
    const pending = [...from];
    for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
      if (seen.has(place)) continue;
      seen.add(place);
      if ((steps.left -= 1) < 0) throw new OutOfSteps();
      const { op, out, arg } = at(place);
      if (op === ALTERNATIVE || op === ALTERNATIVE_MATCH) pending.push(out, arg);
      else if (op === CAPTURE || op === NOTHING) pending.push(out);
      else if (op === ASSERTION && (arg & ~held) === 0) pending.push(out);
    }
    return [...seen].filter((place) => isKept(at(place).op)).toSorted((a, b) => a - b);
  };
  // Assertions wait in a state until it is known what follows.
  const stateOf = (from: readonly number[], before: Kind): State => {
    const places = reach(from, 0);
    return { places, before, key: `${before} ${places.join(' ')}` };
  };
  const open = ({ places, before }: State, after: Kind): readonly number[] =>
    asserted === 0 ? places : reach(places, heldBetween(before, after));

  const step = (state: State, rune: number, within: ReadonlySet<number> | null): State => {
    if ((steps.left -= 1 + state.places.length) < 0) throw new OutOfSteps();
    const kind = kindOf(rune);
    const next = open(state, kind).filter(
      (place) => within?.has(place) !== false && isRune(at(place).op) && at(place).matchRune(rune),
    );
    return stateOf(
      next.map((place) => at(place).out),
      kind,
    );
  };
  let written: ReadonlySet<number> | null = null;

  return {
    start: stateOf([program.start], 'none'),
    step: (state, rune) => step(state, rune, null),
    stepWritten: (state, rune) => step(state, rune, (written ??= outsideCaptures(program.start, inst))),
    accepts: (state) => open(state, 'none').some((place) => at(place).op === MATCH),
    classes: classesOf(inst),
  };
}

/** The assertions that hold between two characters. */
function heldBetween(before: Kind, after: Kind): number {
  return (
    (before === 'none' ? BEGIN_TEXT : 0) |
    (before === 'none' || before === 'line' ? BEGIN_LINE : 0) |
    (after === 'none' ? END_TEXT : 0) |
    (after === 'none' || after === 'line' ? END_LINE : 0) |
    ((before === 'word') === (after === 'word') ? NO_BOUNDARY : BOUNDARY)
  );
}

const NEWLINE = 0x0a;

function isWord(rune: number): boolean {
  return rune < 0x80 && /\w/.test(String.fromCharCode(rune));
}

/** What a state is: the places where a character is read, the text matches, or an assertion waits. */
function isKept(op: number): boolean {
  return isRune(op) || op === MATCH || op === ASSERTION;
}

function isRune(op: number): boolean {
  return op >= (FIRST_RUNE as number) && op <= (LAST_RUNE as number);
}

function classesOf(inst: readonly Instruction[]): readonly number[] {
  const bounds = new Set([0]);
  // What assertions tell apart: the newline, and the letters and digits of words.
  if (inst.some(({ op }) => op === ASSERTION))
    for (const bound of [NEWLINE, NEWLINE + 1, 0x30, 0x3a, 0x41, 0x5b, 0x5f, 0x60, 0x61, 0x7b])
      bounds.add(bound);
  for (const { op, runes, arg } of inst) {
    if (!isRune(op)) continue;
    if (runes.length === 1) {
      // Letters that fold to one another stand for themselves.
      const [rune = 0] = runes;
      for (const code of (arg & FOLD_CASE) === 0 ? [rune] : foldedOf(rune)) bounds.add(code).add(code + 1);
    } else for (let i = 0; i < runes.length; i += 2) bounds.add(runes[i] ?? 0).add((runes[i + 1] ?? 0) + 1);
  }
  return [...bounds].filter((bound) => bound <= 0x10_ffff).toSorted((a, b) => a - b);
}

/** The places that no group captures what is read at. Each stands in one part of the pattern, however it is come to. */
function outsideCaptures(start: number, inst: readonly Instruction[]): ReadonlySet<number> {
  const outside = new Set<number>();
  const seen = new Set<number>();
  const pending: [place: number, depth: number][] = [[start, 0]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [place, depth] = next;
    const { op, out, arg } = inst[place] as Instruction;
    if (seen.has(place) || op === MATCH || op === FAIL) continue;
    seen.add(place);
    if (depth === 0) outside.add(place);
    // The whole match is group 0; an even number opens a group, an odd one closes it.
    const within = op !== CAPTURE || arg < 2 ? depth : depth + (arg % 2 === 0 ? 1 : -1);
    pending.push([out, within]);
    if (op === ALTERNATIVE || op === ALTERNATIVE_MATCH) pending.push([arg, within]);
  }
  return outside;
}

/** isWithin tells whether every text that the one pattern matches also matches the other. Throws OutOfSteps. */
export function isWithin(inner: Program, outer: Program): boolean {
  const classes = [...new Set([...inner.classes, ...outer.classes])];
  const pending: [State, State][] = [[inner.start, outer.start]];
  const met = new Set<string>();
  for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
    const [left, right] = pair;
    const key = `${left.key}|${right.key}`;
    if (left.places.length === 0 || met.has(key)) continue;
    met.add(key);
    if (inner.accepts(left) && !outer.accepts(right)) return false;
    for (const rune of classes) pending.push([inner.step(left, rune), outer.step(right, rune)]);
  }
  return true;
}

/** stateAfter gives the state after a text. Throws OutOfSteps. */
export function stateAfter(program: Program, from: State, text: string): State {
  let state = from;
  for (const char of text) state = program.step(state, char.codePointAt(0) ?? 0);
  return state;
}

/**
 * restOf gives a shortest text that ends a match from a state, of characters that can be read where there is a choice; null where none
 * does. Throws OutOfSteps.
 */
export function restOf(program: Program, start: State): string | null {
  const runes = [...new Set([...READABLE, ...program.classes])];
  const met = new Set<string>();
  let wave: readonly Way[] = [{ state: start, text: '' }];
  while (wave.length > 0) {
    const next: Way[] = [];
    for (const { state: from, text } of wave) {
      if (from.places.length === 0 || met.has(from.key)) continue;
      met.add(from.key);
      if (program.accepts(from)) return text;
      for (const rune of runes)
        next.push({ state: program.step(from, rune), text: text + String.fromCodePoint(rune) });
    }
    wave = next;
  }
  return null;
}

/** A text and the state that it leads to. */
interface Way {
  readonly state: State;
  readonly text: string;
}

const READABLE = [...'a1/@.-:_'].map((char) => char.codePointAt(0) ?? 0);
