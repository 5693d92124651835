import type { Clock, Count, Log } from '../../base/index.ts';
import {
  prunePackages,
  type AtWork,
  type Claimed,
  type PackageStore,
  type PackageWork,
} from '../../evidence/index.ts';
import type { Job } from '../running/jobs.ts';
import type { RetentionClock } from '../running/retention-time.service.ts';
import type { MadeOrNot, Stamp } from './child.ts';
import type { KeepTask } from './keep.ts';

/** EvidenceJobsParts are what the packages of a service are made with. */
export interface EvidenceJobsParts {
  readonly work: PackageWork;
  readonly store: PackageStore;
  readonly task: Omit<KeepTask, 'claimed'>;
  /** Signs what the ledger has grown by, so that a package proves its newest rows. */
  checkpoint(): Promise<unknown>;
  readonly days: number;
  readonly retention: RetentionClock;
  readonly clock: Clock;
  /** Milliseconds by a clock that no one sets. */
  readonly monotonic: () => number;
  readonly log: Log;
  readonly count: Count;
  /** Makes one. */
  readonly make: (task: KeepTask, stamp: Stamp, signal: AbortSignal) => Promise<MadeOrNot | null>;
  /** Asks for time stamps; nothing is stamped where the task does not say so. */
  readonly stamp: Stamp;
  /** Milliseconds in which the process that makes a package must have given a sign of it. */
  readonly silence?: number;
}

/** The process that makes a package writes a beat each second. */
const SILENCE = 15_000;
/** A package whose tries ended without an answer so often is given up. */
const MAX_BROKEN = 5;
/** Faults of the outside, which may be over with the next try. */
const PASSING = new Set<string | null>(['unavailable', 'network', 'server_fault', null]);

/** evidenceJobs make the packages that were asked for, on any replica, and delete those that are kept no longer. */
export function evidenceJobs(parts: EvidenceJobsParts): readonly Job[] {
  const { store, days, retention } = parts;
  const maker = new Maker(parts);
  return [
    { name: 'evidence', every: 2_000, leaderOnly: false, run: (signal) => maker.run(signal) },
    {
      name: 'evidence-package-retention',
      every: 3_600_000,
      leaderOnly: true,
      atStart: true,
      run: async () => void (await prunePackages(store, days, await retention.now())),
    },
  ];
}

class Maker {
  readonly #parts: EvidenceJobsParts;
  /** Since when the line of a package has stood as it is, by this process's own time. */
  readonly #seen = new Map<string, { readonly beat: string; readonly since: number }>();

  constructor(parts: EvidenceJobsParts) {
    this.#parts = parts;
  }

  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      const next = this.#next(await this.#parts.work.open());
      if (next === null || signal.aborted) return;
      await this.#make(next, signal);
    }
  }

  /** The oldest that nobody works on, and that is due. */
  #next(open: readonly AtWork[]): AtWork | null {
    const { monotonic, silence = SILENCE } = this.#parts;
    const now = monotonic();
    for (const id of this.#seen.keys()) if (open.every((one) => one.id !== id)) this.#seen.delete(id);
    return (
      open.find(({ id, state, attempt, beat, broken }) => {
        if (state === 'queued' && broken === 0) return true;
        const key = `${state} ${attempt} ${beat}`;
        const seen = this.#seen.get(id);
        // After a try without an answer the next one waits, each time longer.
        if (seen?.beat === key) return now - seen.since >= silence * (state === 'queued' ? broken : 1);
        this.#seen.set(id, { beat: key, since: now });
        return false;
      }) ?? null
    );
  }

  async #make(next: AtWork, signal: AbortSignal): Promise<void> {
    const { work, task, clock, log, make } = this.#parts;
    const broke = next.state === 'running';
    const claimed = await work.claim(next, clock.now(), broke);
    if (claimed === null) return;
    if (next.broken + Number(broke) >= MAX_BROKEN)
      return this.#fail(claimed, `making it ended ${MAX_BROKEN} times without an answer`);
    // Rows that are not signed yet are left out, which the package says.
    await this.#parts
      .checkpoint()
      .catch((error: unknown) => log.warn('the ledger was not signed', { error }));
    const answer = await make({ ...task, claimed }, this.#parts.stamp, signal);
    if (signal.aborted) return void (await work.release(claimed));
    if (answer === null) {
      log.error('the process of an evidence package ended by itself; it is tried again', { id: claimed.id });
      return this.#again(next, claimed, broke);
    }
    if ('kept' in answer) return this.#end(claimed, answer.kept === 'done' ? 'done' : 'superseded');
    const { code, message } = answer.fault;
    if (!PASSING.has(code)) return this.#fail(claimed, message);
    log.error('an evidence package could not be made; it is tried again', { id: claimed.id, cause: message });
    return this.#again(next, claimed, broke, code === null ? undefined : message);
  }

  /** Waits for the next run, and counts as a try without an answer. */
  async #again(next: AtWork, claimed: Claimed, broke: boolean, why?: string): Promise<void> {
    const { work } = this.#parts;
    if (next.broken + Number(broke) + 1 >= MAX_BROKEN)
      return this.#fail(claimed, why ?? `making it ended ${MAX_BROKEN} times without an answer`);
    await work.release(claimed, true);
  }

  async #fail(claimed: Claimed, why: string): Promise<void> {
    const { work, clock } = this.#parts;
    await work.fail(claimed, why, clock.now());
    this.#end(claimed, 'failed', why);
  }

  #end({ id }: Claimed, outcome: 'done' | 'failed' | 'superseded', error?: string): void {
    const { log, count } = this.#parts;
    if (outcome === 'superseded') return;
    count.add('svc_evidence_packages_total', { outcome });
    if (outcome === 'done') log.info('an evidence package was made', { id });
    else log.warn('an evidence package could not be made', { id, error });
  }
}
