import type { KevEntry } from '../../catalogues/index.ts';
import { insertMany, runText } from '../sql/dialect.ts';
import { inChunks } from '../sql/marks.ts';

type Executor = Parameters<typeof runText>[0];

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
  for (const { marks, cells } of inChunks(removed))
    await runText(
      transaction,
      `update catalogue_history set delisted_at = ? where delisted_at is null and cve in (${marks})`,
      [at, ...cells],
    );
  for (const { cve, dateAdded } of redated)
    await runText(
      transaction,
      'update catalogue_history set date_added = ? where delisted_at is null and cve = ?',
      [dateAdded, cve],
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
