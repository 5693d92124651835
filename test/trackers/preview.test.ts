import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TrackerChannel } from '../../src/channels/index.ts';
import { planDrain, toPlainText } from '../../src/trackers/preview.ts';
import { composeIssue } from '../../src/trackers/compose-issue.ts';
import { githubChannel } from './channels.ts';
import { describedFinding } from './findings.ts';

const channel = (
  id: string,
  dailyCap: number,
  firstRunAt: number | null,
  firstRunSummary = true,
): TrackerChannel => ({
  ...githubChannel({ dailyCap, firstRunSummary }),
  id,
  firstRunAt,
});
const room = (...free: readonly (readonly [string, number])[]): ReadonlyMap<string, number> => new Map(free);

for (const [name, args, expected] of [
  [
    'nothing waits',
    [0, [channel('a', 20, 1)], room(['a', 20]), 'a'],
    { findings: 0, issues: 0, summary: false, waiting: 0, days: 0, issuesInAll: 0 },
  ],
  [
    'a first run of more than five is one summary',
    [100, [channel('a', 20, null)], room(['a', 20]), 'a'],
    { findings: 100, issues: 1, summary: true, waiting: 0, days: 0, issuesInAll: 1 },
  ],
  [
    'a first run of five is an issue each',
    [5, [channel('a', 20, null)], room(['a', 20]), 'a'],
    { findings: 5, issues: 5, summary: false, waiting: 0, days: 0, issuesInAll: 5 },
  ],
  [
    'without a summary the cap holds',
    [100, [channel('a', 20, null, false)], room(['a', 20]), 'a'],
    { findings: 20, issues: 20, summary: false, waiting: 80, days: 4, issuesInAll: 100 },
  ],
  [
    'what was opened already counts',
    [25, [channel('a', 20, 1)], room(['a', 3]), 'a'],
    { findings: 3, issues: 3, summary: false, waiting: 22, days: 2, issuesInAll: 25 },
  ],
  [
    'a full channel waits a day for its summary',
    [30, [channel('a', 20, null)], room(['a', 0]), 'a'],
    { findings: 0, issues: 0, summary: false, waiting: 30, days: 1, issuesInAll: 1 },
  ],
  [
    'an earlier channel takes its share first',
    [50, [channel('b', 10, 1), channel('a', 20, 1)], room(['b', 10], ['a', 20]), 'a'],
    { findings: 20, issues: 20, summary: false, waiting: 20, days: 1, issuesInAll: 30 },
  ],
] as const)
  test(`of what waits, ${name}`, () => {
    assert.deepEqual(planDrain(args[0], args[1], args[2], args[3]), expected);
  });

test('a text without markup is for terminals', () => {
  const text = toPlainText(composeIssue(describedFinding()).body);
  assert.match(text, /\nPackage  Installed  Fixed in\nopenssl  3\.0\.1      3\.0\.2\n/);
  assert.match(text, /\n    ipo triage add sha256:/);
  assert.match(text, /\nWhat to change\n-{14}\n/);
});
