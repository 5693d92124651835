import { addColumns, createIndex, createTable } from '../sql/schema.ts';
import type { Migration } from './migration.ts';
import { revisionOfStored } from './stored-policy.ts';

/** Decisions become readable against the policy that made them; rows from before keep an empty revision. */
export const policyRevisions: Migration = {
  name: '0007-policy-revisions',
  release: '0.2.0',
  summary: 'Every revision of a policy; earlier decisions keep an empty one',
  async up(db) {
    await addColumns(db, 'policies', { revision: 'text!=', version: 'integer!=1' });
    await createTable(
      db,
      'policy_revisions',
      {
        name: 'text!',
        revision: 'text!',
        document: 'text!',
        recorded_at: 'integer!',
        recorded_by: 'text',
      },
      { key: ['name', 'revision'] },
    );
    await createIndex(db, 'policy_revisions', ['revision']);
    const stored = await db
      .selectFrom('policies')
      .select(['name', 'document', 'updated_at', 'updated_by'])
      .execute();
    for (const { name, document, updated_at, updated_by } of stored) {
      const revision = await revisionOfStored(document);
      await db.updateTable('policies').set({ revision }).where('name', '=', name).execute();
      await db
        .insertInto('policy_revisions')
        .values({ name, revision, document, recorded_at: updated_at, recorded_by: updated_by })
        .execute();
    }
    await addColumns(db, 'ledger', { label: 'text', policy_revision: 'text!=' });
  },
};
