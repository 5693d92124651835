import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SweepHarness } from '../reconcile/harness.ts';
import { AT, BAD, CLEAN, container, podOf, policy, SAFE, uidOf } from '../reconcile/parts.ts';
import { forEachEngine } from '../store/engines.ts';

forEachEngine('a replica that was forgotten, and whose volume is found after all', (engine) => {
  test('the row of a review stands beside the row that said unreviewed, and its break-glass counts from the next sweep on', async (t) => {
    const h = await SweepHarness.open(await engine.open(t));
    h.policies = [policy({ runtimeReconciliation: 'enforce' })];
    await h.scanned(BAD, ['CRITICAL']);
    await h.scanned(CLEAN, []);
    const image = 'ghcr.io/acme/web:2';
    h.replacement = () => ({
      labels: new Map(),
      spec: { containers: [{ name: 'web', image, securityContext: { ...SAFE } }] },
    });
    h.pods = [podOf(1, { containers: [container(BAD)], breakGlassReason: 'incident 7' })];
    const service = h.service();
    // What would replace it is not known yet, so that it stays.
    const first = await h.sweep(service);
    assert.deepEqual([first.unreviewed, first.refused, first.stopped], [1, 1, 0]);
    const row = {
      ...{
        at: AT - 60_000,
        kind: 'review',
        cluster: 'eu',
        namespace: 'shop',
        pod: 'web-1',
        pod_uid: uidOf(1),
      },
      ...{ container: 'web', image: 'ghcr.io/acme/web:1', digest: BAD, allowed: true, reason: '' },
      ...{ break_glass: true },
    } as const;
    await h.ledger.append({ uid: 'found-after-all', rows: [row] });
    h.tags = { [image]: CLEAN };
    for (const again of [service, h.service()]) {
      const result = await h.sweep(again);
      assert.deepEqual([result.unreviewed, result.bypassed, result.refused, result.stopped], [0, 1, 0, 0]);
    }
    assert.deepEqual([(await h.rows('unreviewed')).length, (await h.rows('review')).length], [1, 1]);
  });

  test('a pod that asks for break-glass and has no review is not stopped by a policy that grants it to a group', async (t) => {
    const h = await SweepHarness.open(await engine.open(t));
    await h.scanned(BAD, ['CRITICAL']);
    await h.scanned(CLEAN, []);
    h.replacement = () => ({
      labels: new Map(),
      spec: { containers: [{ name: 'web', image: `web@${CLEAN}`, securityContext: { ...SAFE } }] },
    });
    h.pods = [podOf(1, { containers: [container(BAD)], breakGlassReason: 'incident 7' })];
    for (const [groups, stopped] of [
      [['oncall'], 0],
      [[], 1],
    ] as const) {
      h.policies = [
        policy({ runtimeReconciliation: 'enforce', breakGlass: { allowed: true, groups: [...groups] } }),
      ];
      assert.equal((await h.sweep()).stopped, stopped);
    }
    const rows = await h.rows('reconcile');
    assert.match(
      String(rows[0]?.['reason']),
      /; not stopped: break-glass may have admitted it, and no review of it is recorded$/,
    );
  });
});
