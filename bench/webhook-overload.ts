import { get } from 'node:https';
import { connect, type TLSSocket } from 'node:tls';
import { REVIEW_PATH } from '../src/admission/index.ts';

/** Line prints a figure beside what it must be. */
type Line = (name: string, figure: string, must: string) => void;

/** Overloaded is what is put under too much load. */
interface Overloaded {
  readonly port: number;
  use(): Promise<{ readonly rss: number }>;
}

/** LoadRun is one run of load: count, rate, connections, whether calls may be turned away. */
type LoadRun = (
  count: number,
  rate: number,
  connections?: number,
  sheds?: boolean,
) => Promise<{
  readonly count: number;
  readonly p99: number;
  readonly shed: number;
  readonly shedP99: number;
  readonly answeredP99: number;
  readonly statuses: Readonly<Record<string, number>>;
}>;

const RATED = 500;
const IDLE = 1000;
const SLOW = 100;
const LARGE = 8 * 1024 * 1024 - 1024;

/**
 * benchOverload puts ten times the rated load on a webhook, beside connections that say nothing, clients that send a byte at a time and
 * bodies of 8 MiB, and prints what becomes of it.
 */
export async function benchOverload(
  server: Overloaded,
  load: LoadRun,
  line: Line,
  quick: boolean,
): Promise<void> {
  const seconds = quick ? 4 : 20;
  const idle: TLSSocket[] = [];
  for (let i = 0; i < IDLE; i += 50)
    idle.push(...(await Promise.all(Array.from({ length: 50 }, () => open(server.port)))));
  const slow = await Promise.all(Array.from({ length: SLOW }, () => open(server.port)));
  for (const socket of slow)
    socket.write(`POST ${REVIEW_PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: ${LARGE}\r\n\r\n`);
  const ticks = setInterval(() => {
    for (const socket of slow) if (socket.writable) socket.write(' ');
  }, 200);
  const alive = watchLiveness(server.port);
  const large = sendLarge(server.port);
  const over = await load(10 * RATED * seconds, 10 * RATED, 600, true);
  clearInterval(ticks);
  await large.stop();
  const { rss } = await server.use();
  const { asked, failed } = await alive.stop();
  for (const socket of [...idle, ...slow]) socket.destroy();
  const after = await load(900, 300);
  line('ten times the rated load: memory', `${rss.toFixed(0)} MB`, 'at most 512 MB');
  line('  p99 of what was answered', `${over.answeredP99.toFixed(0)} ms`, 'at most 500 ms');
  line('  turned away, with their p99', `${over.shed}, ${over.shedP99.toFixed(0)} ms`, 'at most 50 ms');
  line('  connections in use that were closed', String(over.statuses.closed ?? 0), '0');
  line('  liveness asked, and failed', `${asked}, ${failed}`, '0 failed');
  line('  p99 at 300 a second right after', `${after.p99.toFixed(1)} ms`, 'as before');
}

async function open(port: number): Promise<TLSSocket> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  socket.on('error', () => {}); // it is closed when it is too slow
  await new Promise((resolve) => socket.once('secureConnect', resolve).once('close', resolve));
  return socket;
}

/** Asks again and again whether the server lives, on a connection of its own each time, as a kubelet does. */
function watchLiveness(port: number) {
  let [asked, failed] = [0, 0];
  const end = new AbortController();
  const asking = (async () => {
    while (!end.signal.aborted) {
      asked += 1;
      const answered = Promise.withResolvers<boolean>();
      const sent = get({
        host: '127.0.0.1',
        port,
        path: '/livez',
        rejectUnauthorized: false,
        agent: false,
        timeout: 5000,
      });
      sent.on('response', (response) => {
        response.resume();
        answered.resolve(response.statusCode === 200);
      });
      sent.on('error', () => answered.resolve(false));
      sent.on('timeout', () => answered.resolve(false));
      if (!(await answered.promise)) failed += 1;
      sent.destroy();
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  })();
  return {
    stop: async () => {
      end.abort();
      await asking;
      return { asked, failed };
    },
  };
}

/** Sends bodies of 8 MiB, two at a time. */
function sendLarge(port: number) {
  const end = new AbortController();
  const body = Buffer.alloc(LARGE, '{"kind":"AdmissionReview","request":{"uid":"large"}}');
  const sending = [0, 1].map(async () => {
    while (!end.signal.aborted) {
      const socket = await open(port);
      socket.write(
        `POST ${REVIEW_PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: ${LARGE}\r\nConnection: close\r\n\r\n`,
      );
      socket.write(body);
      socket.resume();
      await new Promise((resolve) => socket.once('close', resolve));
    }
  });
  return {
    stop: async () => {
      end.abort();
      await Promise.all(sending);
    },
  };
}
