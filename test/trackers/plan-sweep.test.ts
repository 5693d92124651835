import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  CLOSE_REASONS,
  judgeFinding,
  majorityReason,
  planSweep,
  type OpenFinding,
} from '../../src/trackers/index.ts';
import { NOW, openFinding, sweeps, trackingRow } from './rows.ts';
import { DAY, HOUR, MINUTE } from './virtual-clock.ts';

const LONG_AGO = { claimedAt: NOW - 30 * DAY };
const SWEPT = sweeps({ prod: NOW - HOUR });
const gone = { lastSeenAt: NOW - DAY };
const ended = { reported: false };
/** Found by a scan that does not say how old its database was. */
const undated = { found: { scanner: 'trivy', dbUpdatedAt: null, recordedAt: 9 } };

suite('a finding is judged on its own', () => {
  for (const [what, finding, clusters, expected] of [
    ['one that is reported, not triaged, and running stays', openFinding(), SWEPT, null],
    ['one that the newest scan does not report is fixed', openFinding({ reported: false }), SWEPT, 'fixed'],
    [
      'without any completed scan nothing is fixed',
      openFinding({ reported: false, scan: null }),
      SWEPT,
      null,
    ],
    [
      'a triage decision that has not expired ends it',
      openFinding({ triagedUntil: NOW + 1 }),
      SWEPT,
      'triaged',
    ],
    ['one that ends exactly now has expired', openFinding({ triagedUntil: NOW }), SWEPT, null],
    ['fixed comes before triaged', openFinding({ reported: false, triagedUntil: NOW + 1 }), SWEPT, 'fixed'],
    [
      'triaged comes before image_retired',
      openFinding({ ...gone, triagedUntil: NOW + 1 }, LONG_AGO),
      SWEPT,
      'triaged',
    ],
    ['unseen for exactly 24 hours is retired', openFinding(gone, LONG_AGO), SWEPT, 'image_retired'],
    ['a millisecond less is not', openFinding({ lastSeenAt: NOW - DAY + 1 }, LONG_AGO), SWEPT, null],
    [
      'an image that never ran is not retired within a day of its claim',
      openFinding({ lastSeenAt: null }),
      SWEPT,
      null,
    ],
    ['but after it', openFinding({ lastSeenAt: null }, LONG_AGO), SWEPT, 'image_retired'],
    [
      'a sweep of exactly 24 hours ago is recent',
      openFinding(gone, LONG_AGO),
      sweeps({ prod: NOW - DAY }),
      'image_retired',
    ],
    ['an older one is not', openFinding(gone, LONG_AGO), sweeps({ prod: NOW - DAY - 1 }), null],
    [
      'a cluster that never had a whole sweep withholds it',
      openFinding(gone, LONG_AGO),
      sweeps({ prod: null }),
      null,
    ],
    ['an unknown cluster withholds it', openFinding(gone, LONG_AGO), sweeps({ other: NOW }), null],
    [
      'a sweep from the future is none: its clock was wrong',
      openFinding(gone, LONG_AGO),
      sweeps({ prod: NOW + HOUR }),
      null,
    ],
    [
      'a clock that is minutes ahead is let pass',
      openFinding(gone, LONG_AGO),
      sweeps({ prod: NOW + MINUTE }),
      'image_retired',
    ],
    [
      'a forgotten cluster is not waited for while another was swept',
      openFinding(gone, { ...LONG_AGO, clusters: ['old', 'prod'] }),
      sweeps({ prod: NOW }, ['old']),
      'image_retired',
    ],
    [
      'with all listed clusters forgotten some sweep must still be recent',
      openFinding(gone, { ...LONG_AGO, clusters: ['old'] }),
      sweeps({ prod: NOW - 2 * DAY }, ['old']),
      null,
    ],
    [
      'no cluster listed and none swept: withheld',
      openFinding(gone, { ...LONG_AGO, clusters: [] }),
      sweeps({}),
      null,
    ],
    [
      'a scanner of another name does not fix it',
      openFinding({ reported: false, scan: { scanner: 'grype', dbUpdatedAt: null } }),
      SWEPT,
      null,
    ],
    [
      'a person who confirmed it does',
      openFinding({ reported: false, scan: { scanner: 'grype', dbUpdatedAt: null }, confirmedAt: NOW }),
      SWEPT,
      'fixed',
    ],
    ['a person cannot confirm what is reported', openFinding({ confirmedAt: NOW }), SWEPT, null],
    [
      'a database as old as the one that found it is enough',
      openFinding({
        reported: false,
        found: { scanner: 'trivy', dbUpdatedAt: 5, recordedAt: 9 },
        scan: { scanner: 'trivy', dbUpdatedAt: 5 },
      }),
      SWEPT,
      'fixed',
    ],
    [
      'an older database is not',
      openFinding({
        reported: false,
        found: { scanner: 'trivy', dbUpdatedAt: 5, recordedAt: 9 },
        scan: { scanner: 'trivy', dbUpdatedAt: 4 },
      }),
      SWEPT,
      null,
    ],
    [
      'a scan that does not say how old its database is waits where the other did',
      openFinding({
        reported: false,
        found: { scanner: 'trivy', dbUpdatedAt: 5, recordedAt: 9 },
        scan: { scanner: 'trivy', dbUpdatedAt: null },
      }),
      SWEPT,
      null,
    ],
    [
      'where nothing was recorded of the scan that found it, nothing is proved',
      openFinding({ reported: false, found: { scanner: null, dbUpdatedAt: null, recordedAt: null } }),
      SWEPT,
      null,
    ],
    [
      'without the age of either database it waits, though one scanner made both scans',
      openFinding({ ...ended, ...undated, scan: { scanner: 'trivy', dbUpdatedAt: null } }),
      SWEPT,
      null,
    ],
    [
      'a database made before the scan that found it was recorded may be the older one',
      openFinding({ ...ended, ...undated, scan: { scanner: 'trivy', dbUpdatedAt: 8 } }),
      SWEPT,
      null,
    ],
    [
      'one made since is not: no scan asks a database that is yet to be made',
      openFinding({ ...ended, ...undated, scan: { scanner: 'trivy', dbUpdatedAt: 9 } }),
      SWEPT,
      'fixed',
    ],
  ] satisfies [string, OpenFinding, ReturnType<typeof sweeps>, string | null][])
    test(what, () => {
      assert.equal(judgeFinding(finding, clusters, NOW).ended, expected);
    });

  test('what is withheld is said, and what only stays says nothing', () => {
    const said = (finding: OpenFinding, clusters = SWEPT): string | null => {
      const verdict = judgeFinding(finding, clusters, NOW);
      return verdict.ended === null ? verdict.withheld : null;
    };
    assert.equal(said(openFinding()), null);
    assert.match(
      said(openFinding(gone, LONG_AGO), sweeps({})) ?? '',
      /prod had no whole reconciliation sweep/,
    );
    assert.match(
      said(openFinding({ reported: false, scan: { scanner: null, dbUpdatedAt: null } })) ?? '',
      /found by trivy, and that scan is by an unnamed scanner/,
    );
    const silent = openFinding({ lastSeenAt: null }, { ...LONG_AGO, clusters: [] });
    assert.equal(said(silent, sweeps({})), null, 'where nothing ever tells what runs');
  });
});

suite('a sweep is planned by issue', () => {
  test('an issue with nothing ended is not in the plan', () => {
    assert.deepEqual(planSweep([openFinding()], SWEPT, NOW), {
      issues: [],
      unfiled: [],
      withheld: [],
      settled: [],
    });
  });

  test('findings of one issue are planned together, each with its own reason', () => {
    const findings = [
      openFinding(ended, { id: 1, marker: 'm' }),
      openFinding({ triagedUntil: NOW + 1 }, { id: 2, marker: 'm' }),
      openFinding({}, { id: 3, marker: 'm' }),
      openFinding(ended, { id: 4, marker: 'n' }),
    ];
    const { issues } = planSweep(findings, SWEPT, NOW);
    assert.deepEqual(
      issues.map(({ issue, ended: ends, remaining }) => [
        issue.marker,
        ends.map(({ row, reason }) => `${row.id} ${reason}`),
        remaining,
      ]),
      [
        ['m', ['1 fixed', '2 triaged'], 1],
        ['n', ['4 fixed'], 0],
      ],
    );
  });

  test('rows of a release before markers are told apart by channel and key', () => {
    const issue = { key: 'team/shop#1', url: '', id: '1' };
    const findings = [1, 2].map((id) => openFinding(ended, { id, marker: null, issue }));
    const { issues } = planSweep(findings, SWEPT, NOW);
    assert.deepEqual(
      issues.map((one) => one.issue),
      [{ marker: null, channelId: 'main', key: 'team/shop#1' }],
    );
    assert.equal(issues[0]?.ended.length, 2);
  });

  test('a claim without an issue is closed without a word, but not while a create may be on its way', () => {
    const findings = [
      openFinding(ended, { id: 1, issue: null }),
      openFinding(ended, { id: 2, issue: null, attemptId: 'a' }),
    ];
    const plan = planSweep(findings, SWEPT, NOW);
    assert.deepEqual(
      plan.unfiled.map(({ row }) => row.id),
      [1],
    );
    assert.deepEqual(plan.issues, []);
  });

  test('a sentence on what is withheld is planned when it changes, and taken back', () => {
    const waits = openFinding(gone, { ...LONG_AGO, id: 1 });
    const { withheld } = planSweep([waits], sweeps({}), NOW);
    assert.equal(withheld.length, 1);
    const sentence = withheld[0]?.sentence ?? null;
    const again = { ...waits, row: trackingRow({ ...LONG_AGO, id: 1, withheld: sentence }) };
    assert.deepEqual(planSweep([again], sweeps({}), NOW).withheld, []);
    const back = { ...again, lastSeenAt: NOW };
    assert.deepEqual(planSweep([back], sweeps({}), NOW).withheld, [{ id: 1, sentence: null }]);
  });
});

suite('the label of an issue is the majority reason of its findings', () => {
  for (const [reasons, expected] of [
    [['fixed'], 'fixed'],
    [['triaged', 'triaged', 'fixed'], 'triaged'],
    [['image_retired', 'image_retired', 'fixed', 'triaged'], 'image_retired'],
    [['triaged', 'fixed'], 'fixed'],
    [['image_retired', 'fixed'], 'fixed'],
    [['image_retired', 'triaged', 'fixed'], 'fixed'],
    [['image_retired', 'triaged'], 'triaged'],
  ] as const)
    test(`${reasons.join(', ')}: ${expected}`, () => {
      assert.equal(majorityReason(reasons), expected);
    });

  test('the three reasons are fixed, triaged and image_retired', () => {
    assert.deepEqual(CLOSE_REASONS, ['fixed', 'triaged', 'image_retired']);
  });
});
