import type { BackupsBody } from '../../src/api/contract/backups.ts';
import { toYaml } from '../../src/render/index.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { parseOutputs, writeOutputs } from '../terminal/output.ts';
import { parsePaging } from '../terminal/paging.ts';
import { openParts } from '../terminal/parts.ts';
import { renderRows, shortMoment } from '../terminal/rows.ts';
import { withService } from '../service/client.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { BackupListOptions } from './index.ts';

/** runBackupList is `ipo backup list`. */
export async function runBackupList(options: BackupListOptions, terminal: Terminal): Promise<ExitCode> {
  const targets = parseOutputs(options.output, ['table', 'json', 'yaml'], 'table');
  const query = parsePaging(options);
  const { body, text } = await withService(terminal, options, (service) =>
    service.json<BackupsBody>('GET /backups', { query }),
  );
  const render = (format: 'table' | 'json' | 'yaml') =>
    format === 'json' ? `${text}\n` : format === 'yaml' ? toYaml(body) : table(body.items, terminal);
  await writeOutputs(targets, render, openParts(terminal), terminal);
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
