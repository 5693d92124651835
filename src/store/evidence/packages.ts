import { sql } from 'kysely';
import {
  PACKAGE_STATES,
  STAGES,
  type EvidenceRequest,
  type KeptPackage,
  type PackageStore,
  type PackageSummary,
} from '../../evidence/index.ts';
import { run, type Executor, type Row } from '../sql/run.ts';
import type { Store } from '../sql/store.ts';

const MAX_ERROR = 1000;
/** More than any list has. */
const ALL = 1_000_000;
/** Pieces that are deleted in one transaction: others wait for it on SQLite, which overwrites what it deletes. */
const AT_ONCE = 16;
/** One row of the settings stands for the question how many wait. */
const HELD = 'evidence.asked';

type Columns = Row<
  'evidence_packages',
  | 'id'
  | 'created_at'
  | 'account_id'
  | 'period_from'
  | 'period_to'
  | 'request'
  | 'state'
  | 'stage'
  | 'rows_done'
  | 'rows_total'
  | 'started_at'
  | 'ended_at'
  | 'error'
  | 'sha256'
  | 'bytes'
  | 'summary'
>;

const columns = sql`id, created_at, account_id, period_from, period_to, request, state, stage, rows_done, rows_total, started_at,
  ended_at, error, sha256, bytes, summary`;

/** packageStore keeps evidence packages in a database. */
export function packageStore(store: Store): PackageStore {
  const { read } = store;
  return {
    add: ({ id, accountId, createdAt, request }, most) =>
      store.write(async (transaction) => {
        await run(
          transaction,
          sql`insert into settings (key, value) values (${HELD}, 'held') on conflict (key) do update set value = 'held'`,
        );
        const added = await run(
          transaction,
          sql`insert into evidence_packages (id, created_at, account_id, period_from, period_to, request, state)
            select cast(${id} as text), cast(${createdAt} as bigint), cast(${accountId} as text), cast(${request.from} as bigint), cast(${request.to} as bigint), cast(${requestText(request)} as text), 'queued'
            where (select count(*) from evidence_packages where state in ('queued', 'running')) < ${most} returning id`,
        );
        return added.length > 0;
      }),
    async list({ limit, offset }) {
      const rows = await run(
        read,
        sql<Columns>`select ${columns} from evidence_packages order by created_at desc, id limit ${limit ?? ALL} offset ${offset}`,
      );
      const [counted] = await run(
        read,
        sql<{ total: number }>`select count(*) as total from evidence_packages`,
      );
      return { items: rows.map(toKept), total: counted?.total ?? 0 };
    },
    async get(id) {
      const [row] = await run(read, sql<Columns>`select ${columns} from evidence_packages where id = ${id}`);
      return row === undefined ? null : toKept(row);
    },
    cancel: (id, error, at) =>
      store.write(async (transaction) => {
        const ended = await run(
          transaction,
          sql`update evidence_packages set state = 'failed', error = ${error}, ended_at = ${at}
            where id = ${id} and state in ('queued', 'running') returning id`,
        );
        return ended.length > 0;
      }),
    remove: async (id) => {
      const gone = await store.write((transaction) =>
        run(transaction, sql`delete from evidence_packages where id = ${id} returning id`),
      );
      if (gone.length > 0) await store.after(() => dropPieces(store, id));
      return gone.length > 0;
    },
    pieces: (id) => piecesOf(read, id),
    async prune(before) {
      const from = Number.isFinite(before) ? Math.floor(before) : 0;
      const gone = await store.write((transaction) =>
        run(transaction, sql`delete from evidence_packages where ended_at < ${from} returning id`),
      );
      await dropLoose(store);
      return gone.length;
    },
  };
}

/** The pieces of the try that became the package. Throws where one is missing: half an archive is none. */
async function* piecesOf(read: Executor, id: string): AsyncGenerator<Uint8Array, void, undefined> {
  const [kept] = await run(
    read,
    sql<
      Row<'evidence_packages', 'attempt' | 'bytes'>
    >`select attempt, bytes from evidence_packages where id = ${id} and state = 'done'`,
  );
  if (kept === undefined) return;
  const size = kept.bytes ?? 0;
  for (let number = 0, given = 0; given < size; number += 1) {
    const [piece] = await run(
      read,
      sql<
        Row<'evidence_pieces', 'bytes'>
      >`select bytes from evidence_pieces where package_id = ${id} and attempt = ${kept.attempt} and number = ${number}`,
    );
    if (piece === undefined) throw new Error(`piece ${number} of the evidence package ${id} is missing`);
    given += piece.bytes.length;
    yield piece.bytes;
  }
}

/** dropLoose deletes pieces that belong to no package: of one that was deleted, that failed, or of a try that was given up. */
export async function dropLoose(store: Store): Promise<void> {
  for (let last = ''; ;) {
    const [next] = await run(
      store.read,
      sql<
        Row<'evidence_pieces', 'package_id'>
      >`select package_id from evidence_pieces where package_id > ${last} order by package_id limit 1`,
    );
    if (next === undefined) return;
    last = next.package_id;
    const [kept] = await run(
      store.read,
      sql<
        Row<'evidence_packages', 'attempt'>
      >`select attempt from evidence_packages where id = ${last} and state <> 'failed'`,
    );
    await dropPieces(store, last, kept?.attempt ?? Infinity);
  }
}

/** Deletes the pieces of a package that tries before one have made. */
async function dropPieces(store: Store, id: string, attempt = Infinity): Promise<void> {
  const before = Number.isFinite(attempt) ? attempt : Number.MAX_SAFE_INTEGER;
  for (;;) {
    const gone = await store.write((transaction) =>
      run(
        transaction,
        sql`delete from evidence_pieces where (package_id, attempt, number) in (
          select package_id, attempt, number from evidence_pieces
          where package_id = ${id} and attempt < ${before} limit ${AT_ONCE}) returning number`,
      ),
    );
    if (gone.length < AT_ONCE) return;
  }
}

function toKept(row: Columns): KeptPackage {
  const stage = STAGES.find((one) => one === row.stage) ?? null;
  return {
    id: row.id,
    accountId: row.account_id,
    createdAt: row.created_at,
    request: toRequested(row),
    state: PACKAGE_STATES.find((state) => state === row.state) ?? 'failed',
    progress: { stage, rows: row.rows_done, total: row.rows_total },
    startedAt: row.started_at,
    endedAt: row.ended_at,
    error: row.error,
    bytes: row.bytes,
    sha256: row.sha256,
    summary: row.summary === null ? null : (JSON.parse(row.summary) as PackageSummary),
  };
}

/** Requests of earlier releases may say less. */
export function toRequested({
  period_from: from,
  period_to: to,
  request,
}: Row<'evidence_packages', 'period_from' | 'period_to' | 'request'>): EvidenceRequest {
  const said = JSON.parse(request) as Partial<EvidenceRequest> | null;
  return {
    from,
    to,
    frameworks: said?.frameworks ?? [],
    clusters: said?.clusters ?? [],
    namespaces: said?.namespaces ?? [],
    includeRuntimeRaw: said?.includeRuntimeRaw ?? false,
  };
}

function requestText({ frameworks, clusters, namespaces, includeRuntimeRaw }: EvidenceRequest): string {
  return JSON.stringify({ frameworks, clusters, namespaces, includeRuntimeRaw });
}

/** cutError keeps the beginning of what went wrong. */
export function cutError(text: string): string {
  return text.length <= MAX_ERROR ? text : `${text.slice(0, MAX_ERROR - 1)}…`;
}
