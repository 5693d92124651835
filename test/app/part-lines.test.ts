import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { suite, test } from 'node:test';
import { Secret } from '../../src/base/index.ts';
import { loadConfig } from '../../src/app/config/config.ts';
import { carryConfig, takeConfig } from '../../src/app/processes/carried-config.ts';
import { StopSignals } from '../../src/app/processes/stop-signals.ts';
import { wholeLines } from '../../src/app/processes/whole-lines.ts';

async function linesOf(chunks: readonly Buffer[]): Promise<string[]> {
  const lines: string[] = [];
  const input = Readable.from(chunks);
  wholeLines(input, (line) => void lines.push(line));
  await new Promise((resolve) => input.on('end', resolve));
  return lines;
}

suite('Lines of the log of a part', () => {
  test('a line ends only with a line feed, so that no text in it makes another line', async () => {
    const line = JSON.stringify({ message: 'a\u2028{"level":"error"}\u2029b\rc' });
    assert.deepEqual(await linesOf([Buffer.from(`${line}\nnext\n`)]), [line, 'next']);
  });

  test('a line that comes in pieces is handed over whole, characters of several bytes too', async () => {
    const bytes = Buffer.from('wörd €uro\nlast\n');
    assert.deepEqual(await linesOf([...bytes].map((byte) => Buffer.of(byte))), ['wörd €uro', 'last']);
  });

  test('what a process that was killed had not written to its end is left out', async () => {
    assert.deepEqual(await linesOf([Buffer.from('whole\n{"level":"inf')]), ['whole']);
  });

  test('a line without an end is cut, so that it fills no memory', async () => {
    const lines = await linesOf(Array.from({ length: 5 }, () => Buffer.alloc(512 * 1024, 'x')));
    assert.equal(lines.length, 1);
    assert.ok((lines[0]?.length ?? 0) < 2 * 1024 * 1024);
  });
});

suite('What a part is begun with', () => {
  test('settings come over as they were checked, their secrets with them', async () => {
    const config = await loadConfig({
      file: {
        name: 'x.json',
        text: JSON.stringify({ data: '/tmp/x', webhook: { listen: '127.0.0.1:8443' } }),
      },
      env: { IPO_DATABASE_URL: 'postgres://u:hunter2@db/ipo' },
    });
    const taken = takeConfig(structuredClone(carryConfig(config)));
    assert.deepEqual(taken, config);
    assert.ok(taken.settings.database.url instanceof Secret);
    assert.equal(taken.settings.database.url.reveal(), 'postgres://u:hunter2@db/ipo');
  });

  test('what is not data is logged, not lost', () => {
    assert.throws(() => carryConfig({ settings: { at: new Map() }, warnings: [] } as never), TypeError);
  });

  test('a signal that comes before anybody listens is told once somebody does', async () => {
    const signals = new StopSignals();
    const heard: string[] = [];
    signals.came('SIGTERM');
    signals.on((signal) => void heard.push(signal));
    await new Promise((resolve) => setImmediate(resolve));
    signals.came('SIGINT');
    assert.deepEqual(heard, ['SIGTERM', 'SIGINT']);
  });
});
