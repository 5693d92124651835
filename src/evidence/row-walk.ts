import { DAY_MS, parseTime } from '../base/index.ts';
import { digestOfRow, type LedgerRow } from '../ledger/index.ts';
import type { Asked, Governing } from './governing.ts';
import type { BypassRecord, PodRecord, TriageRecord } from './records.ts';
import { isAsked, isWithin, type EvidenceRequest } from './request.ts';

/** AdmittedImage is an image of a pod that was admitted, with what was asked of it. */
export interface AdmittedImage {
  readonly asked: Asked;
  readonly bypassed: boolean;
}

/** RowSink takes what a walk over rows finds, newest first. */
export interface RowSink {
  /** A row of the period and of the clusters and namespaces that were asked for. */
  row(row: LedgerRow, at: number): void;
  admitted(image: AdmittedImage): void;
  pod(pod: PodRecord): void;
  bypass(bypass: BypassRecord): void;
}

/** JUDGED_AGAIN_MS is within what a bypassed image must be judged again, or triaged. */
export const JUDGED_AGAIN_MS = 7 * DAY_MS;

/** RowWalk reads the rows of a ledger newest first and gives the pods and bypasses in them. Rows of one review stand together. */
export class RowWalk {
  readonly #request: EvidenceRequest;
  readonly #governing: Governing;
  readonly #exempt: ReadonlySet<string>;
  readonly #triaged: ReadonlyMap<string, readonly number[]>;
  readonly #sink: RowSink;
  /** When a digest was judged next, of the rows that were read so far: those that came later. */
  readonly #judgedNext = new Map<string, number>();
  #review: { row: LedgerRow; at: number }[] = [];
  #oldest: number | null = null;
  #newest: number | null = null;
  /** Rows that were read, and those of them that lie outside of the period. */
  rows = 0;
  outside = 0;
  /** Rows of the period that are of another cluster or namespace than was asked for. */
  leftOut = 0;
  /** The newest time of a row by cluster. */
  readonly clusters = new Map<string, number>();

  constructor(
    request: EvidenceRequest,
    governing: Governing,
    exempt: readonly string[],
    triage: readonly TriageRecord[],
    sink: RowSink,
  ) {
    this.#request = request;
    this.#governing = governing;
    this.#exempt = new Set(exempt);
    const byDigest = Map.groupBy(triage, ({ digest }) => digest ?? '');
    this.#triaged = new Map(
      [...byDigest].map(([digest, all]) => [
        digest,
        all.map(({ decided_at }) => decided_at ?? 0).toSorted((a, b) => a - b),
      ]),
    );
    this.#sink = sink;
  }

  /** Ids of the oldest and newest row that were read; null before the first. */
  get range(): { readonly first: number; readonly last: number } | null {
    return this.#oldest === null || this.#newest === null
      ? null
      : { first: this.#oldest, last: this.#newest };
  }

  take(rows: readonly LedgerRow[]): void {
    for (const row of rows) {
      this.rows += 1;
      this.#oldest = row.id;
      this.#newest ??= row.id;
      const at = parseTime(row.time);
      const previous = this.#review[0]?.row;
      const together = previous !== undefined && isOneReview(previous, row);
      if (!together) this.#endReview();
      this.#review.push({ row, at });
    }
  }

  /** Ends the walk. */
  end(): void {
    this.#endReview();
  }

  #endReview(): void {
    const review = this.#review;
    this.#review = [];
    const wanted = review.filter(({ row, at }) => this.#isWanted(row, at));
    for (const { row, at } of wanted) this.#sink.row(row, at);
    const first = wanted.at(-1);
    if (first !== undefined && isPod(first.row)) {
      const images = wanted.filter(({ row }) => row.image !== null && row.image !== undefined);
      this.#sink.pod(this.#pod(wanted, images.length));
      for (const { row, at } of images)
        this.#sink.admitted({ asked: this.#governing.asked(row, at), bypassed: row.break_glass === true });
    }
    for (const { row, at } of wanted) if (row.break_glass === true) this.#sink.bypass(this.#bypass(row, at));
    for (const { row, at } of review) {
      if (row.break_glass === true || row.kind === 'unreviewed') continue;
      const digest = digestOfRow(row);
      if (digest !== null) this.#judgedNext.set(digest, at);
    }
  }

  #isWanted(row: LedgerRow, at: number): boolean {
    if (!isWithin(at, this.#request)) {
      this.outside += 1;
      return false;
    }
    const cluster = row.cluster ?? '';
    this.clusters.set(cluster, Math.max(at, this.clusters.get(cluster) ?? 0));
    const isChosen = isAsked(row, at, this.#request);
    if (!isChosen) this.leftOut += 1;
    return isChosen;
  }

  #pod(rows: readonly { readonly row: LedgerRow; readonly at: number }[], images: number): PodRecord {
    const { row, at } = rows.at(-1) as { row: LedgerRow; at: number };
    return {
      first_row: row.id,
      last_row: (rows[0] as { row: LedgerRow }).row.id,
      time: at,
      review: text(row.review_uid),
      cluster: text(row.cluster),
      namespace: text(row.namespace),
      pod: text(row.pod),
      pod_uid: text(row.pod_uid),
      images,
      decision: this.#decision(rows),
      enforced: rows.every((one) => this.#governing.asked(one.row, one.at).enforced),
    };
  }

  #decision(rows: readonly { readonly row: LedgerRow }[]): string {
    const row = rows[0]?.row;
    if (row?.kind === 'unreviewed') return 'unreviewed';
    if (rows.some((one) => one.row.break_glass === true)) return 'bypassed';
    return this.#exempt.has(row?.namespace ?? '') ? 'exempt' : 'decided';
  }

  #bypass(row: LedgerRow, at: number): BypassRecord {
    const policy = this.#governing.policy(row.policy_revision);
    const digest = digestOfRow(row);
    const again = this.#judgedNext.get(digest ?? '') ?? null;
    const triaged = this.#triaged.get(digest ?? '')?.find((time) => time >= at) ?? null;
    return {
      row: row.id,
      time: at,
      review: text(row.review_uid),
      cluster: text(row.cluster),
      namespace: text(row.namespace),
      pod: text(row.pod),
      container: text(row.container),
      image: text(row.image),
      digest,
      requester: text(row.requester),
      reason: text(row.break_glass_reason),
      policy: text(row.policy),
      policy_revision: text(row.policy_revision),
      allowed_groups: (policy?.spec.breakGlass.groups ?? []).map((group) => group.replaceAll(/\s/g, '_')),
      judged_again_at: again,
      triaged_at: triaged,
    };
  }
}

function isOneReview(a: LedgerRow, b: LedgerRow): boolean {
  return (
    a.review_uid !== null &&
    a.review_uid !== undefined &&
    a.review_uid === b.review_uid &&
    a.id - b.id < 1024 &&
    (a.kind ?? 'review') === (b.kind ?? 'review')
  );
}

/** A denied admission is not a pod, and a pod that is judged while it runs was counted when it was admitted. */
function isPod(row: LedgerRow): boolean {
  const kind = row.kind ?? 'review';
  if (kind === 'unreviewed') return true;
  return kind === 'review' && (row.review_allowed ?? row.allowed);
}

function text(value: string | null | undefined): string | null {
  return value === undefined || value === '' ? null : value;
}
