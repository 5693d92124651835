import { createIndex, createTable } from '../sql/schema.ts';
import type { Migration } from './migration.ts';

/** Pipelines sign in by tokens; evidence packages are kept as they were handed out. */
export const tokensAndEvidence: Migration = {
  name: '0024-tokens-and-evidence',
  release: '1.2.0',
  summary: 'API tokens, codes that work once, and evidence packages',
  async up(db) {
    await createTable(
      db,
      'tokens',
      {
        id: 'text!',
        account_id: 'text!',
        name: 'text!',
        role: 'text!',
        hash: 'blob!',
        created_at: 'integer!',
        expires_at: 'integer!',
        used_at: 'integer',
        revoked_at: 'integer',
      },
      { key: ['id'], belongsTo: { account_id: 'accounts.id' } },
    );
    await createIndex(db, 'tokens', ['hash'], { unique: true });
    await createIndex(db, 'tokens', ['account_id']);
    await createTable(
      db,
      'one_time_codes',
      {
        hash: 'blob!',
        purpose: 'text!',
        account_id: 'text',
        binding: 'text',
        created_at: 'integer!',
        expires_at: 'integer!',
      },
      { key: ['hash'] },
    );
    await createTable(
      db,
      'evidence_packages',
      {
        id: 'text!',
        created_at: 'integer!',
        account_id: 'text!',
        period_from: 'integer!',
        period_to: 'integer!',
        // JSON of the request; SHA-256 of the archive.
        request: 'text!',
        sha256: 'text!',
        archive: 'blob!',
      },
      { key: ['id'] },
    );
    await createIndex(db, 'evidence_packages', ['created_at']);
  },
};
