// eslint-disable-next-line import/no-named-as-default -- its types have only the default
import PDFDocument from 'pdfkit';
import { FONTS } from './pdf-fonts.ts';
import { Tags, type GroupTag, type LeafTag } from './pdf-tags.ts';
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
  same: '#97a5b3',
  accent: '#5a4fcf',
} as const;

/** Ink is one of them. */
export type Ink = keyof typeof INK;

const MARGIN = 48;
const FOOT = 44;

/** Piece is a part of a paragraph with a look of its own. */
export interface Piece {
  readonly text: string;
  readonly bold?: boolean;
  readonly ink?: Ink;
}

/** SheetOptions are what a document is called; `createdAt` in milliseconds makes equal documents equal bytes. */
export interface SheetOptions {
  readonly title: string;
  readonly createdAt: number;
  /** Left side of every page's last line; its number stands on the right. */
  readonly foot: string;
  /** Whether its streams are compressed (true); not by what compresses differently on another machine where it is false. */
  readonly compress?: boolean;
}

/** Attachment is a file that a PDF carries. */
export interface Attachment {
  readonly name: string;
  /** Its media type. */
  readonly type: string;
  readonly description: string;
  readonly content: Uint8Array;
}

/**
 * Sheet is a PDF/A-3a that is written from top to bottom on A4 pages: with its fonts in it, and headings, paragraphs and tables told apart
 * for readers that read aloud. Every text that is given may be hostile.
 */
export class Sheet {
  readonly doc: PDFKit.PDFDocument;
  readonly left = MARGIN;
  readonly width: number;
  readonly #bottom: number;
  readonly #foot: string;
  readonly #chunks: Buffer[] = [];
  readonly #ended: Promise<void>;
  readonly #tags: Tags;
  readonly #at: Date;

  constructor({ title, createdAt, foot, compress = true }: SheetOptions) {
    this.#at = new Date(createdAt);
    this.doc = new PDFDocument({
      size: 'A4',
      compress,
      tagged: true,
      subset: 'PDF/A-3a',
      // None yet: what is opened here would be opened again under its name, each time that it is set.
      font: null as unknown as string,
      margins: { top: MARGIN, bottom: MARGIN + FOOT / 2, left: MARGIN, right: MARGIN },
      bufferPages: true,
      lang: 'en',
      displayTitle: true,
      pdfVersion: '1.7',
      info: {
        Title: titleOf(title),
        Creator: 'ipo',
        Producer: 'ipo',
        CreationDate: this.#at,
        ModDate: this.#at,
      },
    });
    for (const [name, file] of Object.entries(FONTS)) this.doc.registerFont(name, file);
    this.#tags = new Tags(this.doc);
    this.#foot = pdfText(foot, 120);
    this.width = this.doc.page.width - 2 * MARGIN;
    this.#bottom = this.doc.page.height - this.doc.page.margins.bottom;
    this.doc.on('data', (chunk: Buffer) => this.#chunks.push(chunk));
    this.#ended = new Promise((resolve) => this.doc.on('end', () => resolve()));
  }

  get y(): number {
    return this.doc.y;
  }

  set y(value: number) {
    this.doc.x = this.left;
    this.doc.y = value;
  }

  /** Begins a new page unless this many points are left on this one; tells whether it did. */
  room(height: number): boolean {
    if (this.y + height <= this.#bottom) return false;
    this.doc.addPage();
    return true;
  }

  /** Begins a section, with an entry in the reader's outline. */
  section(title: string, hint = ''): void {
    this.room(90);
    if (this.y > MARGIN + 1) this.y += 16;
    this.doc.outline.addItem(title);
    this.paragraph([{ text: title, bold: true }], 12, 'H2');
    if (hint !== '') this.paragraph([{ text: hint, ink: 'soft' }], 8.5);
    this.y += 5;
  }

  /** Writes a paragraph over the whole width. */
  paragraph(pieces: readonly Piece[], size = 9.5, tag: LeafTag = 'P'): void {
    const { doc } = this;
    const texts = spacesBehind(pieces.map(({ text }) => pdfText(text, 2000)));
    doc.font('plain').fontSize(size);
    this.room(doc.heightOfString(texts.join(''), { width: this.width, lineGap: 2 }));
    doc.x = this.left;
    this.#tags.leaf(tag, () => {
      pieces.forEach(({ bold, ink }, i) => {
        doc.font(bold === true ? 'bold' : 'plain').fillColor(INK[ink ?? 'text']);
        doc.text(texts[i] ?? '', { width: this.width, lineGap: 2, continued: i < pieces.length - 1 });
      });
    });
    this.y = doc.y;
  }

  /** Writes one line at a place, cut with an ellipsis where it is too long. */
  line(text: string, x: number, y: number, options: LineOptions): void {
    const { width, size = 8.5, font = 'plain', ink = 'text', align = 'left' } = options;
    this.doc.font(font).fontSize(size).fillColor(INK[ink]);
    const fitting = this.fit(text, width);
    const free = align === 'right' ? width - this.doc.widthOfString(fitting) : 0;
    this.#tags.leaf(options.tag ?? 'P', () => this.doc.text(fitting, x + free, y, { lineBreak: false }));
    this.doc.x = this.left;
  }

  /** Gives as much of a text as fits into a width in the font that is set. */
  fit(text: string, width: number): string {
    const whole = pdfText(text);
    if (this.doc.widthOfString(whole) <= width) return whole;
    let [low, high] = [0, whole.length];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.doc.widthOfString(`${whole.slice(0, middle)}…`) <= width) low = middle;
      else high = middle - 1;
    }
    return `${whole.slice(0, low)}…`;
  }

  /**
   * Breaks a text into lines of a width in the font that is set: at spaces, and a word that is longer than a line behind a slash,
   * an at sign or a hyphen, before a tag, or wherever it must be.
   */
  wrap(text: string, width: number): string[] {
    const fits = (one: string): boolean => this.doc.widthOfString(one.trimEnd()) <= width;
    const lines: string[] = [];
    let line = '';
    const place = (part: string): void => {
      if (fits(line + part)) line += part;
      else {
        if (line !== '') lines.push(line.trimEnd());
        line = part;
      }
    };
    for (const word of text.split(/(?<= )/)) {
      if (fits(word)) place(word);
      else
        for (const part of word.split(/(?<=[/@-])|(?<!@sha256)(?=:)/)) {
          if (fits(part)) place(part);
          else for (const character of part) place(character);
        }
    }
    return [...lines, line.trimEnd()];
  }

  /** Writes lines of text as they stand, in a font of one width; a line that is too long goes on in the next. */
  code(lines: readonly Piece[], size = 7.5): void {
    const { doc } = this;
    const step = size * 1.35;
    const most = Math.floor(this.width / (size * 0.6));
    for (const { text, ink } of lines) {
      const whole = pdfText(text, 4000);
      for (let at = 0; at === 0 || at < whole.length; at += most) {
        this.room(step);
        const { y } = this;
        doc
          .font('code')
          .fontSize(size)
          .fillColor(INK[ink ?? 'text']);
        this.#tags.leaf('Code', () =>
          doc.text(whole.slice(at, at + most), this.left, y, { lineBreak: false }),
        );
        this.y = y + step;
      }
    }
  }

  /** Writes what belongs together, such as a row of a table. */
  group(tag: GroupTag, act: () => void): void {
    this.#tags.group(tag, act);
  }

  /** Draws what cannot be read as text, with the words that stand for it. */
  figure(words: string, act: () => unknown): void {
    this.#tags.figure(pdfText(words), act);
  }

  /** Carries a file with it. */
  attach({ name, type, description, content }: Attachment): void {
    const about = { name, type, description, creationDate: this.#at, modifiedDate: this.#at };
    // Its types do not know the relationship, which PDF/A-3 asks for.
    this.doc.file(Buffer.from(content), { ...about, ...{ relationship: 'Source' } });
  }

  /** Draws what is only for the eye. */
  decoration(act: () => unknown): void {
    this.#tags.decoration(act);
  }

  /** Draws a rule over the whole width. */
  rule(): void {
    const y = this.y + 6;
    this.decoration(() =>
      this.doc
        .moveTo(this.left, y)
        .lineTo(this.left + this.width, y)
        .lineWidth(0.7)
        .stroke(INK.line),
    );
    this.y = y + 8;
  }

  /** Numbers the pages and gives the bytes. */
  async finish(): Promise<Uint8Array> {
    const { count } = this.doc.bufferedPageRange();
    for (let i = 0; i < count; i += 1) {
      this.doc.switchToPage(i);
      this.doc.page.margins.bottom = 0; // else the line below it would begin a page
      const y = this.doc.page.height - FOOT;
      const look = { size: 8, ink: 'soft' } as const;
      const number = `Page ${i + 1} of ${count}`;
      this.decoration(() => {
        this.line(this.#foot, this.left, y, { ...look, width: this.width - 90 });
        this.line(number, this.left + this.width - 80, y, { ...look, width: 80, align: 'right' });
      });
    }
    this.#tags.end();
    this.doc.end();
    await this.#ended;
    return Buffer.concat(this.#chunks);
  }
}

/** pdfkit writes the title into the metadata as it is, which are XML; elsewhere it takes its characters. */
function titleOf(title: string): string {
  const text = pdfText(title, 200);
  // A text in all that is done with it.
  return Object.assign(new String(text), { toString: () => escapeXml(text) }) as string;
}

/** A space that begins a piece would begin a line where the piece does; at the end of the piece before it shows nowhere. */
function spacesBehind(texts: readonly string[]): string[] {
  return texts.map((text, i) => {
    const own = i === 0 ? text : text.trimStart();
    return /^ /.test(texts[i + 1] ?? '') ? `${own} ` : own;
  });
}

/** LineOptions are the look of one line. */
export interface LineOptions {
  readonly width: number;
  readonly size?: number;
  readonly font?: keyof typeof FONTS;
  readonly ink?: Ink;
  readonly align?: 'left' | 'right';
  readonly tag?: LeafTag;
}
