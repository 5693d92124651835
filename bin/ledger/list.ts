import { openBytes, openLedgerDatabase } from '../../src/app/index.ts';
import { formatTime } from '../../src/base/index.ts';
import {
  readExport,
  ROW_LABELS,
  toRowFilter,
  type LedgerFilter,
  type LedgerRow,
} from '../../src/ledger/index.ts';
import type { LedgerListOptions } from './options.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { findLedger, type LedgerSource } from './source.ts';
import { parseWhole } from '../terminal/numbers.ts';
import { parseOutputs, writeOutputs } from '../terminal/output.ts';
import { openParts } from '../terminal/parts.ts';
import { Progress } from '../terminal/progress.ts';
import { withService } from '../service/client.ts';
import { usesColor, type GlobalOptions, type Terminal } from '../terminal/terminal.ts';
import { ChoiceError } from '../terminal/choice.ts';
import { endsOf, parsePeriod, type Period } from './flags.ts';

const FORMATS = ['table', 'json', 'yaml', 'ndjson'] as const;

/** Rows is a page of rows, newest first, and how many there are in all. */
interface Rows {
  readonly items: readonly LedgerRow[];
  readonly total: number;
}

interface Wanted {
  readonly filter: Omit<LedgerFilter, 'from' | 'to'>;
  readonly period: Period;
  readonly limit: number;
  readonly offset: number;
}

/** runLedgerList is `ipo ledger list`: rows of an export, a database or a service; JSON is the API's own body. */
export async function runLedgerList(
  options: LedgerListOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const source = findLedger(options, terminal);
  const path = source.kind === 'ledger' ? source.path : undefined;
  const targets = parseOutputs(options.output ?? [], FORMATS, 'table', [path]);
  const { namespace, image, digest, label, policy, refused, breakGlass } = options;
  // A service says which labels its own release knows.
  if (source.kind !== 'server' && label !== undefined && !ROW_LABELS.includes(label))
    throw new ChoiceError('--label', label, ROW_LABELS);
  const wanted: Wanted = {
    filter: { namespace, image, digest, label, policy, refused, breakGlass },
    period: parsePeriod(options),
    limit: parseWhole('--limit', options.limit, 1, 10_000, 'the limit'),
    offset: parseWhole('--offset', options.offset, 0, Number.MAX_SAFE_INTEGER, 'the offset'),
  };
  const parts = openParts(terminal);
  const progress = new Progress(terminal, globals, parts.clock.now);
  let rows: Rows;
  try {
    rows = await readRows(source, wanted, terminal, progress, parts.clock.now());
  } finally {
    progress.end();
  }
  const render = async (format: (typeof FORMATS)[number], toStdout: boolean) => {
    if (format === 'json') return `${JSON.stringify(rows)}\n`;
    if (format === 'ndjson') return rows.items.map((row) => `${JSON.stringify(row)}\n`).join('');
    if (format === 'yaml') return (await import('../../src/render/index.ts')).toYaml(rows);
    const { renderRows } = await import('./list-view.ts');
    return renderRows(rows.items, {
      color: toStdout && usesColor(terminal, globals, 'out'),
      columns: terminal.columns,
      whole: !(toStdout && terminal.tty.out),
    });
  };
  await writeOutputs(targets, render, parts, terminal);
  // A table without rows says so itself.
  const told = rows.total === 0 && targets.some(({ format, path: to }) => format === 'table' && to === null);
  if (!globals.quiet && !told) terminal.err(`ipo: ${summaryOf(rows, wanted)}\n`);
  return EXIT.done;
}

async function readRows(
  source: LedgerSource,
  { filter, period, limit, offset }: Wanted,
  terminal: Terminal,
  progress: Progress,
  now: number,
): Promise<Rows> {
  if (source.kind === 'server') {
    const { breakGlass, ...rest } = filter;
    const { days, from, to } = period;
    const query = {
      ...rest,
      break_glass: breakGlass,
      days,
      from: from === undefined ? undefined : formatTime(from),
      to: to === undefined ? undefined : formatTime(to),
      limit,
      offset,
    };
    return withService(
      terminal,
      source.flags,
      async (service) => (await service.json<Rows>('GET /ledger/rows', { query })).body,
    );
  }
  if (source.kind === 'database') {
    const { ledger, close } = await openLedgerDatabase(source.url);
    try {
      return await ledger.list({ ...filter, ...endsOf(period, now) }, { limit, offset });
    } finally {
      await close();
    }
  }
  const name = source.path === '-' ? 'stdin' : source.path;
  const bytes = await openBytes(source.path, terminal.stdin, (read, size) => progress.bytes(read, size));
  const ledger = await readExport(bytes, name, { whole: true });
  const ends = endsOf(period, ledger.header.exportedAt);
  const chooses = toRowFilter({ ...filter, ...ends });
  const choosesAll = [...Object.values(filter), ...Object.values(ends)].every((value) => value === undefined);
  const items: LedgerRow[] = [];
  let [total, read] = [0, 0];
  for await (const { shapes } of ledger.rows()) {
    for (const row of shapes) {
      if (!chooses(row)) continue;
      if (total >= offset && items.length < limit) items.push(withoutType(row));
      total += 1;
    }
    progress.rows((read += shapes.length));
    // The header says how many rows there are, so that none needs to be read to be counted.
    if (choosesAll && items.length === limit && ledger.header.rows !== null) {
      await ledger.close();
      return { items, total: ledger.header.rows };
    }
  }
  return { items, total };
}

/** A line of an export says what it is. */
function withoutType(row: LedgerRow & { readonly type?: string }): LedgerRow {
  const { type: _, ...rest } = row;
  return rest;
}

function summaryOf({ items, total }: Rows, { offset }: Wanted): string {
  if (items.length === total) return total === 1 ? '1 row' : `${total} rows`;
  if (items.length === 0) return `no rows beyond the newest ${offset}; ${total} in all`;
  const [first, last] = [offset + 1, offset + items.length];
  return `rows ${first} to ${last} of ${total}, newest first; next page: --offset ${last}`;
}
