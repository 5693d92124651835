import { sql } from 'kysely';
import type { CatalogueStore, KevCatalogue, KevChange, KevEntry } from '../../catalogues/index.ts';
import { catalogueNotes, catalogueState } from '../facts/catalogue-state.ts';
import { held, insertMany } from '../sql/dialect.ts';
import { followCatalogue } from './history.ts';
import { markFindings } from './kev-marking.ts';
import { inLists } from '../sql/marks.ts';
import type { Store } from '../sql/store.ts';
import { run, type Executor } from '../sql/run.ts';

type Transaction = Parameters<Parameters<Store['write']>[0]>[0];

type KevStore = CatalogueStore<KevCatalogue, KevChange>;

/** kevStore keeps the catalogue of known exploited vulnerabilities in a database. */
export function kevStore(store: Store): KevStore {
  return {
    state: () => catalogueState(store.read, 'kev', 'kev_entries'),
    ...catalogueNotes(store, 'kev'),
    replace: (catalogue, from) => store.write((transaction) => replace(transaction, catalogue, from)),
    mark: (at, signal) => markFindings(store, at, signal),
  };
}

const ENTRY = { cve: 'text', date_added: 'text', due_date: 'text' } as const;
const DATES =
  'on conflict (cve) do update set date_added = excluded.date_added, due_date = excluded.due_date';

/** Who records a scan holds the state meanwhile, so the catalogue changes between scans, never within one. */
async function replace(
  transaction: Transaction,
  { version, releasedAt, entries }: KevCatalogue,
  { source, validators, at }: Parameters<KevStore['replace']>[1],
): Promise<KevChange> {
  const row = await held(
    transaction,
    transaction.selectFrom('catalogue_states').select('edition').where('name', '=', 'kev'),
  ).executeTakeFirstOrThrow();
  const before = new Map((await readEntries(transaction)).map((entry) => [entry.cve, entry]));
  const now = new Set(entries.map(({ cve }) => cve));
  const removed = [...before.keys()].filter((cve) => !now.has(cve));
  const added = entries.filter(({ cve }) => !before.has(cve));
  const redated = entries.filter((entry) => isRedated(before.get(entry.cve), entry));
  for (const marks of inLists(removed))
    await run(transaction, sql`delete from kev_entries where cve in (${marks})`);
  await followCatalogue(transaction, { added, redated, removed }, at);
  await insertMany(
    transaction,
    'kev_entries',
    ENTRY,
    [...added, ...redated].map(({ cve, dateAdded, dueDate }) => [cve, dateAdded, dueDate]),
    DATES,
  );
  const isOther = added.length + removed.length > 0;
  await transaction
    .updateTable('catalogue_states')
    .set({
      version,
      entries: now.size,
      updated_at: releasedAt,
      fetched_at: at,
      checked_at: at,
      last_error: null,
      source,
      etag: validators.etag,
      last_modified: validators.lastModified,
      edition: row.edition + (isOther ? 1 : 0),
    })
    .where('name', '=', 'kev')
    .execute();
  return { added: added.length, removed: removed.length, redated: redated.length };
}

async function readEntries(read: Executor): Promise<KevEntry[]> {
  return run(
    read,
    sql<KevEntry>`select cve, date_added as "dateAdded", due_date as "dueDate" from kev_entries`,
  );
}

function isRedated(before: KevEntry | undefined, now: KevEntry): boolean {
  return before !== undefined && (before.dateAdded !== now.dateAdded || before.dueDate !== now.dueDate);
}
