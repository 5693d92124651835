import { isIpoError, type Clock, type Count, type Digest, type Log } from '../base/index.ts';
import { parseReference, type Keychain, type Repository } from '../image/index.ts';
import { collectFacts, MAX_REPOSITORIES, type CollectDeps } from './collect.service.ts';
import { isComplete, type Collected } from './collected.ts';
import { dueAfter, retryAfter } from './due.ts';
import type { ClaimedDigest, CollectionStore, Lane } from './ports.ts';

/** CollectorDeps are what the facts of images in use are collected with. */
export interface CollectorDeps extends CollectDeps {
  readonly store: CollectionStore;
  /** Credentials for an image; null leaves it to the client. */
  readonly keychainOf: ((digest: Digest) => Promise<Keychain | null>) | null;
  readonly clock: Clock;
  readonly log: Log;
  readonly count: Count;
}

const MINUTE = 60_000;
/** An image that was not seen for so long is not in use. */
const IN_USE = 7 * 24 * 60 * MINUTE;
/** COLLECT_LIMIT is how many milliseconds the collection of one digest may take. */
const COLLECT_LIMIT = 5 * MINUTE;
/** A claim is lost after this time at the latest: three times as long as its collection may take. */
const CLAIM = 3 * COLLECT_LIMIT;
/** Images that nobody asked for are looked for so often. */
const ENROL_EVERY = MINUTE / 4;
/** Digests of one lane that are collected at a time, and in one run. */
const AT_ONCE = 2;
const MOST = 500;
/** One that was just tried is not asked for again. */
const SPACING = MINUTE;

/** FactsCollector collects the facts of images in use, again and again. */
export class FactsCollector {
  readonly #deps: CollectorDeps;
  #enrolAt = -Infinity;
  /** Runs that are under way, and when the first of them began. */
  #runs = 0;
  #since = 0;

  constructor(deps: CollectorDeps) {
    this.#deps = deps;
  }

  /** Makes digests due now, such as those that were reviewed and of which nothing is known. */
  async request(digests: readonly Digest[]): Promise<void> {
    await this.#deps.store.request(digests, this.#deps.clock.now(), SPACING);
  }

  /** Takes in what nobody asked for, and collects what is due, the longest due first; see `runNew`. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#enrol(this.#deps.clock.now());
    await this.#run('all', signal);
  }

  /**
   * Collects what is due and was not tried in vain, the newest first: a pod waits for a new image, which must not stand behind registries
   * that do not answer, nor behind all images of a new service. Runs beside `run`.
   */
  async runNew(signal: AbortSignal): Promise<void> {
    await this.#run('new', signal);
  }

  /** At most 500 digests; ends early when the service does. One that fails never holds up the others, nor does one that is slow. */
  async #run(lane: Lane, signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    if (this.#runs === 0) this.#since = clock.now();
    this.#runs += 1;
    let left = MOST;
    const turn = async (): Promise<void> => {
      try {
        for (; left > 0 && !signal.aborted; left -= 1) {
          const [claim] = await this.#claim(lane);
          if (claim === undefined) return;
          await this.#collect(claim, signal);
        }
      } catch (error) {
        left = 0;
        throw error;
      }
    };
    try {
      // The run ends when all have: nothing of it goes on behind the back of who waits for it.
      const turns = await Promise.allSettled(Array.from({ length: AT_ONCE }, turn));
      const failed = turns.find(({ status }) => status === 'rejected');
      if (failed?.status === 'rejected') throw failed.reason;
    } finally {
      this.#runs -= 1;
    }
  }

  /** Only one leader collects, so what was claimed before its runs began is of one that died, or leads no more. */
  #claim(lane: Lane): Promise<readonly ClaimedDigest[]> {
    const { store, clock } = this.#deps;
    const at = clock.now();
    return store.claim(at, Math.max(at - CLAIM, Math.min(this.#since, at) - 1), at - IN_USE, 1, lane);
  }

  /** Walks all images, so not in every run; what is reviewed meanwhile is asked for. */
  async #enrol(at: number): Promise<void> {
    if (at >= this.#enrolAt || at < this.#enrolAt - ENROL_EVERY) {
      const taken = await this.#deps.store.enrol(at, at - IN_USE, MOST);
      this.#enrolAt = taken < MOST ? at + ENROL_EVERY : at;
    }
  }

  async #collect(claim: ClaimedDigest, signal: AbortSignal): Promise<void> {
    const { store, clock, log, count } = this.#deps;
    const { digest } = claim;
    let collected: Collected;
    try {
      const ends = AbortSignal.any([signal, AbortSignal.timeout(COLLECT_LIMIT)]);
      const keychain = (await this.#deps.keychainOf?.(digest)) ?? undefined;
      collected = await collectFacts(this.#deps, {
        digest,
        repositories: inTurn(repositoriesOf(claim.names), claim.attempts),
        keychain,
        signal: ends,
      });
    } catch (error) {
      // A defect, or credentials that could not be read: known facts stay.
      const level = claim.attempts > 0 && isIpoError(error) ? 'debug' : 'error';
      log[level]('the facts of an image could not be collected; it is tried again', { digest, error });
      count.add('svc_facts_collections_total', { outcome: 'failed' });
      await store.release(claim, retryAfter(claim.attempts, clock.now()));
      return;
    }
    if (signal.aborted) {
      await store.release(claim, clock.now());
      return;
    }
    const at = clock.now();
    const isHeld = await store.record(claim, collected, { at, dueAt: dueAfter(claim, collected, at) });
    this.#tell(claim, collected, isHeld);
  }

  #tell({ digest, attempts }: ClaimedDigest, collected: Collected, isHeld: boolean): void {
    const { log, count } = this.#deps;
    if (!isHeld) {
      count.add('svc_facts_collections_total', { outcome: 'lost' });
      return;
    }
    const { statements, rejected } = collected.vexTally;
    for (const [status, by] of Object.entries(statements))
      count.add('svc_vex_statements_total', { status }, by);
    for (const [reason, by] of Object.entries(rejected)) count.add('svc_vex_rejected_total', { reason }, by);
    const whole = isComplete(collected);
    count.add('svc_facts_collections_total', { outcome: whole ? 'whole' : 'partial' });
    if (whole || attempts > 0) return; // said the first time; what stands, the image tells
    const [first] = collected.problems.filter(({ leavesUnknown }) => leavesUnknown);
    log.warn('facts of an image could not be read in whole; it is tried again', {
      digest,
      where: first?.where,
      reason: first?.reason,
      fault: first?.message,
    });
  }
}

/** repositoriesOf gives where an image is kept, by the names under which it was seen; each once. */
export function repositoriesOf(names: readonly string[]): readonly Repository[] {
  const found = new Map<string, Repository>();
  for (const name of names) {
    const reference = parseReference(name);
    if (!('fault' in reference)) found.set(reference.name, { host: reference.host, path: reference.path });
  }
  return [...found.values()];
}

/** Those that were not asked the last times come first: names that others gave an image must not hide where it is. */
function inTurn(repositories: readonly Repository[], attempts: number): readonly Repository[] {
  if (repositories.length <= MAX_REPOSITORIES) return repositories;
  const from = (attempts * MAX_REPOSITORIES) % repositories.length;
  return [...repositories.slice(from), ...repositories.slice(0, from)];
}
