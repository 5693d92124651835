import { DAY_MS } from '../../base/index.ts';
import type { Question, ReplicaLine, ReplicaStore } from '../../replicas/index.ts';
import { runText } from '../sql/dialect.ts';
import { clusterFence } from '../../leadership/index.ts';
import { underFence } from '../leadership/fence.ts';
import { retentionNow } from '../history/retention-times.ts';
import type { Store } from '../sql/store.ts';

/** Lines of replicas that ended or were forgotten are kept for so long. */
const KEPT = 90 * DAY_MS;

const COLUMNS =
  'name, cluster, life, started_at, seen_at, holding_since, waiting_rows, answered, clean_at, ended_at, forgotten_at';

interface Row {
  readonly name: string;
  readonly cluster: string;
  readonly life: number;
  readonly started_at: number;
  readonly seen_at: number;
  readonly holding_since: number | null;
  readonly waiting_rows: number;
  readonly answered: string | null;
  readonly clean_at: number | null;
  readonly ended_at: number | null;
  readonly forgotten_at: number | null;
}

/** replicaStore keeps the lines of replicas, and the question of each cluster, in a database. */
export function replicaStore(store: Store): ReplicaStore {
  return {
    begin: ({ name, cluster, life, at, holdingSince, rows }) =>
      store.write(async (transaction) => {
        const begun = await runText(
          transaction,
          `insert into replicas (name, cluster, life, started_at, seen_at, holding_since, waiting_rows) values (?, ?, ?, ?, ?, ?, ?)
           on conflict (name) do update set cluster = excluded.cluster, life = excluded.life, started_at = excluded.started_at,
             seen_at = excluded.seen_at, holding_since = coalesce(replicas.holding_since, excluded.holding_since),
             waiting_rows = excluded.waiting_rows, answered = null, ended_at = null, forgotten_at = null
           where replicas.life < excluded.life returning name`,
          [name, cluster, life, at, at, holdingSince, rows],
        );
        return begun.length > 0;
      }),
    report: ({ name, cluster, life, at, holdingSince, rows, answer }) =>
      store.write(async (transaction) => {
        // A write of an earlier life that comes late must say nothing of this one.
        const written = await runText(
          transaction,
          `update replicas set cluster = ?, seen_at = ?, holding_since = ?, waiting_rows = ?, answered = coalesce(?, answered),
             clean_at = coalesce(?, clean_at), ended_at = null, forgotten_at = null where name = ? and life = ? returning name`,
          [cluster, at, holdingSince, rows, answer?.token ?? null, answer?.askedAt ?? null, name, life],
        );
        if (written.length > 0) return 'written';
        const [line] = await runText<{ life: number }>(
          transaction,
          'select life from replicas where name = ?',
          [name],
        );
        return line !== undefined && line.life > life ? 'later' : 'absent';
      }),
    end: (name, life, at) =>
      store.write(async (transaction) => {
        await runText(
          transaction,
          `update replicas set ended_at = ?, seen_at = ?, holding_since = null, waiting_rows = 0 where name = ? and life = ?`,
          [at, at, name, life],
        );
      }),
    async read(cluster) {
      // One statement, so that a question is never newer than the lines beside it.
      const rows = await runText<Partial<Row> & { token: string | null; asked_at: number | null }>(
        store.read,
        `select q.token, q.asked_at, r.* from (select 1 as one) o
         left join replica_questions q on q.cluster = ? left join (select ${COLUMNS} from replicas where cluster = ?) r on 1 = 1
         order by r.name`,
        [cluster, cluster],
      );
      const { token = null, asked_at = null } = rows[0] ?? {};
      const question: Question | null =
        token === null || asked_at === null ? null : { token, askedAt: asked_at };
      return { question, lines: rows.flatMap((row) => (isRow(row) ? [toLine(row)] : [])) };
    },
    ask: (fence, cluster, { token, askedAt }) =>
      underFence(store, clusterFence(cluster, fence), async (transaction) => {
        await runText(
          transaction,
          `insert into replica_questions (cluster, token, asked_at) values (?, ?, ?)
           on conflict (cluster) do update set token = excluded.token, asked_at = excluded.asked_at`,
          [cluster, token, askedAt],
        );
        await runText(
          transaction,
          'delete from replicas where cluster = ? and coalesce(ended_at, forgotten_at) < ?',
          [cluster, (await retentionNow(transaction, askedAt)) - KEPT],
        );
      }),
    forget: (name, cluster, at) =>
      store.write(async (transaction) => {
        const forgotten = await runText(
          transaction,
          `insert into replicas (name, cluster, life, started_at, seen_at, waiting_rows, forgotten_at) values (?, ?, 0, ?, ?, 0, ?)
           on conflict (name) do update set forgotten_at = excluded.forgotten_at where replicas.forgotten_at is null returning name`,
          [name, cluster, at, at, at],
        );
        return forgotten.length > 0;
      }),
  };
}

/** replicaLife gives the number of the last life of a replica that the database knows; null where it knows none. */
export async function replicaLife(store: Store, name: string): Promise<number | null> {
  const [line] = await runText<{ life: number }>(store.read, 'select life from replicas where name = ?', [
    name,
  ]);
  return line?.life ?? null;
}

function isRow(row: Partial<Row>): row is Row {
  return typeof row.name === 'string';
}

function toLine(row: Row): ReplicaLine {
  return {
    name: row.name,
    cluster: row.cluster,
    life: row.life,
    startedAt: row.started_at,
    seenAt: row.seen_at,
    holdingSince: row.holding_since,
    rows: row.waiting_rows,
    answered: row.answered,
    cleanAt: row.clean_at,
    endedAt: row.ended_at,
    forgottenAt: row.forgotten_at,
  };
}
