import type { RowKind, TrackingRow } from './row.ts';

/** TrackingFilter chooses rows; what is absent chooses all. Texts are compared exactly. */
export interface TrackingFilter {
  readonly kind?: RowKind | undefined;
  readonly state?: 'open' | 'closed' | undefined;
  readonly reason?: string | undefined;
  /** The channel that closes the row. */
  readonly channelId?: string | undefined;
  readonly cve?: string | undefined;
  /** The rule of the detector. */
  readonly rule?: string | undefined;
  readonly digest?: string | undefined;
  /** A part of the image's name, whatever the case. */
  readonly image?: string | undefined;
  /** Rows that are closed and whose finding came back. */
  readonly returned?: boolean | undefined;
  /** Rows whose last call to the tracker failed. */
  readonly failed?: boolean | undefined;
  /** Issues opened in this period, milliseconds; both ends belong to it. */
  readonly openedFrom?: number | undefined;
  readonly openedTo?: number | undefined;
}

/** TrackingPage is a part of a list; null for all that follows the offset. */
export interface TrackingPage {
  readonly limit: number | null;
  readonly offset: number;
}

/** TrackingHistory reads the tracking history, and takes what people decide about a row. */
export interface TrackingHistory {
  /** Newest first, and how many there are in all. */
  list(
    filter: TrackingFilter,
    page: TrackingPage,
  ): Promise<{ readonly items: readonly TrackingRow[]; readonly total: number }>;
  get(id: number): Promise<TrackingRow | null>;
  /**
   * Opens a row again whose finding came back: it is filed again, under the cap, in a generation of its own. `missing`: no such row;
   * `not_returned`: it is open, or its finding did not come back; `no_channel`: its channel is gone, and no other adopted it.
   */
  reopen(
    id: number,
    at: number,
    marker: (channelId: string, rowId: number, generation: number) => string,
  ): Promise<TrackingRow | 'missing' | 'not_returned' | 'no_channel'>;
  /**
   * Takes a person's word that a finding is fixed, where the newest scan no longer reports it but is not enough by itself; the next sweep
   * closes the row. `not_withheld`: it is closed, or its newest scan reports it.
   */
  confirm(id: number, by: string, at: number): Promise<TrackingRow | 'missing' | 'not_withheld'>;
}
