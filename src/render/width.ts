/** Characters that take two columns of a terminal: East Asian scripts and pictures. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const NO_WIDTH = /\p{M}/u;

/** displayWidth gives the columns that a text without control characters takes on a terminal. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const char of text) width += widthOf(char);
  return width;
}

/** cutMiddle takes characters out of the middle of a text that is wider than `max` columns and puts … there. */
export function cutMiddle(text: string, max: number): string {
  if (displayWidth(text) <= max) return text;
  if (max <= 1) return max === 1 ? '…' : '';
  const chars = [...text];
  // The end of an image name tells more than its beginning: it gets the odd column.
  const head = takeWithin(chars, Math.floor((max - 1) / 2));
  const tail = takeWithin(chars.toReversed(), max - 1 - displayWidth(head));
  return `${head}…${[...tail].toReversed().join('')}`;
}

/** cutEnd ends a text that is wider than `max` columns with …. */
export function cutEnd(text: string, max: number): string {
  if (displayWidth(text) <= max) return text;
  return max <= 0 ? '' : `${takeWithin([...text], max - 1).trimEnd()}…`;
}

/** wrapWords breaks a text at its spaces into lines of at most `max` columns; a longer word is cut in pieces. */
export function wrapWords(text: string, max: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    let rest = word;
    while (displayWidth(rest) > max) {
      if (line !== '') lines.push(line);
      line = '';
      const piece = takeWithin([...rest], max) || [...rest].slice(0, 1).join('');
      lines.push(piece);
      rest = rest.slice(piece.length);
    }
    const joined = line === '' ? rest : `${line} ${rest}`;
    if (displayWidth(joined) <= max) line = joined;
    else {
      lines.push(line);
      line = rest;
    }
  }
  return line === '' && lines.length > 0 ? lines : [...lines, line];
}

function widthOf(char: string): number {
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x300) return 1;
  if (NO_WIDTH.test(char)) return 0;
  return WIDE.test(char) ? 2 : 1;
}

function takeWithin(chars: readonly string[], max: number): string {
  let taken = '';
  let width = 0;
  for (const char of chars) {
    width += widthOf(char);
    if (width > max) break;
    taken += char;
  }
  return taken;
}
