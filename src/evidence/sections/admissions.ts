import { byCodeUnit } from '../../base/index.ts';
import { digestOfRow, isRecordedRefusal, labelOfRow, type LedgerRow } from '../../ledger/index.ts';

interface Counts {
  admitted: number;
  denied: number;
}

/** AdmissionTally counts the rows of a period. */
export class AdmissionTally {
  readonly #byLabel = new Map<string, number>();
  readonly #byNamespace = new Map<string, Counts>();
  readonly #byPolicy = new Map<string, Counts>();
  readonly #kinds = new Map<string, number>();
  readonly #digests = new Set<string>();
  #admitted = 0;
  #denied = 0;
  #audited = 0;
  #bypassed = 0;

  take(row: LedgerRow): void {
    const kind = row.kind ?? 'review';
    this.#kinds.set(kind, (this.#kinds.get(kind) ?? 0) + 1);
    if (kind !== 'review') return;
    const answer = row.allowed ? 'admitted' : 'denied';
    if (row.allowed) this.#admitted += 1;
    else this.#denied += 1;
    const isRefusal = isRecordedRefusal(row);
    if (row.allowed && isRefusal) this.#audited += 1;
    if (row.break_glass === true) this.#bypassed += 1;
    if (isRefusal) {
      const label = labelOfRow(row);
      this.#byLabel.set(label, (this.#byLabel.get(label) ?? 0) + 1);
    }
    count(this.#byNamespace, row.namespace ?? '', answer);
    count(this.#byPolicy, row.policy ?? '', answer);
    const digest = digestOfRow(row);
    if (digest !== null) this.#digests.add(digest);
  }

  section(file: { readonly name: string; readonly sha256: string }) {
    const kind = (name: string): number => this.#kinds.get(name) ?? 0;
    return {
      file: file.name,
      sha256: file.sha256,
      rows: kind('review'),
      reconciled: kind('reconcile'),
      unreviewed: kind('unreviewed'),
      admitted: this.#admitted,
      denied: this.#denied,
      admitted_by_audit: this.#audited,
      bypassed: this.#bypassed,
      images: this.#digests.size,
      by_label: inOrder(this.#byLabel).map(([label, rows]) => ({ label, rows })),
      by_namespace: inOrder(this.#byNamespace).map(([namespace, counts]) => ({ namespace, ...counts })),
      by_policy: inOrder(this.#byPolicy).map(([policy, counts]) => ({
        policy: policy === '' ? null : policy,
        ...counts,
      })),
    };
  }
}

function count(into: Map<string, Counts>, key: string, answer: keyof Counts): void {
  let known = into.get(key);
  if (known === undefined) into.set(key, (known = { admitted: 0, denied: 0 }));
  known[answer] += 1;
}

function inOrder<T>(map: ReadonlyMap<string, T>): readonly (readonly [string, T])[] {
  return [...map].toSorted(([a], [b]) => byCodeUnit(a, b));
}
