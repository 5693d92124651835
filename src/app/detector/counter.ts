import type { DetectorTally, DropReason } from '../../api/index.ts';
import type { Clock } from '../../base/index.ts';
import type { DetectorEvent } from '../../runtime/index.ts';
import type { DetectorCounts } from './protocol.ts';

/** Sources that are counted by their names; what a sender writes must not make series without end. */
const MOST_SOURCES = 20;

/** DetectorCounter counts what came until it is told. */
export class DetectorCounter implements DetectorTally {
  readonly #clock: Clock;
  readonly #sources = new Set<string>(['syscall', 'k8s_audit', 'internal']);
  #events = new Map<string, { readonly source: string; readonly priority: string; count: number }>();
  #dropped: Partial<Record<DropReason, number>> = {};
  #lastAt: number | null = null;
  #unwritten = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  kept({ source: given, priority }: DetectorEvent): void {
    const source = this.#sourceOf(given);
    const key = `${source}\n${priority}`;
    const there = this.#events.get(key);
    if (there === undefined) this.#events.set(key, { source, priority, count: 1 });
    else there.count += 1;
    this.#lastAt = this.#clock.now();
  }

  dropped(reason: DropReason): void {
    this.#dropped[reason] = (this.#dropped[reason] ?? 0) + 1;
    // A caller that is refused sent no event of the detector.
    if (reason !== 'unauthorised') this.#unwritten += 1;
  }

  /** What came since it was asked last; null for nothing. */
  taken(): DetectorCounts | null {
    if (this.#events.size === 0 && Object.keys(this.#dropped).length === 0) return null;
    const counts = { events: [...this.#events.values()], dropped: this.#dropped, lastAt: this.#lastAt };
    this.#events = new Map();
    this.#dropped = {};
    this.#lastAt = null;
    return counts;
  }

  /** Dropped events that are in no day of the cluster yet. */
  unwritten(): number {
    return this.#unwritten;
  }

  written(count: number): void {
    this.#unwritten -= count;
  }

  #sourceOf(source: string): string {
    if (!this.#sources.has(source) && /^[\w.-]{1,64}$/.test(source) && this.#sources.size < MOST_SOURCES)
      this.#sources.add(source);
    return this.#sources.has(source) ? source : 'other';
  }
}
