import type { Policy } from '../policy/index.ts';
import type { Period } from './ports.ts';
import type { ReplayOptions } from './replay.ts';

/** KeptRun is a replay that was kept: what was asked, the draft, and the answer. */
export interface KeptRun extends KeptRunSummary {
  /** The draft's document, as it was sent. */
  readonly draft: Readonly<Record<string, unknown>>;
  /** JSON of the answer, byte for byte as it was given. */
  readonly result: string;
}

/** KeptRunSummary is what a list shows of a kept run. Times in milliseconds. */
export interface KeptRunSummary {
  readonly id: string;
  /** When it was run. */
  readonly at: number;
  readonly accountId: string;
  /** Name of the drafted policy. */
  readonly policy: string;
  readonly revision: string;
  readonly source: string | null;
  readonly days: number;
  readonly period: Period;
  readonly evaluated: number;
  readonly wouldDeny: number;
  readonly wouldAllow: number;
}

/** RunFilter narrows a list of kept runs: by the drafted policy, and by when they were run (both ends included). */
export interface RunFilter {
  readonly policy: string | null;
  readonly from: number | null;
  readonly to: number | null;
}

/** RunPage says which part of a list is wanted; null for all that follows the offset. */
export interface RunPage {
  readonly limit: number | null;
  readonly offset: number;
}

/** RunStore keeps runs. Each method is one atomic act. */
export interface RunStore {
  /** Keeps a run, and drops the oldest beyond `most`. */
  keep(run: KeptRun, most: number): Promise<void>;
  /** Newest first; `total` counts what the filter lets through. */
  list(
    filter: RunFilter,
    page: RunPage,
  ): Promise<{ readonly items: readonly KeptRunSummary[]; readonly total: number }>;
  get(id: string): Promise<KeptRun | null>;
  /** Drops the runs from before a time and gives their number. */
  prune(before: number): Promise<number>;
}

/** ReplayJob is a replay to be run: the checked draft and its parameters. */
export interface ReplayJob extends ReplayOptions {
  readonly draft: Policy;
}

/** Replayed is the answer of a replay with the figures that are kept beside it. */
export interface Replayed {
  /** The answer as JSON, as if offline: not kept, no run id. */
  readonly json: string;
  readonly evaluated: number;
  readonly wouldDeny: number;
  readonly wouldAllow: number;
  readonly inputsDigest: string;
}

/** Replayer runs replays outside of the process that serves. */
export interface Replayer {
  /**
   * Runs a replay; when the signal is aborted it ends and the promise is rejected. Throws WhatIfError (`unknown_source`,
   * `out_of_range`), LiveError `unavailable` when it is busy (`queueFull`), took too long or broke off, and what the ledger throws.
   */
  replay(job: ReplayJob, signal: AbortSignal): Promise<Replayed>;
}

/** PrintedRun is a kept run with who asked for it: the name of the account, or `user:` and its ID where it has none any more. */
export interface PrintedRun extends KeptRun {
  readonly askedBy: string;
}

/** RunPrinter makes the PDF of a kept run. */
export interface RunPrinter {
  print(run: PrintedRun, signal: AbortSignal): Promise<Uint8Array>;
}
