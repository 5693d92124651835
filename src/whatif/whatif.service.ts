import { IpoError, nearest, type IpoErrorOptions } from '../base/index.ts';
import type { RowBatch } from '../ledger/index.ts';
import type { Policy } from '../policy/index.ts';
import type { ReplaySource } from './ports.ts';
import { periodOf, Replay, type ReplayOptions } from './replay.ts';
import type { SelfCheckResult, WhatIfResult } from './result.ts';
import { Revisions } from './revisions.ts';
import { SelfCheck } from './self-check.ts';
import { Together, type TogetherResult } from './together.ts';

export const MAX_DAYS = 90;

/** WhatIfRequest asks what a draft would have changed. `limit` 0 replays all rows. */
export interface WhatIfRequest extends ReplayOptions {
  readonly draft: Policy;
}

/** WhatIfError says why a replay cannot begin. */
export class WhatIfError extends IpoError {
  override readonly name = 'WhatIfError';
  constructor(code: 'unknown_source' | 'out_of_range', message: string, options: IpoErrorOptions = {}) {
    super(code, message, options);
  }
}

/**
 * runWhatIf replays a draft over a source, newest row first, and stops reading as soon as no further row can change
 * the answer. `progress` is told the rows read after each batch. Throws WhatIfError for parameters out of range or
 * an unknown source policy, and whatever the source throws.
 */
export async function runWhatIf(
  { draft, ...options }: WhatIfRequest,
  source: ReplaySource,
  progress?: (rows: number) => void,
): Promise<WhatIfResult> {
  checkOptions(options);
  const revisions = new Revisions(source.policies);
  if (options.source !== null && revisions.inForce(options.source) === null) {
    const names = revisions.names();
    const close = nearest(options.source, names);
    let hint = 'The ledger names no policy in effect';
    if (names.length > 0) hint = `Policies in effect: ${names.join(', ')}`;
    if (close !== null) hint = `Did you mean "${close}"?`;
    const sentence = `source "${options.source}" is not the name of a policy in effect`;
    throw new WhatIfError('unknown_source', sentence, { hint });
  }
  const replay = new Replay(draft, source, revisions, options);
  await walk(source, options, (batch, i) => replay.take(batch, i) !== 'left_out', progress);
  return replay.finish();
}

/** SeveralResult is the answer on each of several drafts, in their order, and the one on all of them together. */
export interface SeveralResult {
  readonly items: readonly WhatIfResult[];
  readonly together: TogetherResult;
}

/** runWhatIfs replays several drafts over one reading of a source. Throws as runWhatIf does. */
export async function runWhatIfs(
  drafts: readonly Policy[],
  options: Omit<ReplayOptions, 'source'>,
  source: ReplaySource,
  progress?: (rows: number) => void,
): Promise<SeveralResult> {
  const whole = { ...options, source: null };
  checkOptions(whole);
  const revisions = new Revisions(source.policies);
  const replays = drafts.map((draft) => new Replay(draft, source, revisions, whole));
  const together = new Together(drafts, whole);
  await walk(source, whole, (batch, i) => together.add(batch, i, replays), progress);
  return { items: replays.map((replay) => replay.finish()), together: together.finish() };
}

/** runSelfCheck replays each row under the revision that decided it. Throws as runWhatIf does. */
export async function runSelfCheck(
  options: Omit<ReplayOptions, 'source'>,
  source: ReplaySource,
  progress?: (rows: number) => void,
): Promise<SelfCheckResult> {
  const whole = { ...options, source: null };
  checkOptions(whole);
  const check = new SelfCheck(source, new Revisions(source.policies), whole);
  await walk(source, whole, (batch, i) => check.take(batch, i), progress);
  return check.finish();
}

async function walk(
  source: ReplaySource,
  options: ReplayOptions,
  take: (batch: RowBatch, i: number) => boolean,
  progress?: (rows: number) => void,
): Promise<void> {
  let read = 0;
  for await (const batch of source.rows(periodOf(options))) {
    const { length } = batch.ids;
    for (let i = 0; i < length; i += 1) if (!take(batch, i)) return;
    read += length;
    progress?.(read);
  }
}

/** checkOptions throws WhatIfError for parameters out of range. */
export function checkOptions({ asOf, days, limit }: Pick<ReplayOptions, 'asOf' | 'days' | 'limit'>): void {
  if (!Number.isInteger(days) || days < 1 || days > MAX_DAYS) {
    throw new WhatIfError('out_of_range', `days is ${days}; it must be a whole number from 1 to ${MAX_DAYS}`);
  }
  if (!Number.isSafeInteger(limit) || limit < 0) {
    throw new WhatIfError(
      'out_of_range',
      `limit is ${limit}; it must be a whole number from 0 (all rows) up`,
    );
  }
  if (!Number.isFinite(asOf)) throw new WhatIfError('out_of_range', 'as_of is not a time');
}
