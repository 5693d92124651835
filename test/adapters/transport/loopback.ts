import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { Secret } from '../../../src/base/index.ts';
import {
  openTransport,
  openWriterQueues,
  parseBase,
  type AddressRules,
  type Line,
  type Transport,
  type TransportOptions,
} from '../../../src/adapters/transport/index.ts';

/** LOOPBACK are the rules of tests: this machine alone is open beside the rest of the world. */
export const LOOPBACK: AddressRules = { testLoopback: true, privateNetworks: 'allow', denied: [] };

/** CANARY is a credential that must show nowhere. */
export const CANARY = 'canary-7f3d/+=credential';

/** Seen is one request as a server got it. */
export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Loopback is a small server that remembers what it got, byte for byte. */
export interface Loopback {
  readonly url: string;
  readonly port: number;
  readonly seen: Seen[];
  /** Connections made, also without a request. */
  connections(): number;
}

/** Answering says what a server does with a request. */
export type Answering = (seen: Seen, response: ServerResponse, socket: Socket) => void;

/** startLoopback starts a server that ends with the test. */
export async function startLoopback(t: TestContext, answering: Answering): Promise<Loopback> {
  const seen: Seen[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const one = {
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      };
      seen.push(one);
      answering(one, response, request.socket);
    });
  });
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, seen, connections: () => connections };
}

/** StillClock is a clock that moves only when it is waited for, or told to. */
export interface StillClock {
  now(): number;
  monotonic(): number;
  wait(ms: number): Promise<void>;
  /** What was waited for, in order. */
  readonly waited: number[];
  pass(ms: number): void;
}

/** stillClock makes a clock that stands at the first of October 2026. */
export function stillClock(): StillClock {
  let at = Date.UTC(2026, 9, 1);
  const waited: number[] = [];
  return {
    now: () => at,
    monotonic: () => at,
    wait: async (ms) => {
      waited.push(ms);
      at += ms;
    },
    waited,
    pass: (ms) => {
      at += ms;
    },
  };
}

/** stillLine is what trackers share, with a clock that stands still. */
export function stillLine(options: Partial<Line> = {}): Line {
  const clock = stillClock();
  return {
    rules: LOOPBACK,
    queues: openWriterQueues({ clock, wait: clock.wait }),
    clock,
    userAgent: 'ipo/test',
    timeoutMs: 5000,
    ...options,
  };
}

/** toTransport makes a transport to a server of a test. */
export function toTransport(url: string, options: Partial<TransportOptions> = {}): Transport {
  const clock = stillClock();
  return openTransport({
    base: parseBase(url, LOOPBACK),
    credential: { authorization: new Secret(`Bearer ${CANARY}`) },
    secrets: [new Secret(CANARY)],
    headers: { 'user-agent': 'ipo/test' },
    rules: LOOPBACK,
    queue: openWriterQueues({ clock, wait: clock.wait }).of('test', new Secret(CANARY)),
    clock,
    guard: () => true,
    explain: (text) => text,
    timeoutMs: 5000,
    ...options,
  });
}
