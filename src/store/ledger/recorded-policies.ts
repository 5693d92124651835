import { sql } from 'kysely';
import { byCodeUnit } from '../../base/index.ts';
import type { RecordedPolicy } from '../../ledger/index.ts';
import type { Store } from '../sql/store.ts';
import { run, type Row } from '../sql/run.ts';

type Recorded = Row<'policies', 'name' | 'revision' | 'document'>;

/**
 * recordedPolicies gives every revision that was ever in effect, and those in effect now, by name and revision: in an order that no engine
 * and no history changes, since the first of several with one revision stands for it. Documents are parsed when they are asked for.
 */
export async function recordedPolicies(store: Store): Promise<RecordedPolicy[]> {
  const select = (table: 'policies' | 'policy_revisions'): Promise<Recorded[]> =>
    run(store.read, sql<Recorded>`select name, revision, document from ${sql.table(table)}`);
  const inForce = await select('policies');
  const current = new Map(inForce.map((policy) => [policy.name, policy.revision]));
  const all = new Map<string, Recorded>();
  for (const policy of [...(await select('policy_revisions')), ...inForce]) {
    const key = JSON.stringify([policy.name, policy.revision]);
    if (!all.has(key)) all.set(key, policy);
  }
  return [...all.values()]
    .toSorted((a, b) => byCodeUnit(a.name, b.name) || byCodeUnit(a.revision, b.revision))
    .map((policy) => new StoredPolicy(policy, current.get(policy.name) === policy.revision));
}

class StoredPolicy implements RecordedPolicy {
  readonly name: string;
  readonly revision: string;
  readonly current: boolean;
  #text: string | null;
  #document: unknown = null;

  constructor({ name, revision, document }: Recorded, current: boolean) {
    this.name = name;
    this.revision = revision;
    this.current = current;
    this.#text = document;
  }

  get document(): unknown {
    if (this.#text !== null) {
      this.#document = JSON.parse(this.#text);
      this.#text = null;
    }
    return this.#document;
  }
}
