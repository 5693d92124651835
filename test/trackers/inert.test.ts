import assert from 'node:assert/strict';
import { test } from 'node:test';
import { activeIn, adfProblem, type Active, type FakeKind } from '../../fakes/index.ts';
import { githubRoom } from '../../src/adapters/github/index.ts';
import {
  markerInAdf,
  markerIn,
  markerInWiki,
  toAdf,
  toInertTitle,
  toMarkdown,
  toWiki,
} from '../../src/adapters/markup/index.ts';
import { advisoryUrl } from '../../src/findings/index.ts';
import { composeComment } from '../../src/trackers/compose-comment.ts';
import { composeIssue } from '../../src/trackers/compose-issue.ts';
import type { Described } from '../../src/trackers/compose-parts.ts';
import { composeSummary } from '../../src/trackers/compose-summary.ts';
import { foreign } from '../../src/trackers/inert.ts';
import { code, heading, line, link, paragraph, type Block } from '../../src/text/index.ts';
import { describedFinding, trackingRow } from './findings.ts';
import { PAYLOADS } from './payloads.ts';

const MARKER = 'ipo-1-realrealrealrealrealrealre';
/** The four kinds of bodies. */
const BODIES: readonly (readonly [
  FakeKind,
  (blocks: readonly Block[]) => unknown,
  (body: never) => string | null,
])[] = [
  ['github', (blocks) => toMarkdown(blocks, MARKER, 65_536), markerIn as never],
  ['gitlab', (blocks) => toMarkdown(blocks, MARKER, 1_000_000), markerIn as never],
  ['jira-cloud', (blocks) => toAdf(blocks, MARKER, 32_767), markerInAdf],
  ['jira-datacenter', (blocks) => toWiki(blocks, MARKER, 32_767), markerInWiki as never],
];

/** What we mean to be active: our own links, and the marker. */
function isMeant({ kind, text }: Active): boolean {
  if (kind === 'comment') return text === `<!-- ${MARKER} -->`;
  return (
    kind === 'link' &&
    /^(?:\[[^|[\]]*\|)?https:\/\/nvd\.nist\.gov\/vuln\/detail\/CVE-2026-1001\]?$/.test(text)
  );
}

function hostile(payload: string): Described {
  return describedFinding({
    packages: [
      {
        name: payload,
        installed: payload,
        fixed: payload,
        foundAt: [
          { target: payload, path: payload, layer: payload },
          { target: payload, path: null, layer: null },
        ],
      },
    ],
    advisory: {
      title: payload,
      url: payload,
      cvss: { version: '3.1', score: 9.8, vector: payload, source: payload },
    },
    image: {
      names: [payload, payload],
      source: payload,
      workloads: [{ cluster: payload, namespace: payload, name: payload, since: 0 }],
      namespaces: [payload],
      scan: { scanner: payload, at: 0 },
    },
  });
}

/** A summary that no table has room for, as its plain lists show it: in the issue and in its comments. */
function inLists(findings: readonly Described[]): readonly (readonly Block[])[] {
  return [0, 150].map((max) => {
    const room = {
      max,
      sizeOf: (blocks: readonly Block[]) => blocks.filter(({ kind }) => kind === 'table').length,
    };
    const { body, more } = composeSummary(findings, { issue: room, comment: room });
    return [...body, ...more.flat()];
  });
}

function blocksOf(payload: string): readonly (readonly Block[])[] {
  const described = hostile(payload);
  const named = { ...described, cve: payload, severity: payload };
  const row = trackingRow({ image: payload, cve: payload });
  const ended = { row, reason: 'image_retired', supersededBy: payload, successorHasCve: true } as const;
  return [
    composeIssue(described).body,
    composeIssue(named).body,
    composeSummary([described, named], githubRoom).body,
    composeComment({ issue: { key: 'x', url: '', id: '1' }, ended: [ended], remaining: 0, leftOpen: true }),
    // Whatever we write by mistake without `code` is inert as well.
    [
      heading(payload),
      paragraph(payload),
      paragraph('before ', payload, code(payload), payload, ' after'),
      paragraph(payload, payload),
      { kind: 'list', items: [line(payload), line(code(payload))] },
      { kind: 'table', header: [line(payload)], rows: [[line(payload)], [line(code(payload), payload)]] },
      { kind: 'code', text: payload },
      paragraph(link(payload, payload)),
    ],
    [paragraph(link(payload, 'https://nvd.nist.gov/vuln/detail/CVE-2026-1001'))],
    ...inLists([described, named]),
  ];
}

test('there are at least 500 payloads', () => assert.ok(PAYLOADS.length >= 500, `${PAYLOADS.length}`));

for (const [kind, render, markerOf] of BODIES) {
  test(`nothing that comes from outside is active in a body for ${kind}`, () => {
    const failed: string[] = [];
    for (const payload of PAYLOADS)
      for (const [at, blocks] of blocksOf(payload).entries()) {
        const body = render(blocks);
        // A link of a hostile address is one of ours only where the address is fit to be one.
        const isFit = at === 4 ? /^https?:\/\/\S+$/i.test(payload) : at < 2 && advisoryUrl(payload) !== null;
        const own = isFit ? [payload.toLowerCase()] : [];
        const active = activeIn(kind, 'body', body).filter(
          (one) =>
            !isMeant(one) &&
            !(one.kind === 'link' && own.some((href) => one.text.toLowerCase().includes(href))),
        );
        if (active.length > 0) failed.push(`${JSON.stringify(payload)} in ${at}: ${JSON.stringify(active)}`);
        if (kind === 'jira-cloud') assert.equal(adfProblem(body), null, payload);
        // No text can forge the marker that the issue is recognised by.
        if (markerOf(body as never) !== MARKER) failed.push(`${JSON.stringify(payload)} in ${at}: marker`);
      }
    assert.deepEqual(failed.slice(0, 20), []);
  });
}

test('nothing that comes from outside is active in a title', () => {
  for (const payload of PAYLOADS)
    for (const described of [hostile(payload), { ...hostile(payload), cve: payload }]) {
      const title = toInertTitle(composeIssue(described).title, 255);
      assert.deepEqual(activeIn('gitlab', 'title', title), [], JSON.stringify(payload));
      assert.match(title, /^[^\p{Cc}]{1,255}$/u);
    }
});

test('a command that a person is to run holds nothing from outside but a plain id', () => {
  for (const payload of PAYLOADS) {
    const { body } = composeIssue({ ...hostile(payload), cve: payload });
    for (const block of body)
      if (block.kind === 'code')
        assert.match(block.text, /^ipo triage add sha256:\w{64} [\w.:-]+ --reason '[A-Z ]+' --for 720h$/);
  }
});

test('a foreign value is one line of a bounded number of visible characters', () => {
  assert.equal(foreign('a\u0000b\u202ec\u200bd\r\n\te'), 'abcd e');
  assert.equal(foreign('e\u0301'), '\u00e9');
  assert.equal(foreign(' \u200b '), '–');
  assert.equal(foreign('x'.repeat(500)).length, 200);
  assert.equal(foreign('\u{1f600}'.repeat(200), 10).isWellFormed(), true);
  assert.ok(foreign('y'.repeat(50_000_000)).endsWith('…'));
});
