import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sha256Hex } from '../../src/base/index.ts';
import type { EvidenceDocument } from '../../src/evidence/index.ts';
import { toHtml } from '../../src/evidence/report/html.ts';
import { toPdf } from '../../src/evidence/report/pdf.ts';
import { parseDocument } from '../../src/evidence/schema.ts';
import { readPdf } from '../whatif/report/pdf-read.ts';
import { richDocument } from './rich-document.ts';

/** What each report says, as one text each. */
interface Reports {
  readonly pdf: string;
  readonly html: string;
  /** Lines of each page of the PDF. */
  readonly pages: readonly (readonly string[])[];
}

async function reportsOf(document: EvidenceDocument): Promise<Reports> {
  const json = JSON.stringify(document);
  const options = { digest: sha256Hex(json), keyId: document.generation.key_id };
  const pages = readPdf(await toPdf(document, { ...options, json })).map((page) =>
    page.map(({ text }) => text.trim()),
  );
  const html = toHtml(document, options)
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replaceAll(/\s+/g, ' ');
  return { pages, html, pdf: pages.flat().join(' ') };
}

let rich: EvidenceDocument;
let reports: Reports;
before(async () => {
  rich = await richDocument(3);
  parseDocument(Buffer.from(JSON.stringify(rich)), 'rich');
  reports = await reportsOf(rich);
});

const SECTIONS = [
  'Attestations',
  'Declarations',
  'Policies',
  'Admissions',
  'Coverage',
  'Findings',
  'Triage',
  'Remediation',
  'Break-glass',
  'Muted channels',
  'Runtime',
  'Files',
  'What was cut, and what this does not show',
];

test('both reports have every section of evidence.json, in one order', () => {
  for (const text of [
    reports.pages
      .flat()
      .filter((line) => SECTIONS.includes(line))
      .join('\n'),
    reports.html,
  ]) {
    const places = SECTIONS.map((title) => text.lastIndexOf(title));
    assert.ok(!places.includes(-1), SECTIONS[places.indexOf(-1)]);
  }
  const headings = reports.pages.flat().filter((line) => SECTIONS.includes(line));
  assert.deepEqual(headings, SECTIONS);
});

test('policies stand there with their enforcement and the times of their revisions', () => {
  for (const text of [reports.pdf, reports.html])
    for (const part of [
      'policy-0',
      '0000000000000000',
      'Enforce',
      'Audit',
      'since 2026-10-02T00:00:00Z',
      '2026-10-01T00:00:00Z to 2026-10-02T00:00:00Z',
      'all namespaces; critical findings within 24h',
    ])
      assert.ok(text.replaceAll(/\s+/g, ' ').includes(part), part);
});

test('declarations, triage, mutes and runtime are told, each with who did it', () => {
  const triage = '3 decisions to accept a finding stood in the period; 2 in effect at its end.';
  const common = [
    'Statement 0: all clusters report here.',
    'user:aaaaaaaaaaaaaaaa, 2026-10-03T00:00:00Z, valid until 2027-01-01T00:00:00Z',
    'Nothing in this package shows that it is so.',
    triage,
    'CVE-2026-0',
    'ended 2026-10-20T00:00:00Z',
    'until 2026-12-31T00:00:00Z',
    'not reachable, reason 0',
    '80.0 % of events',
    '6 heartbeats',
    '1 failed, 3 stopped',
    'shell in a container',
    'policy:no-shells',
    '(policy: stop)',
  ];
  for (const [name, text] of Object.entries({ pdf: reports.pdf, html: reports.html }))
    for (const part of common) assert.ok(text.replaceAll(/\s+/g, ' ').includes(part), `${name}: ${part}`);
});

test('long lists are cut, and both reports say how much was cut', async () => {
  const long = await reportsOf(await richDocument(1200));
  const has = (text: string, part: string): void => assert.ok(text.includes(part), part);
  for (const what of ['declarations', 'revisions', 'decisions', 'mutes', 'namespaces']) {
    has(long.pdf, `50 of 1,200 ${what} are listed here; 1,150 were cut`);
    has(long.html, `200 of 1,200 ${what} are listed here; 1,000 were cut`);
  }
  has(long.pdf, '1,150 were cut: triage.csv has all.');
  has(long.pdf, '1,150 were cut: evidence.json lists the newest 500.');
  assert.ok(long.pages.length < 60, `${long.pages.length} pages`);
  for (const page of long.pages) {
    const last = page.filter((line) => !/^(?:Page \d+ of \d+|Evidence package .*)$/.test(line)).at(-1) ?? '';
    assert.ok(!SECTIONS.includes(last), `a page ends with the heading "${last}"`);
  }
});

test('what a source does not carry, or what did not happen, is said in both reports', async () => {
  const note = { note: 'not in this source' } as const;
  const empty = await richDocument(0);
  const none = await reportsOf(empty);
  for (const text of [none.pdf, none.html])
    for (const part of [
      'Nothing was declared.',
      'No policy was in effect in the period.',
      'No triage decision stood in the period.',
      'No channel was muted in the period.',
      'there were no events',
      'nothing was to be stopped',
    ])
      assert.ok(text.includes(part), part);
  const absent = await reportsOf({
    ...empty,
    ...{ triage: note, runtime: note, mutes: note, vulnerabilities: note, issues: note },
    organisation: { ...empty.organisation, declarations: note },
  });
  for (const text of [absent.pdf, absent.html])
    assert.equal(text.split('Not in this source.').length - 1, 6, 'each section says so');
});

test('texts of a hostile package are shown and do nothing', async () => {
  const hostile = '<script>alert(1)</script>\u202e';
  const document = structuredClone(rich);
  const triage = document.triage as { items: { reason: string }[] };
  const runtime = document.runtime as unknown as Record<'decisions' | 'by_effect', unknown>;
  for (const one of triage.items) one.reason = hostile;
  runtime.decisions = [{ rule: hostile, at: { a: 1 }, effect: [hostile], pod: 7 }, {}];
  runtime.by_effect = { [hostile]: 1 };
  const json = JSON.stringify(document);
  const options = { digest: sha256Hex(json), keyId: 'k' };
  const html = toHtml(document, options);
  assert.doesNotMatch(html, /<script>|\u202e/);
  await toPdf(document, { ...options, json });
});
