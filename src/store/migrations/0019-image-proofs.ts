import { createTable } from '../schema.ts';
import type { Migration } from './migration.ts';

/** What was signed and said about a digest; null is unknown. */
export const imageProofs: Migration = {
  name: '0019-image-proofs',
  release: '1.1.0',
  summary: 'Signatures, attestations, provenance and VEX of images',
  async up(db) {
    await createTable(
      db,
      'image_proofs',
      { digest: 'text!', signatures: 'text', attestations: 'text', provenance: 'text', vex: 'text' },
      { key: ['digest'] },
    );
  },
};
