import { formatTime, isIpoError, type Clock, type Count, type Digest, type Log } from '../base/index.ts';
import type { Keychain } from '../image/index.ts';
import { CLAIM_MS, MAX_ATTEMPTS } from './back-off.ts';
import { planImport } from './plan-import.ts';
import type { Recorded, ScanClaim, ScanQueue, ScanStore } from './ports.ts';
import type { Rescans } from './rescans.service.ts';
import { incompleteAt, nextAttempt, placesOf } from './scan-attempt.ts';
import type { ScanGate } from './scan-gate.ts';
import { ScanError } from './scan-error.ts';
import { scanPlace, type Scanned } from './scan-place.ts';
import { ScannerError } from './scanner-error.ts';
import type { ImageChoice, Scanner, ScanSubjects } from './scanner-ports.ts';

/** ScanOutcome is what became of one claim; `lost`: another worker took it over. */
export type ScanOutcome = 'done' | 'older' | 'incomplete' | 'failed' | 'given_up' | 'stopped' | 'lost';

/** ScanWorkerDeps are what waiting scans are made with. */
export interface ScanWorkerDeps {
  readonly queue: ScanQueue;
  readonly scans: ScanStore;
  readonly subjects: ScanSubjects;
  readonly scanner: Scanner;
  /** Null: every registry is asked anonymously. */
  readonly keychain: Keychain | null;
  /** Null or absent: the scanner chooses among the images of an index. */
  readonly imageOf?: ImageChoice | null | undefined;
  /** Null: nothing is scanned again by itself. */
  readonly rescans: Pick<Rescans, 'want' | 'rest'> | null;
  readonly gate: ScanGate;
  /** Runs an act whose writes commit together or not at all. */
  together<T>(act: () => Promise<T>): Promise<T>;
  /** Takes an attempt back, of a scan that was just put back. */
  forgive(digest: Digest): Promise<void>;
  /** Scans at once, at most. */
  readonly atOnce: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly count: Count;
  /** When this worker began, where it is the only one: what was claimed before is of a process that died. Null: others scan beside it. */
  readonly aloneSince?: number | null | undefined;
  /** Told how many seconds a scan took that gave a report. */
  took(seconds: number): void;
}

/** While the scanner itself does not work, it is tried again after so many milliseconds. */
const PAUSE_MS = 60_000;
/** It says whether it works within so many milliseconds. */
const PROBE_MS = 10_000;
/** Another place is asked within so many milliseconds of the first, so that a claim never outlives its time. */
const NEXT_PLACE_MS = 60_000;

/** Another worker has the claim: what was written with it goes. */
class ClaimLost extends Error {}

/**
 * ScanWorker makes the scans that wait in the queue. A claim is what keeps others from a scan: a crash leaves it behind, and after its
 * time the next worker takes it over. A failed scan changes nothing that decisions use; one that found no packages is kept as that.
 */
export class ScanWorker {
  readonly #deps: ScanWorkerDeps;
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<void>>();
  /** Looks for the next scan, after one has ended. */
  readonly #following = new Set<Promise<void>>();
  #pausedUntil = -Infinity;
  #fault: ScannerError | null = null;

  constructor(deps: ScanWorkerDeps) {
    this.#deps = deps;
  }

  /** Why the scanner does not work, or null. */
  get fault(): ScannerError | null {
    return this.#fault;
  }

  /** Scans that are under way. */
  get running(): number {
    return this.#running.size;
  }

  /**
   * Begins as many waiting scans as there is room for, and goes on by itself as long as some wait; does not wait for them. Throws while
   * the scanner itself does not work, and what the store throws.
   */
  async run(): Promise<void> {
    const { queue, rescans, clock } = this.#deps;
    if (this.#stop.signal.aborted) return;
    if (this.#fault !== null && clock.now() < this.#pausedUntil) throw this.#fault;
    const room = this.#enter();
    try {
      const claim = async (): Promise<number> => {
        const at = clock.now();
        const claims = room.length === 0 ? [] : await queue.claim(at, this.#lostBefore(at), room.length);
        for (const one of claims) this.#begin(one, room.shift() ?? (() => {}));
        return claims.length;
      };
      let begun = 0;
      if ((await queue.size()) > 0) begun += await claim();
      if (rescans !== null && (await rescans.want(room.length)) > 0) begun += await claim();
      if (begun === 0 && this.#running.size === 0) await this.#probe();
    } finally {
      for (const leave of room) leave();
    }
  }

  /** Waits until no scan is under way. */
  async idle(): Promise<void> {
    while (this.#running.size + this.#following.size > 0)
      await Promise.all([...this.#running, ...this.#following]);
  }

  /** Ends: what is under way is stopped and put back, nothing begins from here on. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.idle();
  }

  /** Where no scan is there to try a scanner that did not work, it is asked whether it does: health must not tell of what is over. */
  async #probe(): Promise<void> {
    const fault = this.#fault;
    if (fault === null) return;
    const { scanner, clock } = this.#deps;
    const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(PROBE_MS)]);
    const state = await scanner.state(signal).catch(() => null);
    if (state !== null && state.updatedAt !== null) this.#fault = null;
    else if (!this.#stop.signal.aborted) {
      this.#pausedUntil = clock.now() + PAUSE_MS;
      throw fault;
    }
  }

  /** A claim that was made before this time is of a worker that is gone. */
  #lostBefore(at: number): number {
    const { aloneSince = null } = this.#deps;
    // One of our own is never older than we are.
    return aloneSince === null ? at - CLAIM_MS : Math.max(at - CLAIM_MS, Math.min(aloneSince, at) - 1);
  }

  /** After a fault of the scanner one scan alone tries it. */
  #enter(): (() => void)[] {
    const { gate, atOnce } = this.#deps;
    const most = this.#fault === null ? atOnce : 1;
    const room: (() => void)[] = [];
    while (gate.scans < most) {
      const leave = gate.enter();
      if (leave === null) break;
      room.push(leave);
    }
    return room;
  }

  #begin(claim: ScanClaim, leave: () => void): void {
    const { log, count } = this.#deps;
    const scan = this.#scan(claim)
      .then(
        (outcome) => count.add('svc_scans_total', { outcome }),
        // The claim holds until its time is over; then the scan is made again.
        (error: unknown) =>
          log.error('a scan could not be recorded; it is made again', { digest: claim.digest, error }),
      )
      .finally(() => {
        leave();
        this.#running.delete(scan);
        // The next at once; what is wrong then, the next run tells.
        const following = this.run()
          .catch(() => {})
          .finally(() => this.#following.delete(following));
        this.#following.add(following);
      });
    this.#running.add(scan);
  }

  async #scan(claim: ScanClaim): Promise<ScanOutcome> {
    const { clock, took } = this.#deps;
    // Each of these attempts ended without a word: a scan that ends the service must not do so for ever.
    if (claim.attempts > MAX_ATTEMPTS)
      return this.#failed(claim, new ScannerError('failed', 'no attempt came to an end'));
    const startedAt = clock.now();
    let scanned: Scanned;
    try {
      scanned = await this.#report(claim, startedAt);
      this.#fault = null;
    } catch (error) {
      return this.#failed(claim, toScannerError(error, this.#stop.signal.aborted));
    }
    took((clock.now() - startedAt) / 1000);
    try {
      return await this.#record(claim, scanned, startedAt);
    } catch (error) {
      if (error instanceof ClaimLost) return 'lost';
      if (error instanceof ScanError)
        return this.#failed(claim, new ScannerError('report', error.message, { cause: error }));
      throw error;
    }
  }

  /** Asks one place after another until one gives the image. */
  async #report({ digest, attempts }: ScanClaim, startedAt: number): Promise<Scanned> {
    const { subjects, clock } = this.#deps;
    const { signal } = this.#stop;
    const late = startedAt + NEXT_PLACE_MS;
    let fault = new ScannerError('image', 'no name is known under which a registry has this image');
    for (const reference of placesOf(digest, await subjects.namesOf(digest), attempts)) {
      try {
        return await scanPlace(this.#deps, { reference, digest, late, signal });
      } catch (error) {
        if (!(error instanceof ScannerError) || error.fault !== 'image') throw error;
        fault = error;
        if (clock.now() > late) throw fault;
      }
    }
    throw fault;
  }

  async #record(
    claim: ScanClaim,
    { report, digest: image }: Scanned,
    startedAt: number,
  ): Promise<ScanOutcome> {
    const { scans, queue, rescans, together, clock, log } = this.#deps;
    const { digest } = claim;
    const at = clock.now();
    const { scan, source } = report;
    // Holds that the report is about the image that was asked for, and can be true.
    planImport(report, { digest: image }, at);
    const scannedAt = scan.scannedAt ?? formatTime(startedAt);
    const recorded = await together(async (): Promise<Recorded> => {
      // It is known by the names it was seen under; a report adds none.
      const done = await scans.record({ digest, names: [], source, scan: { ...scan, scannedAt }, at });
      const held =
        done.outcome === 'incomplete'
          ? await queue.fail(claim, 'the scan found no packages to look at', incompleteAt(claim, at))
          : await queue.finish(claim);
      if (!held) throw new ClaimLost();
      return done;
    });
    const { outcome } = recorded;
    log.info(
      outcome === 'incomplete' ? 'a scan found no packages; the image stays unscanned' : 'image scanned',
      {
        digest,
        image: report.artifact.slice(0, 300),
        findings: scan.findings?.length ?? null,
        ms: at - startedAt,
      },
    );
    if (outcome !== 'current') rescans?.rest(digest);
    return outcome === 'current' ? 'done' : outcome;
  }

  async #failed(claim: ScanClaim, error: ScannerError): Promise<ScanOutcome> {
    const { queue, rescans, together, forgive, clock, log } = this.#deps;
    const at = clock.now();
    const { fault } = error;
    if (fault === 'scanner') {
      this.#fault = error;
      this.#pausedUntil = at + PAUSE_MS;
    }
    const next = nextAttempt(claim, fault, at);
    const held = await together(async () => {
      const put = await queue.fail(claim, error.message, next);
      // Not the image's doing.
      if (put && (fault === 'scanner' || fault === 'stopped')) await forgive(claim.digest);
      return put;
    });
    if (fault === 'stopped') return 'stopped';
    if (!held) return 'lost';
    const said = { digest: claim.digest, attempts: claim.attempts, fault, error };
    if (next !== null) {
      log.info('an image could not be scanned; it is tried again', { ...said, next_in_ms: next - at });
      return 'failed';
    }
    log.warn('an image could not be scanned, and is given up until it is asked for again', said);
    rescans?.rest(claim.digest);
    return 'given_up';
  }
}

function toScannerError(error: unknown, stopped: boolean): ScannerError {
  if (stopped) return new ScannerError('stopped', 'the service was stopped', { cause: error });
  if (error instanceof ScannerError) return error;
  if (isIpoError(error))
    return new ScannerError(error.code === 'invalid_report' ? 'report' : 'failed', error.message, {
      cause: error,
    });
  return new ScannerError('failed', 'the scan failed', { cause: error });
}
