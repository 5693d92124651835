import { once } from 'node:events';
import { Agent, request as call } from 'node:https';
import type { TestContext } from 'node:test';
import { connect, type TLSSocket } from 'node:tls';
import type { ReviewReply } from '../../src/admission/index.ts';
import { openListener, type ListenerOptions } from '../../src/api/admission/index.ts';
import { keptLog } from '../api/service.ts';
import { withoutOpenssl } from '../app/certificate.ts';
import { madeCertificate } from './certificate.ts';

/** skip says why the port cannot be tested here, or is false. */
export const skip = withoutOpenssl;
/** certificate and other are two that the port may show. */
export const certificate = skip === false ? madeCertificate('webhook') : null;
export const other = skip === false ? madeCertificate('other') : null;
/** OK is an answer that stands for any. */
export const OK: ReviewReply = { status: 200, body: '{}', retryAfter: null };

/** Answer is what came back. */
export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** start opens a listener on loopback, closed with its test; `reviewer` answers at once unless given. */
export async function start(t: TestContext, options: Partial<ListenerOptions> = {}) {
  const shed: string[] = [];
  const due: { ms: number; act: () => void }[] = [];
  const listener = openListener({
    reviewer: { unready: () => null, review: async () => OK, reviewOversized: async () => OK },
    tally: { shed: (reason) => void shed.push(reason) },
    certificate,
    log: keptLog(),
    timers: { after: (ms, act) => (due.push({ ms, act }), () => {}) },
    ...options,
  });
  const { port } = await listener.listen('127.0.0.1', 0);
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  t.after(async () => {
    agent.destroy();
    const closed = listener.close(0, 0);
    for (let turn = 0; turn < 20; turn += 1) {
      for (const { act } of due.splice(0)) act();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await closed;
  });
  const ask = (method: string, path: string, body?: Buffer | string, headers: object = {}): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const sent = call(
        { host: '127.0.0.1', port, method, path, agent, headers: { ...headers } },
        (response) => {
          let text = '';
          response.on('data', (chunk: Buffer) => (text += chunk.toString()));
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers }),
          );
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  return { listener, port, ask, shed, due };
}

/** open gives a connection on which a test writes bytes itself. */
export async function open(t: TestContext, port: number): Promise<TLSSocket> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  t.after(() => socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  return socket;
}

/** held gives a reviewer whose answers wait until they are let go. */
export function held() {
  const waiting: (() => void)[] = [];
  const review = (): Promise<ReviewReply> => new Promise((resolve) => waiting.push(() => resolve(OK)));
  return {
    reviewer: { unready: () => null, review, reviewOversized: review },
    waiting,
    async until(count: number) {
      while (waiting.length < count) await new Promise((resolve) => setImmediate(resolve));
    },
    letGo: () => {
      for (const go of waiting.splice(0)) go();
    },
  };
}
