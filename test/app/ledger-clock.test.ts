import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachEngine } from '../store/engines.ts';
import { oneRow } from './one-row.ts';
import { startRunning } from './running.ts';

const HOUR = 3_600_000;
const NOON = Date.parse('2026-11-20T12:00:00Z');

forEachEngine('a service that starts again with a clock that was set back', (engine) => {
  test('marks the rows, warns once, and shows it in health, metrics, API and list', async (t) => {
    const url = await engine.migrated();
    const env = { IPO_DATABASE_URL: url };
    const clock = { at: NOON, now: () => clock.at };
    const row = (n: number) => {
      const { rows, ...entry } = oneRow(`6f7b8c1e-0000-4000-8000-00000000000${n}`);
      return { ...entry, rows: rows.map((one) => ({ ...one, at: clock.at })) };
    };
    const first = await startRunning(t, { env, clock });
    assert.equal((await first.service.append.append(row(1))).rows[0]?.clock_suspect, undefined);
    await first.service.close();

    clock.at = NOON - HOUR;
    const second = await startRunning(t, { env, clock, again: first.data });
    const { append } = second.service;
    assert.equal((await append.append(row(2))).rows[0]?.clock_suspect, true);
    await append.append(row(3));
    const warned = second.log.filter((line) =>
      line.includes('the clock is behind what the ledger has recorded'),
    );
    assert.equal(warned.length, 1);
    assert.match(warned[0] ?? '', /"milliseconds":3600000,"recorded":"2026-11-20T12:00:00Z"/);
    const { ledger } = (
      await second.as('viewer').json<{ ledger: Record<string, unknown> }>('GET /system/health')
    ).body;
    assert.deepEqual(
      [ledger['status'], ledger['clock']],
      ['degraded', { behind_seconds: 3600, recorded_at: '2026-11-20T12:00:00Z' }],
    );
    assert.match(String(ledger['message']), /3600 s behind 2026-11-20T12:00:00Z/);
    const metrics = await (await fetch(`${second.url}/metrics`)).text();
    assert.match(metrics, /^svc_ledger_clock_suspect_rows_total 2$/m);
    assert.match(metrics, /^svc_ledger_clock_behind_seconds 3600$/m);
  });
});
