import { isDeepStrictEqual } from 'node:util';
import type { Selectable, Transaction } from 'kysely';
import { sha256Hex } from '../../base/index.ts';
import { readPolicyObject, RUNTIME_POLICY, type PolicyMirror } from '../../cluster/index.ts';
import type { Expected, NamedPolicies, PolicyWrite, StoredPolicy } from '../../policy/index.ts';
import type { RevisedRuntimePolicy, RuntimePolicySource } from '../../runtime/index.ts';
import { underFence } from '../leadership/fence.ts';
import { held } from '../sql/dialect.ts';
import type { Store } from '../sql/store.ts';
import type { Tables } from '../tables/index.ts';

type PolicyRow = Selectable<Tables['runtime_policies']>;
type Stored = StoredPolicy<RevisedRuntimePolicy>;

/** More than any list has; what follows an offset is given up to it. */
const ALL = 1_000_000;

/** runtimePolicyStore keeps runtime policies in a database. A write puts one in effect that was off. */
export function runtimePolicyStore(store: Store): NamedPolicies<RevisedRuntimePolicy> {
  return {
    async list({ limit, offset }) {
      const rows = await store.read
        .selectFrom('runtime_policies')
        .selectAll()
        .orderBy('name')
        .limit(limit ?? ALL)
        .offset(offset)
        .execute();
      const { total } = await store.read
        .selectFrom('runtime_policies')
        .select(({ fn }) => fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow();
      return { items: rows.map(toStored), total };
    },
    async get(name) {
      const row = await store.read
        .selectFrom('runtime_policies')
        .selectAll()
        .where('name', '=', name)
        .executeTakeFirst();
      return row === undefined ? null : toStored(row);
    },
    create: ({ name, document, at, by }) =>
      store.write(async (transaction) => {
        const row = await transaction
          .insertInto('runtime_policies')
          .values({
            name,
            document: JSON.stringify(document),
            enabled: 1,
            version: 1,
            created_at: at,
            updated_at: at,
            updated_by: by,
          })
          .onConflict((conflict) => conflict.column('name').doNothing())
          .returningAll()
          .executeTakeFirst();
        return row === undefined ? null : toStored(row);
      }),
    replace: ({ name, document, at, by }, expected) =>
      store.write(async (transaction) => {
        const before = await find(transaction, name);
        if (before === undefined) return { kind: 'missing' };
        if (!stands(before, expected)) return { kind: 'mismatch' };
        const written = JSON.stringify(document);
        if (before.enabled === 1 && isDeepStrictEqual(JSON.parse(before.document), JSON.parse(written)))
          return { kind: 'unchanged', policy: toStored(before) };
        const row = await transaction
          .updateTable('runtime_policies')
          .set({ document: written, enabled: 1, version: before.version + 1, updated_at: at, updated_by: by })
          .where('name', '=', name)
          .returningAll()
          .executeTakeFirstOrThrow();
        return { kind: 'replaced', policy: toStored(row), before: toStored(before) };
      }),
    remove: (name, expected) =>
      store.write(async (transaction) => {
        const before = await find(transaction, name);
        if (before === undefined) return { kind: 'missing' };
        if (!stands(before, expected)) return { kind: 'mismatch' };
        await transaction.deleteFrom('runtime_policies').where('name', '=', name).execute();
        return { kind: 'removed', policy: toStored(before) };
      }),
  };
}

/** runtimePolicySource gives the runtime policies of the database that can be read and are not off. */
export function runtimePolicySource({ read }: Pick<Store, 'read'>): RuntimePolicySource {
  let known: { readonly key: string; readonly policies: readonly RevisedRuntimePolicy[] } | null = null;
  return {
    async inEffect() {
      const rows = await read
        .selectFrom('runtime_policies')
        .selectAll()
        .where('enabled', '=', 1)
        .orderBy('name')
        .execute();
      const key = JSON.stringify(rows.map(({ name, document }) => [name, document]));
      if (known?.key !== key) known = { key, policies: rows.flatMap((row) => readRow(row).policy ?? []) };
      return known.policies;
    },
  };
}

/**
 * runtimePolicyMirror keeps in the database what RuntimePolicy objects put in effect, where evidence and a replay read them. What is off
 * there is no object, and stays.
 */
export function runtimePolicyMirror(store: Store): PolicyMirror<RevisedRuntimePolicy> {
  return {
    // No revision of them is kept.
    record: async () => {},
    replace: (fence, policies, kept, now) =>
      underFence(store, fence, async (executor) => {
        const transaction = executor as Transaction<Tables>;
        const rows = await transaction.selectFrom('runtime_policies').selectAll().execute();
        const before = new Map(rows.map((row) => [row.name, row]));
        const wanted = new Set([...kept, ...policies.map(({ name }) => name)]);
        const gone = rows.filter(({ name, enabled }) => enabled === 1 && !wanted.has(name));
        for (const { name } of gone)
          await transaction.deleteFrom('runtime_policies').where('name', '=', name).execute();
        for (const policy of policies) await mirror(transaction, policy, before.get(policy.name), now);
      }),
    async last(name) {
      const row = await store.read
        .selectFrom('runtime_policies')
        .selectAll()
        .where('name', '=', name)
        .where('enabled', '=', 1)
        .executeTakeFirst();
      return row === undefined ? null : readRow(row).policy;
    },
  };
}

async function mirror(
  transaction: Transaction<Tables>,
  { name, document, by }: PolicyWrite,
  before: PolicyRow | undefined,
  now: number,
): Promise<void> {
  const written = JSON.stringify(document);
  if (before?.enabled === 1 && before.document === written) return;
  const values = { document: written, enabled: 1, updated_at: now, updated_by: by };
  await transaction
    .insertInto('runtime_policies')
    .values({ name, ...values, version: 1, created_at: now })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet({ ...values, version: (before?.version ?? 0) + 1 }),
    )
    .execute();
}

function find(transaction: Transaction<Tables>, name: string): Promise<PolicyRow | undefined> {
  const named = transaction.selectFrom('runtime_policies').selectAll().where('name', '=', name);
  return held(transaction, named).executeTakeFirst();
}

function stands(row: PolicyRow, expected: Expected): boolean {
  return expected === 'any' || expected.includes(versionOf(row));
}

/** With its document, since the count of writes restarts when a policy is deleted and recreated. */
function versionOf({ version, document }: PolicyRow): string {
  return `${version}-${sha256Hex(document).slice(0, 12)}`;
}

function readRow({ name, document }: PolicyRow) {
  const value = JSON.parse(document) as Readonly<Record<string, unknown>>;
  return readPolicyObject(RUNTIME_POLICY, { name, uid: '', version: '', generation: 0, status: {}, value });
}

/** Why a policy of the database that is off is not in effect. */
const OFF = 'it is off: an upgrade made it of a rule that blocked images before 1.3.1';

function toStored(row: PolicyRow): Stored {
  const { name, document, created_at, updated_at, updated_by } = row;
  const read = readRow(row);
  const fault = read.fault ?? (row.enabled === 1 ? null : OFF);
  return {
    name,
    document: JSON.parse(document) as Stored['document'],
    version: versionOf(row),
    createdAt: created_at,
    updatedAt: updated_at,
    updatedBy: updated_by,
    revision: fault === null ? (read.policy?.revision ?? '') : '',
    ...(fault !== null && { invalid: { fault, inEffect: null } }),
  };
}
