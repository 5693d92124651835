import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toBody } from '../../src/adapters/github/compose.ts';
import { toText } from '../../src/adapters/jira/compose.ts';
import { composeIssue } from '../../src/trackers/compose-issue.ts';
import { composeComment } from '../../src/trackers/compose-comment.ts';
import type { Block } from '../../src/trackers/index.ts';
import { describedFinding, DIGEST, trackingRow } from './findings.ts';

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
      assert.match(text.replaceAll('\\', ''), /ipo tracking list --state closed.*lists all of them/, name);
    }
});

test('the issue of a finding that a tracker cuts says where all of it stands', () => {
  const packages = Array.from({ length: 50 }, (_, at) => ({
    name: `${'very-long-name-'.repeat(13)}${at}`,
    installed: '1.'.repeat(50),
    fixed: '2.'.repeat(50),
  }));
  const workloads = Array.from({ length: 20 }, (_, at) => ({
    cluster: 'c'.repeat(100),
    namespace: 'n'.repeat(100),
    name: `${'w'.repeat(190)}${at}`,
    since: 0,
  }));
  const { body } = composeIssue(describedFinding({ packages, image: { workloads } }));
  const text = JSON.stringify(toText(3, body, null));
  assert.ok(Buffer.byteLength(text) <= 32_767);
  assert.match(text, /lines are left out/);
  assert.match(text, new RegExp(`ipo images show ${DIGEST}.*shows all that is known of the image`));
});
