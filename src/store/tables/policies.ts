/** PolicyTables hold the policies in effect (standalone), every revision there was, and kept what-if runs. */
export interface PolicyTables {
  policies: {
    name: string;
    /** JSON of the document as it was sent. */
    document: string;
    revision: string;
    /** Counts the writes of this policy; its ETag. */
    version: number;
    created_at: number;
    updated_at: number;
    updated_by: string | null;
  };
  policy_revisions: {
    name: string;
    revision: string;
    document: string;
    recorded_at: number;
    recorded_by: string | null;
  };
  whatif_runs: {
    id: string;
    at: number;
    account_id: string;
    /** Name of the drafted policy. */
    policy: string;
    revision: string;
    source: string | null;
    days: number;
    /** Start of the period; its end is `as_of`. */
    period_from: number;
    as_of: number;
    evaluated: number;
    would_deny: number;
    would_allow: number;
    /** JSON of the draft's document. */
    draft: string;
    /** The answer's JSON, byte for byte as it was given. */
    result: string;
  };
}
