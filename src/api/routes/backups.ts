import type { BackupHistory, BackupRun } from '../../backup/index.ts';
import { formatTime } from '../../base/index.ts';
import { backupsSchema, type BackupBody } from '../contract/backups.ts';
import { pageSchema } from '../contract/paging.ts';
import { route, type Route } from '../route.ts';

/** BackupParts are what the routes of backups are asked of. */
export interface BackupParts {
  readonly backups: Pick<BackupHistory, 'list'>;
}

/** backupRoutes list the backups that were made. */
export function backupRoutes({ backups }: BackupParts): Route[] {
  return [
    route({
      key: 'GET /backups',
      id: 'listBackups',
      tag: 'system',
      summary: 'List the backups of the service, newest first',
      query: pageSchema,
      answers: { 200: { description: 'The backups', schema: backupsSchema } },
      handle: async ({ query: { limit, offset } }) => {
        const { items, total } = await backups.list({ limit: limit ?? null, offset: offset ?? 0 });
        return { body: { items: items.map(toBody), total } };
      },
    }),
  ];
}

function toBody(run: BackupRun): BackupBody {
  const { id, startedAt, finishedAt, target, bytes, sha256, ledgerRows, error } = run;
  const ended = error === null ? 'done' : 'failed';
  return {
    id,
    target,
    bytes,
    sha256,
    error,
    started_at: formatTime(startedAt),
    finished_at: finishedAt === null ? null : formatTime(finishedAt),
    state: finishedAt === null ? 'running' : ended,
    ledger_rows: ledgerRows,
  };
}
