import { mostOf, type Pdf } from '../../render/index.ts';
import type { EvidenceDocument } from '../document.ts';
import {
  cutText,
  decisionList,
  muteList,
  policyList,
  runtimeRuleList,
  triageList,
  type ReportList,
} from './lists.ts';
import { effectBars, muteText, noteText, runtimeFigures, triageBars, triageText } from './words.ts';

/** Sheet is the document that is written on. */
export type Sheet = InstanceType<Pdf['Sheet']>;

/** soft is a text of less weight. */
export const soft = (text: string) => [{ text, ink: 'soft' as const }];

/** MOST is how many rows of a list stand on paper. */
export const MOST = 50;

/** drawList writes a list as a table, and what was cut of it. */
export function drawList(sheet: Sheet, { columns, rows, cut }: ReportList, { drawTable }: Pdf): void {
  drawTable(
    sheet,
    columns.map(({ heading, share, of }) => ({
      heading,
      share,
      ...(of === 'numbers' && { align: 'right' as const }),
    })),
    rows.map((cells) => cells.map((cell) => (typeof cell === 'string' ? { text: cell } : cell))),
  );
  if (cut !== null) sheet.paragraph(soft(cut), 8.5);
}

/** declarations writes what the organisation says of itself. */
export function declarations(sheet: Sheet, { organisation: { declarations: all } }: EvidenceDocument): void {
  sheet.section(
    'Declarations',
    'What the organisation says of itself. Nothing in this package shows that it is so.',
  );
  if ('note' in all) return sheet.paragraph(soft(noteText(all.note)));
  if (all.length === 0) return sheet.paragraph([{ text: 'Nothing was declared.' }]);
  for (const { statement, declared_by: by, declared_at: at, valid_until: until } of all.slice(0, MOST)) {
    sheet.lead([{ text: statement }], 9.5, 0);
    sheet.paragraph(soft(`${by}, ${at}${until === null ? '' : `, valid until ${until}`}`), 8.5);
    sheet.y += 5;
  }
  const cut = cutText(MOST, all.length, 'declarations', 'evidence.json has all');
  if (cut !== null) sheet.paragraph(soft(cut), 8.5);
}

/** policies writes that part. */
export function policies(sheet: Sheet, document: EvidenceDocument, pdf: Pdf): void {
  sheet.section('Policies', 'Each revision that was in effect in the period, or that a row names.');
  if (document.policies.length === 0)
    return sheet.paragraph([{ text: 'No policy was in effect in the period.' }]);
  drawList(sheet, policyList(document, MOST), pdf);
}

/** triage writes that part. */
export function triage(sheet: Sheet, { triage: section }: EvidenceDocument, pdf: Pdf): void {
  sheet.section('Triage');
  if ('note' in section) return sheet.paragraph(soft(noteText(section.note)));
  if (section.total === 0) return sheet.paragraph([{ text: triageText(section) }]);
  sheet.lead([{ text: triageText(section) }]);
  const bars = triageBars(section.by_severity);
  pdf.drawBars(sheet, bars, section.total, mostOf(bars));
  sheet.y += 6;
  drawList(sheet, triageList(section, MOST), pdf);
}

/** mutes writes that part. */
export function mutes(sheet: Sheet, { mutes: section }: EvidenceDocument, pdf: Pdf): void {
  sheet.section('Muted channels');
  if ('note' in section) return sheet.paragraph(soft(noteText(section.note)));
  if (section.total === 0) return sheet.paragraph([{ text: muteText(section) }]);
  sheet.lead([{ text: muteText(section) }]);
  drawList(sheet, muteList(section, MOST), pdf);
}

/** runtime writes that part. */
export function runtime(sheet: Sheet, { runtime: section, coverage }: EvidenceDocument, pdf: Pdf): void {
  sheet.section('Runtime', 'What the detector reported of running containers, and what came of it.');
  if ('note' in section) return sheet.paragraph(soft(noteText(section.note)));
  const { events, joined, joinedNote, heartbeats, stopped, stopsNote } = runtimeFigures(section, coverage);
  pdf.drawFigures(sheet, [
    { title: 'Events', count: events, note: heartbeats, tone: 'same' },
    { title: 'Joined to an image', count: joined, note: joinedNote, tone: 'same' },
    { title: 'Pods stopped', count: stopped, note: stopsNote, tone: 'same' },
  ]);
  const bars = effectBars(section.by_effect);
  if (bars.length > 0) {
    sheet.lead([{ text: 'Events by effect', bold: true, ink: 'soft' }], 9);
    pdf.drawBars(sheet, bars, events, mostOf(bars));
    sheet.y += 6;
  }
  const rules = runtimeRuleList(section, MOST);
  if (rules.rows.length > 0) drawList(sheet, rules, pdf);
  if (section.decisions.length === 0) return;
  sheet.y += 6;
  sheet.lead([{ text: 'Decisions, the newest first', bold: true, ink: 'soft' }], 9);
  drawList(sheet, decisionList(section, MOST), pdf);
}
