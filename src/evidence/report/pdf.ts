import { parseTime } from '../../base/index.ts';
import { formatCount, loadPdf, type Pdf, type PdfCell } from '../../render/index.ts';
import type { EvidenceDocument } from '../document.ts';
import type { ReportOptions } from './html.ts';
import { declarations, mutes, policies, runtime, soft, triage, type Sheet } from './pdf-lists.ts';
import {
  admissions,
  breakGlass,
  coverage,
  filesPart,
  findings,
  limitsPart,
  remediation,
} from './pdf-sections.ts';
import { countStates, FILLED, rank, scopeText, STATE_WORDS, toneOf } from './words.ts';

/** toPdf writes a package for a person to read. The same document gives the same bytes. */
export async function toPdf(
  document: EvidenceDocument,
  options: ReportOptions & {
    /** `evidence.json`, which goes into it. */
    readonly json: string;
  },
): Promise<Uint8Array> {
  const pdf = await loadPdf();
  const name = document.organisation.name ?? 'Evidence package';
  const sheet = new pdf.Sheet({
    title: `Evidence: ${name}`,
    createdAt: parseTime(document.made_at),
    foot: `Evidence package ${document.id}`,
    compress: false,
  });
  sheet.attach({
    name: 'evidence.json',
    type: 'application/json',
    description: 'The same for programs, as it was signed',
    content: Buffer.from(options.json),
  });
  cover(sheet, document, name, options, pdf);
  attestations(sheet, document, pdf);
  for (const framework of document.requirements) frameworkPart(sheet, framework, pdf);
  declarations(sheet, document);
  policies(sheet, document, pdf);
  admissions(sheet, document, pdf);
  coverage(sheet, document, pdf);
  findings(sheet, document, pdf);
  triage(sheet, document, pdf);
  remediation(sheet, document, pdf);
  breakGlass(sheet, document);
  mutes(sheet, document, pdf);
  runtime(sheet, document, pdf);
  filesPart(sheet, document, pdf);
  limitsPart(sheet, document);
  verifying(sheet, options);
  return sheet.finish();
}

/** Attestations that are to be looked at first. */
const MOST_FIRST = 8;

function cover(
  sheet: Sheet,
  document: EvidenceDocument,
  name: string,
  options: ReportOptions,
  pdf: Pdf,
): void {
  const { met, partial, gap } = countStates(document);
  sheet.paragraph(soft('Evidence package'), 9);
  sheet.paragraph([{ text: name, bold: true }], 22, 'H1');
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
  codeOf(sheet, document, options, pdf);
  sheet.section(
    'Requirements by framework',
    'Counted by state; what is out of scope is never counted as passed.',
  );
  pdf.drawTable(
    sheet,
    [
      { heading: 'Framework', share: 4 },
      ...['Met', 'Partial', 'Gap', 'Out of scope', 'All'].map((heading) => ({
        heading,
        share: 1,
        align: 'right' as const,
      })),
    ],
    document.requirements.map(
      ({ name: framework, summary: { met: m, partial: p, gap: g, out_of_scope: o }, requirements }) => [
        { text: framework },
        ...[m, p, g, o, requirements.length].map((count) => ({ text: formatCount(count) })),
      ],
    ),
  );
  const first = document.attestations
    .filter(({ state }) => state !== 'met')
    .toSorted((a, b) => rank(a.state) - rank(b.state));
  if (first.length === 0) return;
  sheet.section('What to look at first');
  for (const { title, state, because } of first.slice(0, MOST_FIRST)) {
    sheet.paragraph([
      { text: `${wordOf(state)}: ${title}. `, bold: true, ink: inkOf(state) },
      { text: because },
    ]);
    sheet.y += 3;
  }
  const more = first.length - MOST_FIRST;
  if (more > 0) sheet.paragraph(soft(`${more} more are not met: see Attestations.`), 8.5);
}

/** What is compared of a package, for a phone to read. */
function codeOf(
  sheet: Sheet,
  document: EvidenceDocument,
  { digest, keyId }: ReportOptions,
  { drawQr }: Pdf,
): void {
  const size = 76;
  const text = ['Digest of evidence.json and signing key,', 'to compare them with a phone.'];
  const link = document.generation.public_key;
  const held = [`evidence.json sha256:${digest}`, `key ${keyId}`, ...(link === null ? [] : [link])];
  sheet.room(size + 12);
  const { y, left } = sheet;
  drawQr(sheet, held.join('\n'), `QR code of ${held.join(', ')}`, { x: left, y: y + 4, size });
  text.forEach((line, i) => sheet.line(line, left + size + 14, y + 28 + 12 * i, { width: 300, ink: 'soft' }));
  sheet.y = y + size + 8;
}

/** In a table a circle is drawn beside it. */
function wordOf(state: keyof typeof STATE_WORDS): string {
  return STATE_WORDS[state].replace(/^\S+ /, '').toUpperCase();
}

function inkOf(state: string): 'admitted' | 'refused' | 'text' {
  const tone = toneOf(state);
  return tone === 'same' ? 'text' : tone;
}

function stateCell(state: keyof typeof STATE_WORDS): PdfCell {
  const filled = FILLED[state];
  return { text: wordOf(state), ink: inkOf(state), ...(filled && { filled }) };
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
      stateCell(one.state),
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
    `${version}, ${date}: ${summary.met} met, ${summary.partial} partial, ${summary.gap} gap, ${summary.out_of_scope} of ${requirements.length} out of scope.`,
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
      stateCell(state),
      { text: why, ...(by.length > 0 && { below: by.join(', ') }) },
    ]),
  );
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
