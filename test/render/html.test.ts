import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { barList, dayColumns, escapeHtml, html, splitBar, toPage } from '../../src/render/index.ts';

test('a template escapes what is put in and keeps what is written', () => {
  const list = ['<b>', html`<i>${'&'}</i>`, null, 7];
  assert.equal(
    html`<p title="${'"x"'}">${list}</p>`.markup,
    '<p title="&#34;x&#34;">&#60;b&#62;<i>&#38;</i>7</p>',
  );
});

test('no text leaves its element or its attribute', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const escaped = escapeHtml(text);
      assert.doesNotMatch(escaped, /[<>"'`]|&(?!#\d+;)/);
      // oxlint-disable-next-line no-control-regex -- none may be left
      assert.doesNotMatch(escaped, /[\u0000-\u001f\u202e]/);
      assert.ok(escaped.isWellFormed());
    }),
  );
});

test('a page forbids everything but its own style', () => {
  const page = toPage({ title: '</title><script>', body: html`<main>x</main>` });
  const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/
    .exec(page)?.[1]
    ?.replaceAll('&#39;', "'");
  assert.equal(policy, "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'");
  assert.match(page, /^<!doctype html>\n<html lang="en">/);
  assert.match(page, /prefers-color-scheme: dark/);
  assert.match(page, /@media print/);
  assert.doesNotMatch(page, /<script|<link|<img|url\(|@import|https?:/);
  assert.match(page, /<title>&#60;\/title&#62;&#60;script&#62;<\/title>/);
});

test('a split bar shows every part that is there, and its parts fill it', () => {
  const { markup } = splitBar('x', 'Outcome', [
    { label: 'a', count: 1, tone: 'refused' },
    { label: 'none', count: 0, tone: 'admitted' },
    { label: 'b', count: 999_999, tone: 'same' },
  ]);
  const widths = [
    ...markup.matchAll(/<rect class="(?:refused|admitted|same)" x="[\d.]+%" y="0" width="([\d.]+)%"/g),
  ].map(([, width]) => Number(width));
  assert.equal(widths.length, 2);
  assert.ok((widths[0] ?? 0) >= 0.5, 'the small part can be seen');
  assert.ok(Math.abs(widths.reduce((a, b) => a + b, 0) - 100) < 0.01);
  assert.match(markup, /aria-labelledby="x-title x-desc"/);
  assert.match(markup, /<desc id="x-desc">a: 1, &#60; 0.1 %; none: 0, 0 %; b: 999,999, &#62; 99.9 %<\/desc>/);
});

test('a split bar of nothing is empty and no division by zero', () => {
  assert.doesNotMatch(
    splitBar('x', 'Outcome', [{ label: 'a', count: 0, tone: 'same' }]).markup,
    /NaN|Infinity/,
  );
});

test('bars are drawn on the scale that the caller gives', () => {
  const { markup } = barList(
    'Reasons',
    [
      { label: 'a', note: 'first', count: 50, tone: 'refused' },
      { label: '<b>', note: '', count: 100, tone: 'refused' },
    ],
    150,
    200,
  );
  assert.deepEqual(
    [...markup.matchAll(/<rect\s+class="refused"\s+width="([\d.]+)%"/g)].map(([, width]) => width),
    ['25', '50'],
  );
  assert.match(markup, /<code>&#60;b&#62;<\/code>/);
});

test('a timeline draws what goes up and down on one scale, and names both in its description', () => {
  const days = [
    { date: '2026-11-01', total: 10, up: 6, down: 0 },
    { date: '2026-11-02', total: 0, up: 0, down: 0 },
    { date: '2026-11-03', total: 20, up: 0, down: 3 },
  ];
  const { markup } = dayColumns('d', 'By day', days, { up: 'refused', down: 'let in', total: 'all' });
  const height = (tone: string): number =>
    Number(new RegExp(`class="${tone}"[^>]*\\sheight="([\\d.]+)"`).exec(markup)?.[1]);
  assert.ok(Math.abs(height('refused') / height('admitted') - 2) < 0.01);
  // What the heights stand for is text beside the picture, where it can wrap.
  assert.match(
    markup.split('<svg')[0] ?? '',
    /refused: at most \d+ rows a day<\/span\s*>.*let in: at most \d+ rows a day/s,
  );
  assert.match(markup, /3 days from 2026-11-01 to 2026-11-03\. refused: 6; let in: 3; all: 30\./);
  assert.match(markup, /<title>2026-11-03: refused 0, let in 3, all 20<\/title>/);
  assert.doesNotMatch(
    dayColumns('d', 'By day', [], { up: 'a', down: 'b', total: 'c' }).markup,
    /NaN|Infinity/,
  );
});

test('texts and charts of a page stand out from what is behind them, light, dark and on paper', () => {
  const style =
    /<style>([\s\S]*?)<\/style>/.exec(toPage({ title: 'x', body: html`<main></main>` }))?.[1] ?? '';
  const themes = [...style.matchAll(/:root \{([^}]*)\}/g)].map(([, text = '']) =>
    Object.fromEntries(
      [...text.matchAll(/--([a-z-]+): (#[0-9a-f]{6})/g)].map(([, name, color]) => [name, color]),
    ),
  );
  assert.equal(themes.length, 3);
  for (const [theme, colors] of themes.entries()) {
    const check = (front: string, behind: string, least: number): void => {
      const ratio = contrast(colors[front] ?? '', colors[behind] ?? '');
      assert.ok(
        ratio >= least,
        `theme ${theme}: ${front} on ${behind} has ${ratio.toFixed(2)}, not ${least}`,
      );
    };
    for (const behind of ['page', 'card', 'track', 'gone', 'come']) check('ink', behind, 4.5);
    for (const behind of ['page', 'card', 'track', 'gone', 'come']) check('soft', behind, 4.5);
    for (const tone of ['refused', 'admitted']) check(tone, `${tone}-tint`, 4.5);
    for (const chart of ['refused', 'admitted', 'same', 'good']) check(chart, 'card', 3);
  }
});

/** The ratio of contrast by WCAG 2.2. */
function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [a, b].map(luminance).toSorted((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
