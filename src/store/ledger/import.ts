import { sql } from 'kysely';
import { formatTime, parseTime } from '../../base/index.ts';
import { toImageFactsDocument, type ImageFacts } from '../../facts/index.ts';
import type { LedgerEntry, LedgerExport, LedgerRow, NewRow, RecordedPolicy } from '../../ledger/index.ts';
import { insertMany } from '../sql/dialect.ts';
import { importFacts } from '../scans/import-facts.ts';
import { ledgerWriter } from './append.ts';
import { RowPile } from '../cells/row-pile.ts';
import { sizeOf } from './spans.ts';
import { StoreError } from '../sql/store-error.ts';
import type { Store } from '../sql/store.ts';
import { run, type Executor } from '../sql/run.ts';

/** ImportOptions say how an export comes into a store. */
export interface ImportOptions {
  /** When it is imported, in milliseconds. */
  readonly at: number;
  /** Milliseconds that are added to every recorded time, so that an old ledger ends now. */
  readonly shift?: number;
}

/** Imported counts what came in. */
export interface Imported {
  readonly rows: number;
  readonly images: number;
  readonly policies: number;
}

/** Rows that are appended in one transaction. */
const GROUP = 1024;

/**
 * importExport takes an export, opened with `whole`, into a store whose ledger is empty: rows are renumbered from 1, oldest first; facts,
 * policies and names come with them. Memory is bounded; rows that have to be turned round lie in a temporary file. Throws StoreError
 * `conflict` where there are rows already, and LedgerError for a damaged line: rows come in after all were read.
 */
export async function importExport(
  store: Store,
  ledger: LedgerExport,
  options: ImportOptions,
): Promise<Imported> {
  const { at, shift = 0 } = options;
  if ((await sizeOf(store)) > 0) {
    throw new StoreError(
      'conflict',
      'the ledger of the database has rows already; an export is imported into an empty one',
      {
        hint: 'Name a database that does not exist yet',
      },
    );
  }
  const pile = new RowPile<LedgerRow>();
  try {
    for await (const { shapes } of ledger.rows()) await pile.put(shapes);
    await store.write((transaction) => importPolicies(transaction, ledger.policies, at));
    for (const facts of ledger.images.values()) {
      await store.write((transaction) => importImage(transaction, shifted(facts, shift), at));
    }
    const rows = await appendRows(store, pile, shift);
    return { rows, images: ledger.images.size, policies: ledger.policies.length };
  } finally {
    await pile.close();
  }
}

async function importPolicies(
  transaction: Executor,
  policies: readonly RecordedPolicy[],
  at: number,
): Promise<void> {
  const text = { name: 'text', revision: 'text', document: 'text' } as const;
  const cells = policies.map(({ name, revision, document }) => [name, revision, JSON.stringify(document)]);
  await insertMany(
    transaction,
    'policy_revisions',
    { ...text, recorded_at: 'integer' },
    unique(cells.map((policy) => [...policy, at])),
    'on conflict (name, revision) do nothing',
  );
  // Of several that claim to be in effect under one name the last is, as for a reader of the export.
  const current = new Map(
    policies.flatMap(({ name, current: is }, i) => (is ? [[name, cells[i] ?? []] as const] : [])),
  );
  await insertMany(
    transaction,
    'policies',
    { ...text, version: 'integer', created_at: 'integer', updated_at: 'integer' },
    [...current.values()].map((policy) => [...policy, 1, at, at]),
    `on conflict (name) do update set
      revision = excluded.revision, document = excluded.document, version = policies.version + 1, updated_at = excluded.updated_at`,
  );
}

/** The first of each name and revision, as for a reader of the export. */
function unique<T extends readonly unknown[]>(rows: readonly T[]): T[] {
  const seen = new Map<string, T>();
  for (const row of rows) {
    const key = JSON.stringify(row.slice(0, 2));
    if (!seen.has(key)) seen.set(key, row);
  }
  return [...seen.values()];
}

async function importImage(transaction: Executor, facts: ImageFacts, at: number): Promise<void> {
  await importFacts(transaction, facts, at);
  // To the letter: what decisions hashed must hash the same until something new is learned.
  await run(
    transaction,
    sql`update images set facts = ${JSON.stringify(toImageFactsDocument(facts))}, facts_version = facts_version + 1 where digest = ${facts.digest}`,
  );
}

async function appendRows(store: Store, pile: RowPile<LedgerRow>, shift: number): Promise<number> {
  const writer = ledgerWriter(store);
  let entries: { uid: string | null; rows: NewRow[] }[] = [];
  let waiting = 0;
  const flush = async (keep: number): Promise<void> => {
    const ready: LedgerEntry[] = entries.slice(0, entries.length - keep);
    entries = entries.slice(entries.length - keep);
    waiting = entries.reduce((sum, { rows }) => sum + rows.length, 0);
    if (ready.length > 0) await writer.appendAll(ready);
  };
  for await (const batch of pile.take()) {
    for (const row of batch.toReversed()) {
      const uid = row.review_uid ?? null;
      const last = entries.at(-1);
      // The rows of one review stand one after another.
      if (uid !== null && last?.uid === uid) last.rows.push(toNewRow(row, shift));
      else entries.push({ uid, rows: [toNewRow(row, shift)] });
      waiting += 1;
      if (waiting > GROUP) await flush(1);
    }
  }
  await flush(0);
  return sizeOf(store);
}

function toNewRow(row: LedgerRow, shift: number): NewRow {
  const { time, ...rest } = row;
  return { ...rest, at: Math.floor(parseTime(time) + shift) };
}

function shifted(facts: ImageFacts, shift: number): ImageFacts {
  const { scan } = facts;
  if (shift === 0) return facts;
  if (facts.noPackagesUntilMs !== undefined) {
    const { noPackagesUntilMs, ...others } = facts;
    return { ...shifted(others, shift), noPackagesUntilMs: noPackagesUntilMs + shift };
  }
  if (scan === null) return facts;
  const move = (time: string | null): string | null =>
    time === null ? null : formatTime(parseTime(time) + shift);
  return {
    ...facts,
    scan: {
      ...scan,
      scannedAt: move(scan.scannedAt),
      scanner: scan.scanner && { ...scan.scanner, dbUpdatedAt: move(scan.scanner.dbUpdatedAt) },
      findings:
        scan.findings?.map((finding) => ({
          ...finding,
          triagedUntil: move(finding.triagedUntil),
          triagedUntilMs: finding.triagedUntilMs + shift,
        })) ?? null,
    },
  };
}
