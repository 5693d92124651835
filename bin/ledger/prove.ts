import { openBytes, openLedgerDatabase } from '../../src/app/index.ts';
import { proveFromExport, proveRow, TreeError } from '../../src/ledger/index.ts';
import { toYaml } from '../../src/render/index.ts';
import type { LedgerProveOptions } from './options.ts';
import { clean } from '../terminal/clean.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { findLedger } from './source.ts';
import { parseWhole } from '../terminal/numbers.ts';
import { parseOneOutput, writeOutputs } from '../terminal/output.ts';
import { openParts } from '../terminal/parts.ts';
import { Progress } from '../terminal/progress.ts';
import { withService } from '../service/client.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';

const STDOUT = { format: 'tlog-proof', path: null } as const;

/** runLedgerProve is `ipo ledger prove`: the `.tlog-proof` of one row, from an export, a database or a service. */
export async function runLedgerProve(
  row: string,
  options: LedgerProveOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const id = parseWhole('ROW', row, 1, Number.MAX_SAFE_INTEGER, 'the number of a row');
  const source = findLedger(options, terminal);
  const { format, path } =
    parseOneOutput(options.output, ['tlog-proof', 'json', 'yaml'], 'tlog-proof', {
      '.tlog-proof': 'tlog-proof',
    }) ?? STDOUT;
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
        throw new TreeError(
          'not_found',
          `no row has the number ${id}; the newest is ${await ledger.size()}`,
          {
            hint: '`ipo ledger list` shows the rows with their numbers',
          },
        );
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
  const forms = {
    'tlog-proof': () => text,
    json: () => `${JSON.stringify({ row: id, proof: text })}\n`,
    yaml: () => toYaml({ row: id, proof: text }),
  };
  await writeOutputs([{ format, path }], (form) => forms[form](), parts, terminal);
  if (path !== null && !globals.quiet)
    terminal.err(
      `ipo: proof of row ${id} written to ${clean(path)}; verify it with the key of the log: ipo ledger verify --proof FILE --key VKEY\n`,
    );
  return EXIT.done;
}
