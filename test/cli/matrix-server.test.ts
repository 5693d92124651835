import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, formatTime } from '../../src/base/index.ts';
import { NOW } from '../ledger/grown.ts';
import { ipo } from './fake-terminal.ts';
import { ROWS, serve, whole } from './made-ledger.ts';

test('advice looks back from the time that is given, from a service as from an export', async (t) => {
  const served = await serve(t, NOW + 30 * DAY_MS);
  for (const [asOf, days] of [
    [NOW, '2'],
    [NOW - DAY_MS + 100_000, '1'],
    [NOW + 29 * DAY_MS, '90'],
  ] as const)
    for (const command of [
      ['whatif', 'matrix'],
      ['policy', 'suggest', '--explain', 'severityThreshold'],
    ]) {
      const args = [...command, '--as-of', formatTime(asOf), '-d', days, '-o', 'json'];
      const [file, service] = [await ipo([...args, '-l', whole]), await served(...args)];
      assert.deepEqual([file.code, service.code], [0, 0], file.err + service.err);
      assert.equal(service.out, file.out, args.join(' '));
    }
  const all = await served('whatif', 'matrix', '--as-of', formatTime(NOW), '-d', '2', '-o', 'json');
  const { rows } = JSON.parse(all.out) as { rows: number };
  assert.ok(rows > ROWS / 2, `${rows} rows`);
});

test('--server without an address asks the service that is known', async () => {
  const env = { IPO_SERVER: 'http://127.0.0.1:1', IPO_TOKEN: 'viewer-token' };
  for (const args of [['--server'], ['--days', '10', '--server'], ['--server', '-o', 'json']]) {
    const { code, err } = await ipo(['whatif', 'matrix', ...args], { env });
    assert.equal(code, 3, err);
    assert.match(err, /127\.0\.0\.1:1/);
  }
});
