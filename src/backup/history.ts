/** BackupRun is one backup that was begun. Times are UTC milliseconds. */
export interface BackupRun {
  readonly id: number;
  readonly startedAt: number;
  /** Null while it runs, and for one whose process ended before it did. */
  readonly finishedAt: number | null;
  readonly target: string;
  readonly bytes: number | null;
  readonly sha256: string | null;
  /** Rows of the ledger that it holds. */
  readonly ledgerRows: number | null;
  /** Why it failed; null where it did not. */
  readonly error: string | null;
}

/** BackupHistory keeps which backups were made. */
export interface BackupHistory {
  /** Newest first; null for all that follows the offset. */
  list(page: {
    readonly limit: number | null;
    readonly offset: number;
  }): Promise<{ readonly items: readonly BackupRun[]; readonly total: number }>;
  /** When the last backup that was written whole was begun; null for none. */
  lastDone(): Promise<number | null>;
  /** Gives the id of the run. */
  begin(at: number, target: string): Promise<number>;
  end(
    id: number,
    at: number,
    outcome:
      | Pick<BackupRun, 'bytes' | 'sha256' | 'ledgerRows'>
      /** Told to the channels with it, unless the service itself stops. */
      | { readonly error: string; readonly isTold: boolean },
  ): Promise<void>;
  /** Ends runs that nobody ended, begun before: their process is gone. The channels are told. */
  giveUp(before: number, at: number): Promise<void>;
}
