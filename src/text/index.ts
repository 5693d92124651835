/**
 * What people read, in no markup: an adapter writes it in that of a tracker, a chat or a mail.
 * It uses no other folder.
 */
/**
 * Inline is a piece of a line. No matter who wrote its text, a renderer makes it inert: it is only ever read. What comes from outside goes
 * into `code`, which shows it as it is; `text` is for words of our own. A `link` leads to an address that we made or checked.
 */
export type Inline =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly href: string };

/** Line is what stands in one paragraph, one item or one cell. */
export type Line = readonly Inline[];

/**
 * Block is a part of the text of an issue or a comment, in no markup: a renderer for each provider writes it in its own. Rows of a table
 * have as many cells as its header. `rest` says where all of it stands, and is shown only where a tracker's limit cuts the text.
 */
export type Block =
  | { readonly kind: 'heading'; readonly level: 2 | 3; readonly content: Line }
  | { readonly kind: 'paragraph'; readonly content: Line }
  | { readonly kind: 'list'; readonly items: readonly Line[] }
  | { readonly kind: 'table'; readonly header: readonly Line[]; readonly rows: readonly (readonly Line[])[] }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'rest'; readonly content: Line };

/** Piece is an Inline; a bare string is words of our own. */
export type Piece = Inline | string;

/** text is words of our own. */
function text(value: string): Inline {
  return { kind: 'text', text: value };
}

/** code shows a value as it is. */
export function code(text: string): Inline {
  return { kind: 'code', text };
}

/** link leads to an address. */
export function link(text: string, href: string): Inline {
  return { kind: 'link', text, href };
}

/** line makes a line of pieces. */
export function line(...pieces: readonly Piece[]): Line {
  return pieces.map((piece) => (typeof piece === 'string' ? text(piece) : piece));
}

/** heading names what follows. */
export function heading(...pieces: readonly Piece[]): Block {
  return { kind: 'heading', level: 3, content: line(...pieces) };
}

/** paragraph is one. */
export function paragraph(...pieces: readonly Piece[]): Block {
  return { kind: 'paragraph', content: line(...pieces) };
}

/** rest says where all of a text stands, for the case that a tracker cuts it. */
export function rest(...pieces: readonly Piece[]): Block {
  return { kind: 'rest', content: line(...pieces) };
}
