import { formatTime } from '../../base/index.ts';
import { counted, formatCount, formatShare, loadPdf, mostOf, type Pdf } from '../../render/index.ts';
import type { WhatIfResult } from '../result.ts';
import type { KeptRun, PrintedRun } from '../run-ports.ts';
import { daysOf } from './days.ts';
import { changesNothing, coverText, headlineOf, reachText, shortTime } from './headline.ts';
import { labelTitle } from './label-help.ts';
import { contextText, editText, originOf, sourceText } from './origin.ts';
import {
  changedFields,
  draftSection,
  groupTable,
  notDecided,
  sampleTable,
  unscannedTable,
} from './pdf-tables.ts';
import { mostOfReasons, reasonsOf } from './reasons.ts';

type Sheet = InstanceType<Pdf['Sheet']>;

/**
 * printRun makes the PDF of a kept run: what the page of a report shows, and the draft. The same run gives the same bytes. Every text of it
 * is foreign and comes through only as text.
 */
export async function printRun(run: PrintedRun): Promise<Uint8Array> {
  const pdf = await loadPdf();
  const result = JSON.parse(run.result) as WhatIfResult;
  const sheet = new pdf.Sheet({
    title: `What-if: ${run.policy}`,
    createdAt: run.at,
    foot: `What-if of ${run.policy}, run ${run.id}`,
  });
  head(sheet, run, result);
  if (result.evaluated > 0) figures(sheet, result, pdf);
  changedFields(sheet, result, pdf);
  reasons(sheet, result, pdf);
  days(sheet, result, pdf);
  origin(sheet, result);
  groupTable(sheet, result, pdf);
  context(sheet, result, pdf);
  notDecided(sheet, result);
  unscannedTable(sheet, result, pdf);
  sampleTable(sheet, result, pdf);
  notes(sheet, result);
  draftSection(sheet, run);
  about(sheet, run, result, pdf);
  return sheet.finish();
}

function head(sheet: Sheet, run: KeptRun, result: WhatIfResult): void {
  sheet.paragraph([{ text: 'What-if report', ink: 'soft' }], 9);
  sheet.paragraph([{ text: run.policy, bold: true }], 22, 'H1');
  sheet.y += 4;
  sheet.paragraph(
    headlineOf(result).map(({ text, tone }) => ({
      text,
      bold: tone !== 'plain',
      ink: tone === 'refused' || tone === 'admitted' ? tone : 'text',
    })),
    13,
  );
  const edit = editText(result);
  if (edit !== null) {
    sheet.y += 2;
    sheet.paragraph([{ text: edit, ink: 'soft' }], 10.5);
  }
  sheet.y += 6;
  const from = sourceText(result);
  sheet.paragraph([{ text: coverText(result), ink: 'soft' }], 9);
  sheet.paragraph(
    [
      {
        text: `Revision ${run.revision.slice(0, 16)}${from === null ? '' : `, ${from}`}; run on ${shortTime(formatTime(run.at))} UTC`,
        ink: 'soft',
      },
    ],
    9,
  );
  sheet.rule();
}

function figures(sheet: Sheet, result: WhatIfResult, { drawFigures }: Pdf): void {
  const { evaluated, would_deny, would_allow, unchanged } = result;
  sheet.y += 2;
  drawFigures(sheet, [
    {
      title: 'Would be denied',
      count: would_deny,
      note: `${formatShare(would_deny, evaluated)}, were allowed`,
      tone: 'refused',
    },
    {
      title: 'Would be allowed',
      count: would_allow,
      note: `${formatShare(would_allow, evaluated)}, were denied`,
      tone: 'admitted',
    },
    {
      title: 'Unchanged',
      count: unchanged,
      note: `${formatShare(unchanged, evaluated)} of ${formatCount(evaluated)} decided`,
      tone: 'same',
    },
  ]);
  const about = `${counted(evaluated, 'row')} of ${counted(result.distinct_images, 'image digest')}: each row is one image of one allowed or denied pod.`;
  sheet.paragraph([{ text: about, ink: 'soft' }], 8.5);
}

function reasons(sheet: Sheet, result: WhatIfResult, { drawBars }: Pdf): void {
  if (changesNothing(result)) return;
  sheet.section('Reasons');
  for (const [change, title, tone] of [
    ['would_deny', 'Would be denied', 'refused'],
    ['would_allow', 'Would be allowed', 'admitted'],
  ] as const) {
    const bars = reasonsOf(result, change).map(({ label, count }) => ({
      label,
      note: labelTitle(label),
      count,
      tone,
    }));
    if (bars.length === 0) continue;
    sheet.lead([{ text: title, bold: true, ink: 'soft' }], 9);
    drawBars(sheet, bars, result[change], mostOfReasons(result));
    sheet.y += 6;
  }
}

function days(sheet: Sheet, result: WhatIfResult, { drawDays }: Pdf): void {
  if (result.by_day.length === 0) return;
  const reach = reachText(result);
  const from =
    reach === null ? '' : ` ${reach.charAt(0).toUpperCase()}${reach.slice(1)}; the chart begins there.`;
  const all = daysOf(result).map(({ date, evaluated, would_deny, would_allow }) => ({
    date,
    total: evaluated,
    up: would_deny,
    down: would_allow,
  }));
  sheet.section(
    'Day by day',
    `Changed admissions of each day (UTC), and below them all that were decided.${from}`,
  );
  drawDays(sheet, all, { up: 'Would be denied', down: 'Would be allowed', total: 'All decided' });
}

function origin(sheet: Sheet, result: WhatIfResult): void {
  const points = originOf(result);
  if (points.length === 0) return;
  sheet.section('Where the difference comes from', 'The edit of the policy, and what scans found since.');
  for (const { title, text } of points) {
    sheet.paragraph([{ text: `${title}. `, bold: true }, { text }]);
    sheet.y += 4;
  }
}

function context(sheet: Sheet, result: WhatIfResult, { drawBars }: Pdf): void {
  if (result.evaluated === 0) return;
  sheet.section('Deployment context', contextText(result));
  const bars = Object.entries(result.context.signals).map(([label, count]) => ({
    label,
    note: '',
    count,
    tone: 'accent' as const,
  }));
  drawBars(sheet, bars, result.evaluated, mostOf(bars));
  const { note } = result.context;
  if (note !== undefined) sheet.paragraph([{ text: note, ink: 'soft' }], 8.5);
}

function notes(sheet: Sheet, { notes: all }: WhatIfResult): void {
  if (all.length === 0) return;
  sheet.section('How to read this');
  for (const note of all.slice(0, 20)) {
    sheet.paragraph([{ text: `•  ${note}` }]);
    sheet.y += 2;
  }
}

function about(sheet: Sheet, run: PrintedRun, result: WhatIfResult, { drawTable }: Pdf): void {
  sheet.section(
    'About this run',
    'The same ledger, draft and parameters give the same digest and the same answer.',
  );
  const rows = [
    ['Run', run.id],
    ['Asked by', run.askedBy],
    ['Asked at', formatTime(run.at)],
    ['As of', result.as_of],
    ['Days', String(result.days)],
    ['Limit', result.limit === 0 ? 'all rows' : formatCount(result.limit)],
    ['Policy', run.policy],
    ['Revision', run.revision],
    ['Compared with', run.source ?? 'the policies in effect'],
    ['Digest of all inputs', result.inputs_digest],
  ] as const;
  const columns = [
    { heading: 'Field', share: 1 },
    { heading: 'Value', share: 4 },
  ];
  drawTable(
    sheet,
    columns,
    rows.map(([field, value]) => [{ text: field, ink: 'soft' as const }, { text: value }]),
  );
}
