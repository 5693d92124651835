import type { Period } from './period.ts';
import type { LedgerRow, RecordedPolicy } from '../ledger/index.ts';
import { governs, parseRecordedPolicy, type Policy } from '../policy/index.ts';

/** Asked is what the policies that governed an admission asked for. Only what an enforcing policy asks is asked. */
export interface Asked {
  readonly enforced: boolean;
  readonly signature: boolean;
  readonly provenance: boolean;
  readonly exploited: boolean;
  readonly endOfLife: boolean;
}

/** Revision is a revision of a policy with when it was in effect. */
export interface Revision {
  readonly policy: Policy;
  readonly current: boolean;
  readonly recorded: RecordedPolicy;
}

/**
 * Governing tells which revisions governed a row: those that were in effect at its time over its namespace, and the one that the row names.
 * Where no times are recorded, the one that the row names.
 */
export class Governing {
  readonly revisions: readonly Revision[];
  readonly #byRevision = new Map<string, Policy>();
  /** Times at which something came into force or ceased to be, in order. */
  readonly #edges: readonly number[];
  /** By epoch, revision and namespace. */
  readonly #asked = new Map<number, Map<string, Map<string, Asked>>>();
  #known = 0;
  readonly #named = new Set<string>();

  constructor(recorded: readonly RecordedPolicy[]) {
    this.revisions = recorded.flatMap((one) => {
      const policy = parseRecordedPolicy(one.document, one.name, one.revision);
      return policy === null ? [] : [{ policy, current: one.current, recorded: one }];
    });
    for (const { policy } of this.revisions)
      if (!this.#byRevision.has(policy.revision)) this.#byRevision.set(policy.revision, policy);
    const stays = this.revisions.flatMap(({ recorded }) => recorded.inForce ?? []);
    const edges = stays.flatMap(({ from, until }) => (until === null ? [from] : [from, until]));
    this.#edges = [...new Set(edges)].toSorted((a, b) => a - b);
  }

  /** The policy of a revision, or null where its document is not at hand. */
  policy(revision: string | null | undefined): Policy | null {
    return this.#byRevision.get(revision ?? '') ?? null;
  }

  /** What was asked of a row at its time. */
  asked(row: LedgerRow, at: number): Asked {
    const revision = row.policy_revision ?? '';
    const namespace = row.namespace ?? '';
    const epoch = this.#epoch(at);
    const known = this.#asked.get(epoch)?.get(revision)?.get(namespace);
    if (known !== undefined) return known;
    this.#named.add(revision);
    if (this.#known > MOST_KNOWN) {
      this.#asked.clear();
      this.#known = 0;
    }
    this.#known += 1;
    const asked = askedBy(this.#governing(row, at));
    inner(inner(this.#asked, epoch), revision).set(namespace, asked);
    return asked;
  }

  /** The revisions that were in effect at some time of a period, or that a row names whose asking was looked up. */
  in({ from, to }: Period): readonly Revision[] {
    return this.revisions.filter(
      ({ policy, recorded }) =>
        this.#named.has(policy.revision) ||
        recorded.inForce?.some((stay) => stay.from <= to && (stay.until === null || stay.until > from)) ===
          true,
    );
  }

  #epoch(at: number): number {
    let [low, high] = [0, this.#edges.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#edges[middle] as number) <= at) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #governing(row: LedgerRow, at: number): Policy[] {
    const named = this.policy(row.policy_revision);
    const inForce = this.revisions.flatMap(({ policy, recorded }) => {
      const stood = recorded.inForce?.some(({ from, until }) => from <= at && (until === null || at < until));
      return stood === true && governs(policy, row.namespace ?? '') ? [policy] : [];
    });
    return named === null ? inForce : [named, ...inForce];
  }
}

/** Answers that are remembered at most. */
const MOST_KNOWN = 100_000;

function inner<K, L, V>(maps: Map<K, Map<L, V>>, key: K): Map<L, V> {
  const known = maps.get(key);
  if (known !== undefined) return known;
  const made = new Map<L, V>();
  maps.set(key, made);
  return made;
}

function askedBy(policies: readonly Policy[]): Asked {
  const enforcing = policies.map(({ spec }) => spec).filter(({ enforcement }) => enforcement === 'Enforce');
  return {
    enforced: enforcing.length > 0,
    signature: enforcing.some(({ signature }) => signature.required),
    provenance: enforcing.some(({ provenance }) => provenance.minLevel >= 1),
    exploited: enforcing.some(({ knownExploited }) => knownExploited === 'block'),
    endOfLife: enforcing.some(({ endOfLifeOS }) => endOfLifeOS === 'block'),
  };
}
