import type { Log } from '../../base/index.ts';
import type { Timers } from '../../ledger/index.ts';

/** UpkeepDeps are what an upkeep is done with. */
export interface UpkeepDeps {
  readonly timers: Timers;
  readonly log: Log;
}

/** Upkeep does things again and again, one round at a time; a fault is said once until it is gone. */
export class Upkeep {
  readonly #acts: readonly (() => Promise<void>)[];
  readonly #every: number;
  readonly #deps: UpkeepDeps;
  #cancel = (): void => {};
  #round: Promise<void> = Promise.resolve();
  #stopped = false;
  #fault: string | null = null;

  constructor(acts: readonly (() => Promise<void>)[], every: number, deps: UpkeepDeps) {
    this.#acts = acts;
    this.#every = every;
    this.#deps = deps;
  }

  start(): void {
    if (this.#stopped) return;
    this.#cancel = this.#deps.timers.after(this.#every, () => {
      this.#round = this.#run().finally(() => this.start());
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel();
    await this.#round;
  }

  async #run(): Promise<void> {
    const done = await Promise.allSettled(this.#acts.map((act) => act()));
    const failed = done.find((one) => one.status === 'rejected');
    const fault = failed === undefined ? null : String(failed.reason);
    if (fault !== null && fault !== this.#fault)
      this.#deps.log.warn('the webhook cannot read the database; it decides from what it knows', {
        error: failed?.reason,
      });
    if (fault === null && this.#fault !== null) this.#deps.log.info('the webhook reads the database again');
    this.#fault = fault;
  }
}
