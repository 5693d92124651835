import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ledgerWriter } from '../../src/store/index.ts';
import { openStore } from '../../src/store/engine/open.ts';
import { withoutOpenssl } from '../app/certificate.ts';
import { scratchDirectory, startRunning } from '../app/running.ts';
import { entriesFrom } from '../ledger/grown.ts';
import { counted, runs } from '../runs.ts';
import { forEachEngine } from '../store/engines.ts';
import { Attack, LISTS } from './attack.ts';
import { openParted, Reviewing, statusOf } from './parts.ts';

/** Rows that the ledger has: enough for a list to be at its longest. */
const ROWS = 12_000;

forEachEngine('a viewer who calls for as much as possible', (engine) => {
  test('keeps no review from its answer', { skip: withoutOpenssl }, async (t) => {
    const database = await engine.migrated();
    const viewer = await signedIn(t, database);
    await fill(database, ROWS);
    const daemon = await openParted(scratchDirectory(t), database);
    t.after(() => daemon.end());
    daemon.start();
    await untilAnswers(`${daemon.api}/readyz`);

    const calls = [...LISTS.map((path) => ({ path, token: viewer })), { path: '/metrics', token: null }];
    // An attack whose calls all fail attacks nothing. Before the reviews: they go first, and with other tests leave a list no time.
    for (const { path, token } of calls)
      assert.equal(await readStatus(`${daemon.api}${path}`, token), 200, path);
    const reviewing = new Reviewing(daemon.port, 4);
    t.after(() => reviewing.end());
    await reviewing.answered(20);
    const began = performance.now();
    const attack = new Attack(daemon.api, calls, 40);
    const lives: (number | null)[] = [];
    for (let second = 0; second < runs(3, 10) || attack.answered < 20; second += 1) {
      await sleep(1000);
      lives.push(await statusOf(daemon.port, '/livez'), await statusOf(daemon.port, '/readyz'));
    }
    const attacked = await attack.end();
    const reviews = reviewing.said.filter(({ at }) => at >= began);
    await reviewing.end();
    assert.deepEqual(
      reviews.filter(({ status }) => status !== 200),
      [],
      'every review is answered',
    );
    assert.ok(reviews.length > 50, `${reviews.length} reviews were answered`);
    assert.deepEqual(
      lives.filter((status) => status !== 200),
      [],
      'it lives and is ready all the time',
    );
    assert.deepEqual(
      Object.keys(attacked).filter((status) => !['0', '200', '403', '429', '503'].includes(status)),
      [],
      `the attack is answered: ${JSON.stringify(attacked)}`,
    );
    assert.equal(await daemon.end(), 0, daemon.log.slice(-20).join('\n'));
    counted(t, { [`reviews answered under attack on ${engine.name}`]: reviews.length });
    t.diagnostic(`answers to the attack: ${JSON.stringify(attacked)}`);
  });
});

/** A viewer's secret in a database. */
async function signedIn(t: TestContext, database: string): Promise<string> {
  const running = await startRunning(t, { env: { IPO_DATABASE_URL: database } });
  const secret = running.secretOf('viewer') ?? '';
  await running.service.close(0);
  return secret;
}

async function fill(database: string, rows: number): Promise<void> {
  const store = await openStore({ url: database });
  try {
    const writer = ledgerWriter(store);
    for (let from = 0; from < rows; from += 1000) await writer.appendAll(entriesFrom(from + 1, 1000));
  } finally {
    await store.close();
  }
}

async function readStatus(url: string, token: string | null): Promise<number> {
  const answer = await fetch(url, { headers: token === null ? {} : { authorization: `Bearer ${token}` } });
  await answer.arrayBuffer();
  return answer.status;
}

async function untilAnswers(url: string): Promise<void> {
  for (;;) {
    const answer = await fetch(url).catch(() => null);
    if (answer?.ok === true) return;
    await sleep(50);
  }
}
