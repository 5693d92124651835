import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  stretchesOf,
  type FindingEpisode,
  type ImageHistory,
  type ImageRun,
} from '../../src/history/index.ts';

const FINDING: FindingEpisode = {
  ...{ cve: 'CVE-2026-1', firstSeenAt: 10, older: false, severity: 'HIGH', worst: 'HIGH', packages: [] },
  ...{ fixableAt: null, exploitedAt: null, exploitedUntil: null, unreportedAt: null },
  ...{ endedAt: null, endedBy: null },
};
const SCAN = { scan: 7, scanner: 'trivy', version: '1', databaseAt: null };
const RUN: ImageRun = { cluster: 'eu-1', firstSeenAt: 5, lastSeenAt: 50, endedAt: null, supersededBy: null };

function history(
  finding: Partial<FindingEpisode>,
  triage: readonly (readonly [number, number])[] = [],
  runs: readonly Partial<ImageRun>[] = [],
): ImageHistory {
  return {
    digest: 'sha256:0',
    findings: [{ ...FINDING, endedBy: finding.endedAt === undefined ? null : SCAN, ...finding }],
    triage: triage.map(([from, until], id) => ({ id, cve: FINDING.cve, from, until })),
    runs: runs.map((run) => ({ ...RUN, ...run })),
    scans: [],
    successors: new Map([
      ['sha256:with', new Set([FINDING.cve])],
      ['sha256:without', new Set<string>()],
      ['sha256:unscanned', null],
    ]),
  };
}

const CASES: readonly (readonly [
  string,
  ImageHistory,
  readonly (readonly [number, number | null, string | null])[],
])[] = [
  ['one that is reported stands', history({}), [[10, null, null]]],
  ['one that is fixed stood until then', history({ endedAt: 30 }), [[10, 30, 'fixed']]],
  [
    'one that ended without a scan is not fixed',
    history({ endedAt: 30, endedBy: null }),
    [[10, 30, 'platform_retired']],
  ],
  [
    'triage ends it, and when it is over the finding is back',
    history({}, [[20, 40]]),
    [
      [10, 20, 'triaged'],
      [40, null, null],
    ],
  ],
  [
    'decisions that overlap or follow each other are one',
    history({}, [
      [20, 30],
      [30, 40],
      [35, 60],
    ]),
    [
      [10, 20, 'triaged'],
      [60, null, null],
    ],
  ],
  ['what was triaged before it was seen never stood', history({ endedAt: 40 }, [[0, 50]]), []],
  ['fixed at the moment of triage is fixed', history({ endedAt: 20 }, [[20, 40]]), [[10, 20, 'fixed']]],
  [
    'triaged at the moment it was last seen running is triaged',
    history({}, [[50, 55]], [{ endedAt: 90 }]),
    [[10, 50, 'triaged']],
  ],
  ['an image that runs is not retired', history({}, [], [{}]), [[10, null, null]]],
  [
    'an image that ran ends it when it was seen last',
    history({}, [], [{ endedAt: 90 }]),
    [[10, 50, 'image_retired']],
  ],
  [
    'it goes on while another cluster runs it',
    history({}, [], [{ endedAt: 90 }, { cluster: 'eu-2', firstSeenAt: 20, lastSeenAt: 70, endedAt: 120 }]),
    [[10, 70, 'image_retired']],
  ],
  [
    'it is back when the image runs again',
    history({ endedAt: 200 }, [], [{ endedAt: 90 }, { firstSeenAt: 150, lastSeenAt: 160 }]),
    [
      [10, 50, 'image_retired'],
      [150, 200, 'fixed'],
    ],
  ],
  [
    'what a scan says of an image that is gone does not stand',
    history({ firstSeenAt: 60 }, [], [{ endedAt: 90 }]),
    [],
  ],
  [
    'an image that was seen once ran',
    history({}, [], [{ firstSeenAt: 20, lastSeenAt: 20, endedAt: 90 }]),
    [[10, 20, 'image_retired']],
  ],
  [
    'a decision that was taken back before it began covers nothing',
    history({}, [[30, 20]]),
    [[10, null, null]],
  ],
];

for (const [name, of, expected] of CASES)
  test(name, () => {
    assert.deepEqual(
      stretchesOf(of).map(({ from, to, ended }) => [from, to, ended]),
      expected,
    );
  });

test('what took the place of an image is told, and whether it has the CVE: yes, no, or not known', () => {
  const told = ['sha256:with', 'sha256:without', 'sha256:unscanned', null].map((supersededBy) => {
    const [stretch] = stretchesOf(history({}, [], [{ endedAt: 90, supersededBy }]));
    return [stretch?.supersededBy, stretch?.successorHasCve];
  });
  assert.deepEqual(told, [
    ['sha256:with', true],
    ['sha256:without', false],
    ['sha256:unscanned', null],
    [null, null],
  ]);
});

test('a stretch says whether its image ran meanwhile', () => {
  const ran = (
    finding: Partial<FindingEpisode>,
    runs: readonly Partial<ImageRun>[],
  ): (boolean | undefined)[] => stretchesOf(history(finding, [], runs)).map((stretch) => stretch.ran);
  assert.deepEqual(ran({}, []), [false]);
  assert.deepEqual(ran({}, [{}]), [true]);
  assert.deepEqual(ran({ endedAt: 12 }, [{ firstSeenAt: 20 }]), [false]);
});
