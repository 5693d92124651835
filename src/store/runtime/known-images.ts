import { sql } from 'kysely';
import { sha256Hex } from '../../base/index.ts';
import { isVerified, parseImageFacts } from '../../facts/index.ts';
import type { KnownImage } from '../../runtime/index.ts';
import { inLists } from '../sql/marks.ts';
import { run, type Executor, type Row } from '../sql/run.ts';

/** TrustedKeys gives the PEM keys of image signatures that the policies in effect name. */
export type TrustedKeys = () => Promise<readonly string[]>;

/** Images whose answer is kept: verifying a signature costs many times as much as reading it. */
const KEPT = 10_000;

type ImageRow = Row<'images', 'digest' | 'last_allowed'> & {
  readonly signatures: string | null;
  readonly name: string | null;
};

/** KnownImages tells what is known of images when an event of them is decided. */
export class KnownImages {
  readonly #read: Executor;
  readonly #trusted: TrustedKeys;
  #verified = new Map<string, boolean>();
  #keys = '';

  constructor(read: Executor, trusted: TrustedKeys) {
    this.#read = read;
    this.#trusted = trusted;
  }

  /** Images by their digests; one that is missing was never seen. */
  async of(digests: readonly string[]): Promise<ReadonlyMap<string, KnownImage>> {
    const known = new Map<string, KnownImage>();
    for (const marks of inLists(digests)) {
      const rows = await run(
        this.#read,
        sql<ImageRow>`select i.digest, i.last_allowed, p.signatures,
          (select n.name from image_names n where n.digest = i.digest order by n.last_seen_at desc, n.name limit 1) as name
        from images i left join image_proofs p on p.digest = i.digest where i.digest in (${marks})`,
      );
      const keys = rows.some(hasSignatures) ? await this.#trusted() : [];
      for (const row of rows)
        known.set(row.digest, {
          name: row.name,
          lastVerdict: verdictOf(row.last_allowed),
          signed: hasSignatures(row) && this.#isSigned(row, keys),
        });
    }
    return known;
  }

  #isSigned({ digest, signatures }: ImageRow, keys: readonly string[]): boolean {
    const named = keys.join('\n');
    if (named !== this.#keys || this.#verified.size >= KEPT) this.#verified = new Map();
    this.#keys = named;
    const text = `{"digest":"${digest}","signatures":${signatures}}`;
    const print = sha256Hex(text);
    let signed = this.#verified.get(print);
    if (signed === undefined) {
      const facts = parseImageFacts(JSON.parse(text));
      signed = (facts.signatures ?? []).some((entry) => isVerified(entry, digest, keys));
      this.#verified.set(print, signed);
    }
    return signed;
  }
}

function hasSignatures({ signatures }: ImageRow): boolean {
  return signatures !== null && signatures !== '[]';
}

function verdictOf(allowed: number | null): KnownImage['lastVerdict'] {
  if (allowed === null) return 'none';
  return allowed === 1 ? 'allowed' : 'refused';
}
