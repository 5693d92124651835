import type { RunBody, RunSummaryBody } from '../../src/api/contract/whatif.ts';
import { formatTime, IpoError } from '../../src/base/index.ts';
import { parsePolicies } from '../../src/policy/index.ts';
import { counted, formatCount, toYaml } from '../../src/render/index.ts';
import { RUN_ID } from '../../src/whatif/index.ts';
import { shortTime } from '../../src/whatif/report/index.ts';
import { clean } from '../terminal/clean.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { isThere } from '../files/index.ts';
import { parseWhole } from '../terminal/numbers.ts';
import { parseOneOutput, parseOutputs, writeOutputs } from '../terminal/output.ts';
import { openParts } from '../terminal/parts.ts';
import { withService } from '../service/client.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../terminal/usage.ts';
import { openPaint } from '../terminal/paint.ts';
import { deliver, parseMoment, parseWanted, toDraft, type Draft } from './answer.ts';
import { checkResult } from './ask.ts';
import type { Given } from './given.ts';
import type { ServiceFlags } from '../service/index.ts';

/** RunListOptions are the flags of `ipo whatif list`. */
export interface RunListOptions extends ServiceFlags {
  readonly policy?: string;
  readonly from?: string;
  readonly to?: string;
  readonly limit?: string;
  readonly offset?: string;
  readonly output?: readonly string[];
}

/** RunShowOptions are the flags of `ipo whatif show`. */
export interface RunShowOptions extends ServiceFlags {
  readonly all?: true;
  readonly draft?: true;
  readonly output?: readonly string[];
}

/** RunDownloadOptions are the flags of `ipo whatif download`. */
export interface RunDownloadOptions extends ServiceFlags {
  /** How earlier releases said it. */
  readonly format?: 'pdf' | 'json';
  readonly output?: readonly string[];
}

/** Bytes that a PDF may have; one of ours has a tenth of a megabyte. */
const MOST_BYTES = 64 * 1_048_576;

/** runList is `ipo whatif list`. */
export async function runList(
  { options, stray }: Given<RunListOptions>,
  terminal: Terminal,
): Promise<ExitCode> {
  checkStray(stray, 'list');
  const targets = parseOutputs(options.output ?? [], ['table', 'json', 'yaml'], 'table');
  const whole = (flag: '--limit' | '--offset', text: string | undefined, least: number, most: number) =>
    text === undefined ? undefined : parseWhole(flag, text, least, most, 'the number of runs');
  const query = {
    policy: options.policy,
    from: options.from === undefined ? undefined : formatTime(parseMoment('--from', options.from)),
    to: options.to === undefined ? undefined : formatTime(parseMoment('--to', options.to)),
    limit: whole('--limit', options.limit, 1, 10_000),
    offset: whole('--offset', options.offset, 0, Number.MAX_SAFE_INTEGER),
  };
  const { body, text } = await withService(terminal, options, (service) =>
    service.json<{ items: RunSummaryBody[]; total: number }>('GET /policies/whatif/runs', { query }),
  );
  await writeOutputs(
    targets,
    async (format) => {
      if (format === 'json') return `${text}\n`;
      return format === 'yaml' ? toYaml(body) : renderRuns(body.items, body.total, terminal);
    },
    openParts(terminal),
    terminal,
  );
  return EXIT.done;
}

async function renderRuns(
  items: readonly RunSummaryBody[],
  total: number,
  terminal: Terminal,
): Promise<string> {
  if (items.length === 0) return total === 0 ? 'No run.\n' : 'No run on this page.\n';
  const paint = await openPaint({
    color: false,
    columns: terminal.columns,
    whole: !terminal.tty.out,
  });
  const columns = [
    { heading: 'run' },
    { heading: 'at (UTC)' },
    { heading: 'policy', flex: 2 },
    { heading: 'days', align: 'right' },
    { heading: 'decided', align: 'right' },
    { heading: 'denied', align: 'right' },
    { heading: 'allowed', align: 'right' },
    { heading: 'account' },
  ] as const;
  const rows = items.map((run) =>
    [
      run.id,
      shortTime(run.at),
      run.policy,
      String(run.days),
      formatCount(run.evaluated),
      formatCount(run.would_deny),
      formatCount(run.would_allow),
      run.by_name ?? run.by,
    ].map((text) => ({ text: clean(text) })),
  );
  const left = total - items.length;
  const more = left > 0 ? [`  … ${counted(left, 'further run')}`] : [];
  return `${[...paint.table(columns, rows, 0), ...more].join('\n')}\n`;
}

/** runShow is `ipo whatif show`: the answer as it was given, in every form of a fresh one, or the draft. */
export async function runShow(
  id: string,
  { options, stray }: Given<RunShowOptions>,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  checkStray(stray, 'show');
  checkId(id);
  const drafts = options.draft === true ? parseOutputs(options.output ?? [], ['yaml', 'json'], 'yaml') : null;
  const wanted = parseWanted(drafts === null ? options : {}, []);
  const { body: run, text } = await withService(terminal, options, (service) =>
    service.json<RunBody>('GET /policies/whatif/runs/{id}', { params: { id } }),
  );
  const yaml = toYaml(run.draft);
  if (drafts !== null) {
    const render = (format: 'yaml' | 'json') => (format === 'yaml' ? yaml : `${JSON.stringify(run.draft)}\n`);
    await writeOutputs(drafts, render, openParts(terminal), terminal);
    return EXIT.done;
  }
  const result = checkResult(run.result, 'the service');
  const json = bytesOfResult(text) ?? JSON.stringify(result);
  const answer = { result, json, draft: draftOf(yaml, `run ${id}`) };
  if (!globals.quiet)
    terminal.err(`ipo: run ${id} of ${shortTime(run.at)} UTC by ${clean(run.by_name ?? run.by)}\n`);
  return deliver(answer, wanted, openParts(terminal), terminal, globals);
}

/** The answer stands last in the run, as it was given. */
function bytesOfResult(text: string): string | null {
  const at = text.indexOf(',"result":{');
  return at === -1 || !text.endsWith('}') ? null : text.slice(at + ',"result":'.length, -1);
}

/** A draft of an earlier release may no longer be a policy; its places are then those of its beginning. */
function draftOf(yaml: string, file: string): Draft {
  const [policy] = parsePolicies(yaml, file).policies;
  return policy === undefined ? { file, placeOf: () => ({ line: 1, column: 1 }) } : toDraft(policy.places);
}

/** runDownload is `ipo whatif download`. */
export async function runDownload(
  id: string,
  { options, stray }: Given<RunDownloadOptions>,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  checkStray(stray, 'download');
  checkId(id);
  const standard = options.format ?? 'pdf';
  const parts = openParts(terminal);
  const target = parseOneOutput(options.output ?? [], ['pdf', 'json'], standard, {
    '.pdf': 'pdf',
    '.json': 'json',
  });
  const format = target?.format ?? standard;
  const path = target === null ? `whatif-${id}.${format}` : target.path;
  if (path === null && format === 'pdf')
    throw new UsageError('a PDF cannot be written to stdout', 'Give a file: -o pdf=report.pdf');
  if (path !== null && target === null && (await isThere(path, parts)))
    throw new UsageError(`${path} already exists`, `Delete the file, or give another one: -o ${format}=FILE`);
  const bytes = await withService(terminal, options, async (service) => {
    const key = 'GET /policies/whatif/runs/{id}/download';
    const { body } = await service.stream(key, { params: { id }, query: { format } });
    return readAll(body);
  });
  if (path === null) terminal.out(`${bytes.toString('utf8')}\n`);
  else await parts.writeFile(path, bytes);
  if (path !== null && !globals.quiet) terminal.err(`ipo: written to ${clean(path)}\n`);
  return EXIT.done;
}

async function readAll(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MOST_BYTES) throw new IpoError('too_large', 'the service sends more than 64 MiB for one run');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function checkId(id: string): void {
  if (RUN_ID.test(id)) return;
  throw new UsageError(`${id}: not the ID of a run`, 'ipo whatif list shows the stored runs');
}

function checkStray([flag]: readonly string[], command: string): void {
  if (flag === undefined) return;
  throw new UsageError(
    `${flag} has no effect with ipo whatif ${command}`,
    `See ipo whatif ${command} --help`,
  );
}
