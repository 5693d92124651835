import type { EventBody } from '../../src/api/contract/runtime.ts';
import type { ImageDetailBody, ImageItemBody, ImageListBody } from '../../src/api/contract/images.ts';
import { IMAGE_STATES, type ImageState } from '../../src/inventory/index.ts';
import { counted, formatCount, markdownCode, markdownText } from '../../src/render/index.ts';
import { shortTime } from '../../src/whatif/report/index.ts';
import {
  imageColumn,
  markdownLines,
  tableLines,
  type AnswerViews,
  type ViewColumn,
} from '../terminal/answer.ts';
import { clean } from '../terminal/clean.ts';
import { findingColumns, WIDE } from './finding-columns.ts';
import { againText, failureLines, scannedText, whyText } from './failures.ts';
import type { Paint } from '../terminal/paint.ts';

const COLUMNS: readonly ViewColumn<ImageItemBody>[] = [
  { heading: 'state', text: ({ state }) => state, paint: ({ state }, paint) => colorOf(state, paint) },
  imageColumn(3, nameOf),
  { heading: 'digest', text: ({ digest }) => digest.slice(7, 19) },
  { heading: 'crit', align: 'right', text: ({ scan }) => countOf(scan?.findings.critical) },
  { heading: 'high', align: 'right', text: ({ scan }) => countOf(scan?.findings.high) },
  { heading: 'KEV', align: 'right', text: ({ scan }) => countOf(scan?.known_exploited) },
  {
    heading: 'gate',
    text: ({ last_review, state, next_admission }) => gateOf(state, last_review, next_admission),
  },
];

const NARROW = 100;

const WIDE_COLUMNS: readonly ViewColumn<ImageItemBody>[] = [
  ...COLUMNS,
  { heading: 'namespaces', flex: 2, cutsEnd: true, text: ({ namespaces }) => namespaces.join(', ') || '–' },
  {
    heading: 'scanned (UTC)',
    text: ({ scan }) => (scan === null ? 'never' : scannedText(scan)),
  },
];

/** Of images that were never scanned there is nothing to count; why that is matters. */
const UNSCANNED_COLUMNS: readonly ViewColumn<ImageItemBody>[] = [
  ...COLUMNS.slice(0, 3),
  { heading: 'why it is not scanned', flex: 4, text: whyText },
  {
    heading: 'tried again (UTC)',
    text: ({ scan_failures: [first] }) => (first === undefined ? '–' : againText(first)),
  },
];

/** Columns for what a list holds: one of images that all lack a scan says why they do. */
function columnsFor(items: readonly ImageItemBody[], width: number): readonly ViewColumn<ImageItemBody>[] {
  if (items.every(({ state }) => state === 'Unscanned')) return UNSCANNED_COLUMNS;
  // On a narrow terminal the digest gives its room to the names, unless two images have one name.
  const isNamed = width < NARROW && new Set(items.map(nameOf)).size === items.length;
  const named = isNamed ? COLUMNS.filter(({ heading }) => heading !== 'digest') : COLUMNS;
  const columns = width >= WIDE ? WIDE_COLUMNS : named;
  if (items.every(({ scan_failures }) => scan_failures.length === 0)) return columns;
  return [...columns, { heading: 'scan fails', text: ({ scan_failures: [first] }) => first?.reason ?? '' }];
}

/** imageListViews draw the list of images: the tiles first. */
export function imageListViews(list: ImageListBody): AnswerViews {
  const { items, total, states } = list;
  const tiles = IMAGE_STATES.map((state) => [state, formatCount(states[state] ?? 0)] as const);
  const left = total - items.length;
  const none = 'No image is in this list.';
  const rest = left > 0 ? [`${counted(left, 'further image')} not shown; see --limit and --offset`] : [];
  return {
    table: (paint) => [
      tiles.map(([state, count]) => `${colorOf(state, paint)(count)} ${state}`).join('   '),
      '',
      ...(items.length === 0 ? [none] : tableLines(paint, columnsFor(items, paint.columns), items)),
      ...rest,
    ],
    markdown: () => [
      tiles.map(([state, count]) => `**${count}** ${state}`).join(' · '),
      '',
      ...(items.length === 0 ? [none] : markdownLines(columnsFor(items, WIDE), items)),
      ...rest,
    ],
  };
}

const PLACES: readonly ViewColumn<ImageDetailBody['places'][number]>[] = [
  { heading: 'namespace', text: ({ namespace }) => namespace || '–' },
  { heading: 'last seen (UTC)', text: ({ time }) => shortTime(time) },
  {
    heading: 'answer',
    text: ({ allowed, break_glass, label }) => {
      if (break_glass) return 'break-glass';
      if (!allowed) return label ?? 'refused';
      return label === null ? 'admitted' : `${label} (audited)`;
    },
  },
  { ...imageColumn(1, ({ image }) => image), heading: 'as' },
  { heading: 'signals', flex: 1, text: ({ signals }) => signals?.join(', ') || '–' },
];

const ANSWERS: readonly ViewColumn<ImageDetailBody['answers'][number]>[] = [
  { heading: 'policy', text: ({ policy }) => policy },
  { heading: '', text: ({ enforcement }) => enforcement },
  { heading: 'namespace', text: ({ namespace }) => namespace ?? 'the whole cluster' },
  {
    heading: 'now',
    text: ({ verdict, label }) => {
      if (verdict === 'admit') return 'allows';
      return verdict === 'refuse' ? `denies: ${label ?? ''}` : 'not known';
    },
    paint: ({ verdict }, { chalk }) => {
      if (verdict === 'admit') return chalk.green;
      return verdict === 'refuse' ? chalk.red : chalk.magenta;
    },
  },
  { heading: 'why', flex: 1, text: ({ reason }) => reason || '–' },
];

/** ImageEvents are the newest events of the runtime detector about an image, and how many there are. */
export interface ImageEvents {
  readonly items: readonly EventBody[];
  readonly total: number;
}

const EVENTS: readonly ViewColumn<EventBody>[] = [
  { heading: 'time (UTC)', text: ({ at }) => shortTime(at) },
  { heading: 'priority', text: ({ priority }) => priority },
  { heading: 'rule of the detector', flex: 1, text: ({ rule }) => rule },
  { heading: 'namespace', text: ({ namespace }) => namespace ?? '–' },
  { heading: 'workload', flex: 1, text: ({ workload, pod }) => workload ?? pod ?? '–' },
  {
    heading: 'effect',
    text: ({ effect, policy_effect: did }) =>
      `${effect ?? '–'}${(did ?? effect) === effect ? '' : ` (${did})`}`,
  },
  { heading: 'by', text: ({ matched }) => matched ?? '–' },
];

/** imageDetailViews draw all that is known of an image. */
export function imageDetailViews(
  detail: ImageDetailBody,
  events: ImageEvents = { items: [], total: 0 },
): AnswerViews {
  const happened = `${counted(events.total, 'runtime event')}, newest first`;
  const findings = detail.findings ?? [];
  const triaged = new Set(
    detail.triage.flatMap(({ state, cve }) => (state === 'active' && cve !== null ? [cve] : [])),
  );
  return {
    table: (paint) => [
      `${paint.chalk.bold(clean(titleOf(detail)))}  ${colorOf(detail.state, paint)(detail.state)}`,
      detail.digest,
      ...paint.sentence(clean(detail.explanation, 2000), String, 0),
      '',
      ...factsOf(detail).map(([name, text]) => `${paint.chalk.dim(`${name}:`)} ${clean(text, 300)}`),
      ...section(paint, 'Seen', tableLines(paint, PLACES, detail.places), detail.places.length),
      ...section(paint, 'Policies now', tableLines(paint, ANSWERS, detail.answers), detail.answers.length),
      ...section(paint, happened, tableLines(paint, EVENTS, events.items), events.items.length),
      ...section(
        paint,
        counted(findings.length, 'finding'),
        tableLines(paint, findingColumns(triaged, findings, paint.columns >= WIDE), findings),
        findings.length,
      ),
    ],
    markdown: () => [
      `## ${markdownCode(nameOf(detail))}: ${detail.state}`,
      '',
      markdownText(detail.explanation.slice(0, 2000)),
      '',
      ...factsOf(detail).map(([name, text]) => `- ${name}: ${markdownCode(text)}`),
      ...part('Seen', markdownLines(PLACES, detail.places)),
      ...part('Policies now', markdownLines(ANSWERS, detail.answers)),
      ...part(happened, markdownLines(EVENTS, events.items)),
      ...part(
        counted(findings.length, 'finding'),
        markdownLines(findingColumns(triaged, findings, true), findings.slice(0, 200)),
      ),
    ],
  };
}

function factsOf(detail: ImageDetailBody): readonly (readonly [name: string, text: string])[] {
  const bare = detail.triage.find(({ state, cve }) => state === 'active' && cve === null);
  const { scan, source, names, scan_requested_at } = detail;
  const os = scan?.os ? `${scan.os.family} ${scan.os.name}`.trim() : 'not recognised';
  const scanner = scan?.scanner ? `${scan.scanner.name} ${scan.scanner.version}`.trim() : 'unknown scanner';
  const proofs = (['signatures', 'attestations', 'provenance', 'vex'] as const).map(
    (name) => `${name} ${detail[name]?.length ?? 'unknown'}`,
  );
  return [
    ...(names.length > 1 ? [['names', names.join(', ')] as const] : []),
    ...(source === null ? [] : [['source', source] as const]),
    scan === null
      ? ['scan', scan_requested_at === null ? 'none' : `asked for at ${shortTime(scan_requested_at)} UTC`]
      : [
          'scan',
          `${scan.scanned_at === null ? 'at an unknown time' : `${shortTime(scan.scanned_at)} UTC`} by ${scanner}, ${databaseOf(scan.scanner)}`,
        ],
    ...platformLines(scan),
    ...failureLines(detail.scan_failures),
    ...(scan === null ? [] : [['system', `${os}${scan.os?.eosl ? ', at its end of life' : ''}`] as const]),
    ...(bare === undefined
      ? []
      : [
          [
            'no packages',
            `decided by ${bare.triaged_by} until ${shortTime(bare.until)} UTC: ${bare.reason}`,
          ] as const,
        ]),
    ['proofs', proofs.join(', ')],
    ...lookedFor(detail.proofs_collected),
  ];
}

/** A scan with an older database than another, or one of unknown age, ends no finding. */
function databaseOf(scanner: NonNullable<ImageDetailBody['scan']>['scanner']): string {
  const at = scanner?.db_updated_at ?? null;
  return at === null ? 'database of unknown age' : `database of ${shortTime(at)} UTC`;
}

/** For which platforms a scan is there, and which are missing. */
function platformLines(scan: ImageDetailBody['scan']): readonly (readonly [string, string])[] {
  const all = scan?.platforms ?? [];
  if (all.length === 0) return [];
  const told = all.map(({ platform, state, scanned_at }) => {
    if (state === 'missing') return `${platform} not scanned yet`;
    return `${platform} scanned${scanned_at === null ? '' : ` ${shortTime(scanned_at)} UTC`}`;
  });
  return [['platforms', told.join(', ')]];
}

/** Problems that are shown; the JSON has all that are kept. */
const MOST_PROBLEMS = 5;

function lookedFor(state: ImageDetailBody['proofs_collected']): readonly (readonly [string, string])[] {
  if (state === null || state === undefined) return [];
  const { tried_at, collected_at, due_at, problems } = state;
  let last = 'not yet';
  if (tried_at !== null) last = `never completely; tried ${shortTime(tried_at)} UTC`;
  if (collected_at !== null) last = `${shortTime(collected_at)} UTC`;
  return [
    ['looked for', `${last}; again from ${shortTime(due_at)} UTC`],
    ...problems
      .slice(0, MOST_PROBLEMS)
      .map(({ where, message }) => ['problem', `${where}: ${message}`] as const),
  ];
}

function section(paint: Paint, title: string, lines: readonly string[], count: number): readonly string[] {
  return count === 0 ? [] : ['', paint.chalk.bold(title), ...lines];
}

function part(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', `### ${title}`, '', ...lines];
}

function nameOf({ name, digest }: Pick<ImageItemBody, 'name' | 'digest'>): string {
  return name ?? digest;
}

/** The digest stands in the line below; with it a name is wider than most terminals. */
function titleOf(image: Pick<ImageItemBody, 'name' | 'digest'>): string {
  return nameOf(image).replace(`@${image.digest}`, '');
}

function countOf(count: number | undefined): string {
  return count === undefined ? '–' : formatCount(count);
}

/** What stands behind the state: the gate of the refusal, or of the one that the next admission would meet. */
function gateOf(
  state: string,
  last: ImageItemBody['last_review'],
  next: ImageItemBody['next_admission'],
): string {
  if (state === 'Blocked') return last?.label ?? '–';
  if (next === null) return '–';
  return next.verdict === 'unknown'
    ? 'not known'
    : `${next.label ?? '–'}${next.enforcement === 'Audit' ? ' (audit)' : ''}`;
}

function colorOf(state: string, { chalk }: Paint): (text: string) => string {
  const colors: Readonly<Record<ImageState, (text: string) => string>> = {
    Blocked: chalk.red,
    Unscanned: chalk.magenta,
    Compliant: chalk.green,
    'Not compliant': chalk.yellow,
  };
  return colors[state as ImageState] ?? String;
}
