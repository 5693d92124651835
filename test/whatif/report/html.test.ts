import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toHtml } from '../../../src/whatif/report/index.ts';
import {
  emptyResult,
  fullResult,
  group,
  HOSTILE,
  hostileResult,
  quietResult,
  reportContext,
} from './sample-result.ts';

const TAGS = new Set(
  (
    'html head meta title style body main header h1 h2 h3 p span dl dt dd div section ul li b code figure figcaption svg desc rect g line text ' +
    'wbr table thead tbody tr th td details summary footer'
  ).split(' '),
);
const ATTRIBUTES = new Set(
  'data-label lang charset http-equiv content name class id role aria-labelledby aria-label aria-hidden width height x y x1 x2 y1 y2 rx scope title text-anchor'.split(
    ' ',
  ),
);

/** Reads every tag of a page: only ours, each closed, and no attribute that could do something. */
function assertOurs(page: string): void {
  const body = page.replace(/<style>.*?<\/style>/s, '').replace('<!doctype html>', '');
  const open: string[] = [];
  for (const [tag, close, name = '', attributes = '', alone] of body.matchAll(
    /<(\/?)([a-z0-9]*)((?:\s+[a-z0-9-]+="[^"<>]*")*)\s*(\/?)>|</g,
  )) {
    assert.ok(TAGS.has(name), `<${name}> is none of ours: ${tag}`);
    for (const [, attribute = ''] of attributes.matchAll(/\s([a-z0-9-]+)="/g)) {
      assert.ok(ATTRIBUTES.has(attribute), `${attribute} is none of ours`);
    }
    if (close === '/') assert.equal(open.pop(), name);
    else if (alone !== '/' && name !== 'meta') open.push(name);
  }
  assert.deepEqual(open, []);
  const ids = [...body.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);
  assert.equal(new Set(ids).size, ids.length, 'an id twice');
  // oxlint-disable-next-line no-control-regex -- none may be left
  assert.doesNotMatch(body, /[\u0000-\u0009\u000b-\u001f\u202a-\u202e\u2066-\u2069]/);
}

test('a report is one page that asks for nothing', () => {
  const page = toHtml(fullResult(), reportContext());
  assertOurs(page);
  assert.doesNotMatch(page, /<script|<link|<iframe|\ssrc=|\shref=|url\(|@import/);
  assert.match(
    page,
    /Content-Security-Policy" content="default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;/,
  );
});

test('a report shows every part of the answer', () => {
  const page = toHtml(
    fullResult(),
    reportContext({ checks: [{ check: 'would_deny', count: 214, tolerated: 100, broken: true }] }),
  );
  const titles = [...page.matchAll(/<h2>([^<]*)<\/h2>/g)].map(([, title]) => title);
  assert.deepEqual(titles, [
    'Checks',
    'All decided admissions',
    'Changed fields',
    'Reasons',
    'Day by day',
    'Workloads',
    'Where the difference comes from',
    'Deployment context',
    'Not decided',
    'Images without a scan record',
    'Single admissions',
    'How to read this',
  ]);
  assert.match(
    page,
    /would <span class="refused">deny 214<\/span> that were allowed and <span class="admitted">allow 12<\/span>/,
  );
  assert.match(page, /<code>spec\.severityThreshold<\/code>\s+<span class="soft">line 6<\/span>/);
  assert.match(page, /<li class="before">- CRITICAL<\/li>\s*<li class="after">\+ HIGH<\/li>/);
  assert.match(page, /3 further workloads with fewer rows are not listed/);
  assert.match(page, /✗ failed/);
});

test('every picture has a title and a description, every table heads its columns', () => {
  const page = toHtml(fullResult(), reportContext());
  const pictures = [...page.matchAll(/<svg ([^>]*)>/g)].map(([, attributes = '']) => attributes);
  assert.ok(pictures.length >= 10);
  for (const attributes of pictures) {
    assert.match(attributes, /aria-hidden="true"|role="img" aria-labelledby="[a-z]+-title [a-z]+-desc"/);
  }
  for (const [, id = ''] of page.matchAll(/aria-labelledby="([^"]*)"/g)) {
    for (const one of id.split(' ')) assert.ok(page.includes(`id="${one}"`), `${one} names nothing`);
  }
  for (const [head] of page.matchAll(/<thead>.*?<\/thead>/gs))
    assert.doesNotMatch(head, /<th(?![a-z])(?!\s+scope="col")/);
});

test('the timeline shows every day of the period, also those without an admission', () => {
  const page = toHtml(quietResult({ days: 30 }), reportContext());
  assert.match(page, /31 days from 2026-10-21 to 2026-11-20/);
  assert.equal(page.match(/<g>\s*<title>/g)?.length, 31);
});

test('a period without a row makes a page without figures', () => {
  const page = toHtml(emptyResult(), reportContext());
  assertOurs(page);
  assert.match(page, /so nothing was decided/);
  assert.doesNotMatch(page, /NaN|Infinity|<svg/);
});

for (const text of HOSTILE) {
  test(`no tag and no attribute comes from ${JSON.stringify(text.slice(0, 40))}`, () => {
    const page = toHtml(
      hostileResult(text),
      reportContext({
        file: text,
        version: text,
        checks: [{ check: text, count: 1, tolerated: 0, broken: true }],
      }),
    );
    assertOurs(page);
    assert.doesNotMatch(page, /NaN|undefined|\[object/);
  });
}

test('every cell of a table that stacks on a narrow screen carries the heading of its column', () => {
  const page = toHtml(fullResult(), reportContext());
  const tables = [...page.matchAll(/<table class="stack">(.*?)<\/table>/gs)].map(([, table = '']) => table);
  assert.ok(tables.length >= 3);
  for (const table of tables) {
    const headings = [...table.matchAll(/<th scope="col"[^>]*>([^<]*)<\/th>/g)].map(([, text]) => text);
    for (const [row] of table.split('</thead>')[1]?.matchAll(/<tr>.*?<\/tr>/gs) ?? []) {
      assert.deepEqual(
        [...row.matchAll(/<td [^>]*data-label="([^"]*)"/g)].map(([, label]) => label),
        headings,
      );
    }
  }
});

test('a name can break after a slash and a hyphen, and inside a word only where that is very long', () => {
  const page = (workload: string): string =>
    toHtml(fullResult({ groups: [group({ namespace: 'payments', workload })] }), reportContext());
  assert.match(
    page('card-settlement'),
    /<td class="w" data-label="Workload">\s*<span>payments\/<wbr \/>card-<wbr \/>settlement<\/span>/,
  );
  assert.match(page('x'.repeat(63)), /<td class="w long" data-label="Workload">/);
});

test('the bars of both lists of reasons are on one scale, the longest of either fills it', () => {
  const counts = {
    would_deny_by_reason: { threshold: 400, digest: 100 },
    would_allow_by_reason: { unscanned: 40 },
  };
  const page = toHtml({ ...fullResult(), ...counts, would_deny: 500, would_allow: 40 }, reportContext());
  const widthOf = (label: string): string | undefined =>
    new RegExp(`<code>${label}</code>.*?<rect\\s+class="(?!track)[^"]*"\\s+width="([^"]*)"`, 's').exec(
      page,
    )?.[1];
  assert.deepEqual(['threshold', 'digest', 'unscanned'].map(widthOf), ['100%', '25%', '10%']);
});
