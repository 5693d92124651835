import { subscribe } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { certificateMaker } from '../src/adapters/certificates/index.ts';
import { openDetectorListener } from '../src/api/index.ts';
import { DAY_MS } from '../src/base/index.ts';
import { EventQueue } from '../src/runtime/index.ts';
import { openStore, runtimeIntake } from '../src/store/index.ts';
import { log } from './webhook-ours.ts';

/**
 * The listener of the runtime detector in a process of its own, over SQLite: `runtime-server.ts FOLDER`. It says its port, writes the bundle
 * to `FOLDER/bundle`, and on each message the times within which it answered since the one before, by status.
 */
const [folder = ''] = process.argv.slice(2);
const times = new Map<number, number[]>();

// From when the head of a request is read until its answer is written, whatever else waits on its connection.
subscribe('http.server.request.start', (message) => {
  const { response } = message as { readonly response: ServerResponse };
  const began = performance.now();
  const writeHead = response.writeHead.bind(response) as (...words: unknown[]) => ServerResponse;
  response.writeHead = ((status: number, ...rest: unknown[]) => {
    const some = times.get(status) ?? [];
    some.push(performance.now() - began);
    times.set(status, some);
    return writeHead(status, ...rest);
  }) as ServerResponse['writeHead'];
});

const clock = { now: () => Date.now() };
const life = { from: Date.now() - 1000, to: Date.now() + DAY_MS };
const authority = await certificateMaker.makeAuthority(life);
const [server, client] = await Promise.all([
  certificateMaker.makeServing(authority, ['localhost', '127.0.0.1'], life),
  certificateMaker.makeClient(authority, 'runtime-detector', life),
]);
const bundle = join(folder, 'bundle');
mkdirSync(bundle, { recursive: true });
for (const [name, text] of [
  ['ca.crt', authority.cert],
  ['client.crt', client.cert],
  ['client.key', client.key],
] as const)
  writeFileSync(join(bundle, name), text, { mode: 0o600 });
const store = await openStore({ url: `sqlite:${join(folder, 'events.db')}`, turn: 'behind' });
const queue = new EventQueue({
  intake: runtimeIntake(store),
  cluster: '',
  log,
  monotonic: () => performance.now(),
});
setInterval(() => queue.look(), 200);
const listener = openDetectorListener({
  queue,
  door: { cert: server.cert, key: server.key, ca: authority.cert, clients: [client.cert] },
  tally: { kept() {}, dropped() {} },
  clock,
  log,
});
const { port } = await listener.listen('127.0.0.1', 0);
process.on('message', () => {
  const told = [...times].map(([status, some]) => {
    some.sort((a, b) => a - b);
    return [status, { count: some.length, p95: some[Math.floor(some.length * 0.95)] ?? 0 }];
  });
  times.clear();
  process.send?.(Object.fromEntries(told));
});
process.on('disconnect', () => process.exit(0));
process.send?.({ port });
