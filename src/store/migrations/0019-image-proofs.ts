import { createIndex, createTable } from '../sql/schema.ts';
import type { Migration } from './migration.ts';

/** What was signed and said about a digest; null is unknown. */
export const imageProofs: Migration = {
  name: '0019-image-proofs',
  release: '1.1.0',
  summary: 'Signatures, attestations and VEX of images, and collecting them',
  async up(db) {
    await createTable(
      db,
      'image_proofs',
      { digest: 'text!', signatures: 'text', attestations: 'text', provenance: 'text', vex: 'text' },
      { key: ['digest'] },
    );
    await createTable(
      db,
      'proof_collections',
      {
        digest: 'text!',
        due_at: 'integer!',
        claimed_at: 'integer',
        attempts: 'integer!',
        tried_at: 'integer',
        collected_at: 'integer',
        problems: 'text',
      },
      { key: ['digest'] },
    );
    await createIndex(db, 'proof_collections', ['due_at']);
  },
};
