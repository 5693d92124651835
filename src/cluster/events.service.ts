import { canonicalJson, type Count, type Log } from '../base/index.ts';
import { microTime } from '../base/index.ts';
import type { ClusterEvent, ClusterEvents } from './ports.ts';
import type { ElectionClock } from '../leadership/index.ts';

/** EventSeries is an event that was written, or is to be, with how often it happened. Times are MicroTime texts. */
export interface EventSeries {
  readonly event: ClusterEvent;
  readonly name: string;
  readonly firstAt: string;
  readonly count: number;
  readonly lastAt: string;
}

/** EventSink writes events. */
export interface EventSink {
  /** Writes a new one. */
  create(series: EventSeries): Promise<void>;
  /** Writes how often one happened that was written before; false when it is no longer there. */
  again(series: EventSeries): Promise<boolean>;
}

/** EventRecorderDeps are what events are written with. */
export interface EventRecorderDeps {
  readonly sink: EventSink;
  readonly clock: ElectionClock;
  readonly log: Log;
  readonly count: Count;
  /** Gives a name that no other event has: 16 letters and digits. */
  readonly newId: () => string;
}

/** Equal events within this become one. */
const SERIES_MS = 6 * 60_000;
/** Between two writes of one series, so that a loop of a controller writes no more than that. */
const SERIES_WRITE_MS = 60_000;
/** Different events that wait to be written, some kilobytes each; what is more is dropped and counted. */
const MAX_WAITING = 5000;
/** Series that are remembered. */
const MAX_SERIES = 4096;
/** New events of one kind of object and reason: 25 at once, then one in 10 s. The ledger has them all; Events are for people. */
const BURST = 25;
const REFILL_MS = 10_000;
const MAX_NOTE = 1024;

interface Series {
  series: EventSeries;
  written: boolean;
  lastWrite: number;
  touched: number;
  queued: boolean;
  writing: boolean;
  /** Its last write succeeded. */
  shown: boolean;
  /** Of those who wait to hear whether the write that is queued or under way fails. */
  dropped: (() => void)[];
}

/** EventRecorder is the ClusterEvents of a process: it writes one event after another in the background. */
export class EventRecorder implements ClusterEvents {
  readonly #deps: EventRecorderDeps;
  readonly #series = new Map<string, Series>();
  readonly #tokens = new Map<string, { left: number; at: number }>();
  readonly #queue: Series[] = [];
  #running: Promise<void> | null = null;
  #closed = false;

  constructor(deps: EventRecorderDeps) {
    this.#deps = deps;
  }

  emit(event: ClusterEvent, dropped: () => void = () => {}): void {
    if (this.#closed) {
      dropped();
      return;
    }
    const { clock, newId } = this.#deps;
    const at = clock.monotonic();
    const { always: _, ...told } = event;
    const cut = { ...told, note: cutBytes(event.note) };
    const key = canonicalJson({ ...cut, regarding: { ...cut.regarding } });
    const now = microTime(clock.now());
    let series = this.#series.get(key);
    if (series !== undefined && at - series.touched < SERIES_MS) {
      series.series = { ...series.series, count: series.series.count + 1, lastAt: now };
      series.touched = at;
      // It is newest now.
      this.#series.delete(key);
      this.#series.set(key, series);
      if (at - series.lastWrite < SERIES_WRITE_MS) {
        if (series.queued || series.writing) series.dropped.push(dropped);
        else if (!series.shown) this.#drop([dropped]);
        return;
      }
    } else {
      if (event.always !== true && !this.#mayBegin(cut, at)) {
        this.#drop([dropped]);
        return;
      }
      const name = `${nameOf(cut.regarding.name)}.${newId()}`;
      series = {
        series: { event: cut, name, firstAt: now, count: 1, lastAt: now },
        written: false,
        lastWrite: -Infinity,
        touched: at,
        queued: false,
        writing: false,
        shown: false,
        dropped: [],
      };
      this.#series.delete(key);
      this.#series.set(key, series);
      for (const oldest of this.#series.keys()) {
        if (this.#series.size <= MAX_SERIES) break;
        this.#series.delete(oldest);
      }
    }
    series.dropped.push(dropped);
    this.#enqueue(series);
  }

  /** Writes what waits, for so long at most, and takes nothing more. */
  async close(ms: number): Promise<void> {
    this.#closed = true;
    const over = new AbortController();
    await Promise.race([this.#running, this.#deps.clock.wait(ms, over.signal)]);
    over.abort();
    this.#queue.length = 0;
  }

  #enqueue(series: Series): void {
    if (series.queued) return;
    if (this.#queue.length >= MAX_WAITING) {
      this.#drop(series.dropped.splice(0));
      return;
    }
    series.queued = true;
    this.#queue.push(series);
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
  }

  async #run(): Promise<void> {
    const { sink, clock, log } = this.#deps;
    for (;;) {
      const next = this.#queue.shift();
      if (next === undefined) return;
      next.queued = false;
      next.writing = true;
      next.lastWrite = clock.monotonic();
      try {
        if (!next.written || !(await sink.again(next.series))) await sink.create(next.series);
        next.written = true;
        next.shown = true;
        next.dropped.length = 0;
      } catch (error) {
        // The ledger and the log have what matters; an event is a courtesy.
        next.shown = false;
        this.#drop(next.dropped.splice(0));
        log.debug('an event was not written', { reason: next.series.event.reason, error });
      } finally {
        next.writing = false;
      }
    }
  }

  #mayBegin({ regarding, reason }: ClusterEvent, at: number): boolean {
    const key = `${regarding.kind} ${regarding.namespace ?? ''} ${reason}`;
    const held = this.#tokens.get(key) ?? { left: BURST, at };
    const left = Math.min(BURST, held.left + (at - held.at) / REFILL_MS);
    this.#tokens.delete(key);
    this.#tokens.set(key, { left: left >= 1 ? left - 1 : left, at });
    for (const oldest of this.#tokens.keys()) {
      if (this.#tokens.size <= MAX_SERIES) break;
      this.#tokens.delete(oldest);
    }
    return left >= 1;
  }

  #drop(waiting: readonly (() => void)[]): void {
    this.#deps.count.add('svc_cluster_events_dropped_total');
    for (const dropped of waiting) dropped();
  }
}

/** As much of an object's name as the name of an event may begin with: each part of that begins and ends with a letter or digit. */
function nameOf(name: string): string {
  const short = name.slice(0, 200).replace(/[-.]+$/, '');
  return /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(short) ? short : 'event';
}

function cutBytes(note: string): string {
  if (Buffer.byteLength(note) <= MAX_NOTE) return note;
  const cut = Buffer.from(note).subarray(0, MAX_NOTE - 3);
  return `${cut.toString('utf8').replace(/\uFFFD+$/, '')}…`;
}
