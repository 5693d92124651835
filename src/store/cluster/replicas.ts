import { sql, type Selectable } from 'kysely';
import { DAY_MS } from '../../base/index.ts';
import type { Question, ReplicaLine, ReplicaStore } from '../../replicas/index.ts';
import { clusterFence } from '../../leadership/index.ts';
import { underFence } from '../leadership/fence.ts';
import { retentionNow } from '../history/retention-times.ts';
import type { Store } from '../sql/store.ts';
import type { Tables } from '../tables/index.ts';
import { run, type MaybeRow, type Row } from '../sql/run.ts';

/** Lines of replicas that ended or were forgotten are kept for so long. */
const KEPT = 90 * DAY_MS;

const COLUMNS = sql`name, cluster, life, started_at, seen_at, holding_since, waiting_rows, answered, clean_at, ended_at, forgotten_at`;

type Line = Selectable<Tables['replicas']>;

/** replicaStore keeps the lines of replicas, and the question of each cluster, in a database. */
export function replicaStore(store: Store): ReplicaStore {
  return {
    begin: ({ name, cluster, life, at, holdingSince, rows }) =>
      store.write(async (transaction) => {
        const begun = await run(
          transaction,
          sql`insert into replicas (name, cluster, life, started_at, seen_at, holding_since, waiting_rows) values (${name}, ${cluster}, ${life}, ${at}, ${at}, ${holdingSince}, ${rows})
           on conflict (name) do update set cluster = excluded.cluster, life = excluded.life, started_at = excluded.started_at,
             seen_at = excluded.seen_at, holding_since = coalesce(replicas.holding_since, excluded.holding_since),
             waiting_rows = excluded.waiting_rows, answered = null, ended_at = null, forgotten_at = null
           where replicas.life < excluded.life returning name`,
        );
        return begun.length > 0;
      }),
    report: ({ name, cluster, life, at, holdingSince, rows, answer }) =>
      store.write(async (transaction) => {
        // A write of an earlier life that comes late must say nothing of this one.
        const written = await run(
          transaction,
          sql`update replicas set cluster = ${cluster}, seen_at = ${at}, holding_since = ${holdingSince}, waiting_rows = ${rows}, answered = coalesce(${answer?.token ?? null}, answered),
             clean_at = coalesce(${answer?.askedAt ?? null}, clean_at), ended_at = null, forgotten_at = null where name = ${name} and life = ${life} returning name`,
        );
        if (written.length > 0) return 'written';
        const [line] = await run(
          transaction,
          sql<Row<'replicas', 'life'>>`select life from replicas where name = ${name}`,
        );
        return line !== undefined && line.life > life ? 'later' : 'absent';
      }),
    end: (name, life, at) =>
      store.write(async (transaction) => {
        await run(
          transaction,
          sql`update replicas set ended_at = ${at}, seen_at = ${at}, holding_since = null, waiting_rows = 0 where name = ${name} and life = ${life}`,
        );
      }),
    async read(cluster) {
      // One statement, so that a question is never newer than the lines beside it.
      const rows = await run(
        store.read,
        sql<
          Partial<Line> & MaybeRow<'replica_questions', 'token' | 'asked_at'>
        >`select q.token, q.asked_at, r.* from (select 1 as one) o
         left join replica_questions q on q.cluster = ${cluster} left join (select ${COLUMNS} from replicas where cluster = ${cluster}) r on 1 = 1
         order by r.name`,
      );
      const { token = null, asked_at = null } = rows[0] ?? {};
      const question: Question | null =
        token === null || asked_at === null ? null : { token, askedAt: asked_at };
      return { question, lines: rows.flatMap((row) => (isRow(row) ? [toLine(row)] : [])) };
    },
    ask: (fence, cluster, { token, askedAt }) =>
      underFence(store, clusterFence(cluster, fence), async (transaction) => {
        await run(
          transaction,
          sql`insert into replica_questions (cluster, token, asked_at) values (${cluster}, ${token}, ${askedAt})
           on conflict (cluster) do update set token = excluded.token, asked_at = excluded.asked_at`,
        );
        await run(
          transaction,
          sql`delete from replicas where cluster = ${cluster} and coalesce(ended_at, forgotten_at) < ${(await retentionNow(transaction, askedAt)) - KEPT}`,
        );
      }),
    forget: (name, cluster, at) =>
      store.write(async (transaction) => {
        const forgotten = await run(
          transaction,
          sql`insert into replicas (name, cluster, life, started_at, seen_at, waiting_rows, forgotten_at) values (${name}, ${cluster}, 0, ${at}, ${at}, 0, ${at})
           on conflict (name) do update set forgotten_at = excluded.forgotten_at where replicas.forgotten_at is null returning name`,
        );
        return forgotten.length > 0;
      }),
  };
}

/** replicaLife gives the number of the last life of a replica that the database knows; null where it knows none. */
export async function replicaLife(store: Store, name: string): Promise<number | null> {
  const [line] = await run(
    store.read,
    sql<Row<'replicas', 'life'>>`select life from replicas where name = ${name}`,
  );
  return line?.life ?? null;
}

function isRow(row: Partial<Line>): row is Line {
  return typeof row.name === 'string';
}

function toLine(row: Line): ReplicaLine {
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
