import type { FoundOn, TriageEntry, TriageQuery, TriageStore } from '../../inventory/index.ts';
import { runText, type Cell } from '../sql/dialect.ts';
import { lockImage, NO_PACKAGES, rebuildFacts } from '../facts/facts.ts';
import type { Store } from '../sql/store.ts';

type Executor = Parameters<typeof runText>[0];

/** triageStore keeps triage decisions in a database. */
export function triageStore(store: Store): TriageStore {
  const { read } = store;
  return {
    found: (digest, cve) => findOn(read, digest, cve),
    create: (entry) =>
      store.write(async (transaction) => {
        await lockImage(transaction, entry.digest, entry.createdAt);
        const [made] = await runText<{ id: number }>(
          transaction,
          `insert into triage (digest, cve, reason, triaged_by, account_id, severity, created_at, "until")
           values (?, ?, ?, ?, ?, ?, ?, ?) returning id`,
          [
            entry.digest,
            entry.cve ?? NO_PACKAGES,
            entry.reason,
            entry.triagedBy,
            entry.accountId,
            entry.severity,
            entry.createdAt,
            entry.until,
          ],
        );
        await rebuildFacts(transaction, entry.digest);
        const whole = made === undefined ? null : await getTriage(transaction, made.id);
        if (whole === null) throw new Error('a triage decision was not inserted');
        return whole;
      }),
    list: (query) => listTriage(read, query),
    get: (id) => getTriage(read, id),
    end: (id, at) =>
      store.write(async (transaction) => {
        const known = await getTriage(transaction, id);
        if (known === null) return null;
        await lockImage(transaction, known.digest, at);
        const ended = await runText(
          transaction,
          'update triage set ended_at = ? where id = ? and ended_at is null and "until" > ? returning id',
          [at, id, at],
        );
        if (ended.length === 0) return null;
        await rebuildFacts(transaction, known.digest);
        return { ...known, endedAt: at };
      }),
  };
}

const COLUMNS = `t.id, t.digest, t.cve, t.severity, t.reason, t.triaged_by, t.account_id, t.created_at, t."until", t.ended_at,
  (select n.name from image_names n where n.digest = t.digest order by n.last_seen_at desc, n.name limit 1) as image`;

interface TriageRow {
  readonly id: number;
  readonly digest: string;
  readonly image: string | null;
  readonly cve: string;
  readonly severity: string | null;
  readonly reason: string;
  readonly triaged_by: string;
  readonly account_id: string | null;
  readonly created_at: number;
  readonly until: number;
  readonly ended_at: number | null;
}

function toEntry(row: TriageRow): TriageEntry {
  const { triaged_by, account_id, created_at, ended_at, ...same } = row;
  const cve = row.cve === NO_PACKAGES ? null : row.cve;
  return {
    ...same,
    cve,
    triagedBy: triaged_by,
    accountId: account_id,
    createdAt: created_at,
    endedAt: ended_at,
  };
}

async function getTriage(read: Executor, id: number): Promise<TriageEntry | null> {
  if (!Number.isSafeInteger(id)) return null;
  const [row] = await runText<TriageRow>(read, `select ${COLUMNS} from triage t where t.id = ?`, [id]);
  return row === undefined ? null : toEntry(row);
}

/** triageOf gives every decision on an image, newest first. */
export async function triageOf(read: Executor, digest: string): Promise<TriageEntry[]> {
  const rows = await runText<TriageRow>(
    read,
    `select ${COLUMNS} from triage t where t.digest = ? order by t.id desc`,
    [digest],
  );
  return rows.map(toEntry);
}

const STATES: Readonly<Record<NonNullable<TriageQuery['state']>, string>> = {
  active: 't.ended_at is null and t."until" > ?',
  expired: 't.ended_at is null and t."until" <= ?',
  ended: 't.ended_at is not null and t.ended_at <= ?',
};
const ALL = 1_000_000_000;

async function listTriage(
  read: Executor,
  query: TriageQuery,
): Promise<{ items: TriageEntry[]; total: number }> {
  const conditions = ['1 = 1'];
  const cells: Cell[] = [];
  const where = (condition: string, cell: Cell): void => {
    conditions.push(condition);
    cells.push(cell);
  };
  if (query.digest !== null) where('t.digest = ?', query.digest);
  if (query.cve !== null) where('t.cve = ?', query.cve);
  if (query.state !== null) where(STATES[query.state], query.at);
  const from = `from triage t where ${conditions.join(' and ')}`;
  const rows = await runText<TriageRow>(
    read,
    `select ${COLUMNS} ${from} order by t.id desc limit ? offset ?`,
    [...cells, query.limit ?? ALL, query.offset],
  );
  const [counted] = await runText<{ total: number }>(read, `select count(*) as total ${from}`, cells);
  return { items: rows.map(toEntry), total: counted?.total ?? 0 };
}

async function findOn(read: Executor, digest: string, cve: string | null): Promise<FoundOn> {
  const [image] = await runText<{ scan: number | null }>(
    read,
    'select s.id as scan from images i left join scans s on s.digest = i.digest and s.current = 1 where i.digest = ?',
    [digest],
  );
  if (image === undefined) return { kind: 'unknown_image' };
  const rows = await runText<{ namespace: string }>(
    read,
    'select namespace from image_sightings where digest = ? order by namespace',
    [digest],
  );
  const namespaces = rows.map(({ namespace }) => namespace);
  if (image.scan === null) return { kind: 'unscanned', namespaces };
  if (cve === null) return { kind: 'not_found' };
  const [worst] = await runText<{ severity: string }>(
    read,
    'select severity from findings where scan_id = ? and cve = ? order by rank desc, ordinal limit 1',
    [image.scan, cve],
  );
  if (worst === undefined) return { kind: 'not_found' };
  return { kind: 'found', severity: worst.severity, namespaces };
}
