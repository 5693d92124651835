import { z } from 'zod';
import { listOf } from './paging.ts';

/** BACKUP_STATES are how a backup can stand. */
const BACKUP_STATES = ['running', 'done', 'failed'] as const;

const backupSchema = z
  .object({
    id: z.int(),
    started_at: z.string().describe('RFC 3339, UTC'),
    finished_at: z.string().nullable().describe('RFC 3339, UTC; null while it runs'),
    state: z.enum(BACKUP_STATES),
    target: z.string().describe('Where it was written'),
    bytes: z.int().min(0).nullable(),
    sha256: z.string().nullable().describe('Hex SHA-256 of the file'),
    ledger_rows: z.int().min(0).nullable().describe('Rows of the ledger that it holds'),
    error: z.string().nullable().describe('Why it failed'),
  })
  .meta({ id: 'Backup' });

/** BackupBody is a backup as the API answers it. */
export type BackupBody = z.infer<typeof backupSchema>;

/** backupsSchema is a list of them. */
export const backupsSchema = listOf(backupSchema).meta({ id: 'Backups' });

/** BackupsBody is it as the API answers it. */
export type BackupsBody = z.infer<typeof backupsSchema>;
