import { sql } from 'kysely';
import { addColumns, createIndex, type AnyDatabase } from '../sql/schema.ts';
import type { Migration } from './migration.ts';

/**
 * What the listener, the rules and the runtime policies need beside what 1.3.1 left: where an event came from as written, how it was joined
 * to an image, what was known of that image when it was decided, and that it was decided at all. Events of before it are decided.
 */
export const runtime: Migration = {
  name: '0037-runtime',
  release: '1.3.7',
  summary: 'Runtime events are joined and decided; stops by workload',
  async up(db) {
    await addColumns(db, 'runtime_events', {
      received_at: 'integer',
      // SHA-256 of host, time, rule and fields in base64url: the same event twice is one.
      event_key: 'text',
      host: 'text',
      time: 'text',
      // `event`, `heartbeat` (of the detector itself) or `test` (of a connection).
      kind: 'text!=event',
      workload: 'text',
      match_basis: 'text',
      truncated: 'integer!=0',
      last_verdict: 'text',
      signed: 'integer',
      decided_at: 'integer',
      alerted: 'integer!=0',
      notified: 'integer!=0',
    });
    await sql`update runtime_events set decided_at = at, received_at = at`.execute(db);
    await createIndex(db, 'runtime_events', ['event_key'], { unique: true });
    await createIndex(db, 'runtime_events', ['cluster', 'id'], {
      name: 'runtime_events_undecided',
      where: 'decided_at is null',
    });
    await uniqueNames(db);
    await addColumns(db, 'runtime_rules', { version: 'integer!=1' });
    await createIndex(db, 'runtime_rules', ['name'], { unique: true });
    await addColumns(db, 'pod_stops', { workload: 'text' });
    await createIndex(db, 'pod_stops', ['event_id', 'pod_uid'], {
      unique: true,
      where: 'event_id is not null',
    });
    await addColumns(db, 'cluster_days', {
      detector_by_field: 'integer!=0',
      detector_by_pod: 'integer!=0',
      detector_dropped: 'integer!=0',
    });
  },
};

/** Rules are found by their name from now on; of several with one name the later ones get a number behind it. */
async function uniqueNames(db: AnyDatabase): Promise<void> {
  const rules = await db.selectFrom('runtime_rules').select(['id', 'name']).orderBy('place').execute();
  const taken = new Set(rules.map(({ name }) => String(name)));
  const seen = new Set<string>();
  for (const { id, name } of rules) {
    let own = String(name);
    for (let i = 2; seen.has(own) || (own !== name && taken.has(own)); i += 1) own = `${name} ${i}`;
    seen.add(own);
    if (own !== name) await db.updateTable('runtime_rules').set({ name: own }).where('id', '=', id).execute();
  }
}
