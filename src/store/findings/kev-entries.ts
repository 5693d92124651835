import { heldShared, runText } from '../sql/dialect.ts';
import { inChunks } from '../sql/marks.ts';
import type { Store } from '../sql/store.ts';

type Executor = Parameters<typeof runText>[0];

/** holdCatalogue keeps the catalogue of known exploited vulnerabilities as it is until the transaction ends. */
export async function holdCatalogue(transaction: Executor): Promise<void> {
  const state = `select name from catalogue_states where name = 'kev' ${heldShared(transaction)}`;
  await runText(transaction, state, []);
}

/** listedAmong tells which of some CVEs the catalogue has, in upper case; null where there is no catalogue to ask. */
export async function listedAmong(
  read: Executor,
  cves: readonly string[],
): Promise<ReadonlySet<string> | null> {
  const [any] = await runText(read, 'select cve from kev_entries limit 1', []);
  if (any === undefined) return null;
  const found = new Set<string>();
  for (const { marks, cells } of inChunks([...new Set(cves.map((cve) => cve.toUpperCase()))])) {
    const rows = await runText<{ cve: string }>(
      read,
      `select cve from kev_entries where cve in (${marks})`,
      cells,
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
    for (const { marks, cells } of inChunks([...new Set(cves.map((cve) => cve.toUpperCase()))])) {
      const rows = await runText<{ cve: string; due_date: string }>(
        read,
        `select cve, due_date from kev_entries where due_date is not null and cve in (${marks})`,
        cells,
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
