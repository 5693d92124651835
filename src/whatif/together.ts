import { formatTime } from '../base/index.ts';
import type { LedgerRow, RowBatch } from '../ledger/index.ts';
import type { Policy } from '../policy/index.ts';
import type { Replay, ReplayOptions, Taken } from './replay.ts';

/**
 * TogetherResult is what several drafts would have changed if all of them were in effect: a row is denied when one of those that govern
 * it denies it, and allowed when each of them allows it. All counts are of rows, each counted once.
 */
export interface TogetherResult {
  readonly as_of: string;
  readonly days: number;
  readonly limit: number;
  /** Names of the drafts, in their order. */
  readonly policies: readonly string[];
  readonly evaluated: number;
  readonly unchanged: number;
  readonly would_deny: number;
  readonly would_allow: number;
  /** Rows that one draft cannot decide and that no other decides. */
  readonly not_evaluated: number;
  readonly break_glass_skipped: number;
  /** True when the limit of one draft was reached: rows from there on are counted for none of them together. */
  readonly truncated: boolean;
}

/** Together walks several replays row by row, and counts what they make of each row as one. */
export class Together {
  readonly #drafts: readonly Policy[];
  readonly #options: ReplayOptions;
  readonly #counts = { unchanged: 0, would_deny: 0, would_allow: 0, not_evaluated: 0, break_glass: 0 };
  #isTruncated = false;

  constructor(drafts: readonly Policy[], options: ReplayOptions) {
    this.#drafts = drafts;
    this.#options = options;
  }

  /** Lets each replay take a row; false when nothing that follows can change an answer. */
  add(batch: RowBatch, i: number, replays: readonly Replay[]): boolean {
    const taken = replays.map((replay) => replay.take(batch, i));
    this.#isTruncated ||= taken.includes('left_out');
    const made = taken.filter((one) => one !== 'not_covered' && one !== 'left_out');
    if (made.length > 0 && !this.#isTruncated) {
      const { allowed } = batch.shapes[i] as LedgerRow;
      this.#counts[joined(made, allowed)] += 1;
    }
    return taken.some((one) => one !== 'left_out');
  }

  /** The answer over the rows taken. */
  finish(): TogetherResult {
    const { asOf, days, limit } = this.#options;
    const { unchanged, would_deny, would_allow, not_evaluated, break_glass } = this.#counts;
    return {
      as_of: formatTime(asOf),
      days,
      limit,
      policies: this.#drafts.map(({ name }) => name),
      evaluated: unchanged + would_deny + would_allow,
      unchanged,
      would_deny,
      would_allow,
      not_evaluated,
      break_glass_skipped: break_glass,
      truncated: this.#isTruncated,
    };
  }
}

type Made = Exclude<Taken, 'not_covered' | 'left_out'>;

/** A denial by one draft decides, whatever another cannot say. */
function joined(made: readonly Made[], isAllowed: boolean): Made {
  if (made.includes('break_glass')) return 'break_glass';
  const denies: Made = isAllowed ? 'would_deny' : 'unchanged';
  if (made.includes(denies)) return denies;
  if (made.includes('not_evaluated')) return 'not_evaluated';
  return isAllowed ? 'unchanged' : 'would_allow';
}
