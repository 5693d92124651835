import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namesOf } from '../../src/reconcile/index.ts';
import { forEachEngine } from '../store/engines.ts';
import { rowsOf } from '../store/image-records.ts';
import { SweepHarness } from './harness.ts';
import { podOf, policy } from './parts.ts';

forEachEngine('sweeps one after another', (engine) => {
  test('two that are asked for at once record each pod that was never reviewed once', async (t) => {
    const h = await SweepHarness.open(await engine.open(t));
    h.policies = [policy()];
    h.pods = [podOf(1), podOf(2)];
    const service = h.service();
    const results = await Promise.all([service.run(), service.run(), service.run()]);
    assert.deepEqual(
      results.map((result) => result?.unreviewed),
      [2, 0, 0],
    );
    const [{ rows } = {}] = await rowsOf(
      h.store,
      `select count(*) as rows from ledger_rows r join ledger_shapes s on s.id = r.shape where s.kind = 'unreviewed'`,
    );
    assert.equal(Number(rows), 2);
    // A sweep that failed holds up none after it.
    h.beforeAppend = () => {
      throw new Error('the disk is full');
    };
    h.pods = [podOf(3)];
    const failed = service.run();
    await assert.rejects(failed, /the disk is full/);
    h.beforeAppend = () => {};
    assert.equal((await service.run())?.unreviewed, 1);
  });
});

test('the names that run are told once each, however many pods run them', () => {
  assert.deepEqual(namesOf([podOf(1), podOf(2), podOf(3)]), ['ghcr.io/acme/web']);
});
