import { BYPASS_DID_NOT_COUNT, decide, sentenceOf, type Decision } from '../decision/index.ts';
import { factsDigest, inputsDigest, type ImageFacts, type Subject } from '../facts/index.ts';
import { formatTime } from '../base/index.ts';
import { isRecordedRefusal, type LedgerRow, type RowBatch } from '../ledger/index.ts';
import type { ReplaySource } from './ports.ts';
import { periodOf, type ReplayOptions } from './replay.ts';
import type { SelfCheckMismatch, SelfCheckResult } from './result.ts';
import type { Revisions } from './revisions.ts';
import { isQuotaRefusal } from './row-class.ts';
import { subjectOf } from './subject.ts';

const MAX_MISMATCHES = 200;
/** What may follow the sentence in a recorded reason. */
const SUFFIXES = [BYPASS_DID_NOT_COUNT, '; subresource '];

/**
 * SelfCheck replays each row under the revision that decided it, at the row's own time (so that a triage decision
 * that has expired since changes nothing), and tells changed facts from a defect by the row's `inputs`.
 */
export class SelfCheck {
  readonly #source: ReplaySource;
  readonly #revisions: Revisions;
  readonly #options: ReplayOptions;
  readonly #facts = new WeakMap<ImageFacts, string>();
  readonly #mismatches: SelfCheckMismatch[] = [];
  #checked = 0;
  #reproduced = 0;
  #changed = 0;
  #mismatch = 0;
  #unknown = 0;
  #breakGlass = 0;
  #truncated = false;

  constructor(source: ReplaySource, revisions: Revisions, options: ReplayOptions) {
    this.#source = source;
    this.#revisions = revisions;
    this.#options = options;
  }

  /** Takes the next row; false when the limit is reached. */
  take(batch: RowBatch, i: number): boolean {
    const { from, to } = periodOf(this.#options);
    const time = batch.at[i] as number;
    const row: LedgerRow = {
      ...(batch.shapes[i] as LedgerRow),
      id: batch.ids[i] as number,
      time: batch.times[i] as string,
      pod: batch.pods[i] ?? null,
    };
    if (row.image === null || row.image === undefined || row.pod_level === true) return true;
    if ((row.kind ?? 'review') !== 'review' || time < from || time > to) return true;
    if (this.#options.limit !== 0 && this.#checked >= this.#options.limit) {
      this.#truncated = true;
      return false;
    }
    if (row.break_glass === true) this.#breakGlass += 1;
    else {
      this.#checked += 1;
      this.#check(row, time);
    }
    return true;
  }

  finish(): SelfCheckResult {
    const { asOf, days, limit } = this.#options;
    return {
      as_of: formatTime(asOf),
      days,
      limit,
      checked: this.#checked,
      reproduced: this.#reproduced,
      inputs_changed: this.#changed,
      mismatch: this.#mismatch,
      unknown: this.#unknown,
      break_glass_skipped: this.#breakGlass,
      truncated: this.#truncated,
      mismatches: this.#mismatches,
    };
  }

  #check(row: LedgerRow, time: number): void {
    const policy = row.policy_revision ? this.#revisions.revision(row.policy_revision) : null;
    const byMeter = isRecordedRefusal(row) && isQuotaRefusal(row) ? quotaSentence(row.reason) : null;
    const subject = policy === null || !row.inputs ? null : subjectOf(row, this.#source, byMeter);
    if (policy === null || subject === null) {
      this.#unknown += 1;
      return;
    }
    if (this.#inputs(subject, row.image ?? '') !== row.inputs) {
      this.#changed += 1;
      return;
    }
    const decision = decide(policy, subject, time);
    if (decision.kind === 'unknown') {
      this.#unknown += 1;
      return;
    }
    if ((decision.kind === 'refuse') === isRecordedRefusal(row)) {
      this.#reproduced += 1;
      return;
    }
    this.#mismatch += 1;
    if (this.#mismatches.length < MAX_MISMATCHES) this.#mismatches.push(toMismatch(row, decision));
  }

  #inputs(subject: Subject, image: string): string {
    let known = this.#facts.get(subject.facts);
    if (known === undefined) this.#facts.set(subject.facts, (known = factsDigest(subject.facts)));
    return inputsDigest(subject, image, known);
  }
}

/** The meter's answer is a fact of the decision, and the recorded sentence is all that is left of it. */
function quotaSentence(reason: string): string {
  const sentence = sentenceOf(reason);
  const ends = SUFFIXES.map((suffix) => sentence.indexOf(suffix)).filter((at) => at !== -1);
  return ends.length === 0 ? sentence : sentence.slice(0, Math.min(...ends));
}

function toMismatch(row: LedgerRow, decision: Exclude<Decision, { kind: 'unknown' }>): SelfCheckMismatch {
  const refused = decision.kind === 'refuse';
  return {
    id: row.id,
    time: row.time,
    namespace: row.namespace ?? null,
    pod: row.pod ?? null,
    image: row.image ?? '',
    policy: row.policy ?? null,
    policy_revision: row.policy_revision ?? '',
    recorded: { allowed: row.allowed, label: row.label ?? null, reason: row.reason },
    replayed: {
      allowed: !refused,
      label: refused ? decision.label : null,
      reason: refused ? decision.sentence : '',
    },
  };
}
