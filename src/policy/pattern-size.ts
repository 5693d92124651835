/**
 * sizeBound gives a number of instructions that an RE2 program of the pattern does not exceed, without compiling it: repeats are written
 * out when it is compiled, so that a short text can become a large program. What cannot be read as RE2 gives any number.
 */
export function sizeBound(pattern: string): number {
  /** For each open group: what is in it so far without its newest atom, and that atom. */
  const groups: [sum: number, last: number][] = [[0, 0]];
  const top = (): [number, number] => groups[groups.length - 1] as [number, number];
  const atom = (size: number): void => {
    const group = top();
    group[0] += group[1];
    group[1] = size;
  };
  let at = 0;
  while (at < pattern.length) {
    const char = pattern[at];
    const repeat = char === '{' ? /^\{(\d{1,9})(?:,(\d{0,9}))?\}/.exec(pattern.slice(at, at + 24)) : null;
    if (repeat !== null) {
      const [text, least = '0', most] = repeat;
      // `{n,}` is n times and a loop; a repeat of nothing is still an instruction.
      const times = timesOf(Number(least), most);
      const group = top();
      group[1] = (group[1] + 1) * Math.max(times, 1) + 1;
      at += text.length;
      continue;
    }
    if (char === '(') {
      atom(0);
      groups.push([0, 0]);
    } else if (char === ')' && groups.length > 1) {
      const [sum, last] = groups.pop() as [number, number];
      top()[1] += sum + last + 3;
    } else if (char === '*' || char === '+' || char === '?') top()[1] += 2;
    else if (char === '|') atom(2);
    else {
      const [size, next] = readAtom(pattern, at);
      atom(size);
      at = next;
      continue;
    }
    at += 1;
  }
  return groups.reduce((size, [sum, last]) => size + sum + last, 4);
}

/** The size of the atom at a place, and where the next one begins. */
function readAtom(pattern: string, at: number): readonly [size: number, next: number] {
  if (pattern.startsWith('\\Q', at)) {
    const end = pattern.indexOf('\\E', at + 2);
    const stop = end === -1 ? pattern.length : end;
    // What repeats after it repeats its last character; the whole is a bound.
    return [stop - at, end === -1 ? stop : stop + 2];
  }
  if (pattern[at] === '\\') {
    const named = /^\\(?:[pPx]\{[^}]*\}|[pPx]?.)/su.exec(pattern.slice(at, at + 64));
    return [2, at + (named?.[0].length ?? 1)];
  }
  if (pattern[at] !== '[') return [2, at + 1];
  // A class is one instruction; `]` right after its beginning is a character of it.
  const rest = /^\[\^?\]?(?:\[:\^?[a-z]+:\]|\\.|[^\]\\])*\]/su.exec(pattern.slice(at));
  return [2, at + (rest?.[0].length ?? 1)];
}

/** Classes of Unicode (`\pL`) that one pattern may name: each has some hundred ranges, which are put together whenever one stands beside another. */
const MAX_UNICODE_CLASSES = 16;

/**
 * isSlowToCompile tells patterns that are small programs and still take long to compile: a range that goes beyond ASCII, whose letters are
 * folded one by one where case does not count, and very many classes of Unicode. Nothing that names a signer needs either.
 */
export function isSlowToCompile(pattern: string): boolean {
  if (/\(\?[a-zA-Z-]*i/.test(pattern) && /-(?:[^\0-\x7f]|\\[x0-7])/u.test(pattern)) return true;
  return (pattern.match(/\\[pP]/g)?.length ?? 0) > MAX_UNICODE_CLASSES;
}

/** How often a repeat stands for what it repeats: `{n}`, `{n,}` or `{n,m}`. */
function timesOf(least: number, most: string | undefined): number {
  if (most === undefined) return least;
  return most === '' ? least + 1 : Number(most);
}
