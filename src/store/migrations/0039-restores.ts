import { addColumns, createTable } from '../sql/schema.ts';
import type { Migration } from './migration.ts';

/** What a restore leaves behind: channels that wait for a person, and logs that ended because rows after their backup were lost. */
export const restores: Migration = {
  name: '0039-restores',
  release: '1.3.7',
  summary: 'Restores, channels paused after one, and logs that one has ended',
  async up(db) {
    await addColumns(db, 'channels', {
      // Issues that were filed since then are looked up before anything is filed; null for a channel that is not paused.
      paused_since: 'integer',
      // When a person asked to go on.
      resume_asked_at: 'integer',
      resume_error: 'text',
    });
    await createTable(db, 'restores', {
      id: 'id',
      restored_at: 'integer!',
      backup_at: 'integer!',
      sha256: 'text!',
      // Part of every marker that is made from then on.
      epoch: 'text!',
      ledger_size: 'integer!',
      // Rows that the log had by a checkpoint that was kept; null where none is newer than the backup.
      lost_to: 'integer',
    });
    await createTable(
      db,
      'ledger_logs',
      {
        origin: 'text!',
        vkey: 'text!',
        // Rows of the log that are in the ledger, and those that it had signed.
        size: 'integer!',
        lost_to: 'integer!',
        // The checkpoint that proves it.
        note: 'text!',
        ended_at: 'integer!',
        successor: 'text!',
      },
      { key: ['origin'] },
    );
  },
};
