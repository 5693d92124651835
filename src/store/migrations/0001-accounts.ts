import { createIndex, createTable } from '../sql/schema.ts';
import type { Migration } from './migration.ts';

/** Who may sign in, what the installation knows of itself, and the log of what people did. */
export const accounts: Migration = {
  name: '0001-accounts',
  release: '0.1.0',
  summary: 'Accounts, sessions, settings and the audit log',
  async up(db) {
    await createTable(db, 'settings', { key: 'text!', value: 'text!' }, { key: ['key'] });
    await createTable(
      db,
      'accounts',
      {
        id: 'text!',
        email: 'text',
        name: 'text',
        avatar: 'text',
        role: 'text!',
        password_hash: 'text',
        created_at: 'integer!',
      },
      { key: ['id'] },
    );
    await createIndex(db, 'accounts', ['email'], { unique: true });
    await createTable(
      db,
      'sessions',
      {
        id_hash: 'blob!',
        account_id: 'text!',
        created_at: 'integer!',
        used_at: 'integer!',
        expires_at: 'integer!',
      },
      { key: ['id_hash'], belongsTo: { account_id: 'accounts.id' } },
    );
    await createIndex(db, 'sessions', ['account_id']);
    await createTable(db, 'audit', {
      id: 'id',
      at: 'integer!',
      actor: 'text!',
      action: 'text!',
      target: 'text',
      path: 'text',
      detail: 'text',
    });
    await createIndex(db, 'audit', ['at']);
  },
};
