import { isDeepStrictEqual } from 'node:util';
import type { Selectable, Transaction } from 'kysely';
import type { PolicyReads } from '../../inventory/index.ts';
import type {
  Expected,
  PolicyPage,
  PolicyRevision,
  PolicyStore,
  PolicyWrite,
  Replaced,
  StoredPolicy,
} from '../../policy/index.ts';
import { held } from '../sql/dialect.ts';
import { followPolicy } from './history.ts';
import type { Store } from '../sql/store.ts';
import type { Tables } from '../tables/index.ts';

type PolicyRow = Selectable<Tables['policies']>;
type RevisionRow = Selectable<Tables['policy_revisions']>;

/** More than any list has; what follows an offset is given up to it. */
const ALL = 1_000_000;

/** policyStore keeps policies and their revisions in a database. */
export function policyStore(store: Store): PolicyStore {
  return {
    async list({ limit, offset }) {
      const rows = await store.read
        .selectFrom('policies')
        .selectAll()
        .orderBy('name')
        .limit(limit ?? ALL)
        .offset(offset)
        .execute();
      return { items: rows.map(toStored), total: await count(store, 'policies', null) };
    },
    async get(name) {
      const row = await store.read
        .selectFrom('policies')
        .selectAll()
        .where('name', '=', name)
        .executeTakeFirst();
      return row === undefined ? null : toStored(row);
    },
    create: (policy) => store.write((transaction) => createPolicy(transaction, policy)),
    replace: (policy, expected) => store.write((transaction) => replacePolicy(transaction, policy, expected)),
    remove: (name, expected, at) =>
      store.write(async (transaction) => {
        const before = await find(transaction, name);
        if (before === undefined) return { kind: 'missing' };
        if (!stands(before, expected)) return { kind: 'mismatch' };
        const row = await transaction
          .deleteFrom('policies')
          .where('name', '=', name)
          .returningAll()
          .executeTakeFirstOrThrow();
        await followPolicy(transaction, name, null, at);
        return { kind: 'removed', policy: toStored(row) };
      }),
    revisions: (name, page) => listRevisions(store, name, page),
    async revision(name, revision) {
      const row = await store.read
        .selectFrom('policy_revisions')
        .selectAll()
        .where('name', '=', name)
        .where('revision', '=', revision)
        .executeTakeFirst();
      return row === undefined ? null : toRevision(row);
    },
  };
}

/** policyReads reads the policies in effect for those who keep what they have read. */
export function policyReads(store: Store): PolicyReads {
  return {
    heads: () => store.read.selectFrom('policies').select(['name', 'revision']).orderBy('name').execute(),
    get: (name) => policyStore(store).get(name),
  };
}

async function createPolicy(
  transaction: Transaction<Tables>,
  policy: PolicyWrite,
): Promise<StoredPolicy | null> {
  const row = await transaction
    .insertInto('policies')
    .values({
      name: policy.name,
      document: JSON.stringify(policy.document),
      revision: policy.revision,
      version: 1,
      created_at: policy.at,
      updated_at: policy.at,
      updated_by: policy.by,
    })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return null;
  await record(transaction, policy);
  return toStored(row);
}

async function replacePolicy(
  transaction: Transaction<Tables>,
  policy: PolicyWrite,
  expected: Expected,
): Promise<Replaced> {
  const before = await find(transaction, policy.name);
  if (before === undefined) return { kind: 'missing' };
  if (!stands(before, expected)) return { kind: 'mismatch' };
  const document = JSON.stringify(policy.document);
  if (before.revision === policy.revision && isSame(before.document, document))
    return { kind: 'unchanged', policy: toStored(before) };
  const row = await transaction
    .updateTable('policies')
    .set({
      document,
      revision: policy.revision,
      version: before.version + 1,
      updated_at: policy.at,
      updated_by: policy.by,
    })
    .where('name', '=', policy.name)
    .returningAll()
    .executeTakeFirstOrThrow();
  await record(transaction, policy);
  return { kind: 'replaced', policy: toStored(row), before: toStored(before) };
}

async function listRevisions(store: Store, name: string, { limit, offset }: PolicyPage) {
  const rows = await store.read
    .selectFrom('policy_revisions')
    .selectAll()
    .where('name', '=', name)
    .orderBy('recorded_at', 'desc')
    .orderBy('revision')
    .limit(limit ?? ALL)
    .offset(offset)
    .execute();
  return { items: rows.map(toRevision), total: await count(store, 'policy_revisions', name) };
}

async function count(
  store: Store,
  table: 'policies' | 'policy_revisions',
  name: string | null,
): Promise<number> {
  const all = store.read.selectFrom(table).select((of) => of.fn.countAll<number>().as('total'));
  const { total } = await (name === null ? all : all.where('name', '=', name)).executeTakeFirstOrThrow();
  return total;
}

/** The policy to be written, which stays as it is read until it is. */
function find(transaction: Transaction<Tables>, name: string): Promise<PolicyRow | undefined> {
  const named = transaction.selectFrom('policies').selectAll().where('name', '=', name);
  return held(transaction, named).executeTakeFirst();
}

/** Whether two documents say the same, in whatever order. */
function isSame(before: string, after: string): boolean {
  return before === after || isDeepStrictEqual(JSON.parse(before), JSON.parse(after));
}

/** A revision that was in effect before keeps its first time and document; when it was in effect, the history says. */
async function record(transaction: Transaction<Tables>, policy: PolicyWrite): Promise<void> {
  await transaction
    .insertInto('policy_revisions')
    .values({
      name: policy.name,
      revision: policy.revision,
      document: JSON.stringify(policy.document),
      recorded_at: policy.at,
      recorded_by: policy.by,
    })
    .onConflict((conflict) => conflict.columns(['name', 'revision']).doNothing())
    .execute();
  await followPolicy(transaction, policy.name, policy.revision, policy.at);
}

function stands(row: PolicyRow, expected: Expected): boolean {
  return expected === 'any' || expected.includes(versionOf(row));
}

/** The count of writes by itself would restart when a policy is deleted and recreated, and an old ETag would then meet another document. */
function versionOf({ version, revision }: PolicyRow): string {
  return `${version}-${revision.slice(0, 12)}`;
}

function toStored(row: PolicyRow): StoredPolicy {
  return {
    name: row.name,
    document: JSON.parse(row.document),
    revision: row.revision,
    version: versionOf(row),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    updatedBy: row.updated_by,
  };
}

function toRevision(row: RevisionRow): PolicyRevision {
  return {
    name: row.name,
    revision: row.revision,
    document: JSON.parse(row.document),
    recordedAt: row.recorded_at,
    recordedBy: row.recorded_by,
  };
}
