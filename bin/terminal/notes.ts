import type { Terminal } from './terminal.ts';

/** Notes are not wider than this, as other sentences are not. */
const WIDEST = 110;

/** What stands below the name of the program, and below the beginning of a hint. */
const BELOW = { note: '     ', hint: '  ' } as const;

/**
 * withWrappedNotes gives a terminal on which notes (`ipo: …`) and the hint after one are broken between words where a person reads them. A
 * pipe or a file gets them as they are. A word that is wider, such as an address or a path, stays whole, so that it can be copied.
 */
export function withWrappedNotes(terminal: Terminal): Terminal {
  let afterNote = false;
  const err = (text: string): void => {
    const isNote = text.startsWith('ipo: ');
    const isHint = afterNote && /^ {2}\S[^\n]*\n$/.test(text);
    // Progress is redrawn, and a question goes on in the same line.
    const whole = (isNote || isHint) && text.endsWith('\n') && !text.includes('\u001b');
    afterNote = whole;
    // Asked last: it opens the stream of the process.
    if (!whole || !terminal.tty.err) return terminal.err(text);
    const width = Math.min(terminal.columns, WIDEST);
    const lines = text.slice(0, -1).split('\n');
    terminal.err(`${lines.map((line) => wrapped(line, isHint, width)).join('\n')}\n`);
  };
  // Its streams are looked at only when somebody asks, so what it has is not read here.
  return Object.create(terminal, { err: { value: err, enumerable: true } }) as Terminal;
}

function wrapped(line: string, isHint: boolean, width: number): string {
  if (!isHint && !line.startsWith('ipo: ')) return line;
  const below = isHint ? BELOW.hint : BELOW.note;
  const [first = '', ...words] = line.slice(below.length).split(' ');
  const lines = [`${line.slice(0, below.length)}${first}`];
  let used = columnsOf(lines[0] ?? '');
  for (const word of words) {
    const more = columnsOf(word);
    if (used + 1 + more > width) {
      lines.push(`${below}${word}`);
      used = below.length + more;
    } else {
      lines.push(`${lines.pop() ?? ''} ${word}`);
      used += 1 + more;
    }
  }
  return lines.join('\n');
}

/**
 * At most the columns that a text takes: any character of the scripts that have wide ones counts twice. What measures them exactly would
 * load a part of the core into every start.
 */
function columnsOf(text: string): number {
  let columns = 0;
  for (const char of text) columns += (char.codePointAt(0) ?? 0) >= 0x1100 && !NARROW.test(char) ? 2 : 1;
  return columns;
}

/** Dashes, quotes, ellipses, arrows and checks of our own texts. */
const NARROW = /[\u2000-\u27bf]/;
