import { formatTime } from '../../src/base/index.ts';
import {
  counted,
  formatCount,
  html,
  markdownCell,
  markdownTable,
  markdownText,
  toPage,
} from '../../src/render/index.ts';
import type { RuntimeSample, RuntimeWhatIf, WorkloadTally } from '../../src/runtime/index.ts';
import { clean } from '../terminal/clean.ts';
import type { Paint } from '../terminal/paint.ts';

/** Workloads and samples that a report shows; JSON has them all. */
const SHOWN = 20;

/** headlines says in sentences what the draft would have done; plain text of our own, with names of others in it. */
function headlines(result: RuntimeWhatIf): readonly string[] {
  const { evaluated, alerts, issues, stops, stops_withheld, effects, recorded, notes } = result;
  return [
    `Of ${counted(evaluated, 'event')}, the draft would give ${counted(alerts, 'alert')} and ${counted(issues, 'issue')}, stop ${counted(stops, 'pod')} and withhold ${counted(stops_withheld, 'stop')}.`,
    `By its rules ${formatCount(effects.allow)} are allowed, ${formatCount(effects.record)} recorded and ${formatCount(effects.notify)} notified of.`,
    ...(recorded === null
      ? []
      : [
          `When they came, ${counted(recorded.alerts, 'alert')} were given and ${counted(recorded.stops, 'pod')} stopped.`,
        ]),
    ...Object.entries(result.withheld_by_reason).map(
      ([why, count]) => `${counted(count, 'stop')} withheld: ${why}.`,
    ),
    ...notes.map((note) => `Note: ${note}.`),
  ];
}

const WORKLOADS = [
  'namespace',
  'workload',
  'image',
  'events',
  'alerts',
  'issues',
  'stops',
  'withheld',
] as const;
const SAMPLES = ['time (UTC)', 'what', 'by', 'rule of the detector', 'where', 'why'] as const;
const RULES = ['rule', 'action', 'events', 'alerts'] as const;

function workloadCells(tally: WorkloadTally): readonly string[] {
  const { namespace, workload, image, digest, events, alerts, issues, stops, withheld } = tally;
  const counts = [events, alerts, issues, stops, withheld].map(formatCount);
  return [namespace ?? '–', workload ?? '–', image ?? digest ?? '–', ...counts];
}

function sampleCells({
  time,
  kind,
  by,
  rule,
  namespace,
  workload,
  pod,
  why,
}: RuntimeSample): readonly string[] {
  const where = [namespace, workload ?? pod].filter((part) => part !== null).join('/');
  return [formatTime(time).slice(0, 19).replace('T', ' '), kind, by, rule, where || '–', why ?? ''];
}

function ruleRows({ by_rule }: RuntimeWhatIf): readonly (readonly string[])[] {
  return by_rule.map(({ rule, action, events, alerts }) => [
    ...[rule ?? '(no rule)', action],
    ...[formatCount(events), formatCount(alerts)],
  ]);
}

interface Section {
  readonly title: string;
  readonly headings: readonly string[];
  readonly numeric: ReadonlySet<string>;
  readonly rows: readonly (readonly string[])[];
  readonly more: number;
}

const NUMERIC = new Set(['events', 'alerts', 'issues', 'stops', 'withheld']);

function sections(result: RuntimeWhatIf): readonly Section[] {
  const { by_workload, by_workload_total, samples } = result;
  const all: readonly Section[] = [
    { title: 'By rule', headings: RULES, numeric: NUMERIC, rows: ruleRows(result), more: 0 },
    {
      title: 'By workload',
      headings: WORKLOADS,
      numeric: NUMERIC,
      rows: by_workload.slice(0, SHOWN).map(workloadCells),
      more: by_workload_total - Math.min(SHOWN, by_workload.length),
    },
    {
      title: 'What would have happened, newest first',
      headings: SAMPLES,
      numeric: new Set<string>(),
      rows: samples.slice(0, SHOWN).map(sampleCells),
      more: Math.max(0, samples.length - SHOWN),
    },
  ];
  return all.filter(({ rows }) => rows.length > 0);
}

/** toTable draws the answer for a terminal. */
export function toTable(result: RuntimeWhatIf, paint: Paint): string {
  const lines = headlines(result).map((line) => clean(line, 1000));
  for (const { title, headings, numeric, rows, more } of sections(result)) {
    const columns = headings.map((heading) => ({
      heading,
      ...(numeric.has(heading) ? { align: 'right' as const } : { flex: 1 }),
    }));
    const cells = rows.map((row) => row.map((text) => ({ text: clean(text) })));
    lines.push('', title, ...paint.table(columns, cells));
    if (more > 0) lines.push(`  ${counted(more, 'more', 'more')}; -o json has them`);
  }
  return `${lines.join('\n')}\n`;
}

/** toMarkdown writes the answer as a comment of a pull request. */
export function toMarkdown(result: RuntimeWhatIf): string {
  const parts = ['## Runtime what-if', ...headlines(result).map((line) => markdownText(line))];
  for (const { title, headings, numeric, rows, more } of sections(result)) {
    parts.push(`### ${title}`);
    parts.push(
      markdownTable(
        headings.map((heading) => ({ heading, numeric: numeric.has(heading) })),
        rows.map((row) => row.map((text, i) => (numeric.has(headings[i] ?? '') ? text : markdownCell(text)))),
      ),
    );
    if (more > 0) parts.push(`${counted(more, 'more', 'more')}.`);
  }
  return `${parts.join('\n\n')}\n`;
}

/** toHtml writes the answer as a page in one file. */
export function toHtml(result: RuntimeWhatIf): string {
  const tables = sections(result).map(
    ({ title, headings, rows, more }) =>
      html`<h2>${title}</h2>
        <table>
          <thead>
            <tr>
              ${headings.map((heading) => html`<th>${heading}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${rows.map(
              (row) =>
                html`<tr>
                  ${row.map((text) => html`<td>${text}</td>`)}
                </tr>`,
            )}
          </tbody>
        </table>
        ${more > 0 ? html`<p>${counted(more, 'more', 'more')}.</p>` : null}`,
  );
  const body = html`<main>
    <h1>Runtime what-if</h1>
    ${headlines(result).map((line) => html`<p>${line}</p>`)} ${tables}
  </main>`;
  return toPage({ title: 'Runtime what-if', body });
}
