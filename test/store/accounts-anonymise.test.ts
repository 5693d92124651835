import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import type { Account, FoundCopies } from '../../src/accounts/index.ts';
import { NAME_COPIES } from '../../src/store/accounts/copies.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { code, openFresh, type Opened } from '../accounts/open.ts';
import { forEachEngine } from './engines.ts';

const ACT = { by: null, path: 'test' };
const NAME = 'Ada "Countess" Lovelace-Ünï';
const EMAIL = 'ada.lovelace@example.com';

/** Every column of the database that holds text. */
async function textColumns({ engine, read }: Store): Promise<{ table: string; column: string }[]> {
  const { rows } =
    engine === 'sqlite'
      ? await sql<{ table: string; column: string }>`
          select m.name as "table", p.name as "column" from sqlite_master m, pragma_table_info(m.name) p
          where m.type = 'table' and lower(p.type) = 'text'`.execute(read)
      : await sql<{ table: string; column: string }>`
          select table_name as "table", column_name as "column" from information_schema.columns
          where table_schema = current_schema() and data_type = 'text'`.execute(read);
  return rows;
}

/** Cells anywhere in the database that hold one of the texts. */
async function hits(store: Store, texts: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const { table, column } of await textColumns(store)) {
    const { rows } = await sql<{ cell: string }>`
      select ${sql.ref(column)} as cell from ${sql.table(table)} where ${sql.ref(column)} is not null`.execute(
      store.read,
    );
    for (const { cell } of rows)
      if (
        texts.some((text) =>
          [text, JSON.stringify(text).slice(1, -1)].some((part) =>
            cell.toLowerCase().includes(part.toLowerCase()),
          ),
        )
      )
        found.push(`${table}.${column}: ${cell}`);
  }
  return found;
}

/** Writes the name and the address wherever the service may have written them, by whichever release. */
async function leaveCopies({ store, audit, clock }: Opened, accountId: string): Promise<void> {
  const actor = { accountId, name: NAME };
  await audit.record({ actor, action: 'policy_create', target: 'shop', path: 'POST /api/v1/policies' });
  await audit.record({
    actor: { accountId, name: 'Ada under a former name' },
    action: 'rescan',
    target: null,
    path: null,
  });
  await audit.record({
    actor: null,
    action: 'sign_in_failed',
    target: EMAIL,
    path: null,
    detail: { typed: EMAIL.toUpperCase() },
  });
  await audit.record({
    actor: null,
    action: 'triage_create',
    target: NAME,
    path: null,
    detail: { by: [NAME], note: `asked ${NAME}, who said yes` },
  });
  await store.write(async (transaction) => {
    const run = (query: ReturnType<typeof sql>) => query.execute(transaction);
    await run(
      sql`insert into audit (at, actor, action, target, detail) values (1, ${EMAIL}, 'runtime_block_release', 'sha256:x', ${`for ${NAME}: plain text`})`,
    );
    await run(
      sql`insert into audit (at, actor, action, detail) values (1, ${NAME}, 'rescan', ${'{ no json ' + NAME})`,
    );
    for (const [by, id] of [
      [NAME, accountId],
      ['a former name', accountId],
      [EMAIL, null],
    ])
      await run(sql`insert into triage (digest, cve, reason, triaged_by, account_id, created_at, until)
        values ('sha256:x', ${'CVE-2026-' + by}, ${`accepted by ${NAME} (${EMAIL}).`}, ${by}, ${id}, ${clock.at}, ${clock.at})`);
    await run(sql`update triage set cve = 'CVE-2026-1'`);
    await run(
      sql`insert into policies (name, document, revision, version, created_at, updated_at, updated_by) values ('shop', '{}', 'r', 1, 1, 1, ${NAME})`,
    );
    await run(
      sql`insert into policy_revisions (name, revision, document, recorded_at, recorded_by) values ('shop', 'r', '{}', 1, ${EMAIL})`,
    );
    await run(
      sql`insert into scan_queue (digest, requested_at, requested_by, attempts, not_before) values ('sha256:x', 1, ${EMAIL}, 0, 0)`,
    );
    await run(
      sql`insert into runtime_rules (place, name, match, action, created_at, created_by, account_id, updated_at) values (1, 'r', '{}', 'notify', 1, ${NAME}, ${accountId}, 1)`,
    );
    await run(
      sql`insert into runtime_policies (name, document, created_at, updated_at, updated_by) values ('r', '{}', 1, 1, ${NAME})`,
    );
    await run(
      sql`insert into channels (id, kind, name, settings, subscriptions, created_at, updated_by, updated_at) values ('c', 'webhook', 'c', '{}', '[]', 1, ${EMAIL}, 1)`,
    );
  });
}

forEachEngine('Anonymising', (engine) => {
  test('leaves no copy of the name and the address in any text of the database', async (t) => {
    const opened = await openFresh(t, engine);
    const { accounts, add, store } = opened;
    await add('boss@example.com', 'administrator', 'The Boss');
    const id = await add(EMAIL, 'deployer', NAME);
    await store.write(async (transaction) => {
      await transaction
        .updateTable('accounts')
        .set({ avatar: `https://example.com/${EMAIL}.png`, oidc_subject: `https://id\n${EMAIL}` })
        .where('id', '=', id)
        .execute();
    });
    await leaveCopies(opened, id);
    await assert.rejects(accounts.life.anonymise(ACT, id), code('conflict'));
    await accounts.life.update(ACT, id, { enabled: false });
    assert.ok((await hits(store, [NAME, EMAIL])).length > 15);
    const { account: gone } = await accounts.life.anonymise(ACT, id);
    assert.deepEqual(
      [gone.email, gone.name, gone.avatar, gone.passwordHash, gone.oidcSubject],
      [null, null, null, null, null],
    );
    assert.deepEqual(await hits(store, [NAME, EMAIL, 'former name']), []);
    const triage = await store.read
      .selectFrom('triage')
      .select(['triaged_by', 'reason'])
      .distinct()
      .execute();
    assert.deepEqual(triage, [{ triaged_by: `user:${id}`, reason: `accepted by user:${id} (user:${id}).` }]);
    const { items } = await opened.audit.list(
      { from: 0, to: opened.clock.at, action: 'triage_create', actor: null, target: null },
      { limit: 1, offset: 0 },
    );
    assert.deepEqual(items[0]?.detail, { by: [`user:${id}`], note: `asked user:${id}, who said yes` });
  });

  test('is for good: no name, no sign-in, no second time; the address is free again', async (t) => {
    const { accounts, add, signIn } = await openFresh(t, engine);
    await add('boss@example.com', 'administrator');
    const id = await add(EMAIL, 'viewer', NAME);
    await accounts.life.update(ACT, id, { enabled: false });
    const first = await accounts.life.anonymise(ACT, id);
    assert.deepEqual(await accounts.life.anonymise(ACT, id), first);
    for (const changes of [{ enabled: true }, { name: 'Ada' }, { role: 'administrator' }] as const)
      await assert.rejects(accounts.life.update(ACT, id, changes), code('conflict'));
    await assert.rejects(accounts.life.issueCode(ACT, id), code('conflict'));
    await assert.rejects(signIn(EMAIL), code('bad_credentials'));
    assert.notEqual(await add(EMAIL), id);
  });

  test("keeps what is not the person's: other people, words of the name, copies that may be a namesake's", async (t) => {
    const opened = await openFresh(t, engine);
    const { accounts, add, audit, store, clock } = opened;
    await add('boss@example.com', 'administrator');
    const id = await add('shop@example.com', 'viewer', 'shop');
    const namesake = await add('shop2@example.com', 'viewer', 'shop');
    await audit.record({
      actor: { accountId: namesake, name: 'shop' },
      action: 'policy_update',
      target: 'the shop policy',
      path: null,
      detail: { policy: 'a shop', mail: 'shop2@example.com, myshop@example.com' },
    });
    await store.write(async (transaction) => {
      await sql`insert into policies (name, document, revision, version, created_at, updated_at, updated_by) values ('shop', '{}', 'r', 1, 1, 1, 'shop')`.execute(
        transaction,
      );
    });
    await accounts.life.update(ACT, id, { enabled: false });
    await accounts.life.anonymise(ACT, id);
    const { items } = await audit.list(
      { from: 0, to: clock.at, action: 'policy_update', actor: null, target: null },
      { limit: 1, offset: 0 },
    );
    assert.deepEqual(
      [items[0]?.actor, items[0]?.target, items[0]?.detail],
      ['shop', 'the shop policy', { policy: 'a shop', mail: 'shop2@example.com, myshop@example.com' }],
    );
    assert.equal(
      (await store.read.selectFrom('policies').select(['name', 'updated_by']).executeTakeFirstOrThrow())
        .updated_by,
      'shop',
    );
  });

  for (const meanwhile of ['an entry was written', 'the name was changed'] as const)
    test(`leaves no copy where ${meanwhile} while the audit log was looked through`, async (t) => {
      const { accounts, add, audit, parts, store } = await openFresh(t, engine);
      await add('boss@example.com', 'administrator');
      const id = await add(EMAIL, 'viewer', NAME);
      const act = (name: string): Promise<void> =>
        audit.record({ actor: { accountId: id, name }, action: 'rescan', target: EMAIL, path: null });
      for (let i = 0; i < 700; i += 1) await act(NAME);
      await accounts.life.update(ACT, id, { enabled: false });
      const { findCopies } = parts.accounts;
      let found: FoundCopies | null = null;
      Object.assign(parts.accounts, {
        findCopies: async (account: Account) => {
          found = await findCopies(account);
          if (meanwhile === 'the name was changed') await parts.accounts.update(id, { name: 'Grace Hopper' });
          await act(meanwhile === 'the name was changed' ? 'Grace Hopper' : NAME);
          return found;
        },
      });
      await accounts.life.anonymise(ACT, id);
      assert.equal(found === null, engine.name === 'postgres');
      if (found !== null) assert.ok((found as FoundCopies).ids.length >= 700);
      assert.deepEqual(await hits(store, [NAME, EMAIL, 'Grace Hopper']), []);
    });

  test('that fails in the middle leaves everything as it was', async (t) => {
    const { accounts, add, parts, store } = await openFresh(t, engine);
    await add('boss@example.com', 'administrator');
    const id = await add(EMAIL, 'viewer', NAME);
    await accounts.life.update(ACT, id, { enabled: false });
    const before = await hits(store, [NAME, EMAIL]);
    Object.assign(parts.audit, { record: () => Promise.reject(new Error('full')) });
    await assert.rejects(accounts.life.anonymise(ACT, id), /full/);
    assert.deepEqual(await hits(store, [NAME, EMAIL]), before);
  });

  test('knows every column of the schema that names a person', async (t) => {
    const { store } = await openFresh(t, engine);
    const things = ['ended_by', 'exposed_by', 'rated_by', 'superseded_by'];
    const named = (await textColumns(store)).filter(
      ({ column }) => column === 'actor' || (column.endsWith('_by') && !things.includes(column)),
    );
    // A token is called as its owner likes.
    const known = NAME_COPIES.map(({ table, copy }) => `${table}.${copy}`).filter(
      (copy) => copy !== 'tokens.name',
    );
    assert.deepEqual(named.map(({ table, column }) => `${table}.${column}`).toSorted(), known.toSorted());
  });
});
