import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, connect, type ServerOpts, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { Doors } from '../../src/api/admission/doors.ts';

function opened(t: TestContext, options: ServerOpts = {}) {
  const taken: Socket[] = [];
  const server = createServer(options, (socket) => void taken.push(socket));
  const doors = new Doors(server);
  t.after(() => {
    for (const socket of taken) socket.destroy();
    return doors.close();
  });
  return { doors, taken };
}

test('whichever door a connection comes by, the server has it', async (t) => {
  const { doors, taken } = opened(t);
  const { host, port } = await doors.listen('127.0.0.1', 0);
  const clients = await Promise.all(
    Array.from(
      { length: 64 },
      () =>
        new Promise<Socket>((resolve, reject) => {
          const client = connect(port, host, () => resolve(client)).once('error', reject);
        }),
    ),
  );
  while (taken.length < 64) await new Promise((resolve) => setImmediate(resolve));
  for (const client of clients) client.destroy();
  await doors.close();
  await assert.rejects(
    new Promise((resolve, reject) => {
      connect(port, host, () => resolve(null)).once('error', reject);
    }),
    { code: 'ECONNREFUSED' },
  );
});

test('whichever door a connection comes by, what is written on it waits for no acknowledgement', async (t) => {
  const { doors, taken } = opened(t, { noDelay: true });
  const { host, port } = await doors.listen('127.0.0.1', 0);
  const spent: number[] = [];
  for (let n = 0; n < 32; n += 1) {
    const client = connect(port, host);
    await once(client, 'connect');
    while (taken.length <= n) await new Promise((resolve) => setImmediate(resolve));
    const server = taken[n] as Socket;
    // Two answers of two pieces: with the second the client's acknowledgements are delayed.
    server.on('data', () => {
      server.write('one');
      setImmediate(() => server.write('two'));
    });
    for (const last of [false, true]) {
      const began = performance.now();
      client.write('?');
      for (let text = ''; text !== 'onetwo';) text += String((await once(client, 'data'))[0]);
      if (last) spent.push(performance.now() - began);
    }
    client.destroy();
  }
  const late = spent.filter((ms) => ms > 35).length; // a delayed acknowledgement takes 40 ms
  assert.ok(late < 8, `${late} of 32 connections waited: ${spent.map(Math.round).join(' ')}`);
});

test('a port that another one listens on is taken, although that one would share it', async (t) => {
  const first = opened(t);
  const { host, port } = await first.doors.listen('127.0.0.1', 0);
  const second = opened(t);
  await assert.rejects(second.doors.listen(host, port), { code: 'EADDRINUSE' });
  await first.doors.close();
  assert.deepEqual(await second.doors.listen(host, port), { host, port });
});
