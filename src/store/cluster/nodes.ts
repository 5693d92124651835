import { sql } from 'kysely';
import {
  NODE_EVENTS,
  NODE_STATES,
  type NodeEvent,
  type NodeStanding,
  type NodeStandings,
  type NodeState,
  type NodeStore,
} from '../../nodes/index.ts';
import { seeCluster } from '../history/cluster-sweeps.ts';
import { writeEvents } from '../outbox/index.ts';
import { clusterFence } from '../../leadership/index.ts';
import { underFence } from '../leadership/fence.ts';
import type { Store } from '../sql/store.ts';
import { run, type Executor } from '../sql/run.ts';

/** nodeStore keeps how the clusters stand in a database. */
export function nodeStore(store: Store): NodeStore {
  return {
    standing: (cluster) => readStanding(store.read, cluster),
    change: (fence, cluster, at, plan) =>
      underFence(store, clusterFence(cluster, fence), async (transaction) => {
        const made = plan(await readStanding(transaction, cluster));
        const { count, ceiling, countedAt, state, overSince, notified } = made.standing;
        await seeCluster(transaction, cluster, at);
        await run(
          transaction,
          sql`insert into nodes (cluster, count, ceiling, counted_at, state, over_since, notified) values (${cluster}, ${count}, ${ceiling}, ${countedAt}, ${state}, ${overSince}, ${notified})
           on conflict (cluster) do update set count = excluded.count, ceiling = excluded.ceiling,
             counted_at = excluded.counted_at, state = excluded.state, over_since = excluded.over_since,
             notified = excluded.notified`,
        );
        const happened = made.notices.map((notice) => ({ ...notice, subject: cluster }));
        await writeEvents(transaction, happened, { at });
        return made;
      }),
  };
}

/** nodeStandings reads how all of them stand. */
export function nodeStandings({ read }: Pick<Store, 'read'>): NodeStandings {
  return {
    all: async () => {
      const rows = await run(read, sql<Row>`select ${COLUMNS} from nodes order by cluster`);
      return new Map(rows.map((row) => [row.cluster, toStanding(row)]));
    },
  };
}

const COLUMNS = sql`cluster, count, ceiling, counted_at, state, over_since, notified`;

interface Row {
  readonly cluster: string;
  readonly count: number;
  readonly ceiling: number | null;
  readonly counted_at: number;
  readonly state: string;
  readonly over_since: number | null;
  readonly notified: string | null;
}

async function readStanding(read: Executor, cluster: string): Promise<NodeStanding | null> {
  const [row] = await run(read, sql<Row>`select ${COLUMNS} from nodes where cluster = ${cluster}`);
  return row === undefined ? null : toStanding(row);
}

function toStanding(row: Row): NodeStanding {
  return {
    count: row.count,
    ceiling: row.ceiling,
    countedAt: row.counted_at,
    state: stateOf(row.state),
    overSince: row.over_since,
    notified: eventOf(row.notified),
  };
}

function stateOf(text: string): NodeState {
  const state = NODE_STATES.find((one) => one === text);
  if (state === undefined)
    throw new Error(`the state of nodes "${text}" is none of ${NODE_STATES.join(', ')}`);
  return state;
}

function eventOf(text: string | null): NodeEvent | null {
  return NODE_EVENTS.find((one) => one === text) ?? null;
}
