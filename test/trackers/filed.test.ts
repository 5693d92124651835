import assert from 'node:assert/strict';
import { test } from 'node:test';
import { githubRoom } from '../../src/adapters/github/index.ts';
import { toBody, toTitle } from '../../src/adapters/github/compose.ts';
import { gitlabRoom } from '../../src/adapters/gitlab/index.ts';
import { toDescription } from '../../src/adapters/gitlab/compose.ts';
import { jiraRoom } from '../../src/adapters/jira/index.ts';
import { textIn, toText } from '../../src/adapters/jira/compose.ts';
import { composeIssue } from '../../src/trackers/compose-issue.ts';
import { composeSummary } from '../../src/trackers/compose-summary.ts';
import { findingsIn, isSummary, type Block } from '../../src/trackers/index.ts';
import { describedFinding } from './findings.ts';

const MARKER = 'ipo-1-aaaaaaaaaaaaaaaaaaaaaaaaaa';
const FORMS = {
  github: { room: githubRoom, text: (blocks: readonly Block[]) => toBody(blocks, MARKER) },
  gitlab: { room: gitlabRoom, text: (blocks: readonly Block[]) => toDescription(blocks, MARKER) },
  'jira cloud': { room: jiraRoom(3), text: (blocks: readonly Block[]) => textIn(toText(3, blocks, null)) },
  'jira data center': {
    room: jiraRoom(2),
    text: (blocks: readonly Block[]) => textIn(toText(2, blocks, null)),
  },
};

const digestOf = (image: number) => `sha256:${String(image).padStart(64, '0')}`;
const finding = (image: number, id: number) =>
  describedFinding({
    cve: `CVE-2026-${id}`,
    digest: digestOf(image),
    image: { names: [`registry.example/app-${image}:1.0-${'x'.repeat(60)}`] },
  });
const candidate = (image: number, id: number) => ({
  ...{ digest: digestOf(image), cve: `CVE-2026-${id}`, scanId: image, knownExploited: false },
});

for (const [name, { room, text }] of Object.entries(FORMS))
  test(`the texts of ${name} name their findings, and no other`, () => {
    const one = composeIssue(finding(1, 1234));
    const candidates = [candidate(1, 1234), candidate(1, 12345), candidate(1, 123), candidate(2, 1234)];
    assert.deepEqual(findingsIn(`${toTitle(one.title)}\n${text(one.body)}`, candidates), [candidates[0]]);
    for (const images of [3, 2000]) {
      // Every image has one finding of its own and shares none, and a neighbour's is a candidate that was not filed.
      const all = Array.from({ length: images }, (_, image) => finding(image, 100_000 + image));
      const summary = composeSummary(all, room);
      const filed = [summary.body, ...summary.more].map(text).join('\n');
      assert.ok(isSummary({ text: `${toTitle(summary.title)}\n${filed}` }));
      const wanted = all.map((_, image) => candidate(image, 100_000 + image));
      const others = all.map((_, image) => candidate(image, 100_000 + ((image + 1) % images)));
      const found = findingsIn(filed, [...wanted, ...others]);
      assert.deepEqual(
        found.map(({ digest, cve }) => `${digest} ${cve}`).toSorted(),
        wanted.map(({ digest, cve }) => `${digest} ${cve}`).toSorted(),
      );
    }
  });
