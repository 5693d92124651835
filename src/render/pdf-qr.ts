import { encode } from 'uqr';
import type { Sheet } from './pdf-sheet.ts';
import { INK } from './pdf-words.ts';

/** drawQr draws a text as a QR code of some size; `words` say what it holds to those who do not see it. */
export function drawQr(
  sheet: Sheet,
  text: string,
  words: string,
  { x, y, size }: { readonly x: number; readonly y: number; readonly size: number },
): void {
  const { data } = encode(text, { ecc: 'M', border: 0 });
  const step = size / data.length;
  sheet.figure(words, () => {
    for (const [row, modules] of data.entries())
      for (const [column, dark] of modules.entries())
        if (dark) sheet.doc.rect(x + column * step, y + row * step, step, step);
    sheet.doc.fill(INK.text);
  });
}
