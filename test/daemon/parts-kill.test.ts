import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { runText } from '../../src/store/sql/dialect.ts';
import { openStore } from '../../src/store/engine/open.ts';
import { packUid } from '../../src/store/cells/uid.ts';
import { withoutOpenssl } from '../app/certificate.ts';
import { counted, turns } from '../runs.ts';
import { forEachEngine } from '../store/engines.ts';
import { openParted, PROCESSES, Reviewing, type Parted, type ProcessName, type Said } from './parts.ts';

const skip =
  withoutOpenssl !== false
    ? withoutOpenssl
    : existsSync('/proc/self/task')
      ? false
      : 'this system does not tell the processes of a process';

/** Of ten kills: those that everything stands and falls with more often. */
const VICTIMS: readonly ProcessName[] = ['webhook', 'service', 'webhook', 'replay', 'service', 'ipod'];

forEachEngine('kill -9 of a process of the daemon under load', (engine) => {
  test('loses no review that was answered, and the webhook goes on', { skip }, async (t) => {
    const url = await engine.migrated();
    // On the disk of the database, as a service has it.
    const folder = scratch(t, engine.name === 'sqlite' ? dirname(url.slice('sqlite:'.length)) : tmpdir());
    const daemon = await openParted(folder, url);
    daemon.start();
    const reviewing = new Reviewing(daemon.port, 6);
    t.after(async () => {
      await reviewing.end();
      await daemon.end();
    });
    await reviewing.answered(20);
    const writing = engine.name === 'sqlite' ? await writeBeside(url) : null;
    // 15 kills: the one that replays does not run in three of these turns.
    const { from, until } = turns(18, 360);
    let killed = 0;
    const away = Object.fromEntries(PROCESSES.map((name) => [name, 0])) as Record<ProcessName, number>;
    for (let turn = from; turn < until; turn += 1) {
      const victim = VICTIMS[turn % VICTIMS.length] ?? 'webhook';
      // The one that replays is started with the next task once it was killed.
      const pid = victim === 'replay' ? daemon.pid(victim) : await pidOf(daemon, victim);
      if (pid === null) continue;
      // At another moment of its work each time.
      await sleep((turn * 37) % 150);
      const began = performance.now();
      process.kill(pid, 'SIGKILL');
      killed += 1;
      if (victim === 'ipod') {
        await gone(pid);
        daemon.start();
      }
      await reviewing.answered(10);
      if (victim === 'webhook' || victim === 'service') await pidOf(daemon, victim, pid);
      away[victim] = Math.max(away[victim], reviewing.longestGap(began));
    }
    const spool = join(folder, 'data', 'spool');
    const passed = (): boolean => readdirSync(spool).some((name) => name.startsWith('spool-'));
    if (writing !== null) for (let n = 0; n < 1000 && !passed(); n += 1) await reviewing.answered(1);
    assert.ok(writing === null || passed(), 'reviews passed the busy database by');
    await reviewing.end();
    await writing?.end();
    await pidOf(daemon, 'service');
    assert.equal(await daemon.end(), 0, daemon.log.slice(-20).join('\n'));
    const rows = await judge(url, reviewing.said);
    counted(t, {
      [`processes killed on ${engine.name}`]: killed,
      [`reviews answered on ${engine.name}`]: reviewing.said.filter(({ status }) => status === 200).length,
      [`rows on ${engine.name}`]: rows,
    });
    const longest = Object.entries(away).map(([name, ms]) => `${name} ${Math.round(ms)} ms`);
    t.diagnostic(`longest time without an answer when it was killed: ${longest.join(', ')}`);
  });
});

/** Holds the write lock of a file for 4 of every 12 milliseconds, as a part that keeps events does: reviews pass it by through the spool. */
async function writeBeside(url: string): Promise<{ end(): Promise<void> }> {
  const store = await openStore({ url, turn: 'behind' });
  const over = new AbortController();
  const work = (async () => {
    while (!over.signal.aborted) {
      await store.write(() => sleep(4));
      await sleep(8);
    }
  })();
  return {
    async end() {
      over.abort();
      await work;
      await store.close();
    },
  };
}

/** The id of a process, as soon as it runs; another one than `before`. */
async function pidOf(daemon: Parted, name: ProcessName, before: number | null = null): Promise<number> {
  for (let waited = 0; waited < 30_000; waited += 10) {
    const pid = daemon.pid(name);
    if (pid !== null && pid !== before) return pid;
    await sleep(10);
  }
  throw new Error(`${name} does not run: ${daemon.log.slice(-20).join('\n')}`);
}

async function gone(pid: number): Promise<void> {
  while (existsSync(`/proc/${pid}/task`)) await sleep(5);
}

/** Holds the ledger against what was answered: each review once, numbers without a gap. Gives its rows. */
async function judge(url: string, said: readonly Said[]): Promise<number> {
  const store = await openStore({ url });
  try {
    const rows = await runText<{ id: number; review_uid: Buffer }>(
      store.read,
      'select id, review_uid from ledger_rows order by id',
      [],
    );
    const gap = rows.findIndex(({ id }, i) => id !== i + 1);
    assert.equal(gap, -1, `row ${gap + 1} is missing`);
    const times = new Map<string, number>();
    for (const { review_uid } of rows) {
      const key = review_uid.toString('hex');
      times.set(key, (times.get(key) ?? 0) + 1);
    }
    const wrong = said.filter(({ uid, status }) => {
      const there = times.get(packUid(uid).toString('hex')) ?? 0;
      return status === 200 ? there !== 1 : there > 1;
    });
    assert.deepEqual(wrong, [], 'each answered review is there once, any other one at most once');
    return rows.length;
  } finally {
    await store.close();
  }
}

function scratch(t: TestContext, under: string): string {
  const folder = mkdtempSync(join(under, 'ipo-parts-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
