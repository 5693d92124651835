import { randomBytes } from 'node:crypto';
import { connect, type TLSSocket } from 'node:tls';
import { POD_MARK, reviewBody, UID_MARK } from './webhook-review.ts';

/**
 * Load on a webhook, in a process of its own: `webhook-load.ts PORT CONNECTIONS COUNT RATE`. Each connection keeps alive and has one
 * call under way; RATE 0 calls without pause, else so many a second at fixed times, waiting counted. Prints one JSON line: times in
 * milliseconds of calls that were answered with 200, and of those that were turned away. At a rate, the calls of the first second have no
 * times: in it this process compiles itself and opens its connections, which is nothing of the server's.
 */
const [port = 0, connections = 1, count = 0, rate = 0] = process.argv.slice(2).map(Number);
const HEAD =
  'POST /admission/pods?timeout=5s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ';

/** A call as bytes, with the places of its uids. */
interface Call {
  readonly bytes: Buffer;
  readonly places: readonly number[];
}

const calls = Array.from({ length: 64 }, (_, n): Call => {
  const body = Buffer.from(reviewBody(n));
  const bytes = Buffer.concat([Buffer.from(`${HEAD}${body.length}\r\n\r\n`), body]);
  return { bytes, places: [UID_MARK, POD_MARK].map((mark) => bytes.indexOf(mark)) };
});
const run = randomBytes(4).toString('hex');
const statuses: Record<string, number> = {};
const took: number[] = [];
const shed: number[] = [];
/** From the moment in which a connection was free for the call. */
const answered: number[] = [];
/** Milliseconds from the beginning whose calls have no times. */
const warm = rate === 0 ? 0 : Math.min(1000, (count / rate) * 250);
let began = performance.now();
let sent = 0;
let denied = 0;

function nextCall(): Buffer {
  const { bytes, places } = calls[sent % calls.length] as Call;
  const number = sent.toString(16).padStart(12, '0');
  for (const [i, place] of places.entries())
    bytes.write(`${run}-000${i}-4000-8000-${number}`, place, 'latin1');
  sent += 1;
  return bytes;
}

async function open(): Promise<TLSSocket> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
  socket.setNoDelay(true);
  socket.on('error', () => {}); // who uses it is told
  return socket;
}

/** Sends one call and waits for the whole answer. */
async function call(socket: TLSSocket, from: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    let text = '';
    const take = (chunk: Buffer): void => {
      text += chunk.toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      if (end === -1) return;
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      if (text.length < end + 4 + length) return;
      socket.off('data', take);
      socket.off('close', gone);
      const status = text.slice(9, 12);
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (text.includes('"allowed":false')) denied += 1;
      const now = performance.now();
      if (status !== '200') shed.push(now - sentAt);
      else if (from - began >= warm) {
        took.push(now - from);
        answered.push(now - sentAt);
      }
      resolve();
    };
    socket.on('data', take);
    const gone = (): void => reject(new Error('the connection was closed'));
    socket.once('close', gone);
    const sentAt = performance.now();
    if (socket.destroyed) gone();
    else socket.write(nextCall());
  });
}

// As the API server's own pool does, connections are opened when there is a call for them.
const sockets: TLSSocket[] = await Promise.all(Array.from({ length: rate === 0 ? connections : 0 }, open));
began = performance.now();
if (rate === 0) {
  await Promise.all(
    sockets.map(async (socket) => {
      for (;;) {
        if (sent >= count) return;
        await call(socket, performance.now());
      }
    }),
  );
} else {
  const free: TLSSocket[] = [];
  const waiting: (() => void)[] = [];
  const under: Promise<void>[] = [];
  const take = async (): Promise<TLSSocket> => {
    for (;;) {
      const kept = free.pop();
      if (kept !== undefined) return kept;
      if (sockets.length < connections) {
        const place = sockets.push(null as unknown as TLSSocket) - 1;
        return (sockets[place] = await open());
      }
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
  };
  const one = async (due: number): Promise<void> => {
    const socket = await take();
    await call(socket, due);
    if (socket.writable) free.push(socket);
    else sockets.splice(sockets.indexOf(socket), 1);
    waiting.shift()?.();
  };
  for (let i = 0; i < count; i += 1) {
    const due = began + (i * 1000) / rate;
    // A call counts from when it is sent, so a timer that is late by a millisecond does no harm; waiting in turns of the event loop
    // would take one of two processors from the server.
    while (performance.now() < due)
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
    under.push(one(performance.now()));
  }
  await Promise.all(under);
}
const ms = performance.now() - began;
for (const socket of sockets) socket?.destroy();
const at = (times: number[], share: number): number => {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
};
process.stdout.write(
  `${JSON.stringify({ ms, count: statuses['200'] ?? 0, p50: at(took, 0.5), p99: at(took, 0.99), answeredP99: at(answered, 0.99), shed: shed.length, shedP99: at(shed, 0.99), denied, statuses })}\n`,
);
