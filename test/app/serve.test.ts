import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import Database from 'better-sqlite3';
import { asksNobody } from '../../src/app/running/offline.ts';
import { serve } from '../../src/app/start/serve.ts';
import type { RunningService } from '../../src/app/start/running-service.ts';
import { scratchDirectory } from './running.ts';

/** A process that ends nothing: it keeps the codes that it was to end with. */
class FakeProcess extends EventEmitter {
  readonly codes: number[] = [];
  exit = ((code: number) => void this.codes.push(code)) as NodeJS.Process['exit'];
}

interface Served {
  readonly process: FakeProcess;
  readonly lines: Record<string, unknown>[];
  readonly code: Promise<number>;
  readonly service: RunningService;
}

async function serving(t: TestContext, env: Record<string, string> = {}, endMs?: number): Promise<Served> {
  const process = new FakeProcess();
  const lines: Record<string, unknown>[] = [];
  const started = Promise.withResolvers<RunningService>();
  const code = serve({
    sources: {
      file: null,
      env: { IPO_DATA: scratchDirectory(t), IPO_LISTEN: '127.0.0.1:0', ...asksNobody(), ...env },
    },
    version: '0',
    write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>),
    started: (service) => started.resolve(service),
    process: process as unknown as NodeJS.Process,
    ...(endMs !== undefined && { endMs }),
  });
  code.catch((error: unknown) => started.reject(error as Error));
  const service = await started.promise;
  t.after(() => service.close(0));
  return { process, lines, code, service };
}

test('a signal ends the service in order, and leaves nothing behind in the process', async (t) => {
  const { process, lines, code, service } = await serving(t, { IPO_LOG_LEVL: 'debug' });
  assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
  process.emit('SIGTERM', 'SIGTERM');
  assert.equal(await code, 0);
  assert.deepEqual(process.codes, []);
  assert.deepEqual(process.eventNames(), []);
  await assert.rejects(fetch(`${service.url}/healthz`));
  const messages = lines.map(({ message }) => message);
  assert.equal(messages[0], 'configuration', 'warnings of the configuration are in the log');
  assert.deepEqual(messages.slice(-2), ['stopping', 'stopped']);
});

test('a fault that nothing caught is logged, and ends the process', async (t) => {
  const { process, lines, code } = await serving(t);
  process.emit('unhandledRejection', new TypeError('lost'));
  process.emit('uncaughtException', new RangeError('thrown'));
  assert.deepEqual(process.codes, [3, 3]);
  const errors = lines
    .filter(({ level }) => level === 'error')
    .map(({ error }) => (error as { message: string }).message);
  assert.deepEqual(errors, ['lost', 'thrown']);
  process.emit('SIGINT', 'SIGINT');
  assert.equal(await code, 0);
});

test('a second signal ends the process at once, with what a shell tells of it', async (t) => {
  const { process, code } = await serving(t);
  process.emit('SIGTERM', 'SIGTERM');
  process.emit('SIGINT', 'SIGINT');
  assert.deepEqual(process.codes, [130]);
  assert.equal(await code, 0);
});

test('an end that hangs, and a fault, tell what is left in the spool before the process ends', async (t) => {
  const { process, lines, code, service } = await serving(t, {}, 1);
  const { close } = service;
  const told: string[] = [];
  Object.assign(service, {
    sayLeft: () => void told.push(`after ${process.codes.length} ends`),
    close: () => new Promise(() => {}),
  });
  process.emit('uncaughtException', new RangeError('thrown'));
  process.emit('SIGTERM', 'SIGTERM');
  assert.equal(await code, 3);
  Object.assign(service, { close });
  assert.deepEqual(process.codes, [3, 3]);
  assert.deepEqual(told, ['after 0 ends', 'after 1 ends']);
  assert.match(String(lines.at(-1)?.['message']), /did not end in time/);
});

test('a signal while the service starts is logged, and a start that hangs is given up in time', async (t) => {
  const data = scratchDirectory(t);
  const other = new Database(join(data, 'ipo.db'));
  other.exec('begin exclusive');
  const [process, lines] = [new FakeProcess(), [] as Record<string, unknown>[]];
  process.on('newListener', (name) => {
    if (name === 'unhandledRejection') setImmediate(() => process.emit('SIGTERM', 'SIGTERM'));
  });
  const code = await serve({
    sources: { file: null, env: { IPO_DATA: data, IPO_LISTEN: '127.0.0.1:0', ...asksNobody() } },
    version: '0',
    write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>),
    started: () => assert.fail('it did not start'),
    process: process as unknown as NodeJS.Process,
    endMs: 1,
  });
  other.close();
  assert.deepEqual([code, process.codes], [3, [3]]);
  const [first, last] = lines.map(({ message }) => String(message));
  assert.match(first ?? '', /ends once it has started; a second signal ends it at once/);
  assert.match(last ?? '', /did not start in time/);
});

test('offline, what cannot be fetched is said in one line each, without a stack, after the setup code', async (t) => {
  const process = new FakeProcess();
  const said: string[] = [];
  const both = Promise.withResolvers<void>();
  const code = serve({
    sources: {
      file: null,
      env: {
        ...{ IPO_DATA: scratchDirectory(t), IPO_LISTEN: '127.0.0.1:0' },
        ...asksNobody(),
        // Port 9 of this machine refuses: no name is asked for.
        ...{
          IPO_KEV_SOURCE: 'http://127.0.0.1:9/kev.json',
          IPO_END_OF_LIFE_SOURCE: 'http://127.0.0.1:9/ends',
        },
      },
    },
    version: '0',
    pretty: { color: false },
    write: (line) => {
      said.push(line);
      if (said.filter((one) => one.includes('not fetched')).length === 2) both.resolve();
    },
    started: ({ setupCode }) => said.push(`Setup code ${setupCode}\n`),
    process: process as unknown as NodeJS.Process,
  });
  await both.promise;
  process.emit('SIGTERM', 'SIGTERM');
  assert.equal(await code, 0);
  const after = said.slice(said.findIndex((line) => line.startsWith('Setup code ')) + 1);
  const failed = after.filter((line) => line.includes('not fetched')).map((line) => line.slice(9));
  assert.equal(failed.length, 2, said.join(''));
  for (const line of said) assert.doesNotMatch(line, /\n./, 'one line each');
  for (const [what, path] of [
    ['known exploited vulnerabilities were', 'kev.json'],
    ['release data of operating systems was', 'ends'],
  ])
    assert.ok(
      failed.some((line) =>
        new RegExp(
          `^warn  ${what} not fetched: 127\\.0\\.0\\.1:9 refuses connections job=\\S+ from=http://127\\.0\\.0\\.1:9/${path} meanwhile="[^"]+" next_try=\\d{4}-\\S+Z hint="If this machine cannot reach it, set [^"]+"\n$`,
        ).test(line),
      ),
      failed.join(''),
    );
});
