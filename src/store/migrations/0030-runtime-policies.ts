import { addColumns, createIndex, createTable } from '../sql/schema.ts';
import type { Migration } from './migration.ts';

/** A runtime policy can stop a pod; each attempt is kept. */
export const runtimePolicies: Migration = {
  name: '0030-runtime-policies',
  release: '1.3.1',
  summary: 'Runtime policies, which can stop a pod, and every attempt',
  async up(db) {
    await createTable(
      db,
      'runtime_policies',
      {
        name: 'text!',
        document: 'text!',
        enabled: 'integer!=1',
        version: 'integer!=1',
        created_at: 'integer!',
        updated_at: 'integer!',
        updated_by: 'text',
      },
      { key: ['name'] },
    );
    await createTable(db, 'pod_stops', {
      id: 'id',
      at: 'integer!',
      policy: 'text!',
      event_id: 'integer',
      cluster: 'text',
      namespace: 'text!',
      pod: 'text!',
      pod_uid: 'text!',
      digest: 'text',
      stop_mode: 'text!',
      // `stopped`, `gone`, `refused` or `failed`.
      outcome: 'text!',
      last_error: 'text',
    });
    await createIndex(db, 'pod_stops', ['at']);
    await createIndex(db, 'pod_stops', ['pod_uid']);
    await addColumns(db, 'runtime_events', { policy: 'text', policy_effect: 'text' });
  },
};
