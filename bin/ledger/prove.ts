import { openBytes, openLedgerDatabase } from '../../src/app/index.ts';
import { proveFromExport, proveRow, TreeError } from '../../src/ledger/index.ts';
import type { LedgerProveOptions } from './index.ts';
import { clean } from '../terminal/clean.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { findLedger } from './source.ts';
import { parseWhole } from '../terminal/numbers.ts';
import { openParts } from '../terminal/parts.ts';
import { Progress } from '../terminal/progress.ts';
import { withService } from '../service/client.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';

/** runLedgerProve is `ipo ledger prove`: the `.tlog-proof` of one row, from an export, a database or a service. */
export async function runLedgerProve(
  row: string,
  options: LedgerProveOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const id = parseWhole('ROW', row, 1, Number.MAX_SAFE_INTEGER, 'the number of a row');
  const source = findLedger(options, terminal);
  const parts = openParts(terminal);
  let text: string;
  if (source.kind === 'ledger') {
    const progress = new Progress(terminal, globals, parts.clock.now);
    try {
      const bytes = await openBytes(source.path, terminal.stdin, (read, size) => progress.bytes(read, size));
      const name = source.path === '-' ? 'stdin' : source.path;
      text = await proveFromExport(bytes, name, id, (rows) => progress.rows(rows));
    } finally {
      progress.end();
    }
  } else if (source.kind === 'database') {
    const { ledger, tree, close } = await openLedgerDatabase(source.url);
    try {
      const found = await ledger.row(id);
      if (found === null)
        throw new TreeError('not_found', `there is no row ${id}; the newest is ${await ledger.size()}`);
      const checkpoint = await tree.newestCheckpoint();
      if (checkpoint === null)
        throw new TreeError('not_found', 'nothing is signed yet', {
          hint: 'A running service signs every minute',
        });
      text = await proveRow(tree, found, checkpoint);
    } finally {
      await close();
    }
  } else {
    const answer = await withService(terminal, source.flags, (service) =>
      service.text('GET /ledger/rows/{id}/proof', { params: { id } }),
    );
    text = answer.body;
  }
  const { output } = options;
  if (output === undefined || output === '-') terminal.out(text);
  else {
    await parts.writeFile(output, text);
    if (!globals.quiet)
      terminal.err(
        `ipo: proof of row ${id} written to ${clean(output)}; whoever has the key of the log checks it with ipo ledger verify --proof FILE --key VKEY\n`,
      );
  }
  return EXIT.done;
}
