import { sql } from 'kysely';
import { parseImageFacts, type ImageFacts } from '../../facts/index.ts';
import { inLists } from '../sql/marks.ts';
import { Shapes } from '../cells/shapes.ts';
import type { Store } from '../sql/store.ts';
import { run, type Row } from '../sql/run.ts';

interface Known {
  readonly version: number;
  readonly facts: ImageFacts | null;
}

/** Beyond this many characters of JSON what was parsed is forgotten. */
const MAX_CHARS = 64 * 1024 * 1024;

/**
 * FactsCache remembers from one replay to the next what takes long to read: parsed facts by digest and version, and the shapes of
 * rows. Bounded.
 */
export class FactsCache {
  readonly #known = new Map<string, Known>();
  readonly #shapes = new WeakMap<Store['read'], Shapes>();
  #chars = 0;

  /** The shapes of a store. */
  shapesOf(read: Store['read']): Shapes {
    let shapes = this.#shapes.get(read);
    if (shapes === undefined) this.#shapes.set(read, (shapes = new Shapes(read)));
    return shapes;
  }

  /** The facts of digests as they stand now; those without any are left out. */
  async load(read: Store['read'], digests: readonly string[]): Promise<Map<string, ImageFacts>> {
    const found = new Map<string, ImageFacts>();
    const stale: string[] = [];
    for (const marks of inLists(digests)) {
      const versions = await run(
        read,
        sql<
          Row<'images', 'digest' | 'facts_version'>
        >`select digest, facts_version from images where facts is not null and digest in (${marks})`,
      );
      for (const { digest, facts_version } of versions) {
        const known = this.#known.get(digest);
        if (known?.version !== facts_version) stale.push(digest);
        else if (known.facts !== null) found.set(digest, known.facts);
      }
    }
    for (const marks of inLists(stale)) {
      if (this.#chars > MAX_CHARS) {
        this.#known.clear();
        this.#chars = 0;
      }
      const rows = await run(
        read,
        sql<
          Row<'images', 'digest' | 'facts_version' | 'facts'>
        >`select digest, facts_version, facts from images where facts is not null and digest in (${marks})`,
      );
      for (const { digest, facts_version, facts: text } of rows) {
        if (text === null) continue;
        const facts = parseImageFacts(JSON.parse(text));
        this.#known.set(digest, { version: facts_version, facts });
        this.#chars += text.length + 200;
        found.set(digest, facts);
      }
    }
    return found;
  }
}
