import assert from 'node:assert/strict';
import { test } from 'node:test';
import { activeIn, adfProblem, type FakeKind } from '../../../fakes/index.ts';
import {
  markerIn,
  markerInAdf,
  markerInWiki,
  toAdf,
  toInertTitle,
  toMarkdown,
  toPlainTitle,
  toWiki,
} from '../../../src/adapters/markup/index.ts';
import type { Block } from '../../../src/trackers/index.ts';
import { MARKERS } from '../tracker-parts.ts';
import { payloads } from './payloads.ts';

const [MARKER] = MARKERS;
const MAX = 1_000_000;

/** A text with the payload in every place that a text has. */
function everywhere(payload: string): Block[] {
  const [text, code] = [
    { kind: 'text', text: payload },
    { kind: 'code', text: payload },
  ] as const;
  const link = { kind: 'link', text: payload, href: payload } as const;
  return [
    { kind: 'heading', level: 2, content: [text] },
    { kind: 'paragraph', content: [text] },
    { kind: 'paragraph', content: [code] },
    { kind: 'paragraph', content: [text, code, text, text] },
    { kind: 'paragraph', content: [{ kind: 'text', text: '1' }, text] },
    { kind: 'paragraph', content: [{ kind: 'text', text: '@' }, text, { kind: 'text', text: '#' }, code] },
    { kind: 'paragraph', content: [link] },
    { kind: 'list', items: [[text], [code], [link]] },
    {
      kind: 'table',
      header: [[text], [code]],
      rows: [
        [[code], [text]],
        [[text], [code]],
      ],
    },
    { kind: 'code', text: payload },
  ];
}

interface Kind {
  readonly kind: FakeKind;
  readonly render: (blocks: readonly Block[]) => unknown;
  readonly marker: (body: unknown) => string | null;
}

const KINDS: readonly Kind[] = [
  {
    kind: 'github',
    render: (blocks) => toMarkdown(blocks, MARKER, MAX),
    marker: (body) => markerIn(String(body)),
  },
  {
    kind: 'gitlab',
    render: (blocks) => toMarkdown(blocks, MARKER, MAX),
    marker: (body) => markerIn(String(body)),
  },
  { kind: 'jira-cloud', render: (blocks) => toAdf(blocks, MARKER, MAX), marker: markerInAdf },
  {
    kind: 'jira-datacenter',
    render: (blocks) => toWiki(blocks, MARKER, MAX),
    marker: (body) => markerInWiki(String(body)),
  },
];

for (const { kind, render, marker } of KINDS) {
  test(`of 500 and more payloads none is active in a body of ${kind}, and none stands for the marker`, () => {
    const all = payloads();
    assert.ok(all.length >= 500, `${all.length} payloads`);
    const bad: string[] = [];
    for (const payload of all) {
      const body = render(everywhere(payload));
      const active = activeIn(kind, 'body', body).filter((one) => !isMeant(one.kind, one.text));
      if (active.length > 0) bad.push(`${JSON.stringify(payload)}: ${JSON.stringify(active.slice(0, 3))}`);
      if (marker(body) !== MARKER) bad.push(`${JSON.stringify(payload)}: marker`);
      if (kind === 'jira-cloud' && adfProblem(body) !== null)
        bad.push(`${JSON.stringify(payload)}: ${adfProblem(body)}`);
    }
    assert.deepEqual(bad, []);
  });
}

/** What the trackers act on in a text that nobody made inert. */
const RAW = {
  github: ['mention', 'reference', 'link', 'image', 'html', 'comment'],
  gitlab: ['mention', 'reference', 'link', 'image', 'html', 'comment', 'quick_action'],
  'jira-datacenter': ['mention', 'link', 'image', 'macro', 'html'],
} as const;

for (const [kind, acts] of Object.entries(RAW))
  test(`the judge is none of the renderers, and finds the payloads active in a body of ${kind} where they stand as they are`, () => {
    const found = payloads().map((payload) => activeIn(kind as FakeKind, 'body', payload));
    assert.ok(found.filter((active) => active.length > 0).length >= 350);
    for (const act of acts) {
      const seen = found.filter((active) => active.some((one) => one.kind === act)).length;
      assert.ok(seen >= 5, `${act} in ${seen} payloads`);
    }
  });

/** The comment that holds our own marker, and links of the payloads that are plain addresses of pages. */
function isMeant(kind: string, text: string): boolean {
  if (kind === 'comment') return text === `<!-- ${MARKER} -->`;
  return kind === 'link' && /^(?:\[[^\]]*\|)?https?:\/\/(?:evil\.example|ev\.)[^\s()<>[\]|]*\]?$/i.test(text);
}

test('no payload is active in a title, and a title is one line within its limit', () => {
  for (const payload of payloads()) {
    const title = toInertTitle(payload, 255);
    assert.deepEqual(activeIn('gitlab', 'title', title), [], JSON.stringify(payload));
    for (const one of [title, toPlainTitle(payload.repeat(40), 255)]) {
      assert.ok(one.length > 0 && one.length <= 255 && one.isWellFormed());
      assert.doesNotMatch(one, /[\p{Cc}\p{Zl}\p{Zp}]/u);
    }
  }
});

test('an address that is not a plain http address of a page becomes text', () => {
  for (const href of [
    'javascript:alert(1)',
    'data:text/html,x',
    'https://user:pw@evil.example',
    '//evil.example',
    'https:evil',
    'mailto:a@b.c',
    '',
    'https://',
    'https://a b',
  ])
    assert.doesNotMatch(
      toMarkdown([{ kind: 'paragraph', content: [{ kind: 'link', text: 'x', href }] }], MARKER, MAX),
      /\]\(/,
      href,
    );
  assert.match(
    toMarkdown(
      [
        {
          kind: 'paragraph',
          content: [{ kind: 'link', text: 'x', href: 'https://good.example/a_(b)|c<d>"e`' }],
        },
      ],
      MARKER,
      MAX,
    ),
    /\[x\]\(https:\/\/good\.example\/a_%28b%29%7Cc%3Cd%3E%22e%60\)/,
  );
});

test('plain text keeps its words, so that people read what was meant', () => {
  const text = 'OpenSSL 3.0.13-1~deb12u1 (Debian 12): fixed in 3.0.14, due by 2026-10-01; see CVE-2026-1234.';
  const block: Block = { kind: 'paragraph', content: [{ kind: 'text', text }] };
  const plain = (rendered: string): string =>
    rendered.replaceAll('\u200b', '').replaceAll(/\\(?=[^\w\s])/g, '');
  assert.ok(plain(toMarkdown([block], MARKER, MAX)).startsWith(text));
  assert.ok(plain(toWiki([block], null, MAX)).startsWith(text));
  assert.equal(toAdf([block], null, MAX).content[0]?.content?.[0]?.text, text);
});

test('versions and dates in a title stay as they can be searched for', () => {
  for (const title of [
    'CVE-2026-1234: ca-certificates 20240203 in acme/shop',
    'libc6 2.36-9+deb12u7',
    'openssl 3.0.13',
  ])
    assert.equal(toInertTitle(title, 255), title);
});

test('a blank between runs stays, and one in front of a sign is not doubled', () => {
  const content = [
    { kind: 'text', text: 'in ' },
    { kind: 'code', text: 'libssl3' },
    { kind: 'text', text: ' and ' },
    { kind: 'code', text: 'zlib' },
    { kind: 'text', text: ', now' },
  ] as const;
  const block: Block = { kind: 'paragraph', content };
  assert.match(toMarkdown([block], MARKER, MAX), /^in `libssl3` and `zlib`, now\n/);
  assert.equal(toWiki([block], null, MAX), 'in libssl3 and zlib, now');
});
