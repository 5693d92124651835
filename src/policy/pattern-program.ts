import type { Pattern } from './pattern.ts';

/**
 * Program is a pattern as the automaton that RE2 makes of it, to ask what a match says nothing of: whether a text that begins so can
 * still match, and whether all texts of one pattern are texts of another. A state is a set of places, none of which is met twice.
 */
export interface Program {
  readonly start: State;
  /** The state after one more character (a code point); without places where no text that goes on matches. */
  step(state: State, rune: number): State;
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
const [ALTERNATIVE, ALTERNATIVE_MATCH, CAPTURE, ASSERTION, , MATCH, NOTHING, FIRST_RUNE, LAST_RUNE] = [
  1, 2, 3, 4, 5, 6, 7, 8, 11,
];
const [BEGIN_LINE, END_LINE, BEGIN_TEXT, END_TEXT, BOUNDARY, NO_BOUNDARY] = [1, 2, 4, 8, 16, 32];
const FOLD_CASE = 1;

/** Kind is what assertions tell characters by: `none` stands before the first and behind the last. */
type Kind = 'none' | 'line' | 'word' | 'other';

/** openProgram looks into a pattern; null for what is not followed here: letters beyond ASCII without regard to case. */
export function openProgram({ compiled }: Pattern, steps: Steps): Program | null {
  const program = compiled.re2().prog as { readonly start: number; readonly inst: readonly Instruction[] };
  const { inst } = program;
  const at = (place: number): Instruction => inst[place] as Instruction;
  if (inst.some(isBeyond)) return null;

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

  return {
    start: stateOf([program.start], 'none'),
    step: (state, rune) => {
      if ((steps.left -= 1 + state.places.length) < 0) throw new OutOfSteps();
      const kind = kindOf(rune);
      const next = open(state, kind).filter((place) => isRune(at(place).op) && at(place).matchRune(rune));
      return stateOf(
        next.map((place) => at(place).out),
        kind,
      );
    },
    accepts: (state) => open(state, 'none').some((place) => at(place).op === MATCH),
    classes: classesOf(inst),
  };
}

/** The assertions that hold between two characters. */
function heldBetween(before: Kind, after: Kind): number {
  return (
    (before === 'none' ? BEGIN_TEXT | BEGIN_LINE : before === 'line' ? BEGIN_LINE : 0) |
    (after === 'none' ? END_TEXT | END_LINE : after === 'line' ? END_LINE : 0) |
    ((before === 'word') === (after === 'word') ? NO_BOUNDARY : BOUNDARY)
  );
}

const NEWLINE = 0x0a;

function isWord(rune: number): boolean {
  return rune < 0x80 && /\w/.test(String.fromCharCode(rune));
}

/** Letters beyond ASCII that fold to any of several. */
function isBeyond({ op, arg, runes }: Instruction): boolean {
  return isRune(op) && runes.length === 1 && (arg & FOLD_CASE) !== 0 && (runes[0] ?? 0) > 0x7f;
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
      const rune = String.fromCodePoint(runes[0] ?? 0);
      const folded =
        (arg & FOLD_CASE) === 0 ? [rune] : [rune, rune.toLowerCase(), rune.toUpperCase(), '\u017f', '\u212a'];
      for (const text of folded) {
        const code = text.codePointAt(0) ?? 0;
        bounds.add(code).add(code + 1);
      }
    } else for (let i = 0; i < runes.length; i += 2) bounds.add(runes[i] ?? 0).add((runes[i + 1] ?? 0) + 1);
  }
  return [...bounds].filter((bound) => bound <= 0x10_ffff).toSorted((a, b) => a - b);
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

/**
 * completionOf gives a shortest text that begins with `prefix` and matches, of characters that can be read where there is a choice; null
 * where none does. With `within` the prefix ends inside a name (of an owner, of a host): the name may go on, and a slash ends it. Throws
 * OutOfSteps.
 */
export function completionOf(program: Program, prefix: string, within: 'name' | 'rest'): string | null {
  let state = program.start;
  for (const char of prefix) state = program.step(state, char.codePointAt(0) ?? 0);
  const runes = [...new Set([...READABLE, ...program.classes])];
  const ofNames = runes.filter((rune) => OF_NAME.test(String.fromCodePoint(rune)));
  const met = new Set<string>();
  let wave: readonly Way[] = [{ state, text: prefix, within }];
  while (wave.length > 0) {
    const next: Way[] = [];
    for (const { state: from, text, within: part } of wave) {
      const key = `${part} ${from.key}`;
      if (from.places.length === 0 || met.has(key)) continue;
      met.add(key);
      if (part === 'rest' && program.accepts(from)) return text;
      for (const rune of part === 'rest' ? runes : ofNames) {
        const char = String.fromCodePoint(rune);
        next.push({
          state: program.step(from, rune),
          text: text + char,
          within: char === '/' ? 'rest' : part,
        });
      }
    }
    wave = next;
  }
  return null;
}

/** A text, the state that it leads to, and whether its end is inside a name. */
interface Way {
  readonly state: State;
  readonly text: string;
  readonly within: 'name' | 'rest';
}

const READABLE = [...'a1/@.-:_'].map((char) => char.codePointAt(0) ?? 0);
const OF_NAME = /^[A-Za-z0-9/-]$/;
