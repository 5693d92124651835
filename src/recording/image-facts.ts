import type { Digest } from '../base/index.ts';
import type { FactBook } from '../checks/index.ts';
import { effectiveDigest, type ImageFacts } from '../facts/index.ts';
import { parseReference } from '../image/index.ts';
import type { LedgerRow } from '../ledger/index.ts';

type Row = Omit<LedgerRow, 'id'>;

/** ImagesKnown are the rows with the digests that became known, and what is known of each digest. */
export interface ImagesKnown {
  readonly rows: readonly Row[];
  readonly images: readonly ImageFacts[];
}

/** lookedUp gives the reference under which facts of a row are looked for: by its digest where that is known. Null where it does not parse. */
export function lookedUp({ image, digest }: Pick<Row, 'image' | 'digest'>): string | null {
  const reference = parseReference(image ?? '');
  if ('fault' in reference) return null;
  return digest && reference.digest === null ? `${reference.name}@${digest}` : reference.text;
}

/** factsOfImages looks every image up once. What nobody told of is unknown, not none. */
export function factsOfImages(rows: readonly Row[], book: FactBook): ImagesKnown {
  const found = new Map<string, { digest: Digest | null; facts: ImageFacts | null }>();
  const images = new Map<Digest, ImageFacts>();
  const names = new Map<Digest, Set<string>>();
  const known = rows.map((row): Row => {
    const text = lookedUp(row);
    if (text === null) return row;
    let here = found.get(text);
    if (here === undefined) found.set(text, (here = lookUp(text, book)));
    const digest = row.digest ?? here.digest;
    if (digest === null || digest === undefined) return row;
    if (here.facts !== null && !images.has(digest)) images.set(digest, { ...here.facts, digest });
    let own = names.get(digest);
    if (own === undefined) names.set(digest, (own = new Set()));
    own.add(row.image ?? '');
    return row.digest === digest ? row : { ...row, digest };
  });
  const sorted = [...images].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    rows: known,
    images: sorted.map(([digest, facts]) => ({ ...facts, names: [...(names.get(digest) ?? [])].toSorted() })),
  };
}

function lookUp(text: string, book: FactBook): { digest: Digest | null; facts: ImageFacts | null } {
  const reference = parseReference(text);
  if ('fault' in reference) return { digest: null, facts: null };
  const { facts, digest, asked } = book.find(reference);
  const own = effectiveDigest(digest, reference);
  const isSha = own !== null && own.startsWith('sha256:');
  if (!isSha) return { digest: null, facts: null };
  if (facts.scan === null && !asked) return { digest: own, facts: null };
  const told = asked
    ? facts
    : { ...facts, signatures: null, attestations: null, provenance: null, vex: null };
  return { digest: own, facts: told };
}
