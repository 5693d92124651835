import { sql } from 'kysely';
import { addColumns, createIndex, createTable, type AnyDatabase } from '../sql/schema.ts';
import type { Migration } from './migration.ts';

/**
 * Deleting an account disables it, and anonymising rewrites every copy of its name; so each copy says whose it is. A copy that more than
 * one account could have left stays without.
 */
export const persons: Migration = {
  name: '0023-persons',
  release: '1.2.0',
  summary: 'Accounts are disabled or anonymised; names say whose they are',
  async up(db) {
    await addColumns(db, 'accounts', {
      oidc_subject: 'text',
      disabled_at: 'integer',
      anonymised_at: 'integer',
    });
    await createIndex(db, 'accounts', ['oidc_subject'], { unique: true });
    await addColumns(db, 'audit', { actor_id: 'text' });
    await addColumns(db, 'triage', { account_id: 'text', ended_at: 'integer' });
    await addColumns(db, 'runtime_rules', { account_id: 'text' });
    await addColumns(db, 'runtime_blocks', { released_by_id: 'text' });
    await owners(db, 'audit', 'actor', 'actor_id');
    await owners(db, 'triage', 'triaged_by', 'account_id');
    await owners(db, 'runtime_rules', 'created_by', 'account_id');
    await owners(db, 'runtime_blocks', 'released_by', 'released_by_id');
    await createIndex(db, 'audit', ['actor_id']);
    await createIndex(db, 'triage', ['account_id']);
    await createTable(
      db,
      'sign_in_failures',
      { key: 'text!', failures: 'integer!', last_at: 'integer!', blocked_until: 'integer!' },
      { key: ['key'], clustered: true },
    );
  },
};

/** A copy is the account's name, or its e-mail address where it had none. */
async function owners(db: AnyDatabase, table: string, copy: string, column: string): Promise<void> {
  const matches = sql`from accounts where accounts.name = ${sql.ref(`${table}.${copy}`)}
    or accounts.email = lower(${sql.ref(`${table}.${copy}`)})`;
  await sql`
    update ${sql.table(table)} set ${sql.ref(column)} = (select min(accounts.id) ${matches})
    where (select count(*) ${matches}) = 1
  `.execute(db);
}
