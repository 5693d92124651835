import { counted, formatCount, toYaml, type Pdf } from '../../render/index.ts';
import type { WhatIfResult } from '../result.ts';
import type { KeptRun } from '../run-ports.ts';
import { changeLines, fieldText } from './change-lines.ts';
import { shortTime } from './headline.ts';
import { notEvaluatedText } from './origin.ts';
import { imageText, workloadText } from './reasons.ts';
import { joinSinglePods, othersText } from './single-pods.ts';

type Sheet = InstanceType<Pdf['Sheet']>;

const SHOWN_FIELDS = 60;
const SHOWN_UNSCANNED = 100;
const SHOWN_LINES = 500;
/** Rows that are listed by themselves; all else is in the groups above them. */
const SHOWN_SAMPLES = 30;
/** Characters of a value in the table of changed fields. */
const LONGEST_VALUE = 280;
const LONGEST_IMAGE = 100;

/** changedFields shows what goes and what comes. */
export function changedFields(
  sheet: Sheet,
  { policy_changes: changes }: WhatIfResult,
  { drawTable }: Pdf,
): void {
  if (changes === null || changes.length === 0) {
    const why =
      changes === null
        ? 'There is no policy in effect to compare the draft with.'
        : 'None: the draft means the same as the policy in effect.';
    return sheet.section('Changed fields', why);
  }
  sheet.section('Changed fields', 'The draft against the policy in effect.');
  const shown = changes.slice(0, SHOWN_FIELDS);
  const rows = shown.map((change) => {
    const lines = changeLines(change, 12);
    const of = (sign: '-' | '+'): string =>
      lines
        .flatMap((line) => {
          if (line.sign === '…') return line.text.startsWith(sign) ? [line.text.slice(2)] : [];
          return line.sign === sign ? [line.text] : [];
        })
        .join(', ');
    return [fieldText(change), of('-'), of('+')] as const;
  });
  if (rows.every((row) => row.every((text) => text.length <= LONGEST_VALUE)))
    drawTable(
      sheet,
      [
        { heading: 'Field', share: 3 },
        { heading: 'Policy in effect', share: 4 },
        { heading: 'Draft', share: 4 },
      ],
      rows.map(([field, before, after]) => [
        { text: field },
        { text: before, ink: 'refused' },
        { text: after, ink: 'admitted' },
      ]),
    );
  else longFields(sheet, shown);
  more(sheet, changes.length - SHOWN_FIELDS, 'more field');
}

/** Keys and long lists stand below each other. */
function longFields(sheet: Sheet, changes: NonNullable<WhatIfResult['policy_changes']>): void {
  for (const change of changes) {
    sheet.lead([{ text: fieldText(change), bold: true }], 8.5, 0);
    const inks = { '-': 'refused', '+': 'admitted', '…': 'soft' } as const;
    sheet.code(
      changeLines(change, 12).map(({ sign, text }) => ({ text: `${sign} ${text}`, ink: inks[sign] })),
    );
    sheet.y += 5;
  }
}

/** groupTable lists the changed workloads, most rows first. */
export function groupTable(
  sheet: Sheet,
  { groups, groups_total: total }: WhatIfResult,
  { drawTable }: Pdf,
): void {
  if (groups.length === 0) return;
  sheet.section(
    'Workloads',
    'Changed admissions by workload, image and reason, most rows first; the sentence is that of the newest row.',
  );
  drawTable(
    sheet,
    [
      { heading: 'Change', share: 1.1 },
      { heading: 'Rows', share: 1, align: 'right' },
      { heading: 'Workload', share: 3 },
      { heading: 'Image', share: 4 },
      { heading: 'Reason', share: 4 },
      { heading: 'Newest (UTC)', share: 1.7 },
    ],
    joinSinglePods(groups).map((group) => [
      changeCell(group.change),
      { text: formatCount(group.rows) },
      { text: workloadText(group), ...(group.others > 0 && { below: othersText(group) }) },
      { text: imageText(group.image, LONGEST_IMAGE) },
      { text: group.reason },
      { text: shortTime(group.newest) },
    ]),
  );
  more(sheet, total - groups.length, 'further workload');
}

/** sampleTable lists single rows, newest first. */
export function sampleTable(
  sheet: Sheet,
  { samples, would_deny, would_allow }: WhatIfResult,
  { drawTable }: Pdf,
): void {
  if (samples.length === 0) return;
  sheet.section('Single admissions', 'The newest changed rows of the ledger, with the denial message.');
  drawTable(
    sheet,
    [
      { heading: 'Row', share: 1, align: 'right' },
      { heading: 'Time (UTC)', share: 1.7 },
      { heading: 'Change', share: 1.1 },
      { heading: 'Pod', share: 3.2 },
      { heading: 'Image', share: 4 },
      { heading: 'Sentence', share: 4 },
    ],
    samples
      .slice(0, SHOWN_SAMPLES)
      .map(({ id, time, change, namespace, pod, container, image, recorded, draft }) => [
        { text: String(id) },
        { text: shortTime(time) },
        changeCell(change),
        { text: `${namespace ?? '–'}/${pod ?? '–'}`, ...(container !== null && { below: container }) },
        { text: imageText(image, LONGEST_IMAGE) },
        { text: change === 'would_deny' ? draft.reason : recorded.reason },
      ]),
  );
  more(sheet, would_deny + would_allow - Math.min(samples.length, SHOWN_SAMPLES), 'older changed row');
}

/** unscannedTable lists images without a scan record. */
export function unscannedTable(
  sheet: Sheet,
  { unscanned, unscanned_total: total }: WhatIfResult,
  { drawTable }: Pdf,
): void {
  if (unscanned.length === 0) return;
  const shown = unscanned.slice(0, SHOWN_UNSCANNED);
  sheet.section(
    'Images without a scan record',
    `${counted(total, 'image')}: findings cannot deny them until they are scanned.`,
  );
  drawTable(
    sheet,
    [
      { heading: 'Image', share: 5 },
      { heading: 'Digest', share: 6 },
      { heading: 'Rows', share: 1, align: 'right' },
    ],
    shown.map(({ image, digest, rows }) => [
      { text: imageText(image, LONGEST_IMAGE) },
      { text: digest },
      { text: formatCount(rows) },
    ]),
  );
  more(sheet, total - shown.length, 'further image');
}

/** notDecided says which rows are in no figure, and why. */
export function notDecided(
  sheet: Sheet,
  { not_evaluated: open, break_glass_skipped: bypassed }: WhatIfResult,
): void {
  if (open.count === 0 && bypassed === 0) return;
  sheet.section('Not decided');
  if (bypassed > 0) {
    const text = `${counted(bypassed, 'break-glass admission')}. `;
    sheet.paragraph([
      { text, bold: true },
      { text: 'Somebody bypassed the policy; they are counted and not replayed.' },
    ]);
  }
  for (const [reason, count] of Object.entries(open.by_reason).slice(0, 20)) {
    const why = notEvaluatedText(reason);
    sheet.paragraph([
      { text: `${counted(count, 'row')}. `, bold: true },
      { text: `${why.charAt(0).toUpperCase()}${why.slice(1)}.` },
    ]);
  }
}

/** draftSection shows the draft as YAML. */
export function draftSection(sheet: Sheet, { draft }: KeptRun): void {
  const lines = toYaml(draft).trimEnd().split('\n');
  sheet.section('The draft', 'As it was sent; fields that are not written take their defaults.');
  sheet.code(lines.slice(0, SHOWN_LINES).map((text) => ({ text })));
  more(sheet, lines.length - SHOWN_LINES, 'more line');
}

function changeCell(change: 'would_deny' | 'would_allow') {
  return change === 'would_deny'
    ? ({ text: 'denied', ink: 'refused' } as const)
    : ({ text: 'allowed', ink: 'admitted' } as const);
}

function more(sheet: Sheet, count: number, noun: string): void {
  if (count > 0) sheet.paragraph([{ text: `${counted(count, noun)} not listed.`, ink: 'soft' }], 8.5);
}
