import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { nextLife, openFileSpool } from '../../src/adapters/spool/index.ts';
import { lockFile, openStore } from '../../src/store/index.ts';
import { ledgerReader } from '../../src/store/ledger/rows.ts';
import { replicaStore } from '../../src/store/cluster/replicas.ts';
import { scratchDirectory } from '../app/running.ts';
import { all, AT, listen, review, uidOf } from '../ledger/parts.ts';
import { forEachEngine, sqlite } from '../store/engines.ts';
import { ipo } from './fake-terminal.ts';

forEachEngine('ipo ledger put-back', (engine) => {
  test('puts what a replica that is gone left in its spool into the ledger, once, and ends the replica', async (t) => {
    const url = await engine.migrated();
    const directory = join(scratchDirectory(t), 'spool');
    const store = await openStore({ url });
    t.after(() => store.close());
    const me = await nextLife(directory, 'ipo-2');
    const replicas = replicaStore(store);
    await replicas.begin({ ...me, cluster: 'eu', at: AT, holdingSince: AT, rows: 4 });
    const spool = await openFileSpool({ directory, log: listen() });
    await spool.append([review(0), review(1, 2), review(2)]);
    await spool.close();
    const putBack = (...more: string[]) =>
      ipo(['ledger', 'put-back', directory, ...more], { env: { IPO_DATABASE: url } });

    const unlock = lockFile(join(directory, 'spool.lock'));
    const busy = await putBack();
    assert.equal(busy.code, 3);
    assert.match(busy.err, /another service works on this directory/);
    unlock();

    const first = await putBack();
    assert.deepEqual([first.code, first.err], [0, '']);
    assert.equal(
      first.out,
      `4 rows put back of 3 reviews since 2026-11-20T06:00:00Z; replica ${me.name} is marked as ended.\n`,
    );
    const reader = ledgerReader(store);
    const uids = async () =>
      (await all(reader.oldestFirst({ first: 1, last: await reader.size() }))).map((row) => row.review_uid);
    assert.deepEqual(await uids(), [0, 1, 1, 2].map(uidOf));
    const [line] = (await replicas.read('eu')).lines;
    assert.deepEqual([line?.rows, line?.holdingSince, line?.endedAt === null], [0, null, false]);

    // A copy of the volume that was put back before brings nothing twice.
    const copy = await openFileSpool({ directory, log: listen() });
    await copy.append([review(1, 2), review(3)]);
    await copy.close();
    const second = await putBack('-o', 'json');
    assert.equal(second.code, 0, second.err);
    assert.deepEqual(JSON.parse(second.out), {
      ...{ replica: me.name, ended: true, rows: 3, set_aside: 0, left: null },
      found: { reviews: 2, rows: 3, since: '2026-11-20T06:00:00.001Z' },
    });
    assert.deepEqual(await uids(), [0, 1, 1, 2, 3].map(uidOf));
    assert.deepEqual(readdirSync(directory).toSorted(), ['replica.json', 'spool.lock']);
    assert.match((await putBack()).out, /^There are no rows in /);
  });
});

test('ipo ledger put-back refuses a database that does not know the replica, and ends no later life', async (t) => {
  const url = await sqlite.migrated();
  const directory = join(scratchDirectory(t), 'spool');
  const me = await nextLife(directory, 'ipo-2');
  const fill = async (n: number): Promise<void> => {
    const spool = await openFileSpool({ directory, log: listen() });
    await spool.append([review(n)]);
    await spool.close();
  };
  await fill(0);
  const putBack = (...more: string[]) =>
    ipo(['ledger', 'put-back', directory, ...more], { env: { IPO_DATABASE: url } });
  const unknown = await putBack();
  assert.notEqual(unknown.code, 0);
  assert.match(unknown.err, new RegExp(`does not know replica ${me.name}.*--unknown-replica`, 's'));
  assert.match((await putBack('--unknown-replica')).out, /^1 row put back of 1 review since \S+\.\n$/);

  const store = await openStore({ url });
  t.after(() => store.close());
  const replicas = replicaStore(store);
  const ended = async () => (await replicas.read('eu')).lines.map(({ endedAt }) => endedAt !== null);
  // A start that failed counted a life on the volume alone: the one that the database knows is ended.
  await replicas.begin({ ...me, cluster: 'eu', at: AT, holdingSince: AT, rows: 1 });
  await nextLife(directory, 'ipo-2');
  await fill(1);
  assert.match((await putBack()).out, /is marked as ended/);
  assert.deepEqual(await ended(), [true]);
  await replicas.begin({ ...me, life: 9, cluster: 'eu', at: AT, holdingSince: null, rows: 0 });
  await fill(2);
  assert.doesNotMatch((await putBack()).out, /is marked as ended/);
  assert.deepEqual(await ended(), [false]);
});

test('ipo ledger put-back refuses a directory that is not a spool, and names the one below', async (t) => {
  const data = scratchDirectory(t);
  const putBack = () => ipo(['ledger', 'put-back', data], { env: { IPO_DATABASE: 'sqlite:none' } });
  const none = await putBack();
  assert.equal(none.code, 3);
  assert.match(none.err, /is not the spool of a replica.*ledger\.spool\.directory/s);
  await nextLife(join(data, 'spool'), 'a');
  const near = await putBack();
  assert.equal(near.code, 3);
  assert.match(near.err, new RegExp(`Did you mean ${join(data, 'spool')}\\?`));
  assert.deepEqual(readdirSync(data), ['spool'], 'nothing is made there');
  const missing = await ipo(['ledger', 'put-back', join(data, 'none')], {
    env: { IPO_DATABASE: 'sqlite:none' },
  });
  assert.equal(missing.code, 3);
  assert.ok(missing.err.startsWith(`ipo: ${join(data, 'none')}: no such file or directory\n`), missing.err);
});
