import { parseTime } from '../../base/index.ts';
import { counted, formatCount, loadPdf, mostOf, type Pdf } from '../../render/index.ts';
import type { EvidenceDocument } from '../document.ts';
import type { ReportOptions } from './html.ts';
import { countStates, rank, scopeText, STATE_WORDS, toneOf } from './words.ts';

type Sheet = InstanceType<Pdf['Sheet']>;

/** toPdf writes a package for a person to read. The same document gives the same bytes. */
export async function toPdf(document: EvidenceDocument, options: ReportOptions): Promise<Uint8Array> {
  const pdf = await loadPdf();
  const name = document.organisation.name ?? 'Evidence package';
  const sheet = new pdf.Sheet({
    title: `Evidence: ${name}`,
    createdAt: parseTime(document.made_at),
    foot: `Evidence package ${document.id}`,
    compress: false,
  });
  cover(sheet, document, name, options, pdf);
  attestations(sheet, document, pdf);
  for (const framework of document.requirements) frameworkPart(sheet, framework, pdf);
  admissions(sheet, document, pdf);
  coverage(sheet, document, pdf);
  findings(sheet, document, pdf);
  remediation(sheet, document);
  breakGlass(sheet, document);
  filesPart(sheet, document, pdf);
  limitsPart(sheet, document);
  verifying(sheet, options);
  return sheet.finish();
}

const soft = (text: string) => [{ text, ink: 'soft' as const }];

function cover(
  sheet: Sheet,
  document: EvidenceDocument,
  name: string,
  options: ReportOptions,
  pdf: Pdf,
): void {
  const { met, partial, gap } = countStates(document);
  sheet.paragraph(soft('Evidence package'), 9);
  sheet.paragraph([{ text: name, bold: true }], 22);
  sheet.y += 4;
  sheet.paragraph([{ text: scopeText(document) }], 11);
  sheet.paragraph(soft(`Made ${document.made_at} by ipo ${document.generation.service}`), 9);
  if (document.organisation.contact !== null)
    sheet.paragraph(soft(`Contact: ${document.organisation.contact}`), 9);
  sheet.rule();
  const of = `of ${document.attestations.length} attestations`;
  pdf.drawFigures(sheet, [
    { title: 'Met', count: met, note: of, tone: 'admitted' },
    { title: 'Partial', count: partial, note: of, tone: 'same' },
    { title: 'Gap', count: gap, note: of, tone: 'refused' },
  ]);
  sheet.section('Verification', 'Compare these with what you were given another way.');
  const { tree } = document.ledger;
  const rows = [
    ['evidence.json', `sha256:${options.digest}`],
    ['Signing key', options.keyId],
    ['Public keys', document.generation.public_key ?? 'in key.pub'],
    ...(tree === null
      ? [['Checkpoint', 'the rows are not signed']]
      : [
          ['Checkpoint', `${tree.origin}, ${formatCount(tree.size)} rows`],
          ['Root', tree.root],
        ]),
  ];
  pdf.drawTable(
    sheet,
    [
      { heading: 'What', share: 1 },
      { heading: 'Value', share: 4 },
    ],
    rows.map(([what = '', value = '']) => [{ text: what, ink: 'soft' as const }, { text: value }]),
  );
  const first = document.attestations
    .filter(({ state }) => state !== 'met')
    .toSorted((a, b) => rank(a.state) - rank(b.state));
  if (first.length === 0) return;
  sheet.section('What to look at first');
  for (const { title, state, because } of first.slice(0, 8)) {
    sheet.paragraph([
      { text: `${wordOf(state)}: ${title}. `, bold: true, ink: inkOf(state) },
      { text: because },
    ]);
    sheet.y += 3;
  }
}

/** The standard fonts have no circles. */
function wordOf(state: keyof typeof STATE_WORDS): string {
  return STATE_WORDS[state].replace(/^\S+ /, '').toUpperCase();
}

function inkOf(state: string): 'admitted' | 'refused' | 'text' {
  const tone = toneOf(state);
  return tone === 'same' ? 'text' : tone;
}

function attestations(sheet: Sheet, { attestations: all }: EvidenceDocument, { drawTable }: Pdf): void {
  sheet.section(
    'Attestations',
    'Counted over all records of each population. What is unknown or not due neither passed nor failed.',
  );
  drawTable(
    sheet,
    [
      { heading: 'Attestation', share: 6 },
      { heading: 'State', share: 1.2 },
      { heading: 'Population', share: 1.3, align: 'right' },
      { heading: 'Passed', share: 1, align: 'right' },
      { heading: 'Failed', share: 1, align: 'right' },
    ],
    all.map((one) => [
      { text: one.title, below: one.because },
      { text: wordOf(one.state), ink: inkOf(one.state) },
      { text: formatCount(one.population) },
      { text: formatCount(one.passed) },
      { text: formatCount(one.failed) },
    ]),
  );
}

function frameworkPart(
  sheet: Sheet,
  framework: EvidenceDocument['requirements'][number],
  { drawTable }: Pdf,
): void {
  const { name, version, date, summary, requirements } = framework;
  sheet.section(
    name,
    `Version ${version}, ${date}: ${summary.met} met, ${summary.partial} partial, ${summary.gap} gap, ${summary.out_of_scope} of ${requirements.length} out of scope.`,
  );
  drawTable(
    sheet,
    [
      { heading: 'Requirement', share: 3 },
      { heading: 'State', share: 1.2 },
      { heading: 'Why', share: 4 },
    ],
    requirements.map(({ id, title, state, why, attestations: by }) => [
      { text: `${id}  ${title}` },
      { text: wordOf(state), ink: inkOf(state) },
      { text: why, ...(by.length > 0 && { below: by.join(', ') }) },
    ]),
  );
}

function admissions(
  sheet: Sheet,
  { admissions: counts }: EvidenceDocument,
  { drawBars, drawFigures }: Pdf,
): void {
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
  const bars = counts.by_label.map(({ label, rows }) => ({
    label,
    note: '',
    count: rows,
    tone: 'refused' as const,
  }));
  if (bars.length > 0) drawBars(sheet, bars, counts.rows, mostOf(bars));
}

function coverage(sheet: Sheet, document: EvidenceDocument, { drawTable }: Pdf): void {
  const { pods, rows, answering } = document.coverage;
  sheet.section('Coverage');
  sheet.paragraph([
    pods.unreviewed === 0
      ? { text: 'No pod was found that ran without a review.' }
      : { text: `${counted(pods.unreviewed, 'pod')} ran without a review.`, bold: true, ink: 'refused' },
  ]);
  sheet.paragraph([
    {
      text: `${counted(pods.decided, 'pod')} decided, ${formatCount(pods.bypassed)} bypassed, ${formatCount(pods.exempt)} exempt. ${counted(rows.package, 'row')} in this package${rows.ledger === null ? '' : `, ${formatCount(rows.ledger)} in the ledger`}.`,
    },
  ]);
  if (answering === null || answering.length === 0) return;
  sheet.y += 4;
  drawTable(
    sheet,
    [
      { heading: 'Cluster', share: 3 },
      { heading: 'Minutes answered', share: 1, align: 'right' },
      { heading: 'Not answered', share: 1, align: 'right' },
      { heading: 'Unknown', share: 1, align: 'right' },
    ],
    answering.map((one) => [
      { text: one.cluster === '' ? 'without a name' : one.cluster },
      { text: formatCount(one.answered) },
      { text: formatCount(one.not_answered) },
      { text: formatCount(one.unknown) },
    ]),
  );
}

function findings(sheet: Sheet, { vulnerabilities }: EvidenceDocument, { drawBars, drawTable }: Pdf): void {
  sheet.section('Findings');
  if ('note' in vulnerabilities) return sheet.paragraph(soft(vulnerabilities.note));
  const bars = vulnerabilities.by_severity.map(({ severity, stood }) => ({
    label: severity,
    note: 'stood in the period',
    count: stood,
    tone: 'accent' as const,
  }));
  drawBars(sheet, bars, vulnerabilities.total, mostOf(bars));
  const columns = ['Severity', 'Raised', 'Fixed', 'Triaged', 'Image retired', 'Open at the end'];
  drawTable(
    sheet,
    columns.map((heading, i) => ({ heading, share: 1, ...(i > 0 && { align: 'right' as const }) })),
    vulnerabilities.by_severity.map((level) => [
      { text: level.severity },
      ...[level.raised, level.fixed, level.triaged, level.image_retired, level.open_at_end].map((count) => ({
        text: formatCount(count),
      })),
    ]),
  );
}

function remediation(sheet: Sheet, { issues }: EvidenceDocument): void {
  sheet.section('Remediation');
  if ('note' in issues) return sheet.paragraph(soft(issues.note));
  sheet.paragraph([
    {
      text: `${counted(issues.opened, 'issue')} for critical findings opened; ${formatCount(issues.open_at_end)} open at the end; closed: ${formatCount(issues.closed_fixed)} fixed, ${formatCount(issues.closed_triaged)} triaged, ${formatCount(issues.closed_image_retired)} image retired. ${formatCount(issues.fixed_inside_window)} fixed inside the declared window.`,
    },
  ]);
}

function breakGlass(sheet: Sheet, { break_glass: section }: EvidenceDocument): void {
  sheet.section('Break-glass');
  sheet.paragraph([
    {
      text: `${counted(section.images, 'image')} admitted by ${counted(section.people, 'person', 'people')}; ${formatCount(section.without_reason)} without a reason. break-glass.csv lists each.`,
    },
  ]);
}

function filesPart(sheet: Sheet, { files }: EvidenceDocument, { drawTable }: Pdf): void {
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

function limitsPart(sheet: Sheet, { limits }: EvidenceDocument): void {
  sheet.section('What was cut, and what this does not show');
  for (const { section, why, shown, total } of limits)
    sheet.paragraph([
      { text: `${section}: `, bold: true },
      {
        text: `${why}${total === null || total === 0 ? '' : ` (${formatCount(shown ?? 0)} of ${formatCount(total)})`}`,
      },
    ]);
  sheet.paragraph([
    { text: 'Nothing here shows what ran outside of the clusters that report, or before the records began.' },
  ]);
}

function verifying(sheet: Sheet, { digest }: ReportOptions): void {
  sheet.section('How to verify', 'In a directory with the unpacked files. README.txt has all commands.');
  sheet.code(
    [
      'base64 -d evidence.json.sig > evidence.json.der',
      'openssl dgst -sha256 -verify key.pub -signature evidence.json.der evidence.json',
      'sha256sum -c SHA256SUMS',
      `echo "${digest}  evidence.json" | sha256sum -c`,
    ].map((text) => ({ text })),
  );
}
