import type { ChildProcess } from 'node:child_process';
import { getCompileCacheDir } from 'node:module';
import { setPriority } from 'node:os';
import { dirname } from 'node:path';
import { NEW_AS_NEW, startProcess } from '../programs/worker-entry.ts';
import { LOWER_BY, type FromPart, type PartName, type PartSetup, type ToPart } from './part-messages.ts';
import { wholeLines } from './whole-lines.ts';

/** PartProcessOptions say how one life of a part is started, and who is told of it. */
export interface PartProcessOptions {
  readonly name: PartName;
  /** How often it was started again. */
  readonly lives: number;
  /** The program; the one of the package unless said. */
  readonly entry?: string | undefined;
  /** Where it keeps the compiled form of its program, unless this process has a place for its own. */
  readonly compiled?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Takes lines of its log, without their end. */
  line(line: string): void;
  told(message: FromPart): void;
  /** The process is gone. Called once. */
  gone(end: PartEnd): void;
}

/** PartEnd is how a life of a part ended. */
export interface PartEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Whether it did its work before. */
  readonly started: boolean;
  /** Milliseconds that it lived. */
  readonly lived: number;
}

/**
 * Flags of the engine of a part, besides those of this process. The service's reads many rows. The webhook's gains nothing by the flag: it answered
 * 0.88 to 1.05 of the reviews for each second of the processor in four runs.
 */
const FLAGS: Readonly<Record<PartName, readonly string[]>> = { webhook: [], service: [NEW_AS_NEW] };

/** PartProcess is one life of a part. */
export class PartProcess {
  readonly #process: ChildProcess;
  readonly #began = performance.now();
  #begun = false;
  #started = false;
  #open = false;
  #gone = false;
  /** Beats that were waited for in vain. */
  #missed = 0;

  constructor({ name, lives, entry, env, compiled, line, told, gone }: PartProcessOptions) {
    this.#process = startProcess(`${name}-part`, {
      entry,
      env: { ...env, ...compileCache(compiled) },
      // Flags of the engine, as this process has them; not the program that it was given as a text.
      execArgv: [...process.execArgv.filter((flag) => flag.startsWith('--')), ...FLAGS[name]],
      serialization: 'advanced',
      // Its errors before the log stands, and the last words of the engine, go where ours go.
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    const end = (code: number | null, signal: NodeJS.Signals | null): void => {
      if (this.#gone) return;
      this.#gone = true;
      gone({ code, signal, started: this.#started, lived: performance.now() - this.#began });
    };
    const { stdout } = this.#process;
    if (stdout !== null) wholeLines(stdout, line);
    // At the first start nobody answers reviews yet, and the webhook waits for what the service's part tells it: it lowers itself then.
    if (lives > 0) lower(this.#process.pid, LOWER_BY[name]);
    this.#process.on('message', (message: FromPart) => {
      this.#missed = 0;
      if (message.kind === 'started') this.#started = true;
      if (message.kind === 'open') this.#open = true;
      told(message);
    });
    this.#process.on('error', () => end(null, null));
    // Once its last line was read; a process of its own that still holds the pipe must not keep the part from being started again.
    this.#process.on('exit', (code, signal) => {
      const late = setTimeout(() => end(code, signal), 50);
      this.#process.once('close', () => {
        clearTimeout(late);
        end(code, signal);
      });
    });
  }

  /** Lets it do its work; until then it only loads its program. */
  begin(setup: PartSetup): void {
    this.#begun = true;
    this.send({ kind: 'begin', setup });
  }

  get begun(): boolean {
    return this.#begun;
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  get started(): boolean {
    return this.#started;
  }

  /** Whether it listens to the other part. */
  get open(): boolean {
    return this.#open && !this.#gone;
  }

  get gone(): boolean {
    return this.#gone;
  }

  send(message: ToPart): void {
    if (this.#gone || !this.#process.connected) return;
    this.#process.send(message, () => {}); // a channel that just broke is told by the end
  }

  kill(): void {
    this.#process.kill('SIGKILL');
  }

  /** Counts the turns in which a part that works said nothing; gives how many in a row. */
  miss(): number {
    if (!this.#started) return 0;
    this.#missed += 1;
    return this.#missed - 1;
  }
}

/** Compiling its program is half of what a part does before it begins. */
function compileCache(compiled: string | undefined): { readonly NODE_COMPILE_CACHE?: string } {
  const own = getCompileCacheDir();
  // Node adds a folder for its version by itself.
  const place = own === undefined ? compiled : dirname(own);
  return place === undefined ? {} : { NODE_COMPILE_CACHE: place };
}

/** While it has one thread: those that it starts, the engine's own among them, are as far behind as it is. */
function lower(pid: number | undefined, nice: number): void {
  if (pid === undefined || nice === 0) return;
  try {
    setPriority(pid, nice);
  } catch {
    // it has ended, or lowers itself
  }
}
