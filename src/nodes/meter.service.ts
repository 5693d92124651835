import { Outage, type Clock, type Log } from '../base/index.ts';
import { NO_CEILING, type Ceiling, type Ceilings } from '../licence/index.ts';
import { monthOf } from './month.ts';
import type { MeterStore, NodeStore, RunningNames } from './ports.ts';
import type { NodeStanding } from './standing.ts';

/** MeterDeps are the parts of a meter. */
export interface MeterDeps {
  readonly cluster: string;
  readonly meter: MeterStore;
  readonly nodes: Pick<NodeStore, 'standing'>;
  readonly ceilings: Ceilings;
  readonly running: RunningNames;
  readonly clock: Clock;
  readonly log: Log;
}

/** Rows of the ledger that are taken in by one transaction. */
const ROWS = 8192;

/**
 * Meter answers admissions from memory: which image names the month has seen, and whether the allowance or the node ceiling lets a
 * new one in. What it counts durably it takes from the ledger, so that nothing but the ledger has to be written for an admission.
 */
export class Meter {
  readonly #deps: MeterDeps;
  readonly #unread = new Outage();
  readonly #unlisted = new Outage();
  #month = '';
  #names = new Set<string>();
  /** Null until it was listed once. */
  #running: ReadonlySet<string> | null = null;
  #ceiling: Ceiling = NO_CEILING;
  #standing: NodeStanding | null = null;

  constructor(deps: MeterDeps) {
    this.#deps = deps;
  }

  /**
   * The sentence by which a name (`host/path`) is refused, or null. A name that was admitted in the month is not; nor does the node
   * ceiling refuse what runs, which the period has seen too: the first of a month would otherwise keep every pod from coming back.
   * What was not read yet refuses nothing.
   */
  refusal(name: string, at: number): string | null {
    const month = monthOf(at);
    if (this.#month === '') return null;
    const names = month > this.#month ? new Set<string>() : this.#names;
    if (names.has(name)) return null;
    const { imageNames } = this.#ceiling;
    if (imageNames !== null && names.size >= imageNames)
      return `monthly allowance of ${imageNames} image names exceeded`;
    const { state, ceiling } = this.#standing ?? { state: 'within', ceiling: null };
    if (state === 'enforced' && ceiling !== null && this.#running?.has(name) === false)
      return `node ceiling of ${ceiling} exceeded`;
    return null;
  }

  /** Takes names that were admitted. Refused, ephemeral and break-glass ones are not counted and must not come here. */
  admitted(names: readonly string[], at: number): void {
    this.#turn(monthOf(at));
    for (const name of names) this.#names.add(name);
  }

  /** Names that were counted in the month as far as this process knows. */
  get counted(): number {
    return this.#names.size;
  }

  /** Brings the memory up to date; what cannot be read stays as it was. Every replica does it again and again. */
  async refresh(): Promise<void> {
    const { cluster, meter, nodes, ceilings, running, clock, log } = this.#deps;
    const month = monthOf(clock.now());
    const names = await meter.names(cluster, month);
    this.#standing = await nodes.standing(cluster);
    try {
      this.#ceiling = await ceilings.current();
      if (this.#unread.ends()) log.info('the ceilings of the licence can be read again');
    } catch (error) {
      const level = this.#unread.isNew(String(error)) ? 'warn' : 'debug';
      log[level]('the ceilings of the licence could not be read; those before stand', { error });
    }
    try {
      this.#running = new Set(await running.names());
      if (this.#unlisted.ends()) log.info('the running images are listed again');
    } catch (error) {
      const known = this.#running !== null;
      const loud = known ? 'warn' : 'info';
      const level = this.#unlisted.isNew(`${known} ${String(error)}`) ? loud : 'debug';
      log[level](
        known
          ? 'the running images could not be listed; those before count as seen'
          : 'the running images were not listed yet; the node ceiling denies no image name',
        { error },
      );
    }
    this.#turn(month);
    if (month === this.#month) for (const name of names) this.#names.add(name);
  }

  /** Updates only how the cluster stands against its ceiling: who was within it again must not be refused on. */
  async refreshStanding(): Promise<void> {
    const { cluster, nodes } = this.#deps;
    this.#standing = await nodes.standing(cluster);
  }

  /** Takes the admissions of the ledger in. One process does it; two at once do no harm. */
  async follow(signal: AbortSignal): Promise<void> {
    const { meter, clock } = this.#deps;
    while (!signal.aborted && (await meter.follow(ROWS, clock.now())));
  }

  #turn(month: string): void {
    if (month <= this.#month) return;
    this.#month = month;
    this.#names = new Set();
  }
}
