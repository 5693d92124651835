import { sql, type Selectable, type Transaction } from 'kysely';
import { formatDuration, parseDuration } from '../../base/index.ts';
import {
  ACTIONS,
  runtimeMatch,
  type RuleEntry,
  type RuleWriter,
  type RuntimeRule,
  type RuntimeRuleStore,
  type StoredRule,
} from '../../runtime/index.ts';
import { run, type Executor } from '../sql/run.ts';
import type { Store } from '../sql/store.ts';
import { takeTurn } from '../sql/take-turn.ts';
import type { Tables } from '../tables/index.ts';

type RuleRow = Selectable<Tables['runtime_rules']>;

/** runtimeRuleStore keeps the rules over events in a database. */
export function runtimeRuleStore(store: Store): RuntimeRuleStore {
  return {
    list: () => list(store.read),
    change: (by, next) =>
      store.write(async (transaction) => {
        await takeTurn(transaction, 'runtime_rules');
        const standing = await list(transaction);
        await write(transaction, standing, next(standing), by);
        return list(transaction);
      }),
  };
}

async function list(read: Executor): Promise<readonly StoredRule[]> {
  const rows = await run(read, sql<RuleRow>`select * from runtime_rules order by place, id`);
  return rows.map(toStored);
}

function toStored(row: RuleRow): StoredRule {
  const { match, fault } = readMatch(row.match);
  const action = ACTIONS.find((one) => one === row.action) ?? 'record';
  const rule: RuntimeRule = {
    name: row.name,
    enabled: row.enabled === 1 && fault === null,
    match,
    action,
    ...(row.count > 1 && { window: { count: row.count, duration: formatDuration(row.duration_ms) } }),
    ...(row.throttle_ms !== null && { throttle: formatDuration(row.throttle_ms) }),
  };
  return {
    id: row.id,
    version: `${row.id}-${row.version}`,
    rule,
    fault,
    createdAt: row.created_at,
    createdBy: row.created_by,
    updatedAt: row.updated_at,
  };
}

/** A match that cannot be read matches nothing: the rule counts as disabled. */
function readMatch(text: string): { readonly match: RuntimeRule['match']; readonly fault: string | null } {
  try {
    return { match: runtimeMatch.parse(JSON.parse(text)), fault: null };
  } catch {
    return { match: {}, fault: 'its match cannot be read; write it again' };
  }
}

/** Writes what differs. Places are unique, so those that change leave theirs before they take another. */
async function write(
  transaction: Transaction<Tables>,
  standing: readonly StoredRule[],
  next: readonly RuleEntry[],
  by: RuleWriter,
): Promise<void> {
  const kept = new Set(next.map(({ id }) => id));
  for (const { id } of standing)
    if (!kept.has(id)) await run(transaction, sql`delete from runtime_rules where id = ${id}`);
  const moved = next.flatMap(({ id }, at) => (id !== null && standing[at]?.id !== id ? [{ id, at }] : []));
  for (const { id } of moved)
    await run(transaction, sql`update runtime_rules set place = ${-id} where id = ${id}`);
  for (const { id, at } of moved)
    await run(transaction, sql`update runtime_rules set place = ${at + 1} where id = ${id}`);
  const old = new Map(standing.map((one) => [one.id, one.rule]));
  const changed = next.filter(({ id, rule }) => id !== null && old.get(id) !== rule);
  // Two rules may swap their names.
  for (const { id } of changed)
    await run(transaction, sql`update runtime_rules set name = ${`\n${id}`} where id = ${id}`);
  for (const { id, rule } of changed)
    await transaction
      .updateTable('runtime_rules')
      .set((of) => ({ ...toColumns(rule), updated_at: by.at, version: of('version', '+', 1) }))
      .where('id', '=', id)
      .execute();
  for (const [at, { id, rule }] of next.entries())
    if (id === null)
      await transaction
        .insertInto('runtime_rules')
        .values({
          ...toColumns(rule),
          place: at + 1,
          created_at: by.at,
          updated_at: by.at,
          created_by: by.name,
          account_id: by.accountId,
        })
        .execute();
}

function toColumns({ name, enabled, match, window, action, throttle }: RuntimeRule) {
  return {
    name,
    enabled: enabled ? 1 : 0,
    match: JSON.stringify(match),
    action,
    count: window?.count ?? 1,
    duration_ms: window === undefined ? 0 : (parseDuration(window.duration) ?? 0),
    throttle_ms: throttle === undefined ? null : parseDuration(throttle),
  };
}
