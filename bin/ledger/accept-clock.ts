import { acceptClockOf } from '../../src/app/index.ts';
import { formatTime } from '../../src/base/index.ts';
import { counted, toYaml } from '../../src/render/index.ts';
import type { LedgerAcceptClockOptions } from './options.ts';
import { findDatabase } from '../files/index.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { parseOutputs, writeOutputs } from '../terminal/output.ts';
import { openParts } from '../terminal/parts.ts';
import type { Terminal } from '../terminal/terminal.ts';

const FORMATS = ['table', 'json', 'yaml'] as const;

/** runLedgerAcceptClock is `ipo ledger accept-clock`. */
export async function runLedgerAcceptClock(
  options: LedgerAcceptClockOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const targets = parseOutputs(options.output ?? [], FORMATS, 'table');
  const database = findDatabase(options.database, terminal.env);
  const parts = openParts(terminal);
  const { recorded, rows } = await acceptClockOf(database, parts.clock);
  const answer = { rows, recorded_at: recorded === null ? null : formatTime(recorded.at) };
  await writeOutputs(
    targets,
    (format) => {
      if (format === 'json') return `${JSON.stringify(answer)}\n`;
      if (format === 'yaml') return toYaml(answer);
      if (answer.recorded_at === null)
        return 'The ledger has recorded no time since the clock was last accepted.\n';
      return `The clock is accepted: ${answer.recorded_at}, the newest time in ${counted(rows, 'row')}, is no longer a limit. Running services apply this within 15 seconds.\n`;
    },
    parts,
    terminal,
  );
  return EXIT.done;
}
