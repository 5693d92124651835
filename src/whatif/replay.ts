import { DAY_MS, formatTime } from '../base/index.ts';
import type { LedgerRow, RowBatch } from '../ledger/index.ts';
import { diffPolicies, governs, type Policy } from '../policy/index.ts';
import { InputsDigest } from './inputs-digest.ts';
import { Judge } from './judge.ts';
import { notesOf } from './notes.ts';
import type { Period, ReplayOrigin, ReplaySource } from './ports.ts';
import type { WhatIfResult } from './result.ts';
import type { Revisions } from './revisions.ts';
import { RowClasses, type Outcome } from './row-class.ts';
import { Tally } from './tally.ts';

/** ReplayOptions are the parameters of a replay, already checked. */
export interface ReplayOptions {
  /** Milliseconds. */
  readonly asOf: number;
  readonly days: number;
  /** 0 for all rows. */
  readonly limit: number;
  /** Name of the policy in effect that the draft was edited from, or null. */
  readonly source: string | null;
}

/** periodOf gives the closed span that a replay covers. */
export function periodOf({ asOf, days }: Pick<ReplayOptions, 'asOf' | 'days'>): Period {
  return { from: asOf - days * DAY_MS, to: asOf };
}

/** Taken is what became of a row: the draft does not govern it, the limit left it out, or what the draft makes of it. */
export type Taken = Outcome | 'not_covered' | 'left_out';

/** Replay walks rows newest first and makes the answer. It holds classes, counts and samples, never the rows. */
export class Replay {
  readonly #draft: Policy;
  readonly #options: ReplayOptions;
  readonly #period: Period;
  readonly #classes: RowClasses;
  readonly #judge: Judge;
  readonly #digest: InputsDigest;
  readonly #tally = new Tally();
  readonly #compared: Policy | null;
  readonly #governed = new Map<string, boolean>();
  readonly #limit: number;
  readonly #origin: ReplayOrigin | null;
  #truncated = false;

  constructor(draft: Policy, source: ReplaySource, revisions: Revisions, options: ReplayOptions) {
    const named = options.source === null ? null : revisions.inForce(options.source);
    this.#draft = draft;
    this.#options = options;
    this.#period = periodOf(options);
    this.#origin = source.origin ?? null;
    this.#limit = options.limit === 0 ? Infinity : options.limit;
    this.#classes = new RowClasses(source, (rows) => this.#tally.settle(rows));
    this.#judge = new Judge(draft, named, revisions, options.asOf);
    this.#compared = named ?? revisions.inForce(draft.name);
    this.#digest = new InputsDigest({
      as_of: formatTime(options.asOf),
      days: options.days,
      limit: options.limit,
      source: options.source,
      cold_image_policy: source.coldImagePolicy,
      draft: { name: draft.name, spec: draft.spec },
      compared: this.#compared && { name: this.#compared.name, spec: this.#compared.spec },
      // Left out for a ledger, so that its digests are what they were before there were other sources.
      ...(source.origin && { origin: source.origin }),
    });
  }

  /** Takes the next row, and says what the draft makes of it. After `left_out` no row can change the answer. */
  take(batch: RowBatch, i: number): Taken {
    const shape = batch.shapes[i] as LedgerRow;
    const at = batch.at[i] as number;
    if (!this.#covers(shape, at)) return 'not_covered';
    const tally = this.#tally;
    if (tally.evaluated >= this.#limit) {
      this.#truncated = true;
      return 'left_out';
    }
    const rows =
      this.#classes.find(shape) ??
      this.#classes.add(shape, (made) => this.#digest.addClass(made, this.#judge.judge(made)));
    if (shape.clock_suspect === true) tally.clockSuspect += 1;
    const id = batch.ids[i] as number;
    const time = batch.times[i] as string;
    const pod = batch.pods[i] ?? null;
    this.#digest.addRow(rows.index, id, time, pod);
    if (rows.outcome === 'break_glass') tally.breakGlass += 1;
    else if (rows.outcome === 'not_evaluated') rows.rows += 1;
    else tally.addEvaluated({ id, time, at, pod }, rows);
    return rows.outcome;
  }

  /** The answer over the rows taken. */
  finish(): WhatIfResult {
    const tally = this.#tally;
    this.#classes.settle();
    const { asOf, days, limit, source } = this.#options;
    const { signals, ...parts } = tally.finish();
    const truncated = this.#truncated;
    const { changed } = tally;
    return {
      as_of: formatTime(asOf),
      days,
      limit,
      policy: { name: this.#draft.name, revision: this.#draft.revision },
      source,
      evaluated: tally.evaluated,
      distinct_images: parts.distinct_images,
      break_glass_skipped: tally.breakGlass,
      truncated,
      unchanged: tally.unchanged,
      would_deny: changed.would_deny,
      would_allow: changed.would_allow,
      would_deny_by_reason: parts.would_deny_by_reason,
      would_allow_by_reason: parts.would_allow_by_reason,
      samples: parts.samples,
      context: {
        mode: this.#draft.spec.deploymentContext.mode,
        signals,
        escalated_denials: tally.escalatedDenials,
        rows_without_context: tally.withoutContext,
        ...(tally.withoutContext > 0 && {
          note: `${tally.withoutContext} rows were recorded before the deployment context was (migration 0020) and were replayed with no context.`,
        }),
      },
      not_evaluated: parts.not_evaluated,
      unscanned: parts.unscanned,
      unscanned_total: parts.unscanned_total,
      baseline: {
        policy_effect: { would_deny: tally.effect.would_deny, would_allow: tally.effect.would_allow },
        missing: tally.missing,
        input_drift: tally.drift,
        drift_unknown: tally.driftUnknown,
      },
      groups: parts.groups,
      groups_total: parts.groups_total,
      by_day: parts.by_day,
      policy_changes:
        this.#compared &&
        diffPolicies(this.#compared.spec, this.#draft.spec).map(({ path, before, after }) => ({
          path,
          before: before ?? null,
          after: after ?? null,
        })),
      notes: notesOf(tally, {
        draft: this.#draft,
        limit,
        truncated,
        notEvaluated: parts.not_evaluated.count,
        quotaAllowed: parts.would_allow_by_reason.quota ?? 0,
        compared: this.#compared,
        origin: this.#origin,
      }),
      inputs_digest: this.#digest.finish(truncated),
      kept: false,
      run_id: null,
    };
  }

  /** "kind review, carrying an image, in a namespace that the draft governs, within [as_of - days × 24h, as_of]" */
  #covers(row: LedgerRow, at: number): boolean {
    if (row.image === null || row.image === undefined || row.pod_level === true) return false;
    if (row.kind !== 'review' && row.kind !== null && row.kind !== undefined) return false;
    if (at > this.#period.to) return false;
    // What runs runs now, however long ago it was created.
    if (at < this.#period.from && this.#origin?.source !== 'pods') return false;
    if (this.#draft.spec.targetNamespaces.length === 0) return true;
    const namespace = row.namespace ?? '';
    let governed = this.#governed.get(namespace);
    if (governed === undefined) this.#governed.set(namespace, (governed = governs(this.#draft, namespace)));
    return governed;
  }
}
