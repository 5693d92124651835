import { putBack, type PutBack } from '../../src/app/index.ts';
import { parseDuration, type Log } from '../../src/base/index.ts';
import { counted, toYaml } from '../../src/render/index.ts';
import type { LedgerPutBackOptions } from './options.ts';
import { clean } from '../terminal/clean.ts';
import { findDatabase } from '../files/index.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { parseOutputs, writeOutputs } from '../terminal/output.ts';
import { openParts } from '../terminal/parts.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../terminal/usage.ts';

const FORMATS = ['table', 'json', 'yaml'] as const;

/** runLedgerPutBack is `ipo ledger put-back`. */
export async function runLedgerPutBack(
  directory: string,
  options: LedgerPutBackOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const targets = parseOutputs(options.output ?? [], FORMATS, 'table');
  const timeout = parseDuration(options.timeout);
  if (timeout === null || timeout <= 0 || timeout > 86_400_000)
    throw new UsageError(
      `--timeout ${options.timeout}: not a duration from 1ms to 24h`,
      'Write for example --timeout 5m',
    );
  const database = findDatabase(options.database, terminal.env);
  const parts = openParts(terminal);
  const result = await putBack({
    directory,
    database,
    timeout,
    unknownReplica: options.unknownReplica === true,
    log: toLog(terminal, globals),
    clock: parts.clock,
  });
  await writeOutputs(
    targets,
    (format) => {
      if (format === 'table') return `${clean(sentence(result, directory))}\n`;
      const answer = toAnswer(result);
      return format === 'json' ? `${JSON.stringify(answer)}\n` : toYaml(answer);
    },
    parts,
    terminal,
  );
  if (result.left !== null) return EXIT.outside;
  return result.setAside === 0 ? EXIT.done : EXIT.check;
}

function sentence({ found, rows, setAside, left, replica, ended }: PutBack, directory: string): string {
  const whose = replica !== null && ended ? `; replica ${replica} is marked as ended` : '';
  if (found === null) return `There are no rows in ${directory}${whose}.`;
  const refused =
    setAside === 0 ? '' : `; ${counted(setAside, 'review')} cannot be stored: see refused.ndjson`;
  const stays =
    left === null
      ? ''
      : `; ${counted(left.rows, 'row')} of ${counted(left.reviews, 'review')} since ${left.since} stay in ${directory}`;
  return `${counted(rows, 'row')} put back of ${counted(found.reviews, 'review')} since ${found.since}${refused}${stays}${whose}.`;
}

function toAnswer({ found, rows, setAside, left, replica, ended }: PutBack) {
  const told = (part: PutBack['found']) =>
    part === null ? null : { reviews: part.reviews, rows: part.rows, since: part.since };
  return { replica, ended, found: told(found), rows, set_aside: setAside, left: told(left) };
}

/** What a service would log as a warning is said in its words; the rest is in the result. */
function toLog(terminal: Terminal, { quiet }: GlobalOptions): Log {
  const say = (message: string, fields: Readonly<Record<string, unknown>> = {}): void => {
    const { cause } = fields;
    terminal.err(`ipo: ${clean(cause instanceof Error ? `${message}: ${cause.message}` : message)}\n`);
  };
  const nothing = (): void => {};
  return { debug: nothing, info: nothing, warn: quiet === true ? nothing : say, error: say };
}
