import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toBody } from '../../src/adapters/github/compose.ts';
import { toText } from '../../src/adapters/jira/compose.ts';
import { composeComment } from '../../src/trackers/compose-comment.ts';
import { composeSummary } from '../../src/trackers/compose-summary.ts';
import type { Block } from '../../src/trackers/index.ts';
import { describedFinding, trackingRow } from './findings.ts';

const MARKER = 'ipo-1-aaaaaaaaaaaaaaaaaaaaaaaaaa';

/** What each provider is given, under its limit. */
function rendered(blocks: readonly Block[]): readonly (readonly [string, string, number])[] {
  return [
    ['github', toBody(blocks, MARKER), 65_536],
    ['jira cloud', JSON.stringify(toText(3, blocks, MARKER)), 32_767],
    ['jira data center', toText(2, blocks, MARKER) as string, 32_767],
  ];
}

test('a comment that a tracker cuts still says the reasons, how many remain, and that the issue is left open', () => {
  const ended = Array.from({ length: 500 }, (_, at) => ({
    row: trackingRow({
      id: at,
      cve: `CVE-2026-${10_000 + at}`,
      image: `ghcr.io/acme/${'service-'.repeat(12)}:1.4`,
    }),
    reason: 'image_retired' as const,
    supersededBy: null,
    successorHasCve: null,
  }));
  for (const [plan, said] of [
    [{ remaining: 7, leftOpen: false }, /7 findings remain/],
    [{ remaining: 0, leftOpen: true }, /no doneTransitionId, so this issue is left open/],
  ] as const)
    for (const [name, text, limit] of rendered(
      composeComment({ issue: trackingRow().issue!, ended, ...plan }),
    )) {
      assert.ok(text.length <= limit, name);
      assert.match(text, /500 findings of this issue ended/, name);
      assert.match(text, said, name);
      assert.match(text, /image.?_retired/, name);
      assert.match(text, /are left out/, name);
    }
});

test('a summary that a tracker cuts says how many of its findings are left out', () => {
  const { body } = composeSummary(
    Array.from({ length: 3000 }, (_, at) =>
      describedFinding({
        cve: `CVE-2026-${10_000 + at}`,
        digest: `sha256:${`${at % 300}`.padStart(64, '0')}`,
      }),
    ),
  );
  for (const [name, text, limit] of rendered(body)) {
    assert.ok(text.length <= limit, name);
    const shown = text.match(/nvd\.nist\.gov\/vuln\/detail\//g)?.length ?? 0; // each finding once
    const [, left = ''] = /among them (\d+) of 3000 entries of tables and lists/.exec(text) ?? [];
    assert.equal(Number(left), 3000 - shown, `${name}: ${text.slice(-400)}`);
    assert.match(text, /3000 critical findings, open in 300 images/, name);
  }
});
