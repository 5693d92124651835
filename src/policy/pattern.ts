import { RE2JS, RE2JSException } from 're2js';
import { printable } from '../base/index.ts';
import { isSlowToCompile, sizeBound } from './pattern-size.ts';

/** MAX_PATTERN is how many characters a pattern may have. */
export const MAX_PATTERN = 512;

/** MAX_PROGRAM is how many instructions a pattern may be compiled to: matching takes at most this many steps for each character. */
export const MAX_PROGRAM = 1000;

/** Pattern is a compiled RE2 pattern, which matches in a time in proportion to the text. */
export interface Pattern {
  /** Whether the whole of a text matches, by case, as if the pattern stood between ^ and $. */
  matches(text: string): boolean;
  /** For `openProgram`, which looks into it. */
  readonly compiled: RE2JS;
}

/** PatternFault says why a text is not a pattern: a clause that follows the field's name, and what to do. */
export interface PatternFault {
  readonly message: string;
  readonly hint: string;
}

type Opened = Pattern | PatternFault;

/** Revisions of a policy name the same patterns, so each is compiled once; bounded, since a draft can name any. */
const opened = new Map<string, Opened>();
const MAX_OPENED = 256;

/** patternFault says why a text is not a pattern that can be used here, or gives null when it is one. */
export function patternFault(text: string): PatternFault | null {
  const pattern = open(text);
  return 'message' in pattern ? pattern : null;
}

/** openPattern compiles a pattern; null when it is none, which a policy that was read never holds. */
export function openPattern(text: string): Pattern | null {
  const pattern = open(text);
  return 'message' in pattern ? null : pattern;
}

/** exactPattern gives the pattern that matches only the text. */
export function exactPattern(text: string): Pattern {
  return toPattern(RE2JS.compile(RE2JS.quote(text)));
}

function open(text: string): Opened {
  let pattern = opened.get(text);
  if (pattern === undefined) {
    pattern = compile(text);
    if (opened.size >= MAX_OPENED) opened.delete(opened.keys().next().value ?? '');
    opened.set(text, pattern);
  }
  return pattern;
}

const TOO_LARGE: PatternFault = {
  message: `is too large; a pattern may have ${MAX_PATTERN} characters, and ${MAX_PROGRAM} instructions once its repeats are written out`,
  hint: 'Use fewer repetitions, or write several entries',
};

const TOO_SLOW: PatternFault = {
  message:
    'takes too long to compile; ranges beyond ASCII with (?i), and many classes such as \\pL, are not taken',
  hint: 'Write the letters that an identity can have: [A-Za-z0-9-]',
};

function compile(text: string): Opened {
  // Before anything is compiled: repeats in repeats take seconds.
  if (text.length > MAX_PATTERN || sizeBound(text) > 4 * MAX_PROGRAM) return TOO_LARGE;
  if (isSlowToCompile(text)) return TOO_SLOW;
  try {
    const compiled = RE2JS.compile(text);
    return compiled.programSize() > MAX_PROGRAM ? TOO_LARGE : toPattern(compiled);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const why = printable(error.message.replace(/^error parsing regexp: /, ''), 120);
    return { message: `is not an RE2 pattern: ${why}`, hint: hintOf(text) };
  }
}

function toPattern(compiled: RE2JS): Pattern {
  return { compiled, matches: (text) => compiled.testExact(text) };
}

function hintOf(text: string): string {
  if (/\(\?(?:[=!]|<[=!])|\\[1-9]|\(\?>|[+*?}]\+/.test(text))
    return 'RE2 has no look-around, no back-references and no possessive repeats; write the pattern without them';
  if (/(?:^|[/(|])\*/.test(text))
    return 'This is not a file pattern: write [^/]* for one segment of a path, .* for anything';
  return 'Write it as RE2 takes it: https://github.com/google/re2/wiki/Syntax';
}
