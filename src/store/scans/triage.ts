import { sql, type RawBuilder } from 'kysely';
import type { FoundOn, TriageEntry, TriageQuery, TriageStore } from '../../inventory/index.ts';
import { lockImage, NO_PACKAGES, rebuildFacts } from '../facts/facts.ts';
import { tellEnded } from '../findings/tell-findings.ts';
import { tellTriageEnded } from '../findings/tell-triage.ts';
import type { Store } from '../sql/store.ts';
import { run, type Executor, type Row } from '../sql/run.ts';

/** triageStore keeps triage decisions in a database. */
export function triageStore(store: Store): TriageStore {
  const { read } = store;
  return {
    found: (digest, cve) => findOn(read, digest, cve),
    create: (entry) =>
      store.write(async (transaction) => {
        await lockImage(transaction, entry.digest, entry.createdAt);
        if (entry.cve !== null)
          await tellEnded(transaction, entry.digest, entry.cve, 'triaged', entry.createdAt);
        const [made] = await run(
          transaction,
          sql<
            Row<'triage', 'id'>
          >`insert into triage (digest, cve, reason, triaged_by, account_id, severity, created_at, "until")
           values (${entry.digest}, ${entry.cve ?? NO_PACKAGES}, ${entry.reason}, ${entry.triagedBy}, ${entry.accountId}, ${entry.severity}, ${entry.createdAt}, ${entry.until}) returning id`,
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
        const ended = await run(
          transaction,
          sql`update triage set ended_at = ${at} where id = ${id} and ended_at is null and "until" > ${at} returning id`,
        );
        if (ended.length === 0) return null;
        await rebuildFacts(transaction, known.digest);
        if (known.cve !== null) await tellTriageEnded(transaction, known.digest, known.cve, at);
        return { ...known, endedAt: at };
      }),
  };
}

const COLUMNS = sql`t.id, t.digest, t.cve, t.severity, t.reason, t.triaged_by, t.account_id, t.created_at, t."until", t.ended_at,
  (select n.name from image_names n where n.digest = t.digest order by n.last_seen_at desc, n.name limit 1) as image`;

type Decision =
  | ('id' | 'digest' | 'cve' | 'severity' | 'reason' | 'triaged_by' | 'account_id')
  | ('created_at' | 'until' | 'ended_at');

interface TriageRow extends Row<'triage', Decision> {
  readonly image: string | null;
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
  const [row] = await run(read, sql<TriageRow>`select ${COLUMNS} from triage t where t.id = ${id}`);
  return row === undefined ? null : toEntry(row);
}

/** triageOf gives every decision on an image, newest first. */
export async function triageOf(read: Executor, digest: string): Promise<TriageEntry[]> {
  const rows = await run(
    read,
    sql<TriageRow>`select ${COLUMNS} from triage t where t.digest = ${digest} order by t.id desc`,
  );
  return rows.map(toEntry);
}

const STATES: Readonly<Record<NonNullable<TriageQuery['state']>, (at: number) => RawBuilder<unknown>>> = {
  active: (at) => sql`t.ended_at is null and t."until" > ${at}`,
  expired: (at) => sql`t.ended_at is null and t."until" <= ${at}`,
  ended: (at) => sql`t.ended_at is not null and t.ended_at <= ${at}`,
};
const ALL = 1_000_000_000;

async function listTriage(
  read: Executor,
  query: TriageQuery,
): Promise<{ items: TriageEntry[]; total: number }> {
  const conditions: RawBuilder<unknown>[] = [sql`1 = 1`];
  if (query.digest !== null) conditions.push(sql`t.digest = ${query.digest}`);
  if (query.cve !== null) conditions.push(sql`t.cve = ${query.cve}`);
  if (query.state !== null) conditions.push(STATES[query.state](query.at));
  const from = sql`from triage t where ${sql.join(conditions, sql` and `)}`;
  const rows = await run(
    read,
    sql<TriageRow>`select ${COLUMNS} ${from} order by t.id desc limit ${query.limit ?? ALL} offset ${query.offset}`,
  );
  const [counted] = await run(read, sql<{ total: number }>`select count(*) as total ${from}`);
  return { items: rows.map(toEntry), total: counted?.total ?? 0 };
}

async function findOn(read: Executor, digest: string, cve: string | null): Promise<FoundOn> {
  const [image] = await run(
    read,
    sql<{
      scan: number | null;
    }>`select s.id as scan from images i left join scans s on s.digest = i.digest and s.current = 1 where i.digest = ${digest}`,
  );
  if (image === undefined) return { kind: 'unknown_image' };
  const rows = await run(
    read,
    sql<
      Row<'image_sightings', 'namespace'>
    >`select namespace from image_sightings where digest = ${digest} order by namespace`,
  );
  const namespaces = rows.map(({ namespace }) => namespace);
  if (image.scan === null) return { kind: 'unscanned', namespaces };
  if (cve === null) return { kind: 'not_found' };
  const [worst] = await run(
    read,
    sql<
      Row<'findings', 'severity'>
    >`select severity from findings where scan_id = ${image.scan} and cve = ${cve} order by rank desc, ordinal limit 1`,
  );
  if (worst === undefined) return { kind: 'not_found' };
  return { kind: 'found', severity: worst.severity, namespaces };
}
