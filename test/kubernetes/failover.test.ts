import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { openStore, type Store } from '../../src/store/index.ts';
import { forEachEngine } from '../store/engines.ts';
import { eventually, openFake } from './servers.ts';
import type { FakeApiServer } from './fake/api-server.ts';

/** A quarter of the times in use; those themselves are tried in virtual time. */
const TIMES = { lease: 2_500, renewDeadline: 1_750, retry: 500 };
/** With the times in use a takeover takes 15 s at most; a busy machine may take as long to give three processes their turns. */
const TAKEOVER_MS = 15_000;

interface Replica {
  readonly name: string;
  readonly child: ChildProcess;
  leads: boolean;
  fence: number;
}

interface Stage {
  readonly fake: FakeApiServer;
  readonly store: Store;
  readonly replicas: readonly Replica[];
  leader(): Promise<Replica>;
  /** Waits until another replica leads; gives the milliseconds. */
  follows(before: Replica): Promise<{ next: Replica; took: number }>;
  /** That no write stands under a fence after one under a later fence. */
  check(): Promise<void>;
}

async function opened(t: TestContext, url: string): Promise<Stage> {
  const { fake, url: server } = await openFake();
  const store = await openStore({ url, poolSize: 2, now: () => Date.now() });
  const replicas = ['r0', 'r1', 'r2'].map((name): Replica => {
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, 'leader-child.ts'), server, url, name, JSON.stringify(TIMES)],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const replica: Replica = { name, child, leads: false, fence: 0 };
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      Object.assign(replica, JSON.parse(line) as { leads: boolean; fence: number });
    });
    return replica;
  });
  t.after(async () => {
    for (const { child } of replicas) child.kill('SIGKILL');
    await fake.close();
    await store.close();
  });
  const alive = ({ child }: Replica): boolean => child.exitCode === null && child.signalCode === null;
  const leading = (but?: Replica): Replica | undefined =>
    replicas.filter((one) => one.leads && one !== but && alive(one)).toSorted((a, b) => b.fence - a.fence)[0];
  return {
    fake,
    store,
    replicas,
    // One alone: who was overtaken has noticed it.
    leader: async () => {
      await eventually(() => replicas.filter((one) => one.leads && alive(one)).length === 1, 30_000);
      const one = leading();
      assert.ok(one);
      return one;
    },
    follows: async (before) => {
      const from = performance.now();
      await eventually(() => (leading(before)?.fence ?? 0) > before.fence, 30_000);
      const next = leading(before);
      assert.ok(next);
      return { next, took: performance.now() - from };
    },
    check: async () => {
      const rows = await store.read.selectFrom('audit').select(['action', 'detail']).orderBy('id').execute();
      const fences = rows.map(({ detail }) => Number(detail));
      assert.ok(fences.length > 0);
      assert.deepEqual(
        fences,
        fences.toSorted((a, b) => a - b),
        'a write stands under an old fence',
      );
      for (const [fence, own] of Map.groupBy(rows, ({ detail }) => detail))
        assert.equal(new Set(own.map(({ action }) => action)).size, 1, `two wrote under the fence ${fence}`);
    },
  };
}

/** Rows that a replica has written. */
async function rowsOf(store: Store, name: string): Promise<number> {
  const rows = await store.read.selectFrom('audit').select('id').where('action', '=', name).execute();
  return rows.length;
}

forEachEngine('failover of processes', (engine) => {
  test('whatever ends a leadership, another replica follows, and nothing is written under the old fence', async (t) => {
    const stage = await opened(t, await engine.migrated());
    const { fake, store, replicas } = stage;
    const kind = fake.kindOf('coordination.k8s.io/v1', 'Lease');
    const wrote = (one: Replica) => eventually(async () => (await rowsOf(store, one.name)) > 0, 30_000);

    await t.test('nothing at all: the leader goes on leading, well beyond the end of its Lease', async () => {
      const leader = await stage.leader();
      const { fence } = leader;
      await new Promise((resolve) => setTimeout(resolve, 2 * TIMES.lease));
      assert.deepEqual([leader.leads, leader.fence], [true, fence]);
    });

    await t.test('cut from the API server', async () => {
      const leader = await stage.leader();
      await wrote(leader);
      const agent = `image-policy-operator/${leader.name}`;
      fake.faults.cut(agent);
      const { took } = await stage.follows(leader);
      assert.ok(took <= TAKEOVER_MS, `${took} ms`);
      assert.equal(leader.leads, false);
      fake.faults.mend(agent);
      await stage.check();
    });

    await t.test('the Lease deleted, and overwritten', async () => {
      // Who lost the lead may be the one who takes it again: the numbers as they are now count.
      const { fence: first } = await stage.leader();
      fake.objects.remove(kind, fake.objects.get(kind, 'default', 'leader'));
      await eventually(() => replicas.some(({ leads, fence }) => leads && fence > first), 30_000);
      const second = await stage.leader();
      const lease = fake.objects.get(kind, 'default', 'leader');
      const spec = { ...(lease['spec'] as object), holderIdentity: 'thief' };
      fake.objects.replace(kind, lease, { ...lease, spec });
      const stolen = second.fence;
      await eventually(() => !second.leads, 10_000);
      await eventually(() => replicas.some(({ leads, fence }) => leads && fence > stolen), 30_000);
      await stage.check();
    });

    // A stopped process that holds the lock of the file keeps every other one out, as it ought to: SQLite has one replica.
    const skip = engine.name === 'sqlite' ? 'several replicas need PostgreSQL' : false;
    await t.test('stopped, and continued', { skip }, async () => {
      const leader = await stage.leader();
      await wrote(leader);
      leader.child.kill('SIGSTOP');
      const { took } = await stage.follows(leader);
      assert.ok(took <= TAKEOVER_MS, `${took} ms`);
      const before = await rowsOf(store, leader.name);
      leader.child.kill('SIGCONT');
      await eventually(() => !leader.leads, 10_000);
      assert.equal(await rowsOf(store, leader.name), before);
      await stage.check();
    });

    await t.test(
      'stopped inside of a transaction that holds the fence, and continued',
      { skip },
      async () => {
        const leader = await stage.leader();
        leader.child.kill('SIGUSR2');
        const { took } = await stage.follows(leader);
        assert.ok(took <= TAKEOVER_MS, `${took} ms`);
        leader.child.kill('SIGCONT');
        await eventually(() => !leader.leads, 10_000);
        await stage.check();
      },
    );

    await t.test('killed, and ended in order', async () => {
      const leader = await stage.leader();
      leader.child.kill('SIGKILL');
      const { next, took } = await stage.follows(leader);
      assert.ok(took <= TAKEOVER_MS, `${took} ms`);
      next.child.kill('SIGTERM');
      const last = await stage.follows(next);
      await wrote(last.next);
      await stage.check();
    });
  });
});
