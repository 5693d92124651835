import { KNOWN_WORDS, LONGEST_WORD, RUNS } from './password-words.ts';

/** Costs of pieces that a guesser tries as one; any other character costs 1. */
const WORD = 2;
const OWN = 1;
const RUN = 1;
const YEAR = 1;
const COPY = 1;

/** Shorter runs and copies stand in every text. */
const SHORTEST_RUN = 4;
const SHORTEST_COUNT = 3;
const SHORTEST_COPY = 3;
const SHORTEST_OWN = 3;

/** Signs that stand for letters; a 1 may be an i or an l. */
const LEET: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  8: 'b',
  9: 'g',
  $: 's',
  '@': 'a',
  '!': 'i',
  '+': 't',
};

/**
 * guessSteps counts what a guesser has to get right about a folded password: the fewest pieces that it can be put together from, where
 * a known word, something of the person's own, a run of keys, a year, or a copy of what stood before is one piece and any other
 * character is one too.
 */
export function guessSteps(plain: string, own: readonly string[]): number {
  const letters = [...plain];
  const { length } = letters;
  const spellings = ['i', 'l'].map((one) =>
    letters.map((sign) => (sign === '1' || sign === '!' ? one : (LEET[sign] ?? sign))),
  );
  const texts = [letters, ...spellings];
  const owned = [...new Set(own)].map((part) => [...part]).filter((part) => part.length >= SHORTEST_OWN);
  const copies = longestCopies(letters);
  const steps = Array.from({ length: length + 1 }, () => Infinity);
  steps[0] = 0;
  const reach = (to: number, cost: number): void => {
    if (cost < (steps[to] ?? 0)) steps[to] = cost;
  };
  for (let at = 0; at < length; at += 1) {
    const so = steps[at] ?? 0;
    reach(at + 1, so + 1);
    for (const text of texts) {
      // An address is long, and the webhook waits while this runs: each part is compared, not each piece looked up.
      for (const part of owned)
        if (part.every((sign, nth) => text[at + nth] === sign)) reach(at + part.length, so + OWN);
      for (let end = at + SHORTEST_OWN; end <= Math.min(at + LONGEST_WORD, length); end += 1)
        if (KNOWN_WORDS.has(text.slice(at, end).join(''))) reach(end, so + WORD);
    }
    for (let end = at + runAt(letters, at); end > at; end -= 1) reach(end, so + RUN);
    if (/^(?:19|20)\d\d$/.test(letters.slice(at, at + 4).join(''))) reach(at + 4, so + YEAR);
    for (let end = at + (copies[at] ?? 0); end >= at + SHORTEST_COPY; end -= 1) reach(end, so + COPY);
  }
  return steps[length] ?? 0;
}

/** How many characters from a place on stand in one run, 0 where too few do. */
function runAt(letters: readonly string[], at: number): number {
  let most = 0;
  for (const run of RUNS) {
    let count = 0;
    while (at + count < letters.length && run.includes(letters.slice(at, at + count + 1).join('')))
      count += 1;
    most = Math.max(most, count);
  }
  const digits = letters.slice(at, at + most).every((sign) => /\d/.test(sign));
  return most >= (digits ? SHORTEST_COUNT : SHORTEST_RUN) ? most : 0;
}

/** For each place how long the longest piece is that stood before as well; it may run into itself, as in `aaaa`. */
function longestCopies(letters: readonly string[]): number[] {
  const { length } = letters;
  const best = Array.from({ length }, () => 0);
  let below = new Uint16Array(length + 1);
  for (let at = length - 1; at >= 0; at -= 1) {
    const row = new Uint16Array(length + 1);
    for (let before = 0; before < at; before += 1) {
      if (letters[before] !== letters[at]) continue;
      const shared = 1 + (below[before + 1] ?? 0);
      row[before] = shared;
      best[at] = Math.max(best[at] ?? 0, shared);
    }
    below = row;
  }
  return best;
}

/**
 * repeatedPiece gives the shortest piece that a text is a repetition of, at least twice, the last time perhaps cut short; null where it
 * repeats nothing.
 */
export function repeatedPiece(text: string): string | null {
  const letters = [...text];
  // The border of Knuth, Morris and Pratt: the longest beginning that is also an end.
  const border: number[] = [0];
  for (let at = 1, matched = 0; at < letters.length; at += 1) {
    while (matched > 0 && letters[at] !== letters[matched]) matched = border[matched - 1] ?? 0;
    if (letters[at] === letters[matched]) matched += 1;
    border[at] = matched;
  }
  const period = letters.length - (border.at(-1) ?? 0);
  return period * 2 <= letters.length ? letters.slice(0, period).join('') : null;
}
