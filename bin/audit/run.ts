import type { AuditBody, AuditEntryBody } from '../../src/api/contract/audit.ts';
import type { ServiceClient } from '../../src/app/index.ts';
import { DAY_MS, formatTime, IpoError, parseTime } from '../../src/base/index.ts';
import { counted, toYaml } from '../../src/render/index.ts';
import { clean } from '../terminal/clean.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { parseWhole } from '../terminal/numbers.ts';
import { parseOutputs, writeOutputs } from '../terminal/output.ts';
import { openParts } from '../terminal/parts.ts';
import { renderRows, shortMoment } from '../terminal/rows.ts';
import { withService } from '../service/client.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../terminal/usage.ts';
import type { ServiceFlags } from '../service/index.ts';

/** AuditOptions are the flags of `ipo audit`. */
export interface AuditOptions extends ServiceFlags {
  readonly from?: string;
  readonly to?: string;
  readonly action?: string;
  readonly actor?: string;
  readonly target?: string;
  readonly limit?: string;
  readonly offset?: string;
  readonly output: readonly string[];
}

const FORMATS = ['table', 'json', 'yaml', 'csv'] as const;
const PAGE = 100;
/** Bytes that a CSV may have which goes to a file; to stdout it goes as it comes. */
const MAX_CSV = 512 * 1_048_576;

/** runAudit is `ipo audit`. */
export async function runAudit(
  options: AuditOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const targets = parseOutputs(options.output, FORMATS, 'table');
  const { action, actor, target } = options;
  const narrowed = {
    from: moment('--from', options.from, 0),
    to: moment('--to', options.to, DAY_MS - 1),
    action,
    actor,
    target,
  };
  const csvs = targets.filter(({ format }) => format === 'csv');
  if (csvs.length > 0 && (options.limit ?? options.offset) !== undefined) {
    throw new UsageError(
      'CSV holds the whole period',
      'Leave --limit and --offset out, and narrow it with --from and --to',
    );
  }
  const limit = parseWhole('--limit', options.limit ?? String(PAGE), 1, 10_000, 'the number of entries');
  const offset = parseWhole(
    '--offset',
    options.offset ?? '0',
    0,
    Number.MAX_SAFE_INTEGER,
    'the number of entries',
  );
  const parts = openParts(terminal);
  return withService(terminal, options, async (service) => {
    const pages = targets.flatMap(({ format, path }) => (format === 'csv' ? [] : [{ format, path }]));
    if (pages.length > 0) {
      const query = { ...narrowed, limit, offset };
      const { body, text } = await service.json<AuditBody>('GET /audit', { query });
      const forms = { json: () => `${text}\n`, yaml: () => toYaml(body), table: () => table(body, terminal) };
      await writeOutputs(pages, (format) => forms[format](), parts, terminal);
      const left = body.total - offset - body.items.length;
      if (left > 0 && !globals.quiet)
        terminal.err(
          `ipo: ${counted(left, 'older entry', 'older entries')} not shown; see --offset and --limit\n`,
        );
    }
    for (const { path } of csvs) {
      if (path === null) await toStdout(service, narrowed, terminal);
      else await parts.writeFile(path, await readCsv(service, narrowed));
    }
    return EXIT.done;
  });
}

type Narrowed = Readonly<Record<string, string | undefined>>;

async function toStdout(service: ServiceClient, query: Narrowed, terminal: Terminal): Promise<void> {
  const { body } = await service.stream('GET /audit.csv', { query });
  const decoder = new TextDecoder();
  for await (const chunk of body) terminal.out(decoder.decode(chunk, { stream: true }));
}

async function readCsv(service: ServiceClient, query: Narrowed): Promise<Uint8Array> {
  const { body } = await service.stream('GET /audit.csv', { query });
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_CSV) {
      throw new IpoError('too_large', 'the log of this period is larger than 512 MiB', {
        hint: 'Narrow it with --from and --to, or write it to stdout',
      });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function table({ items }: AuditBody, terminal: Terminal): Promise<string> {
  const columns = [
    { heading: 'time (UTC)' },
    { heading: 'who', flex: 4 },
    { heading: 'action' },
    { heading: 'target', flex: 2 },
    { heading: 'more', flex: 3 },
  ];
  const rows = items.map(({ time, actor, action, target, detail }) => [
    shortMoment(time),
    actor ?? '–',
    action,
    target ?? '–',
    more(detail),
  ]);
  return renderRows(columns, rows, 'No entry.', terminal);
}

function more(detail: AuditEntryBody['detail']): string {
  return Object.entries(detail ?? {})
    .filter(([name, value]) => name !== 'account_id' && value !== null)
    .map(([name, value]) => `${name}=${brief(value)}`)
    .join(' ');
}

/** A hash by its beginning, as the other lists show it; JSON and CSV have it whole. */
function brief(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.replaceAll(/[0-9a-f]{64}/g, (hash) => hash.slice(0, 12));
}

/** A day is meant from its start, or `toEnd` to its end. Days are those of UTC, as times in the log. */
function moment(flag: string, text: string | undefined, toEnd: number): string | undefined {
  if (text === undefined) return undefined;
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? parseTime(`${text}T00:00:00Z`) : NaN;
  const ms = Number.isNaN(day) ? parseTime(text) : day + toEnd;
  if (!Number.isNaN(ms)) return formatTime(ms);
  throw new UsageError(
    `${flag} ${clean(text)}: this is not a valid time`,
    'Write it as 2026-11-20T06:00:00Z or 2026-11-20',
  );
}
