import type { AnyDatabase } from '../sql/schema.ts';
import type { Migration } from './migration.ts';
import { revisionOfStored } from './stored-policy.ts';

/**
 * Runtime blocks go. A rule that blocked notifies from now on, and stands beside it as a runtime policy that would stop the pod: switched
 * off, since stopping what runs is more than keeping new pods out was, and a person's decision. What a person wrote when releasing a block
 * moves to the audit log. `spec.runtime` is not a field of a policy any more.
 */
export const runtimeBlocksRemoved: Migration = {
  name: '0031-runtime-blocks-removed',
  release: '1.3.1',
  summary: 'Runtime blocks removed; their rules notify from now on',
  async up(db) {
    await replaceRules(db);
    await keepReleases(db);
    await db.schema.dropTable('runtime_blocks').execute();
    await db.schema.alterTable('runtime_rules').dropColumn('block_until').execute();
    await withoutRuntime(db);
  },
};

async function replaceRules(db: AnyDatabase): Promise<void> {
  const rules = await db
    .selectFrom('runtime_rules')
    .selectAll()
    .where('action', '=', 'block')
    .orderBy('place')
    .execute();
  const taken = new Set<string>();
  for (const { id, place, name, match, count, duration_ms, created_at, created_by, updated_at } of rules) {
    const own = policyName(String(name), taken);
    const document = {
      apiVersion: 'ipo.dev/v1',
      kind: 'RuntimePolicy',
      metadata: { name: own },
      spec: {
        match: parsed(String(match)),
        window: { count, duration: `${String(Number(duration_ms) / 1000)}s` },
        action: 'stop',
        stopMode: 'immediate',
      },
    };
    await db
      .insertInto('runtime_policies')
      .values({
        name: own,
        document: JSON.stringify(document),
        enabled: 0,
        version: 1,
        created_at,
        updated_at,
        updated_by: created_by,
      })
      .execute();
    await db
      .updateTable('runtime_rules')
      .set({ action: 'notify' })
      .where('id', '=', id)
      .where('place', '=', place)
      .execute();
  }
}

/** A name that a resource of Kubernetes may have, made from that of the rule. */
function policyName(rule: string, taken: Set<string>): string {
  const base =
    rule
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .slice(0, 50)
      .replaceAll(/^-+|-+$/g, '') || 'rule';
  let name = base;
  for (let i = 2; taken.has(name); i += 1) name = `${base}-${i}`;
  taken.add(name);
  return name;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {}; // a rule that could not be read never matched
  }
}

async function keepReleases(db: AnyDatabase): Promise<void> {
  const releases = await db
    .selectFrom('runtime_blocks')
    .selectAll()
    .where('released_at', 'is not', null)
    .where('released_by', 'is not', null)
    .orderBy('id')
    .execute();
  for (const block of releases) {
    const { digest, rule, opened_at, released_at, released_by, released_by_id, reason, note } = block;
    await db
      .insertInto('audit')
      .values({
        at: released_at,
        actor_id: released_by_id,
        actor: released_by,
        action: 'runtime_block_release',
        target: digest,
        path: null,
        detail: JSON.stringify({ rule, opened_at, reason, note }),
      })
      .execute();
  }
}

async function withoutRuntime(db: AnyDatabase): Promise<void> {
  const stored = await db.selectFrom('policies').selectAll().execute();
  for (const { name, document, revision, version, updated_at } of stored) {
    const value = parsed(String(document)) as { spec?: Record<string, unknown> } | null;
    if (value?.spec === undefined || !Object.hasOwn(value.spec, 'runtime')) continue;
    const { runtime: _, ...spec } = value.spec;
    const next = JSON.stringify({ ...value, spec });
    const own = await revisionOfStored(next);
    await db
      .updateTable('policies')
      .set({ document: next, revision: own, version: Number(version) + 1 })
      .where('name', '=', name)
      .execute();
    if (own === revision) continue;
    await db
      .insertInto('policy_revisions')
      .values({ name, revision: own, document: next, recorded_at: updated_at, recorded_by: null })
      .onConflict((conflict) => conflict.columns(['name', 'revision']).doNothing())
      .execute();
  }
}
