import { counted, formatCount, mostOf, type Pdf } from '../../render/index.ts';
import type { EvidenceDocument } from '../document.ts';
import { answeringList, clusterList, namespaceList, policyCountList } from './lists.ts';
import { drawList, MOST, soft, type Sheet } from './pdf-lists.ts';
import {
  breakGlassText,
  denialBars,
  findingBars,
  findingsText,
  noteText,
  remediationBars,
  remediationText,
  rowsText,
} from './words.ts';

/** admissions writes that part. */
export function admissions(sheet: Sheet, { admissions: counts }: EvidenceDocument, pdf: Pdf): void {
  const { drawBars, drawFigures } = pdf;
  sheet.section('Admissions', 'Each row is one image of one admitted or denied pod.');
  drawFigures(sheet, [
    {
      title: 'Admitted',
      count: counts.admitted,
      note: `${formatCount(counts.admitted_by_audit)} only by audit`,
      tone: 'admitted',
    },
    {
      title: 'Denied',
      count: counts.denied,
      note: `${formatCount(counts.images)} images by digest`,
      tone: 'refused',
    },
    { title: 'Bypassed', count: counts.bypassed, note: 'by break-glass', tone: 'same' },
  ]);
  const bars = denialBars(counts.by_label);
  if (bars.length > 0) {
    sheet.lead([{ text: 'Denials by gate, of all rows', bold: true, ink: 'soft' }], 9);
    drawBars(sheet, bars, counts.rows, mostOf(bars));
    sheet.y += 6;
  }
  if (counts.by_policy.length > 0) drawList(sheet, policyCountList(counts, MOST), pdf);
  if (counts.by_policy.length > 0) sheet.y += 6;
  if (counts.by_namespace.length > 0) drawList(sheet, namespaceList(counts, MOST), pdf);
}

/** coverage writes that part. */
export function coverage(sheet: Sheet, document: EvidenceDocument, pdf: Pdf): void {
  const { pods, answering, clusters } = document.coverage;
  sheet.section('Coverage');
  sheet.paragraph([
    pods.unreviewed === 0
      ? { text: 'No pod was found that ran without a review.' }
      : { text: `${counted(pods.unreviewed, 'pod')} ran without a review.`, bold: true, ink: 'refused' },
  ]);
  sheet.paragraph([
    {
      text: `${counted(pods.decided, 'pod')} decided, ${formatCount(pods.bypassed)} bypassed, ${formatCount(pods.exempt)} exempt. ${rowsText(document.coverage)}`,
    },
  ]);
  if (answering !== null && answering.length > 0) {
    sheet.y += 4;
    drawList(sheet, answeringList(answering, MOST), pdf);
  }
  if (clusters !== null && clusters.length > 0) {
    sheet.y += 4;
    drawList(sheet, clusterList(clusters, MOST), pdf);
  }
}

/** findings writes that part. */
export function findings(
  sheet: Sheet,
  { vulnerabilities }: EvidenceDocument,
  { drawBars, drawTable }: Pdf,
): void {
  sheet.section('Findings');
  if ('note' in vulnerabilities) return sheet.paragraph(soft(noteText(vulnerabilities.note)));
  sheet.lead([{ text: findingsText(vulnerabilities) }]);
  const bars = findingBars(vulnerabilities.by_severity);
  drawBars(sheet, bars, vulnerabilities.total, mostOf(bars));
  sheet.y += 6;
  const columns = ['Severity', 'Stood', 'Raised', 'Fixed', 'Triaged', 'Image retired', 'Open at the end'];
  drawTable(
    sheet,
    columns.map((heading, i) => ({ heading, share: 1, ...(i > 0 && { align: 'right' as const }) })),
    vulnerabilities.by_severity.map((level) => [
      { text: level.severity },
      ...[level.stood, level.raised, level.fixed, level.triaged, level.image_retired, level.open_at_end].map(
        (count) => ({
          text: formatCount(count),
        }),
      ),
    ]),
  );
}

/** remediation writes that part. */
export function remediation(sheet: Sheet, { issues }: EvidenceDocument, { drawBars }: Pdf): void {
  sheet.section('Remediation');
  if ('note' in issues) return sheet.paragraph(soft(noteText(issues.note)));
  sheet.lead([{ text: remediationText(issues) }]);
  const bars = remediationBars(issues);
  drawBars(
    sheet,
    bars,
    bars.reduce((sum, { count }) => sum + count, 0),
    mostOf(bars),
  );
}

/** breakGlass writes that part. */
export function breakGlass(sheet: Sheet, { break_glass: section }: EvidenceDocument): void {
  sheet.section('Break-glass');
  sheet.paragraph([
    {
      text: breakGlassText(section),
    },
  ]);
}

/** filesPart writes that part. */
export function filesPart(sheet: Sheet, { files }: EvidenceDocument, { drawTable }: Pdf): void {
  sheet.section('Files', 'Data files with their digests. SHA256SUMS names the others too.');
  drawTable(
    sheet,
    [
      { heading: 'File', share: 2 },
      { heading: 'Bytes', share: 1, align: 'right' },
      { heading: 'SHA-256', share: 5 },
    ],
    files.map(({ name, size, sha256 }) => [{ text: name }, { text: formatCount(size) }, { text: sha256 }]),
  );
}

/** limitsPart writes that part. */
export function limitsPart(sheet: Sheet, { limits }: EvidenceDocument): void {
  sheet.section('What was cut, and what this does not show');
  for (const { section, why, shown, total } of limits)
    sheet.paragraph([
      { text: `${section}: `, bold: true },
      {
        text: `${why}${total === null || total === 0 ? '' : ` (${formatCount(shown ?? 0)} of ${formatCount(total)})`}`,
      },
    ]);
  // How to verify stands on its page.
  sheet.lead([
    { text: 'Nothing here shows what ran outside of the clusters that report, or before the records began.' },
  ]);
}
