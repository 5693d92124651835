import assert from 'node:assert/strict';
import { createServer, connect, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { Doors } from '../../src/api/admission/doors.ts';

function opened(t: TestContext) {
  const taken: Socket[] = [];
  const server = createServer((socket) => void taken.push(socket));
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

test('a port that another one listens on is taken, although that one would share it', async (t) => {
  const first = opened(t);
  const { host, port } = await first.doors.listen('127.0.0.1', 0);
  const second = opened(t);
  await assert.rejects(second.doors.listen(host, port), { code: 'EADDRINUSE' });
  await first.doors.close();
  assert.deepEqual(await second.doors.listen(host, port), { host, port });
});
