import { createIndex, createTable } from '../sql/schema.ts';
import type { Migration } from './migration.ts';

/** What the runtime detector reported. */
export const runtimeAlerts: Migration = {
  name: '0016-runtime-alerts',
  release: '1.1.0',
  summary: 'Alerts of the runtime detector',
  async up(db) {
    await createTable(db, 'runtime_alerts', {
      id: 'id',
      at: 'integer!',
      rule: 'text!',
      priority: 'text!',
      output: 'text!',
      digest: 'text',
      image: 'text',
      namespace: 'text',
      pod: 'text',
      container: 'text',
    });
    await createIndex(db, 'runtime_alerts', ['at']);
  },
};
