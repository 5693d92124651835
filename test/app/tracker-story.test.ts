import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { playStory, type Told } from '../../bin/demo/trackers/story.ts';
import { FAKE_KINDS, startFake, VENDOR_LIMITS, type Fake, type FakeKind } from '../../fakes/index.ts';
import { DemoTime, startTrackerDemo } from '../../src/app/index.ts';
import { checkByVendor, noVendorData } from '../fakes/vendor.ts';
import { forEachEngine } from '../store/engines.ts';
import { scratchDirectory } from './running.ts';

interface Played {
  readonly fake: Fake;
  readonly told: readonly Told[];
  readonly metrics: string;
  readonly log: readonly string[];
}

async function play(t: TestContext, kind: FakeKind, database: string): Promise<Played> {
  const time = new DemoTime();
  const fake = await startFake(kind, {
    clock: { now: () => time.now() },
    lagMs: 15_000,
    limits: VENDOR_LIMITS[kind],
  });
  t.after(() => fake.close());
  const [told, log]: [Told[], string[]] = [[], []];
  const service = await startTrackerDemo({
    directory: scratchDirectory(t),
    time,
    version: '0.0.0-test',
    database,
    write: (line) => void log.push(line),
  });
  t.after(() => service.close());
  await playStory({ service, fake, time, tell: (one) => void told.push(one) });
  return { fake, told, metrics: await service.metrics(), log };
}

/** What happened to issues and rows, act by act. */
function actsOf(told: readonly Told[]): string[][] {
  const acts: string[][] = [];
  for (const one of told) {
    if (one.kind === 'act') acts.push([]);
    else if (one.kind === 'issue')
      acts.at(-1)?.push(`${one.change.what} ${/\d+$/.exec(one.change.name)?.[0]}`);
    else if (one.kind === 'rows') acts.at(-1)?.push(...one.rows.map(({ reason }) => reason ?? 'none'));
  }
  return acts;
}

const NVD = 'https://nvd.nist.gov/vuln/detail/CVE-';
const MARKER = /^<!-- ipo-1-[a-z2-7]{26} -->$/;
const retired = Array.from({ length: 5 }, () => 'image_retired');
const ACTS = [
  [],
  [],
  ['opened 1'],
  ['opened 2', 'opened 3'],
  ['closed 2', 'fixed'],
  ['closed 3', 'triaged'],
  ['commented 1', 'fixed', 'fixed'],
  [],
  ['closed 1', ...retired],
];
const STATES = ['gap', 'partial', 'partial', 'partial', 'met', 'met', 'partial', 'partial', 'partial'];

forEachEngine('the life of issues in the daemon', (engine) => {
  for (const kind of FAKE_KINDS) {
    test(`against ${kind}`, async (t) => {
      const { fake, told, metrics, log } = await play(t, kind, await engine.migrated());
      assert.deepEqual(actsOf(told), ACTS);
      assert.deepEqual(
        told.flatMap((one) => (one.kind === 'summary' ? [one.summary.remediation.state] : [])),
        STATES,
      );
      const { issues } = fake.state;
      assert.deepEqual(
        issues.map(({ state, comments }) => [state, comments.filter(({ system }) => !system).length]),
        [
          ['closed', 2],
          ['closed', 1],
          ['closed', 1],
        ],
      );
      if (kind.startsWith('github'))
        assert.deepEqual(
          issues.map(({ reason }) => reason),
          ['not_planned', 'completed', 'not_planned'],
        );
      // The links and markers that we write ourselves are all that is active.
      assert.deepEqual(
        fake.active().filter(({ text }) => !text.includes(NVD) && !MARKER.test(text)),
        [],
      );
      assert.deepEqual(fake.violations, []);
      const provider = kind.startsWith('jira') ? 'jira' : kind.startsWith('github') ? 'github' : 'gitlab';
      for (const line of [
        `svc_issues_opened_total{provider="${provider}"} 3`,
        `svc_issues_closed_total{provider="${provider}",reason="fixed"} 1`,
        `svc_issues_closed_total{provider="${provider}",reason="triaged"} 1`,
        `svc_issues_closed_total{provider="${provider}",reason="image_retired"} 1`,
      ])
        assert.ok(metrics.includes(`${line}\n`), `${line} is not in\n${metrics}`);
      for (const { secret } of Object.values(fake.tokens))
        assert.ok(!log.some((line) => line.includes(secret)), 'a token in the log');
      if (noVendorData === false) assert.deepEqual(checkByVendor(fake).problems, []);
    });
  }
});
