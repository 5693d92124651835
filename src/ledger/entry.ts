import { AUDIT_PREFIX } from '../decision/index.ts';

/**
 * LedgerRow is one decided image of a reviewed pod, or a refusal of a pod as a whole, with the field names of the
 * export. Appended, never changed. A key that is absent reads as null.
 */
export interface LedgerRow {
  /** Ascending with time of writing, from 1. */
  readonly id: number;
  /** Absent reads as `review`. */
  readonly kind?: string | null;
  /** RFC 3339. */
  readonly time: string;
  readonly review_uid?: string | null;
  readonly cluster?: string | null;
  readonly namespace?: string | null;
  readonly pod?: string | null;
  readonly pod_uid?: string | null;
  readonly container?: string | null;
  /** As written in the pod; null on a row of the pod as a whole. */
  readonly image?: string | null;
  readonly digest?: string | null;
  /** This image's verdict as answered. */
  readonly allowed: boolean;
  /** The answer to the pod. */
  readonly review_allowed?: boolean | null;
  /** Empty if none; `audit mode: …` where an audit policy would have refused. */
  readonly reason: string;
  readonly label?: string | null;
  readonly policy?: string | null;
  /** Empty or absent on rows from before release 0.2.0. */
  readonly policy_revision?: string | null;
  readonly break_glass?: boolean | null;
  readonly break_glass_reason?: string | null;
  /** Null on rows from before migration 0020. */
  readonly signals?: readonly string[] | null;
  readonly exposed_by?: string | null;
  readonly subresource?: string | null;
  readonly requester?: string | null;
  readonly pod_level?: boolean | null;
  /** SHA-256 of the facts given to the decision; null on old rows. */
  readonly inputs?: string | null;
  /** The platform of the nodes that it was judged by (`linux/arm64`); absent or null: by the worst of the image's platforms. */
  readonly platform?: string | null;
  /** Whether the clock of its replica was behind what the ledger had recorded already; absent or null reads as false. */
  readonly clock_suspect?: boolean | null;
}

/** isRecordedRefusal tells the verdict of the policy on a row: what an audit policy let through was a refusal. */
export function isRecordedRefusal(row: LedgerRow): boolean {
  return !row.allowed || row.reason.startsWith(AUDIT_PREFIX);
}

/** wholeRow gives a row with every field of a row, in the order of an export: what is absent is written as what it reads as. */
export function wholeRow<Id extends number | null>(
  id: Id,
  row: Omit<LedgerRow, 'id'>,
): Omit<LedgerRow, 'id'> & { readonly id: Id } {
  return {
    id,
    kind: row.kind ?? 'review',
    time: row.time,
    review_uid: row.review_uid ?? null,
    cluster: row.cluster ?? null,
    namespace: row.namespace ?? null,
    pod: row.pod ?? null,
    pod_uid: row.pod_uid ?? null,
    container: row.container ?? null,
    image: row.image ?? null,
    digest: row.digest ?? null,
    allowed: row.allowed,
    review_allowed: row.review_allowed ?? row.allowed,
    reason: row.reason,
    label: row.label ?? null,
    policy: row.policy ?? null,
    policy_revision: row.policy_revision ?? '',
    break_glass: row.break_glass ?? false,
    break_glass_reason: row.break_glass_reason ?? null,
    signals: row.signals ?? null,
    exposed_by: row.exposed_by ?? null,
    subresource: row.subresource ?? null,
    requester: row.requester ?? null,
    pod_level: row.pod_level ?? false,
    inputs: row.inputs ?? null,
    // Absent where there is none, so that such rows, and their leaves, are what they were before platforms were told apart.
    ...(row.platform && { platform: row.platform }),
    ...(row.clock_suspect === true && { clock_suspect: true }),
  };
}
