import { createIndex, createTable, type AnyDatabase } from '../sql/schema.ts';
import type { Migration } from './migration.ts';

const PIECE = 262_144;

/**
 * A package is a piece of work before it is a file: it waits, is made, and is kept in pieces, since one may be larger than a row should be.
 * Those that are kept already stay as they are.
 */
export const evidence: Migration = {
  name: '0042-evidence',
  release: '1.3.7',
  summary: 'Evidence packages of the service, their keys, and declarations',
  async up(db) {
    await createTable(
      db,
      'evidence_pieces',
      {
        package_id: 'text!',
        // Of the try that made it: what a try left that was given up belongs to no package.
        attempt: 'integer!',
        number: 'integer!',
        bytes: 'blob!',
      },
      { key: ['package_id', 'attempt', 'number'] },
    );
    const kept = await takePieces(db);
    await db.schema.dropTable('evidence_packages').execute();
    await createTable(
      db,
      'evidence_packages',
      {
        id: 'text!',
        created_at: 'integer!',
        account_id: 'text!',
        period_from: 'integer!',
        period_to: 'integer!',
        // JSON of the request.
        request: 'text!',
        state: 'text!',
        stage: 'text',
        rows_done: 'integer!=0',
        rows_total: 'integer',
        // The fence: raised with every try, whose writes carry it.
        attempt: 'integer!=0',
        // Grows while somebody works on it.
        beat: 'integer!=0',
        // Tries that ended without an answer.
        broken: 'integer!=0',
        started_at: 'integer',
        ended_at: 'integer',
        error: 'text',
        sha256: 'text',
        bytes: 'integer',
        // JSON of what it comes to.
        summary: 'text',
      },
      { key: ['id'] },
    );
    await createIndex(db, 'evidence_packages', ['created_at']);
    await createIndex(db, 'evidence_packages', ['created_at'], {
      name: 'evidence_packages_at_work',
      where: "state in ('queued', 'running')",
    });
    for (const { created_at, ...row } of kept)
      await db
        .insertInto('evidence_packages')
        .values({ ...row, created_at, state: 'done', started_at: created_at, ended_at: created_at })
        .execute();
    await createTable(
      db,
      'evidence_keys',
      { key_id: 'text!', pem: 'text!', from_at: 'integer!', until_at: 'integer' },
      { key: ['key_id', 'from_at'] },
    );
    await createTable(
      db,
      'declarations',
      {
        id: 'text!',
        statement: 'text!',
        // `user:<account_id>`.
        declared_by: 'text!',
        declared_at: 'integer!',
        valid_until: 'integer',
      },
      { key: ['id'] },
    );
  },
};

interface KeptPackage {
  readonly created_at: number;
  readonly [column: string]: unknown;
}

/** Cuts the archives into pieces, one archive in memory at a time, and gives what else is known of each package. */
async function takePieces(db: AnyDatabase): Promise<KeptPackage[]> {
  const kept: KeptPackage[] = [];
  for (const { id } of await db.selectFrom('evidence_packages').select('id').execute()) {
    const found = await db
      .selectFrom('evidence_packages')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const { archive, ...row } = found as KeptPackage & { readonly archive: Buffer };
    for (let from = 0, number = 0; from < archive.length; from += PIECE, number += 1)
      await db
        .insertInto('evidence_pieces')
        .values({ package_id: id, attempt: 0, number, bytes: archive.subarray(from, from + PIECE) })
        .execute();
    kept.push({ ...row, bytes: archive.length });
  }
  return kept;
}
