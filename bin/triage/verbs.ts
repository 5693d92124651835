import type { TriageBody } from '../../src/api/contract/triage.ts';
import { formatTime, IpoError, isIpoError, parseDuration, parseTime } from '../../src/base/index.ts';
import { counted, cutEnd, cutMiddle, displayWidth, formatCount } from '../../src/render/index.ts';
import { shortTime } from '../../src/whatif/report/index.ts';
import {
  ANSWER_FORMATS,
  markdownLines,
  tableLines,
  writeAnswer,
  type AnswerViews,
  type ViewColumn,
} from '../terminal/answer.ts';
import { clean } from '../terminal/clean.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { findImage } from '../service/find-image.ts';
import { parseOutputs } from '../terminal/output.ts';
import { parsePaging } from '../terminal/paging.ts';
import { openParts } from '../terminal/parts.ts';
import { parseWhole } from '../terminal/numbers.ts';
import { withService } from '../service/client.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../terminal/usage.ts';
import type { PagingFlags } from '../terminal/paging-flags.ts';
import type { ServiceFlags } from '../service/index.ts';

/** TriageAddOptions are the flags of `ipo triage add`. */
export interface TriageAddOptions extends ServiceFlags {
  readonly reason?: string;
  /** False where the image holds none. */
  readonly packages: boolean;
  readonly until?: string;
  readonly for?: string;
  readonly output: readonly string[];
}

/** TriageListOptions are the flags of `ipo triage list`. */
export interface TriageListOptions extends ServiceFlags, PagingFlags {
  readonly image?: string;
  readonly cve?: string;
  readonly state?: string;
  readonly output: readonly string[];
}

/** TriageEndOptions are the flags of `ipo triage end`. */
export interface TriageEndOptions extends ServiceFlags {
  readonly output: readonly string[];
}

const COLUMNS: readonly ViewColumn<TriageBody>[] = [
  { heading: 'id', text: ({ id }) => String(id) },
  {
    heading: 'state',
    text: ({ state }) => state,
    paint: ({ state }, { chalk }) => (state === 'active' ? chalk.green : chalk.dim),
  },
  { heading: 'CVE', text: ({ cve }) => cve ?? '(no packages)' },
  { heading: 'severity', text: ({ severity }) => severity ?? '–' },
  {
    heading: 'image',
    flex: 4,
    text: nameOf,
    cut: (entry) => (max) => lastPart(nameOf(entry), max),
  },
  { heading: 'until (UTC)', text: ({ until, ended_at }) => shortTime(ended_at ?? until) },
  { heading: 'by', flex: 3, text: ({ triaged_by }) => triaged_by },
  {
    heading: 'reason',
    flex: 2,
    text: ({ reason }) => reason,
    cut: ({ reason }) => cutEnd.bind(null, reason),
  },
];

function nameOf({ image, digest }: TriageBody): string {
  return image ?? digest;
}

/** The end of a name tells images of one registry apart. */
function lastPart(name: string, max: number): string {
  const short = `…${name.slice(name.lastIndexOf('/'))}`;
  return displayWidth(name) <= max || displayWidth(short) > max || !name.includes('/')
    ? cutMiddle(name, max)
    : short;
}

/** runTriageAdd is `ipo triage add`. */
export async function runTriageAdd(
  image: string,
  cve: string | undefined,
  options: TriageAddOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const targets = parseOutputs(options.output, ANSWER_FORMATS, 'table');
  const { reason = '', packages } = options;
  if (isCve(image) && !isCve(cve ?? ''))
    throw new UsageError(
      cve === undefined
        ? `no image given: ${clean(image)} is a CVE`
        : `${clean(image)} is a CVE, and stands where the image belongs`,
      `Name the image first: ipo triage add ${cve === undefined ? 'IMAGE' : clean(cve)} ${clean(image)} --reason TEXT`,
    );
  if ((cve === undefined) === packages)
    throw new UsageError(
      packages ? 'no CVE given' : 'a CVE and --no-packages exclude each other',
      'Give the CVE to accept, or --no-packages if the image contains nothing to scan',
    );
  if (reason.trim() === '') throw new UsageError('no reason given', 'Give the reason with --reason TEXT');
  const until = parseUntil(options, openParts(terminal).clock.now());
  const answer = await withService(terminal, options, async (service) => {
    const digest = await findImage(service, image);
    const what = cve === undefined ? { no_packages: true } : { cve: inCapitals(cve) };
    const body = { digest, ...what, reason, ...(until !== null && { until }) };
    return service.json<TriageBody>('POST /triage', { body }).catch((error: unknown) => {
      throw isIpoError(error) && error.hint?.startsWith('GET ')
        ? new IpoError(error.code, error.message, { cause: error, hint: listsFindings(digest) })
        : error;
    });
  });
  await writeAnswer(targets, answer, oneView(answer.body), terminal, globals);
  return EXIT.done;
}

/** runTriageList is `ipo triage list`. */
export async function runTriageList(
  options: TriageListOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const targets = parseOutputs(options.output, ANSWER_FORMATS, 'table');
  const { image, cve, state } = options;
  const paging = parsePaging(options);
  const answer = await withService(terminal, options, async (service) => {
    const digest = image === undefined ? undefined : await findImage(service, image);
    const query = { digest, cve: cve === undefined ? undefined : inCapitals(cve), state, ...paging };
    return service.json<{ items: TriageBody[]; total: number }>('GET /triage', { query });
  });
  const { items, total } = answer.body;
  const left = total - items.length;
  const sum = `${counted(total, 'decision')}${left > 0 ? `; ${formatCount(left)} not shown, see --limit and --offset` : ''}`;
  const views: AnswerViews = {
    table: (paint) => [...(items.length === 0 ? [] : tableLines(paint, COLUMNS, items)), sum],
    markdown: () => [...markdownLines(COLUMNS, items), ...(items.length === 0 ? [] : ['']), sum],
  };
  await writeAnswer(targets, answer, views, terminal, globals);
  return EXIT.done;
}

/** runTriageEnd is `ipo triage end`. */
export async function runTriageEnd(
  text: string,
  options: TriageEndOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const targets = parseOutputs(options.output, ANSWER_FORMATS, 'table');
  const id = parseWhole('ID', text, 1, Number.MAX_SAFE_INTEGER, 'the number of a decision');
  const answer = await withService(terminal, options, (service) =>
    service.json<TriageBody>('DELETE /triage/{id}', { params: { id } }),
  );
  await writeAnswer(targets, answer, oneView(answer.body), terminal, globals);
  return EXIT.done;
}

function isCve(text: string): boolean {
  return /^CVE-\d{4}-\d{4,}$/i.test(text);
}

/** Scanners write it so; people do not always. */
function inCapitals(cve: string): string {
  return cve.replace(/^cve-/i, 'CVE-');
}

/** The service's own hint names a call of its API. */
function listsFindings(digest: string): string {
  return `\`ipo images show ${digest.slice(0, 19)}\` lists its findings`;
}

function oneView(entry: TriageBody): AnswerViews {
  return {
    table: (paint) => tableLines(paint, COLUMNS, [entry]),
    markdown: () => markdownLines(COLUMNS, [entry]),
  };
}

function parseUntil({ until, for: length }: TriageAddOptions, now: number): string | null {
  if (until !== undefined) {
    const at = parseTime(until);
    if (!Number.isNaN(at)) return formatTime(at);
    throw new UsageError(
      `--until ${clean(until)}: this is not an RFC 3339 time`,
      'Write it as 2026-12-24T06:00:00Z',
    );
  }
  if (length === undefined) return null;
  const ms = parseDuration(length);
  if (ms !== null && ms > 0) return formatTime(now + Math.round(ms));
  throw new UsageError(
    `--for ${clean(length)}: this is not a duration above 0`,
    'Write it as 720h or 36h30m',
  );
}
