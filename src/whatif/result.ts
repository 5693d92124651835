/**
 * WhatIfResult is the answer of a what-if as the API gives it. Key order is part of it: equal inputs give equal
 * bytes. All counts are of rows.
 */
export interface WhatIfResult {
  /** RFC 3339: the end of the period, and the time at which triage is judged. */
  readonly as_of: string;
  readonly days: number;
  /** The most rows that are decided; 0 for all. */
  readonly limit: number;
  readonly policy: { readonly name: string; readonly revision: string };
  /** Name of the policy that the draft was edited from, where it was given. */
  readonly source: string | null;
  readonly evaluated: number;
  readonly distinct_images: number;
  readonly break_glass_skipped: number;
  /** True when a covered row was left out by the limit. */
  readonly truncated: boolean;
  readonly unchanged: number;
  readonly would_deny: number;
  readonly would_allow: number;
  /** Labels with a count above zero, in the order in which the gates are judged. */
  readonly would_deny_by_reason: Readonly<Record<string, number>>;
  /** Recorded labels, `other` where it cannot be recovered. */
  readonly would_allow_by_reason: Readonly<Record<string, number>>;
  /** Changed rows, newest first, at most 200. */
  readonly samples: readonly Sample[];
  readonly context: ContextSummary;
  readonly not_evaluated: { readonly count: number; readonly by_reason: Readonly<Record<string, number>> };
  /** At most 500: most rows first, ties by digest. */
  readonly unscanned: readonly { readonly digest: string; readonly image: string; readonly rows: number }[];
  readonly unscanned_total: number;
  readonly baseline: Baseline;
  /** All changed rows by change, namespace, workload, image and label; most rows first, at most 100. */
  readonly groups: readonly ChangeGroup[];
  readonly groups_total: number;
  /** One entry per UTC day that has an evaluated row, oldest first. */
  readonly by_day: readonly DayCount[];
  /** What the draft changes on the policy it is compared with; null when there is none to compare with. */
  readonly policy_changes: readonly PolicyChangeDocument[] | null;
  readonly notes: readonly string[];
  /** Hex SHA-256 over everything the answer is made from. */
  readonly inputs_digest: string;
  /** Whether the run was stored. */
  readonly kept: boolean;
  readonly run_id: string | null;
}

/** Sample is one changed row. */
export interface Sample {
  readonly id: number;
  readonly time: string;
  readonly cluster: string | null;
  readonly namespace: string | null;
  readonly pod: string | null;
  readonly container: string | null;
  readonly image: string;
  readonly digest: string | null;
  readonly change: 'would_deny' | 'would_allow';
  readonly recorded: {
    readonly allowed: boolean;
    readonly label: string | null;
    readonly reason: string;
    readonly policy: string | null;
  };
  /** The draft's own verdict and sentence; label null and reason empty when it admits. */
  readonly draft: { readonly allowed: boolean; readonly label: string | null; readonly reason: string };
}

/** ContextSummary tells how much of the period carried a deployment context. */
export interface ContextSummary {
  readonly mode: 'Ignore' | 'Escalate';
  /** Every one of the six signals, also at zero. */
  readonly signals: Readonly<Record<string, number>>;
  readonly escalated_denials: number;
  readonly rows_without_context: number;
  readonly note?: string;
}

/** Baseline tells the effect of the edit apart from what new scans changed. */
export interface Baseline {
  /** The draft against the policy in effect, on the same inputs. */
  readonly policy_effect: { readonly would_deny: number; readonly would_allow: number };
  /** Rows without a policy to compare with, or one that cannot decide. */
  readonly missing: number;
  /** Rows whose own revision, on current inputs, no longer gives the recorded verdict. */
  readonly input_drift: number;
  readonly drift_unknown: number;
}

/** ChangeGroup sums changed rows that have the same workload, image and reason. */
export interface ChangeGroup {
  readonly change: 'would_deny' | 'would_allow';
  readonly namespace: string | null;
  /** The pod's name without the part that its controller made up. */
  readonly workload: string | null;
  readonly image: string;
  /** The draft's label on would_deny, the recorded one on would_allow. */
  readonly label: string;
  /** The sentence of the newest row: the draft's on would_deny, the recorded one on would_allow. */
  readonly reason: string;
  readonly rows: number;
  /** RFC 3339 of the newest row. */
  readonly newest: string;
}

/** DayCount sums the evaluated rows of one UTC day. */
export interface DayCount {
  /** `2026-11-01`. */
  readonly date: string;
  readonly evaluated: number;
  readonly would_deny: number;
  readonly would_allow: number;
}

/** PolicyChangeDocument is one changed field; a value that is not set is null. */
export interface PolicyChangeDocument {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** SelfCheckResult is the answer of `--self-check`: each row under the revision that decided it, at its own time. */
export interface SelfCheckResult {
  readonly as_of: string;
  readonly days: number;
  readonly limit: number;
  readonly checked: number;
  readonly reproduced: number;
  /** The facts of the row differ from those it was decided on. */
  readonly inputs_changed: number;
  /** Equal facts and another verdict: a defect of the service. */
  readonly mismatch: number;
  /** No revision or no `inputs` on the row, the revision is not at hand, or a fact is missing. */
  readonly unknown: number;
  readonly break_glass_skipped: number;
  readonly truncated: boolean;
  /** At most 200, newest first. */
  readonly mismatches: readonly SelfCheckMismatch[];
}

/** SelfCheckMismatch is one row that its own revision does not reproduce on equal facts. */
export interface SelfCheckMismatch {
  readonly id: number;
  readonly time: string;
  readonly namespace: string | null;
  readonly pod: string | null;
  readonly image: string;
  readonly policy: string | null;
  readonly policy_revision: string;
  readonly recorded: { readonly allowed: boolean; readonly label: string | null; readonly reason: string };
  readonly replayed: { readonly allowed: boolean; readonly label: string | null; readonly reason: string };
}
