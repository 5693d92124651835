import type { Clock, Count, Digest, Log } from '../base/index.ts';
import { parseReference, type Keychain, type Repository } from '../image/index.ts';
import { collectFacts, type CollectDeps } from './collect.service.ts';
import { isComplete, type Collected } from './collected.ts';
import { dueAfter, retryAfter } from './due.ts';
import type { ClaimedDigest, CollectionStore } from './ports.ts';
import { eachOf } from './turns.ts';

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
export const COLLECT_LIMIT = 5 * MINUTE;
/** A claim is lost after this time: three times as long as its collection may take. */
const CLAIM = 3 * COLLECT_LIMIT;
/** Images that nobody asked for are looked for so often. */
const ENROL_EVERY = MINUTE / 4;
/** Digests that are collected at a time, and in one run. */
const AT_ONCE = 4;
const MOST = 500;
/** One that was just tried is not asked for again. */
const SPACING = MINUTE;

/** FactsCollector collects the facts of images in use, again and again. */
export class FactsCollector {
  readonly #deps: CollectorDeps;
  #enrolAt = -Infinity;

  constructor(deps: CollectorDeps) {
    this.#deps = deps;
  }

  /** Makes digests due now, such as those that were reviewed and of which nothing is known. */
  async request(digests: readonly Digest[]): Promise<void> {
    await this.#deps.store.request(digests, this.#deps.clock.now(), SPACING);
  }

  /** Collects what is due, at most 500 digests; ends early when the service does. One that fails never holds up the others. */
  async run(signal: AbortSignal): Promise<void> {
    const { store, clock } = this.#deps;
    await this.#enrol(clock.now());
    for (let done = 0; done < MOST && !signal.aborted;) {
      const at = clock.now();
      const claims = await store.claim(at, at - CLAIM, at - IN_USE, AT_ONCE);
      if (claims.length === 0) return;
      await eachOf(claims, AT_ONCE, (claim) => this.#collect(claim, signal));
      done += claims.length;
    }
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
        repositories: repositoriesOf(claim.names),
        keychain,
        signal: ends,
      });
    } catch (error) {
      // A defect, or credentials that could not be read: known facts stay.
      log.error('the facts of an image could not be collected; it is tried again', { digest, error });
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
      message: first?.message,
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
