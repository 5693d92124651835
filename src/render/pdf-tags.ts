/** LeafTag is what a text is, for readers that read aloud. */
export type LeafTag = 'H1' | 'H2' | 'P' | 'Code' | 'Span';

/** GroupTag is what belongs together. */
export type GroupTag = 'Table' | 'TR' | 'TH' | 'TD';

/** Tags writes the structure of a document beside what is seen. */
export class Tags {
  readonly #doc: PDFKit.PDFDocument;
  readonly #root: PDFKit.PDFStructureElement;
  #parents: PDFKit.PDFStructureElement[] = [];
  /** Inside of what is only for the eye. */
  #hidden = false;

  constructor(doc: PDFKit.PDFDocument) {
    this.#doc = doc;
    this.#root = doc.struct('Document');
    doc.addStructure(this.#root);
  }

  /** Writes one text. It must not begin a page by itself, except where it flows over its end. */
  leaf(tag: LeafTag, act: () => unknown): void {
    this.#add(tag, {}, act);
  }

  /** Draws what is read by other words. */
  figure(alt: string, act: () => unknown): void {
    this.#add('Figure', { alt }, act);
  }

  /** Writes several texts that belong together. */
  group(tag: GroupTag, act: () => void): void {
    if (this.#hidden) return act();
    const parent = this.#parents.at(-1) ?? this.#root;
    const element = this.#doc.struct(tag);
    parent.add(element);
    this.#parents.push(element);
    act();
    this.#parents.pop();
    element.end();
  }

  /** Draws what has no meaning of its own. */
  decoration(act: () => unknown): void {
    if (this.#hidden) return void act();
    this.#hidden = true;
    this.#doc.markContent('Artifact');
    act();
    this.#doc.endMarkedContent();
    this.#hidden = false;
  }

  end(): void {
    this.#root.end();
  }

  #add(
    tag: string,
    options: PDFKit.Mixins.StructureElementOptions | { alt: string },
    act: () => unknown,
  ): void {
    if (this.#hidden) return void act();
    const element = this.#doc.struct(tag, options, [() => void act()]);
    (this.#parents.at(-1) ?? this.#root).add(element);
    element.end();
  }
}
