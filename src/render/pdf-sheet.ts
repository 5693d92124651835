// eslint-disable-next-line import/no-named-as-default -- its types have only the default
import PDFDocument from 'pdfkit';
import { FONTS } from './pdf-fonts.ts';
import { shareFonts } from './pdf-shared-fonts.ts';
import { Tags, type GroupTag, type LeafTag } from './pdf-tags.ts';
import { pdfText } from './pdf-text.ts';
import { INK, textsOf, titleOf, type Ink, type Piece, type Waiting } from './pdf-words.ts';

const MARGIN = 48;
const FOOT = 44;
/** Lines of code that stay on one page; where there are more, it is the first ones. */
const CODE_TOGETHER = 8;

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
  /** Headings that no page may part from what they stand above. */
  #waiting: readonly Waiting[] = [];

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
    shareFonts(this.doc);
    this.#tags = new Tags(this.doc);
    this.#foot = pdfText(foot, 120);
    this.width = this.doc.page.width - 2 * MARGIN;
    this.#bottom = this.doc.page.height - this.doc.page.margins.bottom;
    this.doc.on('data', (chunk: Buffer) => this.#chunks.push(chunk));
    this.#ended = new Promise((resolve) => this.doc.on('end', () => resolve()));
  }

  /** Where the next line stands. Asking for it writes what waits. */
  get y(): number {
    if (this.#waiting.length > 0) this.room(0);
    return this.doc.y;
  }

  set y(value: number) {
    this.doc.x = this.left;
    this.doc.y = value;
  }

  /** Begins a new page unless this many points are left on this one below what waits, which is written; tells whether it did. */
  room(height: number): boolean {
    const waiting = this.#waiting;
    this.#waiting = [];
    const whole = waiting.reduce((sum, one) => sum + one.height, height);
    const begins = this.doc.y > MARGIN && this.doc.y + whole > this.#bottom;
    if (begins) this.doc.addPage();
    for (const one of waiting) one.write();
    return begins;
  }

  /** Begins a section, with an entry in the reader's outline. Its heading stands on the page of what follows it. */
  section(title: string, hint = ''): void {
    const [above, below] = [16, 5];
    const head = [{ text: title, bold: true }];
    const about = [{ text: hint, ink: 'soft' as const }];
    this.#waiting = [
      ...this.#waiting,
      {
        height: above + this.#heightOf(head, 12) + (hint === '' ? 0 : this.#heightOf(about, 8.5)) + below,
        write: () => {
          if (this.y > MARGIN + 1) this.y += above;
          this.doc.outline.addItem(title);
          this.#write(head, 12, 'H2');
          if (hint !== '') this.#write(about, 8.5, 'P');
          this.y += below;
        },
      },
    ];
  }

  /** Writes a paragraph that stands on the page of what follows it, this far above it. */
  lead(pieces: readonly Piece[], size = 9.5, below = 3): void {
    const height = this.#heightOf(pieces, size) + below;
    const write = (): void => {
      this.#write(pieces, size, 'P');
      this.y += below;
    };
    this.#waiting = [...this.#waiting, { height, write }];
  }

  /** Writes a paragraph over the whole width. */
  paragraph(pieces: readonly Piece[], size = 9.5, tag: LeafTag = 'P'): void {
    this.room(this.#heightOf(pieces, size));
    this.#write(pieces, size, tag);
  }

  #heightOf(pieces: readonly Piece[], size: number): number {
    // Bold is wider: where a part is bold, this is rather too much.
    this.doc.font(pieces.some(({ bold }) => bold === true) ? 'bold' : 'plain').fontSize(size);
    return this.doc.heightOfString(textsOf(pieces).join(''), { width: this.width, lineGap: 2 });
  }

  #write(pieces: readonly Piece[], size: number, tag: LeafTag): void {
    const { doc } = this;
    const texts = textsOf(pieces);
    doc.fontSize(size);
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
    const parts = lines.flatMap(({ text, ink }) => {
      const whole = pdfText(text, 4000);
      const count = Math.max(1, Math.ceil(whole.length / most));
      return Array.from({ length: count }, (_, i) => ({ text: whole.slice(i * most, (i + 1) * most), ink }));
    });
    this.room(step * Math.min(parts.length, CODE_TOGETHER));
    for (const { text, ink } of parts) {
      this.room(step);
      const { y } = this;
      doc
        .font('code')
        .fontSize(size)
        .fillColor(INK[ink ?? 'text']);
      this.#tags.leaf('Code', () => doc.text(text, this.left, y, { lineBreak: false }));
      this.y = y + step;
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
    this.room(0);
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

/** LineOptions are the look of one line. */
export interface LineOptions {
  readonly width: number;
  readonly size?: number;
  readonly font?: keyof typeof FONTS;
  readonly ink?: Ink;
  readonly align?: 'left' | 'right';
  readonly tag?: LeafTag;
}
