import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { after } from 'node:test';
import { bundleProgram } from '../joined-program.ts';
import { DataKey } from '../../src/channels/index.ts';
import type { Command, Go, Said } from './real-process-words.ts';

const KEY = randomBytes(32).toString('base64');
const folder = mkdtempSync(join(tmpdir(), 'ipo-trackers-'));
const program = join(folder, 'worker.mjs');
after(() => rmSync(folder, { recursive: true, force: true }));

/** dataKey is the key under which the workers and their test seal credentials. */
export const dataKey = DataKey.parse(KEY);

const environment = { ...process.env, DATA_KEY: KEY, NODE_COMPILE_CACHE: join(folder, 'cache') };

let made: Promise<unknown> | null = null;

/** makeProgram joins the worker's program into one file: its hundreds of modules take longer to find and link than it lives. */
export function makeProgram(): Promise<unknown> {
  made ??= bundleProgram(resolve(import.meta.dirname, 'real-process-worker.ts'), program);
  return made;
}

/** Heard is what came of a process: what it said, or that it is no more. */
export type Heard = Said | { readonly kind: 'ended' };

/** Worker is one process that files and sweeps as it is told. */
export class Worker {
  readonly #child: ChildProcess;
  readonly #heard: Heard[] = [];
  readonly #ended: Promise<void>;
  #waiting: ((heard: Heard) => void) | null = null;

  /** Starts a process over a database; it says `ready` when it can be told something. */
  constructor(url: string) {
    this.#child = spawn(process.execPath, [program, url], {
      env: environment,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const { stdin, stdout } = this.#child;
    if (stdin === null || stdout === null) throw new Error('a process without pipes');
    stdin.on('error', () => {}); // it was killed meanwhile
    const reader = createInterface({ input: stdout });
    reader.on('line', (line) => this.#hear(JSON.parse(line) as Said));
    this.#ended = Promise.all([
      new Promise<void>((done) => this.#child.on('exit', () => done())),
      new Promise<void>((done) => reader.on('close', () => done())),
    ]).then(() => this.#hear({ kind: 'ended' }));
  }

  #hear(heard: Heard): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    if (waiting === null) this.#heard.push(heard);
    else waiting(heard);
  }

  /** What it says next, or that it ended. */
  next(): Promise<Heard> {
    const heard = this.#heard.shift();
    if (heard !== undefined) return Promise.resolve(heard);
    return new Promise((done) => {
      this.#waiting = done;
    });
  }

  tell(what: Command | Go): void {
    this.#child.stdin?.write(`${JSON.stringify(what)}\n`);
  }

  /** Kills it, and resolves once it is gone. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  /** Lets it end in order; what was compiled of it is kept for the others, which never do. */
  async stop(): Promise<void> {
    this.#child.stdin?.end();
    await this.#ended;
  }

  /** Whether a signal ended it. */
  get killed(): boolean {
    return this.#child.signalCode === 'SIGKILL';
  }
}
