import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { suite, test, type TestContext } from 'node:test';
import Database from 'better-sqlite3';
import { openStore } from '../../src/store/engine/open.ts';
import { openOn, type Opened } from '../accounts/open.ts';
import { openSqlite } from '../accounts/sqlite.ts';

const ACT = { by: null, path: 'test' };
const NAME = 'Ada Countess Lovelace';
const EMAIL = 'ada.lovelace@example.com';

/** Where in the files of a database a text stands, byte for byte. */
function traces(file: string): string[] {
  const found: string[] = [];
  for (const suffix of ['', '-wal', '-shm']) {
    if (!existsSync(file + suffix)) continue;
    const bytes = readFileSync(file + suffix);
    for (const text of [NAME, EMAIL, 'Lovelace'])
      for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + 1))
        found.push(`${text} at ${at} of ${suffix || 'the file'}`);
  }
  return found;
}

interface Filled extends Opened {
  readonly id: string;
  readonly file: string;
  readonly url: string;
}

/** An account that was used for a while: hundreds of entries of the log, sessions, codes, tokens, triage; then disabled. */
async function filled(t: TestContext): Promise<Filled> {
  const { store, url } = await openSqlite(t);
  const opened = openOn(store);
  const { accounts, add, audit, signIn } = opened;
  await add('boss@example.com', 'administrator', 'The Boss');
  const id = await add(EMAIL, 'deployer', NAME);
  for (let i = 0; i < 5; i += 1) await signIn(EMAIL);
  const { principal } = (await accounts.whoIs((await signIn(EMAIL)).secret)) ?? assert.fail();
  await accounts.tokens.create(principal, { name: `${NAME} laptop`, role: null, days: 1 }, 'test');
  await assert.rejects(signIn(EMAIL, 'not the password'));
  const note = { note: `asked ${NAME}, who said yes`, padding: 'x'.repeat(300) };
  await store.write(async () => {
    for (let i = 0; i < 300; i += 1)
      await audit.record({
        actor: { accountId: id, name: NAME },
        ...{ action: 'rescan', target: EMAIL, path: null, detail: { ...note, i } },
      });
  });
  // Enough for several checkpoints of the log, so that the name stands in the file as well.
  await store.forgetDeleted();
  await accounts.life.update(ACT, id, { name: `${NAME} King` });
  await accounts.life.update(ACT, id, { name: NAME });
  await accounts.life.update(ACT, id, { enabled: false });
  return { ...opened, id, url, file: url.replace('sqlite:', '') };
}

suite('Anonymising takes a name out of the files of the database', () => {
  test('no byte of name and address is left in the file, its log or its index', async (t) => {
    const { accounts, id, file, store } = await filled(t);
    assert.ok(traces(file).length > 100, String(traces(file).length));
    const { erasure } = await accounts.life.anonymise(ACT, id);
    assert.equal(erasure, 'done');
    assert.deepEqual(traces(file), []);
    // What was counted under the address goes with it.
    assert.deepEqual(
      await store.read
        .selectFrom('sign_in_failures')
        .select('key')
        .where('key', 'like', 'account:%')
        .execute(),
      [],
    );
  });

  test('a reader of an earlier state keeps the name in the log; that is said, and it goes once the reader ends', async (t) => {
    const { accounts, id, file } = await filled(t);
    const reader = new Database(file, { readonly: true });
    t.after(() => reader.close());
    reader.exec('begin');
    reader.prepare('select count(*) from audit').get();
    assert.equal((await accounts.life.anonymise(ACT, id)).erasure, 'pending');
    assert.ok(traces(file).length > 0);
    assert.equal(await accounts.erase(), 'pending');
    reader.exec('commit');
    assert.equal(await accounts.erase(), 'done');
    assert.deepEqual(traces(file), []);
  });

  test('what a reader kept from being taken out is taken out by the next process', async (t) => {
    const { accounts, id, file, url, store } = await filled(t);
    const reader = new Database(file, { readonly: true });
    t.after(() => reader.close());
    reader.exec('begin');
    reader.prepare('select count(*) from audit').get();
    assert.equal((await accounts.life.anonymise(ACT, id)).erasure, 'pending');
    await store.read.destroy(); // ended without a word, as by a crash
    const next = await openStore({ url });
    t.after(() => next.close());
    const { accounts: again } = openOn(next);
    assert.equal(await again.erase(), 'pending');
    reader.exec('commit');
    assert.equal(await again.erase(), 'done');
    assert.deepEqual(traces(file), []);
    // A second call finds nothing to do.
    assert.equal(await again.erase(), 'done');
  });
});
