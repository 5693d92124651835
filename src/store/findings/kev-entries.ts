import { sql } from 'kysely';
import { heldShared } from '../sql/dialect.ts';
import { inLists } from '../sql/marks.ts';
import type { Store } from '../sql/store.ts';
import { run, type Executor, type Row } from '../sql/run.ts';

/** holdCatalogue keeps the catalogue of known exploited vulnerabilities as it is until the transaction ends. */
export async function holdCatalogue(transaction: Executor): Promise<void> {
  await run(
    transaction,
    sql`select name from catalogue_states where name = 'kev' ${heldShared(transaction)}`,
  );
}

/** listedAmong tells which of some CVEs the catalogue has, in upper case; null where there is no catalogue to ask. */
export async function listedAmong(
  read: Executor,
  cves: readonly string[],
): Promise<ReadonlySet<string> | null> {
  const [any] = await run(read, sql`select cve from kev_entries limit 1`);
  if (any === undefined) return null;
  const found = new Set<string>();
  for (const marks of inLists([...new Set(cves.map((cve) => cve.toUpperCase()))])) {
    const rows = await run(
      read,
      sql<Row<'kev_entries', 'cve'>>`select cve from kev_entries where cve in (${marks})`,
    );
    for (const { cve } of rows) found.add(cve);
  }
  return found;
}

/** kevDueDates gives the due dates of CVEs, as they were asked for; those that the catalogue has not are left out. */
export function kevDueDates({
  read,
}: Pick<Store, 'read'>): (cves: readonly string[]) => Promise<ReadonlyMap<string, string>> {
  return async (cves) => {
    const due = new Map<string, string>();
    for (const marks of inLists([...new Set(cves.map((cve) => cve.toUpperCase()))])) {
      const rows = await run(
        read,
        sql<
          Row<'kev_entries', 'cve'> & { due_date: string }
        >`select cve, due_date from kev_entries where due_date is not null and cve in (${marks})`,
      );
      for (const { cve, due_date } of rows) due.set(cve, due_date);
    }
    return new Map(
      cves.flatMap((cve) => {
        const date = due.get(cve.toUpperCase());
        return date === undefined ? [] : [[cve, date] as const];
      }),
    );
  };
}
