import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { ApartCall, RouteAnswer } from '../../src/api/index.ts';
import { openCallThreads, type CallThreads, type CallThreadsOptions } from '../../src/app/calls/threads.ts';
import { IpoError } from '../../src/base/index.ts';
import { keptLog } from '../api/service.ts';

const NEVER = new AbortController().signal;
const nobody = async (): Promise<never> => {
  throw new IpoError('unavailable', 'the database is away');
};

function opened(
  t: TestContext,
  options: Partial<CallThreadsOptions> = {},
): CallThreads & { log: ReturnType<typeof keptLog> } {
  const log = keptLog();
  const threads = openCallThreads({
    setup: {
      ...{
        url: 'sqlite:none',
        coldImagePolicy: 'AllowAndScan',
        cluster: null,
        maxStops: 10,
        ownNamespace: null,
        origin: 'o',
        vkey: 'v',
      },
      evidenceDays: 0,
    },
    readers: 2,
    asks: { refresh: nobody, collected: nobody, record: nobody, checkpoint: nobody },
    clock: { now: () => 0 },
    traffic: { comes: false },
    log,
    entry: join(import.meta.dirname, 'call-worker-fake.ts'),
    ...options,
  });
  t.after(() => threads.close());
  return Object.assign(threads, { log });
}

const call = (query: string): ApartCall => ({
  ...{ key: 'GET /images', params: {}, query, body: null, principal: null, path: '', acceptEncoding: null },
});

const textOf = ({ body }: RouteAnswer): string => Buffer.from(body as Uint8Array).toString();

test('an account with calls that last does not hold up another', async (t) => {
  const threads = opened(t);
  const gone = new AbortController();
  const lasting = Array.from({ length: 5 }, () => threads.run('read', 'a', call('wait'), gone.signal));
  assert.equal(textOf(await threads.run('read', 'b', call('of b'), NEVER)), 'of b');
  assert.equal(threads.threads, 2);
  gone.abort();
  const ended = await Promise.allSettled(lasting);
  assert.deepEqual(
    ended.map((one) => (one.status === 'fulfilled' ? textOf(one.value) : (one.reason as IpoError).code)),
    ['cancelled', 'unavailable', 'unavailable', 'unavailable', 'unavailable'],
    'one ran, the others had not begun',
  );
  assert.equal(textOf(await threads.run('read', 'a', call('of a'), NEVER)), 'of a');
});

test('a thread that dies fails its call, which says so, and the next call has another', async (t) => {
  const threads = opened(t, { readers: 1 });
  const [died, behind] = await Promise.allSettled([
    threads.run('read', 'a', call('die'), NEVER),
    threads.run('read', 'b', call('after'), NEVER),
  ]);
  assert.equal(died.status === 'rejected' && (died.reason as IpoError).code, 'unavailable');
  assert.equal(behind.status === 'fulfilled' && textOf(behind.value), 'after');
  assert.deepEqual(
    threads.log.lines.map(({ level, keys }) => [level, keys]),
    [['error', { work: 'read', cause: 'exit 7' }]],
  );
});

test('a call that takes too long is ended, and answered as unavailable', async (t) => {
  const threads = opened(t, { limits: { import: 50 } });
  await assert.rejects(threads.run('import', 'a', call('wait'), NEVER), { code: 'unavailable' });
  assert.deepEqual([threads.threads, threads.log.lines.map(({ level }) => level)], [0, ['warn']]);
});

test('an error crosses with what it says; a defect says nothing to the client', async (t) => {
  const threads = opened(t);
  await assert.rejects(threads.run('read', 'a', call('fail'), NEVER), (error: IpoError) => {
    assert.deepEqual(
      [error.code, error.message, error.hint, error.fields],
      ['not_found', 'no such thing', 'look elsewhere', [{ path: 'a', message: 'b' }]],
    );
    return error instanceof IpoError;
  });
  await assert.rejects(threads.run('read', 'a', call('defect'), NEVER), (error: Error) => {
    assert.ok(!(error instanceof IpoError));
    assert.equal(error.cause, 'a stack');
    return true;
  });
});

test('what a thread leaves to the loop is done there, and told', async (t) => {
  const collected = async (digest: string): Promise<never> => digest as never;
  const asks = { refresh: nobody, record: nobody, checkpoint: nobody };
  const told = opened(t, { asks: { ...asks, collected } });
  assert.equal(textOf(await told.run('read', 'a', call('ask'), NEVER)), '"sha256:0"');
  const failing = opened(t);
  assert.equal(textOf(await failing.run('read', 'a', call('ask'), NEVER)), 'unavailable');
});

test('a stream is made as it is read, and ends with its reader', async (t) => {
  const threads = opened(t);
  const { stream } = await threads.run('export', 'a', call('stream'), NEVER);
  assert.ok(stream !== undefined);
  let [pieces, read] = [0, 0];
  for await (const piece of stream as AsyncIterable<Buffer>) {
    read += piece.length;
    pieces = Math.max(pieces, piece[piece.length - 1] ?? 0);
    if (read >= 20 * 65_536) break;
    await new Promise(setImmediate);
  }
  assert.ok(pieces * 65_536 >= read, 'all that was read was made');
  assert.ok(pieces < 30, `${pieces} pieces were made for ${read / 65_536}`);
});

test('threads end when they have had nothing to do for long, but for one reader', async (t) => {
  const threads = opened(t, { idle: 1 });
  await Promise.all(['a', 'b'].map((account) => threads.run('read', account, call('x'), NEVER)));
  await threads.run('import', 'a', call('x'), NEVER);
  while (threads.threads > 1) await new Promise((later) => setTimeout(later, 5));
  assert.equal(textOf(await threads.run('read', 'a', call('again'), NEVER)), 'again');
  await threads.close();
  assert.equal(threads.threads, 0);
  assert.throws(() => threads.run('read', 'a', call('x'), NEVER), { code: 'unavailable' });
});
