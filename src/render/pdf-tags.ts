/** LeafTag is what a text is, for readers that read aloud. */
export type LeafTag = 'H1' | 'H2' | 'P' | 'Code' | 'Span';

/** GroupTag is what belongs together. */
export type GroupTag = 'Table' | 'TR' | 'TH' | 'TD';

/** Tags writes the structure of a document beside what is seen; nothing where it is not wanted. */
export class Tags {
  readonly #doc: PDFKit.PDFDocument;
  readonly #root: PDFKit.PDFStructureElement | null;
  #parents: PDFKit.PDFStructureElement[] = [];
  /** Inside of what is only for the eye. */
  #hidden = false;

  constructor(doc: PDFKit.PDFDocument, wanted: boolean) {
    this.#doc = doc;
    this.#root = wanted ? doc.struct('Document') : null;
    if (this.#root !== null) doc.addStructure(this.#root);
  }

  /** Writes one text. It must not begin a page by itself, except where it flows over its end. */
  leaf(tag: LeafTag, act: () => unknown): void {
    const parent = this.#parents.at(-1) ?? this.#root;
    if (parent === null || this.#hidden) return void act();
    const element = this.#doc.struct(tag, {}, [() => void act()]);
    parent.add(element);
    element.end();
  }

  /** Writes several texts that belong together. */
  group(tag: GroupTag, act: () => void): void {
    const parent = this.#parents.at(-1) ?? this.#root;
    if (parent === null || this.#hidden) return act();
    const element = this.#doc.struct(tag);
    parent.add(element);
    this.#parents.push(element);
    act();
    this.#parents.pop();
    element.end();
  }

  /** Draws what has no meaning of its own. */
  decoration(act: () => unknown): void {
    if (this.#root === null || this.#hidden) return void act();
    this.#hidden = true;
    this.#doc.markContent('Artifact');
    act();
    this.#doc.endMarkedContent();
    this.#hidden = false;
  }

  end(): void {
    this.#root?.end();
  }
}
