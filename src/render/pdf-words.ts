import { pdfText } from './pdf-text.ts';
import { escapeXml } from './xml.ts';

/** INK are the colours of a report on paper, as on its page. */
export const INK = {
  text: '#17212b',
  soft: '#55626f',
  line: '#dbe1e7',
  track: '#e9edf1',
  refused: '#b3261e',
  admitted: '#0b63b5',
  same: '#8492a0',
  accent: '#5a4fcf',
} as const;

/** Ink is one of them. */
export type Ink = keyof typeof INK;

/** Piece is a part of a paragraph with a look of its own. */
export interface Piece {
  readonly text: string;
  readonly bold?: boolean;
  readonly ink?: Ink;
}

/** Waiting is what is written at once with what follows it. */
export interface Waiting {
  readonly height: number;
  write(): void;
}

/** titleOf gives the title of a document: pdfkit writes it into the metadata as it is, which are XML; elsewhere it takes its characters. */
export function titleOf(title: string): string {
  const text = pdfText(title, 200);
  // A text in all that is done with it.
  return Object.assign(new String(text), { toString: () => escapeXml(text) }) as string;
}

/** textsOf gives the texts of a paragraph's pieces. */
export function textsOf(pieces: readonly Piece[]): readonly string[] {
  return spacesBehind(pieces.map(({ text }) => pdfText(text, 2000)));
}

/** A space that begins a piece would begin a line where the piece does; at the end of the piece before it shows nowhere. */
function spacesBehind(texts: readonly string[]): string[] {
  return texts.map((text, i) => {
    const own = i === 0 ? text : text.trimStart();
    return /^ /.test(texts[i + 1] ?? '') ? `${own} ` : own;
  });
}
