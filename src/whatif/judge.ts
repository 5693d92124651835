import { decide, type Decision } from '../decision/index.ts';
import type { Subject } from '../facts/index.ts';
import { isRecordedRefusal } from '../ledger/index.ts';
import { governs, type Policy } from '../policy/index.ts';
import type { Revisions } from './revisions.ts';
import { isQuotaRefusal, type RowClass } from './row-class.ts';

/** Judge decides a class of rows under the draft, the policy in effect and the revision that decided it. */
export class Judge {
  readonly #draft: Policy;
  readonly #source: Policy | null;
  readonly #revisions: Revisions;
  readonly #asOf: number;
  readonly #decided = new WeakMap<Subject, Map<Policy, Decision>>();

  constructor(draft: Policy, source: Policy | null, revisions: Revisions, asOf: number) {
    this.#draft = draft;
    this.#source = source;
    this.#revisions = revisions;
    this.#asOf = asOf;
  }

  /** Fills in the verdicts of a class and gives the policies that they were compared with, for the digest. */
  judge(rows: RowClass): readonly (Policy | null)[] {
    const { row, subject } = rows;
    if (rows.outcome === 'break_glass') return [];
    const inForce = this.#source ?? (row.policy ? this.#revisions.inForce(row.policy) : null);
    const own = row.policy_revision ? this.#revisions.revision(row.policy_revision) : null;
    if (subject === null) return [];
    const draft = this.#decide(this.#draft, subject);
    rows.draft = draft;
    if (draft.kind === 'unknown') return [inForce, own];
    const admits = draft.kind === 'admit';
    rows.outcome = outcomeOf(row.allowed, admits);
    rows.effect = this.#effect(inForce, rows, admits);
    rows.drift = this.#drift(own, rows);
    return [inForce, own];
  }

  #effect(inForce: Policy | null, { row, subject }: RowClass, admits: boolean): RowClass['effect'] {
    if (inForce === null || subject === null) return 'missing';
    // "one that does not govern the row's namespace admits"
    const verdict: Decision['kind'] = governs(inForce, row.namespace ?? '')
      ? this.#decide(inForce, subject).kind
      : 'admit';
    if (verdict === 'unknown') return 'missing';
    if ((verdict === 'admit') === admits) return 'none';
    return admits ? 'would_allow' : 'would_deny';
  }

  #drift(own: Policy | null, { row, subject }: RowClass): RowClass['drift'] {
    const refused = isRecordedRefusal(row);
    if (refused && isQuotaRefusal(row)) return 'not_asked';
    if (own === null || subject === null) return 'unknown';
    const verdict = this.#decide(own, subject).kind;
    if (verdict === 'unknown') return 'unknown';
    return (verdict === 'refuse') === refused ? 'none' : 'drifted';
  }

  /** One policy in three parts (draft, in effect, own revision), and one subject in many classes, are decided once. */
  #decide(policy: Policy, subject: Subject): Decision {
    let decided = this.#decided.get(subject);
    if (decided === undefined) this.#decided.set(subject, (decided = new Map()));
    let decision = decided.get(policy);
    if (decision === undefined) decided.set(policy, (decision = decide(policy, subject, this.#asOf)));
    return decision;
  }
}

function outcomeOf(allowed: boolean | null, admits: boolean): RowClass['outcome'] {
  if (admits === allowed) return 'unchanged';
  return admits ? 'would_allow' : 'would_deny';
}
