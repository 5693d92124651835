import { sql } from 'kysely';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PodLedger, PodRecord, RecordedVerdict, WantedPod } from '../../reconcile/index.ts';
import { hexOf } from '../sql/dialect.ts';
import { Shapes } from '../cells/shapes.ts';
import { SPAN_ROWS, sizeOf, spannedRows } from '../ledger/spans.ts';
import type { Store } from '../sql/store.ts';
import { packUid, unpackUid } from '../cells/uid.ts';
import { readCells, run, type Row } from '../sql/run.ts';

/** By so much the clock of the API server, which dates a pod, may be ahead of the one that dates its rows. */
const SKEW = 5 * 60_000;
/** Before a pod is said to have no row, the rows of so long before it are looked through as well: a clock may be a day off. */
const LONG_SKEW = 25 * 60 * 60_000;

/** Sought is a pod whose rows are looked for from a row on. */
interface Sought {
  readonly uid: string;
  readonly hex: string;
  readonly from: number;
  readonly whole: boolean;
}

interface Known extends PodRecord {
  reviewed: boolean;
  readonly bypassed: Set<string>;
  /** Rows up to this number are in it. */
  upto: number;
}

/** podLedger looks pods up in the ledger of a store. */
export function podLedger(store: Store): PodLedger {
  return new StorePodLedger(store);
}

/**
 * A row has no index by its pod: it would cost every admission something, and a pod's first row stands right by the time when the pod
 * was made, which the spans of the ledger lead to.
 */
class StorePodLedger implements PodLedger {
  readonly #store: Store;
  readonly #shapes: Shapes;
  readonly #known = new Map<string, Known>();
  readonly #verdicts = new Map<string, RecordedVerdict>();
  #verdictsUpto: number | null = null;

  constructor(store: Store) {
    this.#store = store;
    this.#shapes = new Shapes(store.read);
  }

  async find(pods: readonly WantedPod[]): Promise<ReadonlyMap<string, PodRecord>> {
    const size = await sizeOf(this.#store);
    const spans = await this.#spans();
    const first = pods.flatMap(({ uid, createdAt, whole }): Sought[] => {
      const known = this.#known.get(uid);
      if (known !== undefined && !whole) return [];
      const from = known?.upto ? known.upto + 1 : firstRow(spans, createdAt - SKEW, size);
      return [{ uid, hex: packUid(uid).toString('hex'), from, whole }];
    });
    await this.#look(first, size);
    const created = new Map(pods.map(({ uid, createdAt }) => [uid, createdAt]));
    const missed = first.filter(({ uid }) => !this.#known.has(uid));
    const before = missed.map((one) => ({
      ...one,
      from: firstRow(spans, (created.get(one.uid) ?? 0) - LONG_SKEW, size),
    }));
    await this.#look(before, Math.min(size, Math.max(0, ...missed.map(({ from }) => from))));
    const found = new Map<string, PodRecord>();
    for (const { uid } of pods) {
      const known = this.#known.get(uid);
      if (known !== undefined) found.set(uid, known);
    }
    return found;
  }

  async verdicts(since: number): Promise<ReadonlyMap<string, RecordedVerdict>> {
    const size = await sizeOf(this.#store);
    let at = this.#verdictsUpto ?? firstRow(await this.#spans(), since - LONG_SKEW, size) - 1;
    for (; at < size; at += SPAN_ROWS) {
      const upto = Math.min(size, at + SPAN_ROWS);
      const rows = await run(
        this.#store.read,
        sql<
          Row<'ledger_rows', 'shape'> & { uid: string }
        >`select ${hexOf(this.#store.read, 'pod_uid')} as uid, shape from ledger_rows
         where id > ${at} and id <= ${upto} and pod_uid is not null
           and (select kind from ledger_shapes where ledger_shapes.id = ledger_rows.shape) = 'reconcile'
         order by ledger_rows.id`,
      );
      const shapes = await this.#shapes.load(new Set(rows.map(({ shape }) => shape)));
      for (const { uid, shape } of rows) {
        const { container, allowed, reason, label = null, policy = null } = shapes.get(shape) ?? {};
        if (allowed === undefined || reason === undefined) continue;
        const key = `${unpackUid(Buffer.from(uid, 'hex'))}/${container ?? ''}`;
        this.#verdicts.set(key, { allowed, reason, label, policy });
      }
      this.#verdictsUpto = upto;
      await nextTurn();
    }
    this.#verdictsUpto = size;
    return this.#verdicts;
  }

  keep(uids: ReadonlySet<string>): void {
    for (const uid of this.#known.keys()) if (!uids.has(uid)) this.#known.delete(uid);
    for (const key of this.#verdicts.keys())
      if (!uids.has(key.slice(0, key.indexOf('/')))) this.#verdicts.delete(key);
  }

  /**
   * The newest time up to each span, so that it never falls; a span that is not there has that of the one before, the one that is not full
   * that of its rows.
   */
  async #spans(): Promise<readonly number[]> {
    const spanned = await spannedRows(this.#store);
    const rows = await readCells(
      this.#store.read,
      sql`select span, max_at from ledger_spans where span < ${spanned / SPAN_ROWS} order by span`,
    );
    const newest: number[] = [];
    for (const [span, maxAt] of rows) {
      const before = newest.at(-1) ?? -Infinity;
      while (newest.length < Number(span)) newest.push(before);
      newest.push(Math.max(before, Number(maxAt)));
    }
    while (newest.length < spanned / SPAN_ROWS) newest.push(newest.at(-1) ?? -Infinity);
    const [open] = await readCells(
      this.#store.read,
      sql`select max(at) from ledger_rows where id > ${spanned}`,
    );
    if (typeof open?.[0] === 'number') newest.push(Math.max(newest.at(-1) ?? -Infinity, open[0]));
    return newest;
  }

  /** Looks through the rows up to `size` from that of the first pod on, without the stretches where none is sought any more. */
  async #look(all: readonly Sought[], size: number): Promise<void> {
    const waiting = all.toSorted((a, b) => a.from - b.from);
    const active = new Map<string, Sought>();
    let next = 0;
    for (let at = 1; at <= size; at += SPAN_ROWS) {
      const first = waiting[next];
      if (active.size === 0) {
        if (first === undefined) break;
        at = Math.max(at, first.from);
        if (at > size) break;
      }
      const last = Math.min(size, at + SPAN_ROWS - 1);
      for (let one = waiting[next]; one !== undefined && one.from <= last; one = waiting[++next])
        active.set(one.hex, one);
      await this.#take(active, at, last);
      await nextTurn();
    }
    for (const { uid, whole } of all) {
      const known = this.#known.get(uid);
      if (whole && known !== undefined) known.upto = size;
    }
  }

  async #take(active: Map<string, Sought>, first: number, last: number): Promise<void> {
    const { read } = this.#store;
    const rows = await readCells(
      read,
      sql`select ${hexOf(read, 'pod_uid')} as uid, shape from ledger_rows
       where id between ${first} and ${last} and pod_uid is not null order by id`,
    );
    const found: (readonly [Sought, number])[] = [];
    for (const [hex, shape] of rows) {
      const pod = active.get(hex as string);
      if (pod !== undefined) found.push([pod, Number(shape)]);
    }
    const shapes = await this.#shapes.load(new Set(found.map(([, shape]) => shape)));
    for (const [pod, id] of found) {
      const shape = shapes.get(id);
      // The verdict of a sweep on a pod is not a review of it.
      if (shape === undefined || shape.kind === 'reconcile') continue;
      let known = this.#known.get(pod.uid);
      if (known === undefined) {
        known = { known: true, reviewed: false, bypassed: new Set(), upto: 0 };
        this.#known.set(pod.uid, known);
      }
      if (shape.kind === 'review') known.reviewed = true;
      if (!pod.whole) active.delete(pod.hex);
      else if (shape.kind === 'review' && shape.container) {
        if (shape.break_glass === true) known.bypassed.add(shape.container);
        else known.bypassed.delete(shape.container);
      }
    }
  }
}

/** The first row of the first span that holds a row of that time or later; past the end where none does. */
function firstRow(newest: readonly number[], at: number, size: number): number {
  let low = 0;
  for (let high = newest.length; low < high;) {
    const middle = (low + high) >> 1;
    if ((newest[middle] ?? Infinity) >= at) high = middle;
    else low = middle + 1;
  }
  return low === newest.length ? size + 1 : low * SPAN_ROWS + 1;
}
