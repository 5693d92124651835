/** ContinuationTables hold what is still to be said of issues. */
export interface ContinuationTables {
  /** The text of a summary whose issue is not known yet, so that each create of it says the same; JSON of title and body. */
  tracking_summaries: { marker: string; form: string; text: string };
  /** Comments that continue a summary and are still to be posted, in the order of their places. */
  tracking_continuations: {
    /** The marker of the comment; `marker` is the issue's. */
    id: string;
    marker: string;
    place: number;
    /** JSON of the text. */
    body: string;
    attempts: number;
    /** The last post, by the wall clock and by the steady time. */
    attempt_at: number | null;
    attempt_tick: number | null;
    /** 1 while it is not known whether that was posted. */
    trying: number;
    last_error: string | null;
  };
}
