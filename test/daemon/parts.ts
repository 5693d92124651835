import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, request as call } from 'node:https';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { REVIEW_PATH } from '../../src/admission/index.ts';
import { asksNobody } from '../../src/app/running/offline.ts';
import { DIGEST, reviewOf } from '../admission/reviews.ts';
import { makeCertificate } from '../app/certificate.ts';
import { builtDaemon } from './built.ts';

/** Processes of a daemon; `replay` is the one that replays for the service's part. */
export const PROCESSES = ['ipod', 'webhook', 'service', 'replay'] as const;

/** ProcessName names one of them. */
export type ProcessName = (typeof PROCESSES)[number];

const PROGRAMS: Readonly<Record<Exclude<ProcessName, 'ipod'>, string>> = {
  webhook: 'webhook-part',
  service: 'service-part',
  replay: 'replay-worker',
};

/** As the image starts the daemon. */
const FLAGS = ['--max-semi-space-size=16', '--heap-growing-percent=40'];

/** Parted is a daemon that runs as processes, on a database and ports of its own. */
export interface Parted {
  readonly port: number;
  readonly api: string;
  /** Lines of the log of every life. */
  readonly log: string[];
  /** Starts `ipod` anew, as a cluster does when it ended. */
  start(): void;
  /** The id of a process while it runs. */
  pid(name: ProcessName): number | null;
  /** Ends it in order; gives the exit code. */
  end(): Promise<number | null>;
}

/**
 * openParted prepares a daemon in a folder; `database` is the address of its database, its own SQLite unless given, and `more` are further
 * settings as the environment gives them.
 */
export async function openParted(
  folder: string,
  database?: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Parted> {
  const program = await builtDaemon();
  mkdirSync(folder, { recursive: true });
  const { cert, key } = makeCertificate(folder, 'webhook');
  const [port, apiPort] = [await freePort(), await freePort()];
  const config = join(folder, 'ipo.json');
  writeFileSync(
    config,
    JSON.stringify({
      ...{ data: join(folder, 'data'), listen: `127.0.0.1:${apiPort}` },
      ...(database !== undefined && { database: { url: database } }),
      webhook: {
        listen: `127.0.0.1:${port}`,
        certificates: { source: 'files', certFile: cert, keyFile: key },
      },
    }),
  );
  const log: string[] = [];
  let child: ChildProcess | null = null;
  const env = {
    ...{ PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: join(folder, 'cache') },
    ...asksNobody(),
    ...more,
  };
  return {
    ...{ port, api: `http://127.0.0.1:${apiPort}`, log },
    start() {
      child = spawn(process.execPath, [...FLAGS, program, '--config', config], {
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      for (const out of [child.stdout, child.stderr])
        out
          ?.setEncoding('utf8')
          .on('data', (text: string) => log.push(...text.split('\n').filter((line) => line !== '')));
    },
    pid(name) {
      const main = child?.exitCode === null && child.signalCode === null ? (child.pid ?? null) : null;
      if (main === null || name === 'ipod') return main;
      const under = name === 'replay' ? childOf(main, PROGRAMS.service) : main;
      return under === null ? null : childOf(under, PROGRAMS[name]);
    },
    async end() {
      if (child === null || child.exitCode !== null) return child?.exitCode ?? null;
      const ended = new Promise<number | null>((resolve) => child?.once('close', resolve));
      child.kill('SIGTERM');
      return ended;
    },
  };
}

/** What is said of one review: the status of its answer, or null where none came. */
export interface Said {
  readonly uid: string;
  readonly status: number | null;
  readonly at: number;
}

/** Reviewing posts reviews one behind the other over some connections until it is ended. */
export class Reviewing {
  readonly said: Said[] = [];
  readonly #port: number;
  readonly #agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  readonly #running: Promise<unknown>;
  #over = false;

  constructor(port: number, connections: number) {
    this.#port = port;
    this.#running = Promise.all(Array.from({ length: connections }, () => this.#run()));
  }

  /** Resolves once so many reviews were answered after now, with the milliseconds until the first was. */
  async answered(more: number): Promise<number> {
    const [from, began] = [this.said.length, performance.now()];
    let first: number | null = null;
    for (;;) {
      const news = this.said.slice(from).filter(({ status, at }) => status === 200 && at >= began);
      first ??= news[0]?.at ?? null;
      if (news.length >= more) return (first ?? began) - began;
      await sleep(2);
    }
  }

  /** The longest time between two answers from a moment on, in milliseconds. */
  longestGap(from: number): number {
    const times = this.said.filter(({ status, at }) => status === 200 && at >= from).map(({ at }) => at);
    return times.reduce((worst, at, i) => Math.max(worst, at - (times[i - 1] ?? from)), 0);
  }

  async end(): Promise<void> {
    this.#over = true;
    await this.#running;
    this.#agent.destroy();
  }

  async #run(): Promise<void> {
    while (!this.#over) {
      const uid = crypto.randomUUID();
      const status = await this.#review(uid);
      this.said.push({ uid, status, at: performance.now() });
      await sleep(status === 200 ? 4 : 10);
    }
  }

  #review(uid: string): Promise<number | null> {
    const body = reviewOf({
      uid,
      metadata: { name: `web-${uid.slice(0, 8)}`, uid: crypto.randomUUID() },
      spec: { containers: [{ name: 'web', image: `ghcr.io/acme/web@${DIGEST}` }] },
    });
    return new Promise((resolve) => {
      const sent = call(
        { host: '127.0.0.1', port: this.#port, method: 'POST', path: REVIEW_PATH, agent: this.#agent },
        (answer) => {
          answer.resume();
          answer.on('end', () => resolve(answer.statusCode ?? null));
          answer.on('error', () => resolve(null));
        },
      );
      sent.setTimeout(10_000, () => sent.destroy());
      sent.on('error', () => resolve(null));
      sent.end(body);
    });
  }
}

/** statusOf gives the status by which the port of the webhook answers for a path, or null where it does not. */
export function statusOf(port: number, path: string): Promise<number | null> {
  return new Promise((resolve) => {
    const sent = call(
      { host: '127.0.0.1', port, path, rejectUnauthorized: false, timeout: 5000 },
      (answer) => {
        answer.resume();
        answer.on('end', () => resolve(answer.statusCode ?? null));
      },
    );
    sent.on('timeout', () => sent.destroy());
    sent.on('error', () => resolve(null));
    sent.end();
  });
}

/** freePort gives a port that nobody listens on now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** The child of a process that runs a program, by what the system tells of processes. */
function childOf(pid: number, program: string): number | null {
  const children = textOf(`/proc/${pid}/task/${pid}/children`).trim().split(' ');
  const found = children.find((child) => textOf(`/proc/${child}/cmdline`).includes(program));
  return found === undefined || found === '' ? null : Number(found);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // it ended meanwhile
  }
}
