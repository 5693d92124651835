import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql, type RawBuilder, type Selectable } from 'kysely';
import type { KeptRun, KeptRunSummary, RunFilter, RunStore } from '../../whatif/index.ts';
import type { Store } from '../sql/store.ts';
import type { Tables } from '../tables/index.ts';
import { run } from '../sql/run.ts';

type RunRow = Selectable<Tables['whatif_runs']>;

const SUMMARY = [
  'id',
  'at',
  'account_id',
  'policy',
  'revision',
  'source',
  'days',
  'period_from',
  'as_of',
  'evaluated',
  'would_deny',
  'would_allow',
] as const;

/** More than any list has. */
const ALL = 1_000_000;
const NEWEST = 'whatif_runs.newest';

/** runStore keeps what-if runs in a database. */
export function runStore(store: Store): RunStore {
  return {
    async keep(run, most) {
      await store.write(async (transaction) => {
        await transaction
          .insertInto('settings')
          .values({ key: NEWEST, value: run.id })
          .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: run.id }))
          .execute();
        await transaction.insertInto('whatif_runs').values(toRow(run)).execute();
      });
      // Never the run itself, also when the clock has stepped back; others that are kept at once may have dropped it.
      const beyond = sql`id <> ${run.id} order by at desc, id desc limit 1
        offset ${most} - (select count(*) from whatif_runs own where own.id = ${run.id})`;
      await store.after(async () => void (await dropOneByOne(store, beyond)));
    },
    async list(filter, { limit, offset }) {
      const items = await filtered(store, filter)
        .select(SUMMARY)
        .orderBy('at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit ?? ALL)
        .offset(offset)
        .execute();
      const { total } = await filtered(store, filter)
        .select((of) => of.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow();
      return { items: items.map(toSummary), total };
    },
    async get(id) {
      const row = await store.read
        .selectFrom('whatif_runs')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      if (row === undefined) return null;
      return { ...toSummary(row), draft: JSON.parse(row.draft), result: row.result };
    },
    prune: (before) => dropOneByOne(store, sql`at < ${before} limit 1`),
  };
}

/**
 * Each in a transaction of its own: a run may hold megabytes, and what is deleted is overwritten. What a crash leaves, the next call drops.
 * Gives how many went.
 */
async function dropOneByOne(store: Store, which: RawBuilder<unknown>): Promise<number> {
  const drop = sql`delete from whatif_runs where id in (select id from whatif_runs where ${which}) returning id`;
  for (let dropped = 0; ; dropped += 1) {
    const gone = await store.write(async (transaction) => {
      // One replica after another, so that none overlooks what another keeps or drops.
      await run(transaction, sql`update settings set value = value where key = ${NEWEST}`);
      return run(transaction, drop);
    });
    if (gone.length === 0) return dropped;
    await nextTurn();
  }
}

function filtered(store: Store, { policy, from, to }: RunFilter) {
  let query = store.read.selectFrom('whatif_runs');
  if (policy !== null) query = query.where('policy', '=', policy);
  // An asked time may be finer than a millisecond, which a column of integers on PostgreSQL refuses.
  if (from !== null) query = query.where('at', '>=', Math.ceil(from));
  if (to !== null) query = query.where('at', '<=', Math.floor(to));
  return query;
}

function toRow(run: KeptRun): RunRow {
  return {
    id: run.id,
    at: run.at,
    account_id: run.accountId,
    policy: run.policy,
    revision: run.revision,
    source: run.source,
    days: run.days,
    // Whole milliseconds: an as_of may be finer, and the answer has it as it was.
    period_from: Math.floor(run.period.from),
    as_of: Math.floor(run.period.to),
    evaluated: run.evaluated,
    would_deny: run.wouldDeny,
    would_allow: run.wouldAllow,
    draft: JSON.stringify(run.draft),
    result: run.result,
  };
}

function toSummary(row: Pick<RunRow, (typeof SUMMARY)[number]>): KeptRunSummary {
  return {
    id: row.id,
    at: row.at,
    accountId: row.account_id,
    policy: row.policy,
    revision: row.revision,
    source: row.source,
    days: row.days,
    period: { from: row.period_from, to: row.as_of },
    evaluated: row.evaluated,
    wouldDeny: row.would_deny,
    wouldAllow: row.would_allow,
  };
}
