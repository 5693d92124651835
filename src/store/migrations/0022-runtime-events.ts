import { sql } from 'kysely';
import { createIndex, createTable } from '../sql/schema.ts';
import type { Migration } from './migration.ts';

/** Every event is stored, not only those that alerted; the alerts there are become events. */
export const runtimeEvents: Migration = {
  name: '0022-runtime-events',
  release: '1.2.0',
  summary: 'Every event of the detector is stored; alerts become events',
  async up(db) {
    await createTable(db, 'runtime_events', {
      id: 'id',
      at: 'integer!',
      source: 'text',
      rule: 'text!',
      priority: 'text!',
      output: 'text!',
      // JSON list of tags, JSON object of output fields.
      tags: 'text',
      fields: 'text',
      digest: 'text',
      image: 'text',
      cluster: 'text',
      namespace: 'text',
      pod: 'text',
      pod_uid: 'text',
      container: 'text',
      // The rule of ours that decided, and what it did; null when none matched.
      matched_rule: 'text',
      effect: 'text',
    });
    await sql`
      insert into runtime_events (at, rule, priority, output, digest, image, namespace, pod, container)
      select at, rule, priority, output, digest, image, namespace, pod, container from runtime_alerts order by id
    `.execute(db);
    await db.schema.dropTable('runtime_alerts').execute();
    await createIndex(db, 'runtime_events', ['at']);
    await createIndex(db, 'runtime_events', ['digest', 'rule', 'at']);
  },
};
