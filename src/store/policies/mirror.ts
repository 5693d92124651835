import { sql } from 'kysely';
import type { PolicyMirror } from '../../cluster/index.ts';
import { parseRecordedPolicy, type PolicyWrite } from '../../policy/index.ts';
import { followPolicy } from './history.ts';
import type { Store } from '../sql/store.ts';
import { underFence } from '../leadership/fence.ts';
import { run, type Executor, type Row } from '../sql/run.ts';

/**
 * policyMirror keeps in the database what ImagePolicy objects put in effect, where the replay, the inventory and the ledger's export read
 * policies. In a cluster nothing else writes these tables: "the custom resource is the store".
 */
export function policyMirror(store: Store): PolicyMirror {
  return {
    record: (policies) =>
      store.write(async (transaction) => {
        for (const policy of policies) await recordRevision(transaction, policy);
      }),
    replace: (fence, policies, kept, now) =>
      underFence(store, fence, async (transaction) => {
        const rows = await run(
          transaction,
          sql<
            Row<'policies', 'name' | 'revision' | 'document'>
          >`select name, revision, document from policies`,
        );
        const before = new Map(rows.map((row) => [row.name, row]));
        const wanted = new Set([...kept, ...policies.map(({ name }) => name)]);
        for (const { name } of rows)
          if (!wanted.has(name)) {
            await run(transaction, sql`delete from policies where name = ${name}`);
            await followPolicy(transaction, name, null, now);
          }
        for (const policy of policies) {
          const { name, revision, at, by } = policy;
          const document = JSON.stringify(policy.document);
          const there = before.get(name);
          if (there?.revision === revision && there.document === document) continue;
          await recordRevision(transaction, policy);
          await run(
            transaction,
            sql`insert into policies (name, document, revision, version, created_at, updated_at, updated_by) values (${name}, ${document}, ${revision}, 1, ${at}, ${at}, ${by})
             on conflict (name) do update set document = excluded.document, revision = excluded.revision,
               version = policies.version + 1, updated_at = excluded.updated_at, updated_by = excluded.updated_by`,
          );
          await followPolicy(transaction, name, revision, at);
        }
      }),
    async last(name) {
      const [row] = await run(
        store.read,
        sql<
          Row<'policies', 'revision' | 'document'>
        >`select revision, document from policies where name = ${name}`,
      );
      return row === undefined ? null : parseRecordedPolicy(JSON.parse(row.document), name, row.revision);
    },
  };
}

/** A revision that was in effect before keeps its first time and document. */
async function recordRevision(transaction: Executor, policy: PolicyWrite): Promise<void> {
  await run(
    transaction,
    sql`insert into policy_revisions (name, revision, document, recorded_at, recorded_by) values (${policy.name}, ${policy.revision}, ${JSON.stringify(policy.document)}, ${policy.at}, ${policy.by})
     on conflict (name, revision) do nothing`,
  );
}
