import type { BackupsBody } from '../../src/api/contract/backups.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { openOutcome } from '../terminal/outcome.ts';
import { parsePaging } from '../terminal/paging.ts';
import { renderRows, shortMoment } from '../terminal/rows.ts';
import { withService } from '../service/client.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { ServiceFlags } from '../service/index.ts';
import type { PagingFlags } from '../terminal/paging-flags.ts';

/** BackupListOptions are the flags of `ipo backup list`. */
export interface BackupListOptions extends ServiceFlags, PagingFlags {
  readonly output: readonly string[];
}

/** runBackupList is `ipo backup list`. */
export async function runBackupList(options: BackupListOptions, terminal: Terminal): Promise<ExitCode> {
  const outcome = openOutcome(options.output, terminal);
  const query = parsePaging(options);
  const answered = await withService(terminal, options, (service) =>
    service.json<BackupsBody>('GET /backups', { query }),
  );
  await outcome.answer(answered, () => table(answered.body.items, terminal));
  return EXIT.done;
}

function table(backups: BackupsBody['items'], terminal: Terminal): Promise<string> {
  const columns = [
    { heading: 'started (UTC)' },
    { heading: 'state' },
    { heading: 'bytes' },
    { heading: 'ledger rows' },
    { heading: 'target', flex: 1 },
    { heading: 'sha256 or error', flex: 1 },
  ];
  const rows = backups.map(({ started_at, state, bytes, ledger_rows, target, sha256, error }) => [
    shortMoment(started_at),
    state,
    bytes === null ? '–' : String(bytes),
    ledger_rows === null ? '–' : String(ledger_rows),
    target,
    error ?? sha256 ?? '–',
  ]);
  return renderRows(columns, rows, 'No backup.', terminal);
}
