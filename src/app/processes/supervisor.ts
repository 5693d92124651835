import type { Log } from '../../base/index.ts';
import type { Timers } from '../../ledger/index.ts';
import { PARTS, type FromPart, type PartName, type PartSetup } from './part-messages.ts';
import { PartProcess, type PartEnd } from './part-process.ts';
import { StateMirror } from './state-mirror.ts';

/** SupervisorOptions say what is supervised. */
export interface SupervisorOptions {
  readonly config: PartSetup['config'];
  /** Where parts keep the compiled form of their programs, unless this process has a place for its own; none unless said. */
  readonly compiled?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  readonly timers: Timers;
  /** Takes lines of the logs of the parts. */
  line(line: string): void;
  /** Programs of the parts, for tests. */
  readonly entries?: Partial<Readonly<Record<PartName, string>>>;
}

/** A part that died soon after it began waits before it is started again: milliseconds at first, doubled each time, and at most. */
const FIRST_WAIT = 100;
const LONGEST_WAIT = 5_000;
/** The longest for one that did its work before it died: what ends it may be a single review, and the others wait for it. */
const WORKING_WAIT = 250;
/** One that worked for so long is started again at once. */
const WORKED_MS = 1_000;
/** How often it is looked whether the parts live, and in how many such turns in a row one may say nothing. */
const LOOK_MS = 1_000;
const SILENT: Readonly<Record<PartName, number>> = { webhook: 10, service: 60 };

/**
 * Supervisor runs the parts of a service as processes: it starts them, starts again what dies, and carries what they say to each other.
 * It does nothing else, so that nothing but its own death ends the webhook.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #parts = new Map<PartName, PartProcess>();
  readonly #waits = new Map<PartName, number>();
  /** How often each was started again. */
  readonly #lives = new Map<PartName, number>();
  /** Parts that did their work once: what keeps one from starting the first time ends the daemon. */
  readonly #worked = new Set<PartName>();
  /** What the service's part told the webhook's, for one that is started again while the service's is away as well. */
  readonly #state = new StateMirror();
  readonly #over = Promise.withResolvers<number>();
  #failed: number | null = null;
  #stopping: 'SIGTERM' | 'SIGINT' | 'SIGHUP' | null = null;
  #stops = 0;
  #cancelLook: () => void = () => {};

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /** Runs the parts until a signal; gives the exit code. */
  run(): Promise<number> {
    // The service's part begins: it brings the database up to date. The webhook's only loads its program until it has.
    this.#start('service');
    this.#fork('webhook');
    this.#look();
    return this.#over.promise;
  }

  /** Ends both parts in order; a second time at once. */
  stop(signal: 'SIGTERM' | 'SIGINT' | 'SIGHUP'): void {
    this.#stopping ??= signal;
    this.#stops += 1;
    for (const part of this.#parts.values()) this.#end(part, signal);
    this.#settle();
  }

  /** Ends at once whatever still runs. */
  kill(): void {
    for (const part of this.#parts.values()) part.kill();
  }

  /** How many signals came. */
  get stops(): number {
    return this.#stops;
  }

  #start(name: PartName): void {
    const part = this.#fork(name);
    part.begin({ config: this.#options.config, lives: this.#livesOf(name) });
    // A signal that came before there was anything to end.
    if (this.#stopping !== null) this.#end(part, this.#stopping);
  }

  #fork(name: PartName): PartProcess {
    const { env, entries, line, compiled } = this.#options;
    const part: PartProcess = new PartProcess({
      name,
      env,
      line,
      compiled,
      entry: entries?.[name],
      lives: this.#livesOf(name),
      told: (message) => this.#told(name, message),
      gone: (end) => this.#gone(name, end),
    });
    this.#parts.set(name, part);
    return part;
  }

  #livesOf(name: PartName): number {
    return this.#lives.get(name) ?? 0;
  }

  /** One that has not begun has nothing to bring to an end. */
  #end(part: PartProcess, signal: 'SIGTERM' | 'SIGINT' | 'SIGHUP'): void {
    if (part.begun) part.send({ kind: 'stop', signal });
    else part.kill();
  }

  #told(name: PartName, message: FromPart): void {
    const other = this.#parts.get(otherOf(name));
    switch (message.kind) {
      case 'migrated':
        if (other?.begun === false) other.begin({ config: this.#options.config, lives: 0 });
        break;
      case 'open':
        if (name === 'service') this.#state.begin();
        else if (other?.open !== true)
          this.#state.say((said) => this.#parts.get(name)?.send({ kind: 'relay', message: said }));
        if (other?.open !== true) return;
        for (const part of this.#parts.values()) part.send({ kind: 'there' });
        break;
      case 'started':
        this.#worked.add(name);
        break;
      case 'relay':
        if (name === 'service') this.#state.heard(message.message);
        if (other?.open === true) other.send(message);
        break;
      case 'beat':
    }
  }

  #gone(name: PartName, end: PartEnd): void {
    const { log, timers } = this.#options;
    const begun = this.#parts.get(name)?.begun === true;
    this.#parts.delete(name);
    const other = this.#parts.get(otherOf(name));
    if (other?.open === true) other.send({ kind: 'gone' });
    if (this.#stopping !== null || this.#failed !== null) {
      if (begun && end.code !== 0) this.#failed ??= end.code ?? 1;
      this.#settle();
      return;
    }
    const { code, signal, lived } = end;
    if (!this.#worked.has(name)) {
      // It said itself why it cannot start; nothing would come of trying again.
      this.#failed = code ?? 1;
      for (const part of this.#parts.values()) this.#end(part, 'SIGTERM');
      this.#settle();
      return;
    }
    this.#lives.set(name, this.#livesOf(name) + 1);
    const before = this.#waits.get(name) ?? 0;
    const worked = lived >= WORKED_MS ? 0 : Math.min(before, WORKING_WAIT);
    const wait = end.started ? worked : before;
    this.#waits.set(name, Math.min(LONGEST_WAIT, Math.max(FIRST_WAIT, wait * 2)));
    log.error(`the ${name}'s part of the service ended by itself; it is started again`, {
      part: name,
      code,
      signal,
      ...(wait > 0 && { after_ms: wait }),
    });
    if (wait === 0) this.#start(name);
    else
      timers.after(wait, () => {
        if (this.#stopping === null) this.#start(name);
      });
  }

  /** Over once every part has ended. */
  #settle(): void {
    if (this.#parts.size > 0) return;
    this.#cancelLook();
    this.#over.resolve(this.#failed ?? 0);
  }

  /** One that hangs is of no use: it is killed, and started again. Counted in own turns, so that a machine that slept kills nothing. */
  #look(): void {
    this.#cancelLook = this.#options.timers.after(LOOK_MS, () => {
      for (const name of PARTS) {
        const part = this.#parts.get(name);
        if (part === undefined || this.#stopping !== null || part.miss() < SILENT[name]) continue;
        this.#options.log.error(`the ${name}'s part of the service says nothing any more; it is killed`, {
          part: name,
          seconds: (SILENT[name] * LOOK_MS) / 1000,
        });
        part.kill();
      }
      this.#look();
    });
  }
}

function otherOf(name: PartName): PartName {
  return name === 'webhook' ? 'service' : 'webhook';
}
