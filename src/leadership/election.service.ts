import type { Log } from '../base/index.ts';
import {
  LEASE_TIMES,
  mayTake,
  observe,
  runsOutAt,
  toHeld,
  toReleased,
  type LeaseTimes,
  type Observed,
} from './lease.ts';
import type { Leader } from './leader.ts';
import { LeadershipError } from './leadership-error.ts';
import type { ElectionClock, Fences, LeaseStore } from './ports.ts';

/** ElectionDeps are what an election is held with. */
export interface ElectionDeps {
  readonly leases: LeaseStore;
  readonly fences: Fences;
  readonly clock: ElectionClock;
  readonly log: Log;
  /** Name of this process in the Lease; no two processes may share one, so it ends in something random. */
  readonly me: string;
  readonly times?: LeaseTimes;
  /** A number from 0 to 1 that spreads attempts of several candidates. */
  readonly jitter?: () => number;
}

/** Tenure is one time of leading, from its acquisition on. */
interface Tenure {
  readonly fence: number;
  /** Whether its fence stands; one that another cluster raised over the same database leads only its own cluster. */
  readonly stands: boolean;
}

/**
 * Election keeps one leader over a Lease, after client-go's: a compare-and-set on the Lease's version, others wait by their own clock
 * since they last saw it change, and the holder counts from before it sent its last renewal. Each acquisition raises a fence in the
 * database before this process leads, so that a leader that was stopped and goes on can write nothing.
 */
export class Election implements Leader {
  readonly #deps: ElectionDeps;
  readonly #times: LeaseTimes;
  readonly #stop = new AbortController();
  #observed: Observed | null = null;
  #tenure: Tenure | null = null;
  /** When the renewal that holds was sent: by the monotonic clock and by the wall's, which goes on while a machine is suspended. */
  #sent = { monotonic: -Infinity, wall: -Infinity };
  #loop: Promise<void> | null = null;
  #fault: string | null = null;
  #elsewhere = false;

  constructor(deps: ElectionDeps) {
    this.#deps = deps;
    this.#times = deps.times ?? LEASE_TIMES;
  }

  /** Whether this process leads and may write; no I/O. Asked after every wait and before every write. */
  isLeader(): boolean {
    return this.leadsCluster() && this.#tenure?.stands === true;
  }

  /**
   * Whether it leads this cluster: the same, but where another cluster's operator leads over a database that they share. Jobs of only this
   * cluster ask this.
   */
  leadsCluster(): boolean {
    return this.#tenure !== null && this.#isFresh();
  }

  /** The number of the last leadership; 0 before the first, which no write is taken under. */
  fence(): number {
    return this.#tenure?.fence ?? this.#lastFence;
  }
  #lastFence = 0;

  /** Holder by name as last seen, or null. */
  get holder(): string | null {
    const holder = this.#observed?.lease.holder ?? '';
    return holder === '' ? null : holder;
  }

  /** Sentence of what keeps this process from taking part; null when nothing does. */
  get fault(): string | null {
    return this.#fault;
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  /** Ends taking part, and gives the Lease back, so that the next leader need not wait. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
    const led = this.#tenure !== null;
    this.#end();
    if (led) await this.#giveBack();
  }

  async #giveBack(): Promise<void> {
    const { leases, clock, log, me } = this.#deps;
    const mine = this.#observed?.lease;
    if (mine?.holder !== me) return;
    this.#observed = null;
    try {
      const written = await leases.replace(toReleased(mine, clock.now()), mine.version, this.#times.retry);
      if (written !== null) log.info('leadership was given back', { holder: me });
    } catch (error) {
      log.warn('leadership was not given back; it runs out by itself', { holder: me, error });
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    const { clock, log, jitter = Math.random } = this.#deps;
    while (!signal.aborted) {
      try {
        await this.#attempt();
        if (this.#fault !== null) log.info('the election works again');
        this.#fault = null;
      } catch (error) {
        const fault = error instanceof Error ? error.message : String(error);
        if (this.#fault !== fault) log.warn('the election cannot go on; it is tried again', { error });
        this.#fault = fault;
      }
      if (this.#tenure !== null && !this.#isFresh()) {
        log.warn('leadership was lost: it was not renewed in time', { fence: this.#tenure.fence });
        this.#end();
      }
      await clock.wait(this.#pause(jitter()), signal);
    }
  }

  /** Milliseconds until the next attempt: a candidate comes as soon as the Lease has run out, so that nobody waits for it in vain. */
  #pause(jitter: number): number {
    const { retry, lease } = this.#times;
    if (this.#tenure !== null) return retry;
    const usual = retry * (1 + 0.2 * jitter);
    const left =
      this.#observed === null ? 0 : runsOutAt(this.#observed, lease) - this.#deps.clock.monotonic();
    return left > 0 ? Math.min(usual, left + 0.1 * retry * jitter) : usual;
  }

  async #attempt(): Promise<void> {
    const { leases, clock, me } = this.#deps;
    const left =
      this.#tenure === null ? Infinity : this.#sent.monotonic + this.#times.renewDeadline - clock.monotonic();
    const timeout = Math.max(1, Math.min(this.#times.renewDeadline, left));
    // A leader renews what it wrote last; only a candidate, or a conflict, has to read.
    if (this.#tenure === null || this.#observed === null) {
      const found = await leases.read(timeout);
      this.#observed = found === null ? null : observe(this.#observed, found, clock.monotonic());
    }
    const before = this.#observed?.lease ?? null;
    if (this.#observed !== null && !mayTake(this.#observed, me, clock.monotonic(), this.#times.lease)) return;
    const sent = { monotonic: clock.monotonic(), wall: clock.now() };
    // One that lost the lead takes it again, even from itself, so that its fence is a new one.
    const record = toHeld(
      this.#tenure === null && before?.holder === me ? { ...before, holder: '' } : before,
      me,
      sent.wall,
      this.#times.lease,
    );
    const written =
      before === null
        ? await leases.create(record, timeout)
        : await leases.replace(record, before.version, timeout);
    if (written === null) {
      await this.#lostRace();
      return;
    }
    this.#observed = { lease: written, since: clock.monotonic() };
    this.#sent = sent;
    if (this.#tenure !== null) {
      await this.#check(this.#tenure);
      return;
    }
    try {
      await this.#begin();
    } catch (error) {
      // A process without its database leads nobody: another one may have one.
      await this.#giveBack();
      throw error;
    }
  }

  /** Somebody else wrote the Lease: what stands there now decides, at once for a leader. */
  async #lostRace(): Promise<void> {
    const { leases, clock, log, me } = this.#deps;
    const led = this.#tenure;
    const found = await leases.read(this.#times.retry);
    this.#observed = found === null ? null : observe(this.#observed, found, clock.monotonic());
    if (led === null || found?.holder === me) return;
    log.warn('leadership was lost: another process holds the Lease', {
      fence: led.fence,
      holder: found?.holder ?? null,
    });
    this.#end();
  }

  async #begin(): Promise<void> {
    const { fences, log, me } = this.#deps;
    const fence = await this.#within(this.#times.renewDeadline, fences.raise());
    this.#lastFence = fence;
    if (!this.#isFresh()) return;
    this.#tenure = { fence, stands: true };
    this.#elsewhere = false;
    log.info('this process leads', { holder: me, fence });
  }

  /** A fence that a slower candidate raised after ours, though the Lease is ours, is raised again. */
  async #check(tenure: Tenure): Promise<void> {
    const { fences, log } = this.#deps;
    const state = await this.#within(this.#times.retry, fences.stands(tenure.fence));
    if (state === 'raised') {
      this.#tenure = null;
      await this.#begin();
      return;
    }
    const stands = state === 'stands';
    if (!stands && !this.#elsewhere)
      log.warn(
        'the operator of another cluster leads over this database; this one runs only the jobs of its own cluster',
      );
    this.#elsewhere = !stands;
    if (stands !== tenure.stands) this.#tenure = { ...tenure, stands };
  }

  /** A database that does not answer keeps nobody from renewing, or from taking over. */
  async #within<T>(ms: number, asked: Promise<T>): Promise<T> {
    const { clock } = this.#deps;
    const over = new AbortController();
    try {
      return await Promise.race([
        asked,
        clock.wait(ms, over.signal).then((): never => {
          throw new LeadershipError('late', 'the database did not say in time who may write');
        }),
      ]);
    } finally {
      over.abort();
    }
  }

  #isFresh(): boolean {
    const { clock } = this.#deps;
    const { renewDeadline } = this.#times;
    return (
      clock.monotonic() - this.#sent.monotonic < renewDeadline &&
      clock.now() - this.#sent.wall < renewDeadline
    );
  }

  #end(): void {
    this.#tenure = null;
    this.#sent = { monotonic: -Infinity, wall: -Infinity };
  }
}
