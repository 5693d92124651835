/**
 * markMade rewrites an RE2 pattern to one that matches the same texts, in which the characters that nobody wrote stand in groups that
 * capture, and nothing else does: those of classes (`[a-f]`, `.`, `\w`), and what repeats in several ways. What cannot be read as RE2 gives
 * any text.
 */
export function markMade(pattern: string): string {
  let out = '';
  let atom = 0;
  const groups: number[] = [];
  let at = 0;
  while (at < pattern.length) {
    const rest = pattern.slice(at);
    const repeat = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/.exec(rest)?.[0];
    if (repeat !== undefined) {
      const isFixed = isFixedRepeat(repeat, out.slice(atom));
      out = isFixed ? out + repeat : `${out.slice(0, atom)}(${out.slice(atom)})${repeat}`;
      at += repeat.length;
      continue;
    }
    const group = /^\((?:\?(?:P?<[^>]*>|[a-zA-Z-]*[:)]))?/.exec(rest)?.[0];
    if (group !== undefined) {
      // Flags by themselves open no group.
      if (!group.endsWith(')')) groups.push(out.length);
      out += /^\((?:\?P?<.*)?$/.test(group) ? '(?:' : group;
      at += group.length;
      continue;
    }
    if (rest.startsWith(')')) {
      atom = groups.pop() ?? 0;
      out += ')';
      at += 1;
      continue;
    }
    const [length, written] = readAtom(rest);
    for (const one of written) {
      atom = out.length;
      out += one;
    }
    at += length;
  }
  return out;
}

/** Whether what repeats is one text: once or not at all, or the same text this many times. */
function isFixedRepeat(repeat: string, atom: string): boolean {
  if (/^(?:\?|\{0,1\}|\{[01](?:,1)?\})\??$/.test(repeat)) return true;
  return /^\{(\d+)(?:,\1)?\}\??$/.test(repeat) && !/\||[^(]\?|\{0,1\}/.test(atom);
}

/** The length of what begins a text, and the atoms that stand for it: several where it is quoted. */
function readAtom(rest: string): readonly [length: number, atoms: readonly string[]] {
  if (rest.startsWith('\\Q')) {
    const end = rest.indexOf('\\E');
    const quoted = rest.slice(2, end === -1 ? undefined : end);
    const codes = [...quoted].map((char) => (char.codePointAt(0) ?? 0).toString(16));
    return [end === -1 ? rest.length : end + 2, codes.map((code) => `\\x{${code}}`)];
  }
  const many = CLASS.exec(rest)?.[0];
  if (many !== undefined) return [many.length, [isOneLetter(many) ? many : `(${many})`]];
  const one = ESCAPE.exec(rest)?.[0] ?? String.fromCodePoint(rest.codePointAt(0) ?? 0);
  return [one.length, [one]];
}

/** A class; `]` right after its beginning is a character of it. */
const CLASS =
  /^(?:\.|\\[dDsSwW]|\\[pP](?:\{[^}]*\}|.)|\[\^?\]?(?:\[:\^?[a-z]+:\]|\\[pPx]\{[^}]*\}|\\.|[^\]\\])*\])/su;
const ESCAPE = /^\\(?:x\{[^}]*\}|x..|[0-7]{1,3}|.)/su;

/** Whether a class is a way to write one character: `[.]`, or a letter of either case. */
function isOneLetter(written: string): boolean {
  const [, one, other] = /^\[(?:\\[^A-Za-z0-9]|[^\\^]|([A-Za-z])([A-Za-z]))\]$/u.exec(written) ?? [];
  if (one === undefined || other === undefined) return /^\[(?:\\[^A-Za-z0-9]|[^\\^])\]$/u.test(written);
  return one.toLowerCase() === other.toLowerCase();
}
