import { isIpoError, type Count, type Log } from '../base/index.ts';
import { DigestIndex, readVex } from '../vex/index.ts';
import type { VexDocuments } from './collect.service.ts';
import type { Problem } from './collected.ts';
import type { MonotonicClock, VexSource } from './ports.ts';
import type { SignedVex, VexRejection } from './vex-claims.ts';
import type { EvidenceVerifier } from './verify-ports.ts';

/** VexLibraryDeps are what the documents of configured sources are kept with. */
export interface VexLibraryDeps {
  readonly sources: readonly VexSource[];
  readonly verifier: EvidenceVerifier;
  readonly monotonic: MonotonicClock;
  readonly count: Count;
  readonly log: Log;
}

const MINUTE = 60_000;
/** "Every 6 hours", as the other catalogues. */
const FRESH = 6 * 60 * MINUTE;
/** A source that could not be read, or whose document does not count, is asked again after so long. */
const AGAIN = 10 * MINUTE;

interface Shelf {
  readonly source: VexSource;
  /** Null before it was read for the first time, or where it does not count. */
  document: SignedVex | null;
  /** Whether what is known of the source is what it has: also that it does not count. */
  isKnown: boolean;
  problem: Problem | null;
  askAt: number;
}

/** VexLibrary keeps the verified documents of the configured sources, and asks each source every 6 hours. */
export class VexLibrary implements VexDocuments {
  readonly #deps: VexLibraryDeps;
  readonly #shelves: readonly Shelf[];
  #running: Promise<void> | null = null;

  constructor(deps: VexLibraryDeps) {
    this.#deps = deps;
    this.#shelves = deps.sources.map((source) => ({
      source,
      document: null,
      isKnown: false,
      problem: null,
      askAt: -Infinity,
    }));
  }

  /**
   * Gives what is at hand, after asking the sources where that is due; who comes meanwhile waits for the same. A document that was read stays
   * in use while its source cannot be read, and goes when the source has another that does not count.
   */
  async documents(signal: AbortSignal): ReturnType<VexDocuments['documents']> {
    if (this.#running === null) {
      const now = this.#deps.monotonic.now();
      const due = this.#shelves.filter(({ askAt }) => askAt <= now);
      if (due.length > 0) this.#running = this.#refresh(due, signal).finally(() => (this.#running = null));
    }
    await this.#running;
    return {
      documents: this.#shelves.flatMap(({ document }) => (document === null ? [] : [document])),
      problems: this.#shelves.flatMap(({ problem }) => (problem === null ? [] : [problem])),
      complete: this.#shelves.every(({ isKnown }) => isKnown),
    };
  }

  async #refresh(due: readonly Shelf[], signal: AbortSignal): Promise<void> {
    const { monotonic, log } = this.#deps;
    for (const shelf of due) {
      const before = shelf.problem?.message;
      await this.#ask(shelf, signal);
      if (signal.aborted) return;
      const { problem } = shelf;
      shelf.askAt = monotonic.now() + (problem === null ? FRESH : AGAIN);
      if (problem !== null && problem.message !== before)
        log.warn('a source of VEX statements does not count; it is asked again', {
          source: shelf.source.name,
          reason: problem.reason,
          fault: problem.message,
        });
    }
  }

  async #ask(shelf: Shelf, signal: AbortSignal): Promise<void> {
    const { name } = shelf.source;
    try {
      const { bytes, bundle } = await shelf.source.read(signal);
      const verified = await this.#deps.verifier.verifyArtifact(bytes, bundle, signal);
      if (verified.kind === 'unverifiable') {
        this.#keep(shelf, verified.reason, `cannot be verified now: ${verified.message}`);
        return;
      }
      if (verified.kind === 'refused') {
        this.#reject(shelf, 'unverified', `is not signed as its bundle says: ${verified.message}`);
        return;
      }
      const { by, signed, statement } = verified;
      if (by === 'key' && statement !== null) {
        this.#reject(
          shelf,
          'unverified',
          'is signed by a key through a statement about the file; sign the file itself (cosign sign-blob), or keyless',
        );
        return;
      }
      const vex = readVex(bytes);
      if ('fault' in vex) {
        this.#reject(shelf, 'unreadable', vex.fault);
        return;
      }
      shelf.document = { where: name, vex: new DigestIndex(vex), by, signed, attached: false };
      shelf.isKnown = true;
      shelf.problem = null;
    } catch (error) {
      if (!isIpoError(error)) throw error;
      this.#keep(shelf, error.code, error.message);
    }
  }

  /** What was read before stays, and what was never read stays unknown. */
  #keep(shelf: Shelf, reason: string, message: string): void {
    const leavesUnknown = !shelf.isKnown;
    shelf.problem = { where: shelf.source.name, reason, message, leavesUnknown, mayPass: true };
  }

  #reject(shelf: Shelf, reason: VexRejection, message: string): void {
    shelf.document = null;
    shelf.isKnown = true;
    shelf.problem = { where: shelf.source.name, reason, message, leavesUnknown: false, mayPass: false };
    this.#deps.count.add('svc_vex_rejected_total', { reason });
  }
}
