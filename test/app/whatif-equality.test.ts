import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import fc from 'fast-check';
import { openReplayProcess } from '../../src/app/replay/process.ts';
import { whatIfRoutes } from '../../src/api/routes/whatif.ts';
import { DAY_MS, formatTime } from '../../src/base/index.ts';
import type { ColdImagePolicy } from '../../src/ledger/index.ts';
import { auditLog, openStore, runStore } from '../../src/store/index.ts';
import { openKeptRuns, openLiveWhatIf } from '../../src/whatif/index.ts';
import { keptLog, startApi } from '../api/service.ts';
import { ipo } from '../cli/fake-terminal.ts';
import { arbitraryPolicySpec, NOW } from '../decision/arbitraries.ts';
import { runs } from '../runs.ts';
import { forEachEngine } from '../store/engines.ts';
import { arbitraryMade, empty, exported, fill, type Made } from '../store/made-ledger.ts';

const arbitraryDraft = arbitraryPolicySpec().map((spec) =>
  JSON.stringify({
    apiVersion: 'ipo.dev/v1',
    kind: 'ImagePolicy',
    metadata: { name: 'second' },
    spec,
  }),
);

/** A question: parameters as flags, some beside the edges of the rows. */
const arbitraryFlags = fc.record({
  '--days': fc.constantFrom('1', '7', '30', '90'),
  '--limit': fc.constantFrom('0', '1', '5', '20', '5000'),
  '--source': fc.constantFrom(undefined, undefined, 'first', 'second'),
  '--as-of': fc.oneof(
    fc.constantFrom(formatTime(NOW), formatTime(NOW - DAY_MS), '2026-11-20T06:00:00.000001Z'),
    fc.integer({ min: -40 * 86_400, max: 86_400 }).map((seconds) => formatTime(NOW + seconds * 1000)),
  ),
});

/** A service over a store, its replays in a process of their own, and a clock that lets everybody start at once. */
async function serve(t: TestContext, url: string, coldImagePolicy: ColdImagePolicy): Promise<string> {
  const store = await openStore({ url });
  const replays = openReplayProcess({ url, coldImagePolicy, log: keptLog() });
  t.after(() => store.close());
  t.after(() => replays.close());
  let now = NOW;
  const clock = { now: () => (now += 60_000) };
  const deps = { runs: runStore(store), audit: auditLog(store, clock), clock };
  const whatif = openLiveWhatIf({
    ...deps,
    replayer: replays,
    together: (act) => store.write(act),
    count: { add: () => {} },
  });
  return (
    await startApi(
      t,
      whatIfRoutes({
        whatif,
        runs: openKeptRuns({ ...deps, printer: replays, names: async () => new Map() }),
        names: async () => new Map(),
      }),
    )
  ).url;
}

forEachEngine('the same draft over the same ledger', (engine) => {
  test('gives the same bytes from an export, from the service and from its database', async (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'ipo-equality-'));
    t.after(() => rmSync(directory, { recursive: true, force: true }));
    const url = await engine.migrated();
    const store = await openStore({ url });
    t.after(() => store.close());
    const servers = {
      AllowAndScan: await serve(t, url, 'AllowAndScan'),
      DenyUntilScanned: await serve(t, url, 'DenyUntilScanned'),
    };
    const [draft, ledger] = [join(directory, 'draft.json'), join(directory, 'ledger.ndjson')];
    let compared = 0;
    let changed = 0;
    const compare = async (
      made: Made,
      text: string,
      flags: Readonly<Record<string, string | undefined>>,
    ): Promise<void> => {
      writeFileSync(draft, text);
      const given = Object.entries(flags).flatMap(([flag, value]) =>
        value === undefined ? [] : [flag, value],
      );
      const args = ['whatif', draft, ...given, '-o', 'json'];
      const env = { IPO_TOKEN: 'deployer-token', XDG_CONFIG_HOME: directory };
      const offline = await ipo([...args, '--ledger', ledger], { env });
      const live = await ipo(
        [...args, '--server', servers[made.coldImagePolicy], ...(compared % 2 === 0 ? ['--keep'] : [])],
        { env },
      );
      const direct = await ipo([...args, '--database', url, '--cold-image-policy', made.coldImagePolicy], {
        env,
      });
      const what = `${given.join(' ')}\n${live.err}${direct.err}`;
      assert.equal(withoutRun(live.out), offline.out, what);
      assert.equal(direct.out, offline.out, what);
      assert.deepEqual([live.code, direct.code], [offline.code, offline.code], what);
      compared += 1;
      if (offline.code === 0 && JSON.parse(offline.out).would_deny + JSON.parse(offline.out).would_allow > 0)
        changed += 1;
    };
    for (const made of fc.sample(arbitraryMade, { numRuns: runs(4), seed: 4711 })) {
      await empty(store);
      await fill(store, made);
      writeFileSync(
        ledger,
        await exported(store, { from: null, to: null, tree: null, coldImagePolicy: made.coldImagePolicy }),
      );
      const asked = fc.sample(fc.tuple(arbitraryDraft, arbitraryFlags), {
        numRuns: 12,
        seed: made.rows.length,
      });
      for (const [text, flags] of asked) await compare(made, text, flags);
    }
    assert.ok(compared >= 48 && changed >= 10, `${changed} of ${compared} answers have a difference`);
  });
});

/** The answer as if it had not been kept. */
function withoutRun(json: string): string {
  return json.replace(/"kept":true,"run_id":"[a-z2-7]{16}"\}\n$/, '"kept":false,"run_id":null}\n');
}
