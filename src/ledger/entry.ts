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
    review_uid: orNull(row.review_uid),
    cluster: orNull(row.cluster),
    namespace: orNull(row.namespace),
    pod: orNull(row.pod),
    pod_uid: orNull(row.pod_uid),
    container: orNull(row.container),
    image: orNull(row.image),
    digest: orNull(row.digest),
    allowed: row.allowed,
    review_allowed: row.review_allowed ?? row.allowed,
    reason: row.reason,
    label: orNull(row.label),
    policy: orNull(row.policy),
    policy_revision: row.policy_revision ?? '',
    break_glass: row.break_glass ?? false,
    break_glass_reason: orNull(row.break_glass_reason),
    signals: orNull(row.signals),
    exposed_by: orNull(row.exposed_by),
    subresource: orNull(row.subresource),
    requester: orNull(row.requester),
    pod_level: row.pod_level ?? false,
    inputs: orNull(row.inputs),
    // Absent where there is none, so that such rows, and their leaves, are what they were before platforms were told apart.
    ...(row.platform && { platform: row.platform }),
    ...(row.clock_suspect === true && { clock_suspect: true }),
  };
}

function orNull<T>(value: T | undefined): T | null {
  return value ?? null;
}
