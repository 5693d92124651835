import type { Digest } from '../base/index.ts';
import { parsePurl } from './purl.ts';
import type { VexDocument, VexProduct, VexStatement } from './statement.ts';

/**
 * DigestIndex finds what a document says of one image without walking all of it: a producer's document may be about thousands of images,
 * and each of them asks. For documents that are not attached, where a product must name the digest.
 */
export class DigestIndex {
  readonly #document: VexDocument;
  /** By the hex of a digest, and by the last segment of a name: places in the list of statements, each with a product. */
  readonly #places = new Map<string, (readonly [statement: number, product: VexProduct])[]>();

  constructor(document: VexDocument) {
    this.#document = document;
    for (const [i, { products }] of document.statements.entries())
      for (const product of products ?? [])
        for (const key of keysOf(product)) {
          const known = this.#places.get(key);
          if (known === undefined) this.#places.set(key, [[i, product]]);
          else known.push([i, product]);
        }
  }

  /** Gives the document without the products that cannot be the image, in the order in which it stands. */
  narrow(digest: Digest, names: readonly string[]): VexDocument {
    const products = new Map<number, Set<VexProduct>>();
    const keys = [digest.slice('sha256:'.length), ...names.map((name) => `/${lastSegment(name)}`)];
    for (const key of new Set(keys)) {
      for (const [statement, product] of this.#places.get(key) ?? []) {
        const known = products.get(statement);
        if (known === undefined) products.set(statement, new Set([product]));
        else known.add(product);
      }
    }
    const { format, statements } = this.#document;
    const kept = [...products].toSorted(([a], [b]) => a - b);
    return {
      format,
      statements: kept.flatMap(([i, of]): VexStatement[] => {
        const statement = statements[i];
        return statement === undefined ? [] : [{ ...statement, products: [...of] }];
      }),
    };
  }
}

/** What of a product `concernOf` can find the image by. */
function keysOf({ names, hashes }: VexProduct): ReadonlySet<string> {
  const keys = new Set(hashes);
  for (const name of names) {
    const purl = parsePurl(name);
    const texts = purl === null ? [name] : [purl.version ?? '', ...purl.qualifiers.values(), purl.name];
    for (const text of texts) {
      for (const hash of text.match(/(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/gi) ?? [])
        keys.add(hash.toLowerCase());
      const [reference = ''] = text.split('@', 1);
      const last = lastSegment(reference);
      keys.add(`/${last}`);
      keys.add(`/${last.slice(0, last.indexOf(':') === -1 ? last.length : last.indexOf(':'))}`);
    }
  }
  return keys;
}

function lastSegment(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}
