import { inflateSync } from 'node:zlib';

/** Line is one text of a page with the place where it begins, in points from the lower left corner. */
export interface Line {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly size: number;
}

const ENCODING = new TextDecoder('windows-1252');

/** readPdf gives the pages of a PDF of ours as lines of text, in the order in which they were written. */
export function readPdf(bytes: Uint8Array): readonly (readonly Line[])[] {
  const pages: Line[][] = [];
  let at = 0;
  const file = Buffer.from(bytes);
  for (;;) {
    const begin = file.indexOf('stream\n', at);
    if (begin === -1) return pages;
    const end = file.indexOf('\nendstream', begin);
    const text = contentOf(file.subarray(begin + 7, end));
    at = end + 10;
    if (text !== null && text.includes('BT')) pages.push(linesOf(text));
  }
}

function contentOf(stream: Buffer): string | null {
  try {
    return inflateSync(stream).toString('latin1');
  } catch {
    return null;
  }
}

function linesOf(content: string): Line[] {
  return [...content.matchAll(/BT\n1 0 0 1 ([\d.-]+) ([\d.-]+) Tm\n\/F\d+ ([\d.]+) Tf\n\[(.*?)\] TJ/g)].map(
    ([, x, y, size, pieces = '']) => ({
      x: Number(x),
      y: Number(y),
      size: Number(size),
      text: ENCODING.decode(
        Buffer.from([...pieces.matchAll(/<([0-9a-f]*)>/g)].map(([, hex = '']) => hex).join(''), 'hex'),
      ),
    }),
  );
}
