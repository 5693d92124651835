import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { pdfText } from '../../../src/render/pdf-text.ts';
import { loadPrinting, type PrintedRun, type WhatIfResult } from '../../../src/whatif/index.ts';
import { runs } from '../../runs.ts';
import { readPdf, unmarked } from './pdf-read.ts';
import { emptyResult, HOSTILE, hostileResult, fullResult } from './sample-result.ts';

const AT = Date.UTC(2026, 10, 20, 7);
const PAGE = { width: 595.28, height: 841.89 };

function runOf(result: WhatIfResult, fields: Partial<PrintedRun> = {}): PrintedRun {
  return {
    id: 'abcdefghij234567',
    at: AT,
    accountId: 'aaaabbbbccccdddd',
    askedBy: 'ada@shop.example',
    policy: 'tighten-prod',
    revision: 'c0ffee'.repeat(10).padEnd(64, '0'),
    source: null,
    days: 30,
    period: { from: AT - 1000, to: AT },
    evaluated: result.evaluated,
    wouldDeny: result.would_deny,
    wouldAllow: result.would_allow,
    draft: {
      apiVersion: 'ipo.dev/v1',
      kind: 'ImagePolicy',
      metadata: { name: 'tighten-prod' },
      spec: { vex: { mode: 'apply' } },
    },
    result: JSON.stringify(result),
    ...fields,
  };
}

const print = async (run: PrintedRun): Promise<Uint8Array> => (await loadPrinting()).printRun(run);
const textOf = (bytes: Uint8Array): string =>
  readPdf(bytes)
    .flat()
    .map(({ text }) => text)
    .join('\n');

/** Nothing acts when the file is opened or clicked, and no text leaves its page. */
function holdInert(bytes: Uint8Array): void {
  const file = Buffer.from(bytes).toString('latin1');
  assert.match(file, /^%PDF-1\.7/);
  assert.match(file.slice(-10), /%%EOF/);
  for (const word of [
    '/Annots [',
    '/JavaScript',
    '/URI',
    '/Launch',
    '/EmbeddedFile',
    '/OpenAction',
    '/AA',
    '/GoToR',
  ])
    assert.ok(!file.includes(word), word);
  for (const page of readPdf(bytes)) {
    for (const { x, y, text } of page) {
      assert.ok(x >= 40 && x < PAGE.width - 40, `${text} begins at ${x}`);
      assert.ok(y >= 30 && y < PAGE.height - 40, `${text} stands at ${y}`);
    }
  }
}

test('a report says what the page of a report says, and shows the draft', async () => {
  const result = fullResult();
  const text = textOf(await print(runOf(result)));
  for (const wanted of [
    'tighten-prod',
    'Would be denied',
    'Would be allowed',
    'Changed fields',
    'Reasons',
    'Day by day',
    'Where the difference comes from',
    'Workloads',
    'Deployment context',
    'Single admissions',
    'How to read this',
    'The draft',
    '    mode: apply',
    'About this run',
    result.inputs_digest,
    'ada@shop.example',
    ...Object.keys(result.would_deny_by_reason),
  ])
    assert.ok(text.split('\n').includes(wanted), wanted);
});

test('it is a PDF/A-3a: nothing is drawn that is neither told apart for readers aloud nor left out for them', async () => {
  const bytes = await print(runOf(fullResult()));
  assert.match(Buffer.from(bytes).toString('latin1'), /<pdfaid:part>3<\/pdfaid:part>/);
  assert.deepEqual(unmarked(bytes), []);
});

test('the same run gives the same bytes', async () => {
  const run = runOf(fullResult());
  assert.deepEqual(await print(run), await print(run));
});

test('every page has its number', async () => {
  const pages = readPdf(await print(runOf(hostileResult('plain words', 100))));
  assert.ok(pages.length > 3);
  const found = pages
    .map((page) => page.map(({ text }) => text).filter((text) => text.startsWith('Page ')))
    .flat();
  assert.deepEqual(found.toSorted(), pages.map((_, i) => `Page ${i + 1} of ${pages.length}`).toSorted());
});

test('an answer over nothing is a report all the same', async () => {
  const bytes = await print(runOf(emptyResult()));
  assert.match(textOf(bytes), /No admission of the last 30 days is covered by/);
  holdInert(bytes);
});

for (const text of HOSTILE) {
  test(`foreign text is text: ${JSON.stringify(text.slice(0, 30))}`, async () => {
    const draft = { apiVersion: 'ipo.dev/v1', metadata: { labels: { [text]: `${text}\n${text}` } } };
    const run = runOf(hostileResult(text), { draft, source: text, policy: text, accountId: text });
    holdInert(await print(run));
  });
}

test('a draft of thousands of lines and lines of thousands of characters stays a file of some pages', async () => {
  const draft = {
    spec: { list: Array.from({ length: 20_000 }, (_, i) => `entry-${i}`), long: 'y'.repeat(100_000) },
  };
  const bytes = await print(runOf(fullResult(), { draft }));
  assert.ok(readPdf(bytes).length < 40);
  assert.match(textOf(bytes), /more lines not listed/);
});

test('what the fonts have no form for comes out as an escape, so that no two texts look alike', () => {
  assert.equal(pdfText('Größe – “ok” €5…'), 'Größe – “ok” €5…');
  assert.equal(pdfText('e\u0301'), 'é');
  assert.equal(pdfText('Łódź, Işık, ſ'), 'Łódź, Işık, \\u017f');
  assert.equal(pdfText('Ж 漢 😀 \u202e \u0000 \u00ad'), '\\u0416 \\u6f22 \\u{1f600} \\u202e \\u0000 \\u00ad');
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
      const shown = pdfText(text, 1000);
      // eslint-disable-next-line no-control-regex
      assert.doesNotMatch(shown, /[\u0000-\u001f\u007f-\u00a0\u00ad]/);
      for (const character of shown) assert.ok((character.codePointAt(0) ?? 0) <= 0x2122, character);
    }),
    { numRuns: runs(300) },
  );
});
