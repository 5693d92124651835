import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore } from '../../src/store/index.ts';
import { ledgerWriter } from '../../src/store/ledger/append.ts';
import { recordedTimes } from '../../src/store/ledger/recorded-times.ts';
import { rowsOf } from '../store/image-records.ts';
import { AT, review } from '../ledger/parts.ts';
import { forEachEngine } from '../store/engines.ts';
import { ipo } from './fake-terminal.ts';

forEachEngine('ipo ledger accept-clock', (engine) => {
  test('lets the times that a wrong clock recorded count no more, marks what was marked, and is audited', async (t) => {
    const url = await engine.migrated();
    const store = await openStore({ url });
    t.after(() => store.close());
    await ledgerWriter(store).appendAll([
      review(1, 2, { at: AT + 3_600_000 }),
      review(2, 1, { clock_suspect: true }),
    ]);
    const run = (...args: string[]) => ipo(['ledger', ...args], { env: { IPO_DATABASE: url } });
    const first = await run('accept-clock');
    assert.deepEqual([first.code, first.err], [0, '']);
    assert.equal(
      first.out,
      'The clock is accepted: 2026-11-20T07:00:00Z, the newest time in 3 rows, is no longer a limit. Running services apply this within 15 seconds.\n',
    );
    assert.equal(await recordedTimes(store).newest(), null);
    assert.deepEqual(JSON.parse((await run('accept-clock', '-o', 'json')).out), {
      rows: 3,
      recorded_at: null,
    });
    const audited = await rowsOf(store, 'select action, path from audit order by id');
    assert.deepEqual(
      audited.map(({ action, path }) => [action, path]),
      [1, 2].map(() => ['ledger_clock_accept', 'ipo ledger accept-clock']),
    );
    const listed = await run('list', '--database');
    assert.match(listed.out, /\(clock suspect\)/);
    assert.equal(listed.out.split('clock suspect').length, 2, 'the marked row alone');
  });
});
