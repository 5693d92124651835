import { sql } from 'kysely';
import type { KevEntry } from '../../catalogues/index.ts';
import { insertMany } from '../sql/dialect.ts';
import { inLists } from '../sql/marks.ts';
import { run, type Executor } from '../sql/run.ts';

/** CatalogueChange is what a newer edition of the catalogue of known exploited vulnerabilities changes. */
export interface CatalogueChange {
  readonly added: readonly KevEntry[];
  readonly redated: readonly KevEntry[];
  readonly removed: readonly string[];
}

/** followCatalogue keeps when entries came and went, in the transaction that takes the newer edition. */
export async function followCatalogue(
  transaction: Executor,
  { added, redated, removed }: CatalogueChange,
  at: number,
): Promise<void> {
  for (const marks of inLists(removed))
    await run(
      transaction,
      sql`update catalogue_history set delisted_at = ${at} where delisted_at is null and cve in (${marks})`,
    );
  for (const { cve, dateAdded } of redated)
    await run(
      transaction,
      sql`update catalogue_history set date_added = ${dateAdded} where delisted_at is null and cve = ${cve}`,
    );
  await insertMany(
    transaction,
    'catalogue_history',
    { cve: 'text', listed_at: 'integer', date_added: 'text' },
    added.map(({ cve, dateAdded }) => [cve, at, dateAdded]),
    // One that was taken out and put back within a millisecond was never out.
    'on conflict (cve, listed_at) do update set delisted_at = null, date_added = excluded.date_added',
  );
}
