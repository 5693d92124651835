import { shownCharacters } from './pdf-text.ts';

/** What pdfkit keeps of a font that goes into a document. Its types do not name it. */
interface EmbeddedFont {
  font: OpenedFont;
  subset: unknown;
  /** Words with their shapes, by their text. */
  layoutCache: Record<string, unknown>;
}

interface OpenedFont {
  createSubset(): unknown;
  glyphForCodePoint(codePoint: number): unknown;
}

interface Fonts {
  font(name: string, ...rest: readonly unknown[]): unknown;
  readonly _font: EmbeddedFont;
  readonly _fontFamilies: Readonly<Record<string, EmbeddedFont | undefined>>;
}

/** Words of a font that are remembered at most when a document begins. */
const MOST_WORDS = 5000;

const opened = new Map<string, Pick<EmbeddedFont, 'font' | 'layoutCache'>>();

/**
 * shareFonts has the documents of a process read each font once and shape each word once, which is most of what a short document costs.
 * Which glyphs of a font go into a document stays its own.
 */
export function shareFonts(document: object): void {
  const fonts = document as { -readonly [K in keyof Fonts]: Fonts[K] };
  const open = fonts.font.bind(document);
  fonts.font = (name, ...rest) => {
    const isOpen = fonts._fontFamilies[name] !== undefined;
    open(name, ...rest);
    if (!isOpen) share(name, fonts._font);
    return document;
  };
}

function share(name: string, own: EmbeddedFont): void {
  const known = opened.get(name);
  if (known === undefined) {
    // A glyph keeps the character that it is looked up for first: the bytes of a document must not follow from others before it.
    for (const character of shownCharacters()) own.font.glyphForCodePoint(character);
    opened.set(name, { font: own.font, layoutCache: own.layoutCache });
    return;
  }
  if (Object.keys(known.layoutCache).length > MOST_WORDS)
    known.layoutCache = Object.create(null) as Record<string, unknown>;
  own.font = known.font;
  own.subset = known.font.createSubset();
  own.layoutCache = known.layoutCache;
}
