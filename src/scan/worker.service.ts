import { formatTime, isWaiting } from '../base/index.ts';
import { SCAN_FAILURES } from '../findings/index.ts';
import { failureSentence } from './failure-sentence.ts';
import { CLAIM_MS, MAX_ATTEMPTS } from './back-off.ts';
import { planImport } from './plan-import.ts';
import { PlatformChoice } from './platform-choice.ts';
import type { NewScan, NewScanFailure, Recorded, ScanClaim } from './ports.ts';
import { incompleteAt, nextAttempt, placesOf } from './scan-attempt.ts';
import { ScanError } from './scan-error.ts';
import { scanPlace, type Scanned } from './scan-place.ts';
import { ScannerError, toScannerError } from './scanner-error.ts';
import type { ScanOutcome, ScanWorkerDeps } from './worker-ports.ts';

/** While the scanner itself does not work, it is tried again after this many milliseconds. */
const PAUSE_MS = 60_000;
/** It says whether it works within this many milliseconds. */
const PROBE_MS = 10_000;
/** Another place is asked within this many milliseconds of the first, so that a claim never outlives its time. */
const NEXT_PLACE_MS = 60_000;

/** What was scanned of a digest, and how many of its platforms are left. */
interface ScannedPart extends Scanned {
  readonly left: number;
}

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
    if (this.#fault !== null && isWaiting(this.#pausedUntil, clock.now(), PAUSE_MS)) throw this.#fault;
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

  /** Where no scan is there to try a scanner that did not work, it is asked whether it does: health must not report what is over. */
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

  /** After an error of the scanner only one scan tries it. */
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
      return this.#failed(
        claim,
        new ScannerError('failed', 'no attempt came to an end', { reason: 'interrupted' }),
        null,
      );
    const startedAt = clock.now();
    let choice: PlatformChoice | null = null;
    let scanned: ScannedPart;
    try {
      choice = new PlatformChoice(claim, await this.#deps.subjects.nodePlatforms());
      scanned = await this.#report(claim, choice, startedAt);
      this.#fault = null;
    } catch (error) {
      return this.#failed(claim, toScannerError(error, this.#stop.signal.aborted), choice?.chosen ?? null);
    }
    took((clock.now() - startedAt) / 1000);
    try {
      return await this.#record(claim, scanned, startedAt);
    } catch (error) {
      if (error instanceof ClaimLost) return 'lost';
      if (error instanceof ScanError)
        return this.#failed(
          claim,
          new ScannerError('report', error.message, { cause: error }),
          choice.chosen,
        );
      throw error;
    }
  }

  /** Asks one place after another until one gives the image. */
  async #report(claim: ScanClaim, choice: PlatformChoice, startedAt: number): Promise<ScannedPart> {
    const { subjects, clock } = this.#deps;
    const { digest, attempts } = claim;
    const { signal } = this.#stop;
    const late = startedAt + NEXT_PLACE_MS;
    let fault = new ScannerError('image', SCAN_FAILURES.no_place.means, { reason: 'no_place' });
    for (const reference of placesOf(digest, await subjects.namesOf(digest), attempts)) {
      try {
        const scanned = await scanPlace(this.#deps, {
          reference,
          digest,
          choose: choice.choose,
          late,
          signal,
        });
        return { ...scanned, left: choice.left };
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
    { report, image, left }: ScannedPart,
    startedAt: number,
  ): Promise<ScanOutcome> {
    const { scans, queue, rescans, together, clock, log, count } = this.#deps;
    const { digest } = claim;
    const at = clock.now();
    const { scan, source } = report;
    const nothing: NewScanFailure = {
      platform: image.platform,
      reason: 'no_packages',
      message: SCAN_FAILURES.no_packages.means,
      at,
    };
    // Holds that the report is about the image that was asked for, and can be true.
    planImport(report, { digest: image.digest }, at);
    const scannedAt = scan.scannedAt ?? formatTime(startedAt);
    const { platform, entries } = image;
    const made: NewScan = {
      // It is known by the names it was seen under; a report adds none.
      digest,
      names: [],
      source,
      scan: { ...scan, scannedAt },
      at,
      platform: platform ?? report.platform,
      image: platform === null ? null : image.digest,
      entries,
    };
    await scans.prepare(made);
    const recorded = await together(async (): Promise<Recorded> => {
      const done = await scans.record(made);
      const isNothing = done.outcome === 'incomplete';
      const end = (): Promise<boolean> =>
        isNothing ? queue.fail(claim, nothing, incompleteAt(claim, at)) : queue.finish(claim);
      const held =
        left > 0 && platform !== null
          ? await queue.next(claim, [...claim.done, platform], isNothing ? nothing : null)
          : await end();
      if (!held) throw new ClaimLost();
      return done;
    });
    const { outcome } = recorded;
    if (outcome === 'incomplete') count.add('svc_scan_failures_total', { reason: nothing.reason });
    log.info(
      outcome === 'incomplete' ? 'a scan found no packages; the image stays unscanned' : 'image scanned',
      {
        digest,
        image: report.artifact.slice(0, 300),
        ...(image.platform !== null && { platform: image.platform }),
        findings: scan.findings?.length ?? null,
        ms: at - startedAt,
      },
    );
    if (outcome !== 'current') rescans?.rest(digest);
    if (outcome === 'other_platform') return 'older'; // the nodes changed meanwhile
    return outcome === 'current' ? 'done' : outcome;
  }

  async #failed(claim: ScanClaim, error: ScannerError, platform: string | null): Promise<ScanOutcome> {
    const { queue, rescans, together, forgive, clock, log, count } = this.#deps;
    const at = clock.now();
    const { fault, reason } = error;
    const failure: NewScanFailure | null =
      fault === 'stopped' ? null : { platform, reason, message: failureSentence(error.message), at };
    if (fault === 'scanner') {
      this.#fault = error;
      this.#pausedUntil = at + PAUSE_MS;
    }
    const next = nextAttempt(claim, fault, at);
    const held = await together(async () => {
      const put = await queue.fail(claim, failure, next);
      // Not the image's doing.
      if (put && (fault === 'scanner' || fault === 'stopped')) await forgive(claim.digest);
      return put;
    });
    if (fault === 'stopped') return 'stopped';
    if (!held) return 'lost';
    count.add('svc_scan_failures_total', { reason });
    const said = { digest: claim.digest, attempts: claim.attempts, fault, reason, error };
    if (next !== null) {
      log.info('an image could not be scanned; it is tried again', { ...said, next_in_ms: next - at });
      return 'failed';
    }
    log.warn('an image could not be scanned, and is given up until it is asked for again', said);
    rescans?.rest(claim.digest);
    return 'given_up';
  }
}
