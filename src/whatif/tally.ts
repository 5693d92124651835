import { byCodeUnit, DAY_MS, detached, formatTime, parseTime } from '../base/index.ts';
import { DENIAL_LABELS, sentenceOf } from '../decision/index.ts';
import { lacksScan } from '../facts/index.ts';
import { labelOfRow, type LedgerRow } from '../ledger/index.ts';
import { SIGNALS } from '../policy/index.ts';
import type { ChangeGroup, DayCount, Sample, WhatIfResult } from './result.ts';
import type { RowClass } from './row-class.ts';
import { workloadOf } from './workload.ts';

const MAX_SAMPLES = 200;
const MAX_GROUPS = 100;
const MAX_UNSCANNED = 500;
/** With this many characters of groups, further ones (a hostile ledger) are counted in every figure but listed in none. */
const HELD_GROUPS = 32 * 1024 * 1024;

type Changed = 'would_deny' | 'would_allow';
type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** WalkedRow is what sets a row apart from the others of its class. `at` is its time in milliseconds. */
export interface WalkedRow {
  readonly id: number;
  readonly time: string;
  readonly at: number;
  readonly pod: string | null;
}

/** Tally counts rows as they are walked, newest first, and gives the parts of the answer. */
export class Tally {
  evaluated = 0;
  unchanged = 0;
  breakGlass = 0;
  escalatedDenials = 0;
  withoutContext = 0;
  /** Covered rows whose time cannot be trusted. */
  clockSuspect = 0;
  readonly changed: Record<Changed, number> = { would_deny: 0, would_allow: 0 };
  readonly effect: Record<Changed, number> = { would_deny: 0, would_allow: 0 };
  missing = 0;
  drift = 0;
  driftUnknown = 0;
  readonly samples: Sample[] = [];
  readonly #byLabel: Record<Changed, Map<string, number>> = { would_deny: new Map(), would_allow: new Map() };
  readonly #notEvaluated = new Map<string, number>();
  readonly #signals = new Map<string, number>(SIGNALS.map((signal) => [signal, 0]));
  readonly #digests = new Set<string>();
  readonly #unscanned = new Map<string, { digest: string; image: string; rows: number }>();
  readonly #groups = new Map<string, Mutable<ChangeGroup>>();
  #groupChars = 0;
  readonly #leftOut = { rows: 0 };
  readonly #days = new Map<number, Mutable<DayCount>>();
  #day: Mutable<DayCount> | null = null;
  #dayNumber = NaN;

  /** Counts a decided row: what differs from row to row. The rest is counted with its class. */
  addEvaluated(row: WalkedRow, rows: RowClass): void {
    this.evaluated += 1;
    rows.rows += 1;
    const day = this.#dayOf(row.at);
    day.evaluated += 1;
    const { outcome } = rows;
    if (outcome !== 'would_deny' && outcome !== 'would_allow') return;
    day[outcome] += 1;
    this.#addChanged(row, rows, outcome);
  }

  /** Counts a class whose rows have all been walked: everything that its rows share. */
  settle(rows: RowClass): void {
    const { row, subject, outcome, rows: count } = rows;
    if (outcome === 'break_glass') return;
    if (outcome === 'not_evaluated') {
      const reason = rows.draft?.kind === 'unknown' ? `${rows.draft.fact}_unknown` : 'reference_invalid';
      this.#notEvaluated.set(reason, (this.#notEvaluated.get(reason) ?? 0) + count);
      return;
    }
    const digest = subject?.digest ?? null;
    if (digest !== null) {
      this.#digests.add(digest);
      if (subject !== null && lacksScan(subject.facts)) this.#addUnscanned(digest, row, count);
    }
    this.#addSignals(row, count);
    if (rows.draft?.kind === 'refuse' && rows.draft.label === 'context') this.escalatedDenials += count;
    this.#addComparisons(rows);
    if (outcome === 'unchanged') {
      this.unchanged += count;
      return;
    }
    this.changed[outcome] += count;
    const label = labelOf(rows);
    this.#byLabel[outcome].set(label, (this.#byLabel[outcome].get(label) ?? 0) + count);
  }

  #addSignals(row: LedgerRow, count: number): void {
    if (!row.signals) {
      this.withoutContext += count;
      return;
    }
    for (const signal of new Set(row.signals)) {
      const before = this.#signals.get(signal);
      if (before !== undefined) this.#signals.set(signal, before + count);
    }
  }

  /** What the edit itself changes, and what has changed since the rows were decided. */
  #addComparisons({ effect, drift, rows: count }: RowClass): void {
    if (effect === 'missing') this.missing += count;
    else if (effect !== 'none') this.effect[effect] += count;
    if (drift === 'drifted') this.drift += count;
    else if (drift === 'unknown') this.driftUnknown += count;
  }

  /** The parts of the answer that are counts and lists. */
  finish(): Pick<
    WhatIfResult,
    | 'distinct_images'
    | 'would_deny_by_reason'
    | 'would_allow_by_reason'
    | 'samples'
    | 'not_evaluated'
    | 'unscanned'
    | 'unscanned_total'
    | 'groups'
    | 'groups_total'
    | 'by_day'
  > & { readonly signals: Readonly<Record<string, number>> } {
    const unscanned = [...this.#unscanned.values()].toSorted(
      (a, b) => b.rows - a.rows || byCodeUnit(a.digest, b.digest),
    );
    const notEvaluated = [...this.#notEvaluated].toSorted(([a], [b]) => byCodeUnit(a, b));
    return {
      distinct_images: this.#digests.size,
      would_deny_by_reason: inGateOrder(this.#byLabel.would_deny),
      would_allow_by_reason: inGateOrder(this.#byLabel.would_allow),
      samples: this.samples,
      not_evaluated: {
        count: notEvaluated.reduce((sum, [, count]) => sum + count, 0),
        by_reason: Object.fromEntries(notEvaluated),
      },
      unscanned: unscanned.slice(0, MAX_UNSCANNED),
      unscanned_total: unscanned.length,
      groups: [...this.#groups.values()].toSorted(byWeight).slice(0, MAX_GROUPS),
      groups_total: this.#groups.size,
      by_day: [...this.#days].toSorted(([a], [b]) => a - b).map(([, day]) => day),
      signals: Object.fromEntries(this.#signals),
    };
  }

  #addChanged(row: WalkedRow, rows: RowClass, change: Changed): void {
    if (this.samples.length < MAX_SAMPLES) this.samples.push(toSample(row, rows, change));
    const workload = row.pod === null || row.pod === '' ? null : workloadOf(row.pod);
    let group = rows.groups.get(workload);
    if (group === undefined) {
      const kept = workload === null ? null : detached(workload);
      group = this.#groupOf(row.time, rows, change, kept);
      if (group !== this.#leftOut) rows.groups.set(kept, group);
    }
    group.rows += 1;
  }

  #groupOf(time: string, rows: RowClass, change: Changed, workload: string | null): { rows: number } {
    const { row } = rows;
    const label = labelOf(rows);
    const image = row.image ?? '';
    const key = JSON.stringify([change, row.namespace ?? null, workload, image, label]);
    let group = this.#groups.get(key);
    if (group !== undefined) return group;
    if (this.#groupChars > HELD_GROUPS) return this.#leftOut;
    const reason = rows.draft?.kind === 'refuse' ? rows.draft.sentence : sentenceOf(row.reason);
    group = {
      change,
      namespace: row.namespace ?? null,
      workload,
      image,
      label,
      reason,
      rows: 0,
      newest: utc(time),
    };
    this.#groups.set(key, group);
    this.#groupChars += key.length + reason.length + 200;
    return group;
  }

  /** Classes settle in the order of their newest rows, so the first one gives the newest image name. */
  #addUnscanned(digest: string, row: LedgerRow, count: number): void {
    const known = this.#unscanned.get(digest);
    if (known === undefined) this.#unscanned.set(digest, { digest, image: row.image ?? '', rows: count });
    else known.rows += count;
  }

  #dayOf(time: number): Mutable<DayCount> {
    const number = Math.floor(time / DAY_MS);
    if (this.#day !== null && number === this.#dayNumber) return this.#day;
    let day = this.#days.get(number);
    if (day === undefined) {
      const date = new Date(number * DAY_MS).toISOString().slice(0, 10);
      this.#days.set(number, (day = { date, evaluated: 0, would_deny: 0, would_allow: 0 }));
    }
    this.#day = day;
    this.#dayNumber = number;
    return day;
  }
}

function toSample(walked: WalkedRow, { row, subject, draft }: RowClass, change: Changed): Sample {
  const refusal = draft?.kind === 'refuse' ? draft : null;
  return {
    id: walked.id,
    time: utc(walked.time),
    cluster: row.cluster ?? null,
    namespace: row.namespace ?? null,
    pod: walked.pod === null ? null : detached(walked.pod),
    container: row.container ?? null,
    image: row.image ?? '',
    digest: subject?.digest ?? null,
    change,
    recorded: {
      allowed: row.allowed,
      label: row.label ?? null,
      reason: row.reason,
      policy: row.policy ?? null,
    },
    draft: { allowed: refusal === null, label: refusal?.label ?? null, reason: refusal?.sentence ?? '' },
  };
}

/** The draft's label when it refuses; else the recorded one, recovered from the sentence where it is missing. */
function labelOf({ row, draft }: RowClass): string {
  return draft?.kind === 'refuse' ? draft.label : labelOfRow(row);
}

/** The time as UTC. One that ends in `Z` is kept digit by digit. */
function utc(time: string): string {
  return time.endsWith('Z') ? detached(time) : formatTime(parseTime(time));
}

function byWeight(a: ChangeGroup, b: ChangeGroup): number {
  return (
    b.rows - a.rows ||
    byCodeUnit(b.change, a.change) ||
    byCodeUnit(a.namespace ?? '', b.namespace ?? '') ||
    byCodeUnit(a.workload ?? '', b.workload ?? '') ||
    byCodeUnit(a.image, b.image) ||
    byCodeUnit(a.label, b.label)
  );
}

/** The gates' order first, then labels that are none of ours, `other` last. */
function inGateOrder(counts: ReadonlyMap<string, number>): Readonly<Record<string, number>> {
  const place = (label: string): number => {
    const at = (DENIAL_LABELS as readonly string[]).indexOf(label);
    if (at !== -1) return at;
    return label === 'other' ? Infinity : DENIAL_LABELS.length;
  };
  const sorted = [...counts].toSorted(([a], [b]) =>
    place(a) === place(b) ? byCodeUnit(a, b) : place(a) - place(b),
  );
  return Object.fromEntries(sorted);
}
