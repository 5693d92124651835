import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { openFileSpool } from '../../src/adapters/spool/index.ts';
import { openStore } from '../../src/store/index.ts';
import { ledgerReader } from '../../src/store/ledger/rows.ts';
import { ledgerTree } from '../../src/store/ledger/tree.ts';
import { replicaStore } from '../../src/store/cluster/replicas.ts';
import { scratchDirectory } from '../app/running.ts';
import { listen, review, until } from '../ledger/parts.ts';
import { forEachEngine } from '../store/engines.ts';
import { startDaemon } from './ipod.ts';

forEachEngine('a daemon whose database takes no rows', (engine) => {
  // A lock on one row, which leaves all else free, is what PostgreSQL has; SQLite is tried in test/store/ledger-close.test.ts.
  if (engine.name === 'sqlite') return;

  test('puts the spool back on SIGTERM before it signs and ends; a second signal ends it and says what is left', async (t) => {
    const url = await engine.migrated();
    const data = scratchDirectory(t);
    const directory = join(data, 'spool');
    const spool = await openFileSpool({ directory, log: listen() });
    await spool.append(Array.from({ length: 40 }, (_, n) => review(n)));
    await spool.close();
    const slow = new pg.Client({ connectionString: url });
    await slow.connect();
    t.after(() => slow.end());
    const hold = async (): Promise<void> => {
      await slow.query('begin');
      await slow.query('select size from ledger_head where id = 1 for update');
    };
    const env = { IPO_DATA: data, IPO_LISTEN: '127.0.0.1:0', IPO_DATABASE_URL: url };
    const stopping = async (daemon: ReturnType<typeof startDaemon>): Promise<void> => {
      let out = '';
      daemon.process.stdout?.on('data', (text: Buffer) => (out += text.toString()));
      daemon.process.kill('SIGTERM');
      await until(() => out.includes('the spool is put back before the end'), 'it puts back', 1_000_000);
    };

    await hold();
    const first = startDaemon(t, [], env);
    assert.ok(await first.url);
    await stopping(first);
    first.process.kill('SIGTERM');
    const killed = await first.ended;
    assert.equal(killed.code, 143);
    const [left, ...more] = killed.out.split('\n').filter((line) => line.includes('stay in the spool'));
    assert.equal(more.length, 0);
    const {
      level,
      reviews,
      rows,
      since,
      spool: place,
      hint,
    } = JSON.parse(left ?? '{}') as Record<string, unknown>;
    assert.deepEqual(
      [level, reviews, rows, since, place],
      ['warn', 40, 40, '2026-11-20T06:00:00Z', directory],
    );
    assert.match(String(hint), /ipo ledger put-back/);

    const second = startDaemon(t, [], env);
    assert.ok(await second.url);
    await stopping(second);
    await slow.query('rollback');
    const ended = await second.ended;
    assert.equal(ended.code, 0, ended.out);
    assert.match(ended.out, /an earlier process left reviews in the spool/);
    assert.doesNotMatch(ended.out, /stay in the spool/);

    const store = await openStore({ url });
    t.after(() => store.close());
    assert.equal(await ledgerReader(store).size(), 40);
    assert.equal(
      (await ledgerTree(store).newestCheckpoint())?.size,
      40,
      'the last checkpoint covers what was put back',
    );
    const { lines } = await replicaStore(store).read('');
    assert.deepEqual(
      lines.map((line) => [line.rows, line.holdingSince, line.endedAt === null]),
      [[0, null, false]],
    );
  });
});
