import { RE2JS } from 're2js';
import { markMade } from './pattern-made.ts';
import { openProgram, restOf, stateAfter, type Program, type State, type Steps } from './pattern-program.ts';

/** MadeName is a name of an owner or a domain that a pattern accepts although it is written nowhere in it, in a whole text that matches. */
export interface MadeName {
  /** The text up to the end of the name. */
  readonly beginning: string;
  readonly text: string;
}

/**
 * MadeNames looks for names that a pattern accepts by classes of characters or by repeats, and by no text that somebody wrote:
 * `acme-[a-z]` has some, `acme|acme-labs` has none. Every look throws OutOfSteps.
 */
export class MadeNames {
  readonly #program: Program;
  readonly #rests = new Map<string, string | null>();

  /** Throws OutOfSteps. */
  constructor(pattern: string, steps: Steps) {
    this.#program = openProgram({ compiled: RE2JS.compile(markMade(pattern)) }, steps);
  }

  /** An owner behind a prefix (`https://github.com/`) whose name begins so: a slash and anything follow it. */
  owner(prefix: string, begins = ''): MadeName | null {
    const state = stateAfter(this.#program, this.#program.start, prefix);
    return this.#find({ state, text: prefix }, [{ written: '', slash: true }], begins);
  }

  /** The domain of an address, under some top domains. */
  address(tops: readonly string[]): MadeName | null {
    const at = this.#behind([{ state: this.#program.start, text: '' }], LOCAL, '@');
    return this.#domain(at, tops, false);
  }

  /** The domain of an https address, under some top domains. */
  issuer(tops: readonly string[]): MadeName | null {
    const text = 'https://';
    const state = stateAfter(this.#program, this.#program.start, text);
    return this.#domain([{ state, text }], tops, true);
  }

  #domain(starts: readonly Place[], tops: readonly string[], slash: boolean): MadeName | null {
    const ends = tops.flatMap((top): End[] => [
      { written: `.${top}`, slash: false },
      ...(slash ? [{ written: `.${top}`, slash }] : []),
    ]);
    for (const place of [...starts, ...this.#behind(starts, LETTERS + DOT, DOT)]) {
      const found = this.#find(place, ends);
      if (found !== null) return found;
    }
    return null;
  }

  /** The places behind a character that stands behind letters, each state once. */
  #behind(starts: readonly Place[], letters: string, last: string): readonly Place[] {
    const codes = lettersOf(this.#program, letters);
    const behind = new Map<string, Place>();
    const met = new Set<string>();
    let wave = starts.map((place) => ({ ...place, empty: true }));
    while (wave.length > 0) {
      const next: typeof wave = [];
      for (const { state, text, empty } of wave) {
        const key = `${empty} ${state.key}`;
        if (state.places.length === 0 || met.has(key)) continue;
        met.add(key);
        const after = this.#program.step(state, codeOf(last));
        if (!empty && after.places.length > 0 && !behind.has(after.key))
          behind.set(after.key, { state: after, text: text + last });
        for (const code of codes)
          next.push({
            state: this.#program.step(state, code),
            text: text + String.fromCodePoint(code),
            empty: false,
          });
      }
      wave = next;
    }
    return [...behind.values()];
  }

  #find(from: Place, ends: readonly End[], begins = ''): MadeName | null {
    const codes = lettersOf(this.#program, LETTERS);
    const met = new Set<string>();
    let wave: readonly Way[] = [
      {
        all: stateAfter(this.#program, from.state, begins),
        written: this.#asWritten(from.state, begins),
        name: begins,
      },
    ];
    while (wave.length > 0) {
      const next: Way[] = [];
      for (const { all, written, name } of wave) {
        const key = `${all.key}|${written.key}`;
        if (all.places.length === 0 || met.has(key)) continue;
        met.add(key);
        for (const end of name === '' ? [] : ends) {
          const rest = this.#restAfter(stateAfter(this.#program, all, end.written), end);
          if (rest === null || this.#restAfter(this.#asWritten(written, end.written), end) !== null) continue;
          const beginning = from.text + name + end.written;
          return { beginning, text: beginning + rest };
        }
        for (const code of codes)
          next.push({
            all: this.#program.step(all, code),
            written: this.#program.stepWritten(written, code),
            name: name + String.fromCodePoint(code),
          });
      }
      wave = next;
    }
    return null;
  }

  #asWritten(from: State, text: string): State {
    let state = from;
    for (const char of text) state = this.#program.stepWritten(state, codeOf(char));
    return state;
  }

  /** What may follow a name: a slash and anything, or nothing. */
  #restAfter(state: State, { slash }: End): string | null {
    if (!slash) return this.#program.accepts(state) ? '' : null;
    const behind = this.#program.step(state, codeOf('/'));
    let rest = this.#rests.get(behind.key);
    if (rest === undefined) this.#rests.set(behind.key, (rest = restOf(this.#program, behind)));
    return rest === null ? null : `/${rest}`;
  }
}

/** A text and the state that it leads to. */
interface Place {
  readonly state: State;
  readonly text: string;
}

/** The beginning of a name: the state that it leads to, and that to which it leads as written. */
interface Way {
  readonly all: State;
  readonly written: State;
  readonly name: string;
}

/** What ends a name: a text that counts as a part of it, then a slash or the end of the text. */
interface End {
  readonly written: string;
  readonly slash: boolean;
}

/** Of the names of owners and of domains. */
const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-';
const DOT = '.';
const LOCAL = `${LETTERS}.+_`;

/** One letter for all that lead to the same. */
function lettersOf({ classes }: Program, letters: string): readonly number[] {
  const byClass = new Map<number, number>();
  for (const letter of letters) {
    const code = codeOf(letter);
    const bound = classes.findLastIndex((from) => from <= code);
    if (!byClass.has(bound)) byClass.set(bound, code);
  }
  return [...byClass.values()];
}

function codeOf(char: string): number {
  return char.codePointAt(0) ?? 0;
}
