import { formatTime } from '../../src/base/index.ts';
import {
  counted,
  formatCount,
  html,
  markdownCell,
  markdownTable,
  markdownText,
  toPage,
  type Html,
} from '../../src/render/index.ts';
import type { RuntimeSample, RuntimeWhatIf, WorkloadTally } from '../../src/runtime/index.ts';
import { clean } from '../terminal/clean.ts';
import type { Paint } from '../terminal/paint.ts';

/** Workloads and samples that a report shows; JSON has them all. */
const SHOWN = 20;

/** Headlines say in sentences what the draft would have done; plain text of our own, with names of others in it. */
interface Headlines {
  readonly lead: string;
  readonly further: readonly string[];
  readonly notes: readonly string[];
}

function headlinesOf(result: RuntimeWhatIf): Headlines {
  const { evaluated, alerts, issues, stops, stops_withheld, effects, recorded, notes } = result;
  return {
    lead: `Of ${counted(evaluated, 'event')}, the draft would give ${counted(alerts, 'alert')} and ${counted(issues, 'issue')}, and stop ${counted(stops, 'pod')}${stops_withheld === 0 ? '' : `; it would withhold ${counted(stops_withheld, 'more stop')}`}.`,
    further: [
      `Its rules allow ${formatCount(effects.allow)}, record ${formatCount(effects.record)} and notify of ${formatCount(effects.notify)}.`,
      ...(recorded === null
        ? []
        : [
            `With the rules and policies in effect when the events arrived, there were ${counted(recorded.alerts, 'alert')} and ${counted(recorded.stops, 'stopped pod')}.`,
          ]),
      ...Object.entries(result.withheld_by_reason).map(
        ([why, count]) => `${counted(count, 'stop')} withheld: ${why}.`,
      ),
    ],
    notes,
  };
}

function linesOf({ lead, further, notes }: Headlines): readonly string[] {
  return [lead, ...further, ...notes.map((note) => `Note: ${note}.`)];
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
const SAMPLES = ['time (UTC)', 'what', 'by', 'rule of the detector', 'where'] as const;
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
  return [formatTime(time).slice(0, 19).replace('T', ' '), kind, by, rule, where || '–', why ?? '–'];
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
  const shown = samples.slice(0, SHOWN);
  const says = shown.some(({ why }) => why !== null);
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
      headings: says ? [...SAMPLES, 'why'] : SAMPLES,
      numeric: new Set<string>(),
      rows: shown.map((sample) => sampleCells(sample).slice(0, says ? undefined : SAMPLES.length)),
      more: Math.max(0, samples.length - SHOWN),
    },
  ];
  return all.filter(({ rows }) => rows.length > 0);
}

/** toTable draws the answer for a terminal. */
export function toTable(result: RuntimeWhatIf, paint: Paint): string {
  const lines = linesOf(headlinesOf(result)).map((line) => clean(line, 1000));
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
  const parts = ['## Runtime what-if', ...linesOf(headlinesOf(result)).map((line) => markdownText(line))];
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
  const { lead, further, notes } = headlinesOf(result);
  const cards = [
    ['Alerts', result.alerts, 'admitted'],
    ['Issues', result.issues, 'admitted'],
    ['Pods stopped', result.stops, 'refused'],
  ] as const;
  const body = html`<main>
    <header>
      <p class="eyebrow">What-if report</p>
      <h1>Runtime rules and policies</h1>
      <p class="lead">${lead}</p>
      ${further.map((line) => html`<p class="second">${line}</p>`)}
    </header>
    <dl class="cards">
      ${cards.map(
        ([title, count, tone]) =>
          html`<div>
            <dt>${title}</dt>
            <dd class="number ${tone}">${formatCount(count)}</dd>
          </div>`,
      )}
    </dl>
    ${sections(result).map(sectionHtml)}
    ${
      notes.length === 0
        ? null
        : html`<section>
            <h2>Notes</h2>
            <ul class="plain">
              ${notes.map((note) => html`<li>${`${note.slice(0, 1).toUpperCase()}${note.slice(1)}.`}</li>`)}
            </ul>
          </section>`
    }
  </main>`;
  return toPage({ title: 'Runtime what-if', body });
}

function sectionHtml({ title, headings, numeric, rows, more }: Section): Html {
  const named = headings.map((heading) => ({
    label: `${heading.slice(0, 1).toUpperCase()}${heading.slice(1)}`,
    isNumber: numeric.has(heading),
  }));
  return html`<section>
    <h2>${title}</h2>
    <div class="scroll">
      <table class="stack">
        <thead>
          <tr>
            ${named.map(({ label, isNumber }) => (isNumber ? html`<th class="n">${label}</th>` : html`<th>${label}</th>`))}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            (row) =>
              html`<tr>
                ${named.map(({ label, isNumber }, i) =>
                  isNumber
                    ? html`<td class="n" data-label="${label}">${row[i] ?? ''}</td>`
                    : html`<td data-label="${label}">${row[i] ?? ''}</td>`,
                )}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    ${more > 0 ? html`<p class="note">${counted(more, 'more', 'more')}.</p>` : null}
  </section>`;
}
