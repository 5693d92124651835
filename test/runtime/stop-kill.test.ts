import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from 'kysely';
import { openStore } from '../../src/store/index.ts';
import { openFake } from '../kubernetes/servers.ts';
import { joinProgram } from '../joined-program.ts';
import { counted, turns } from '../runs.ts';
import { forEachEngine } from '../store/engines.ts';
import { rowsOf } from '../store/image-records.ts';

const CHILD = join(import.meta.dirname, 'stop-child.ts');
const DIGEST = `sha256:${'a'.repeat(64)}`;
/** Events that are added before each kill. */
const EVENTS = 12;

forEachEngine('a process that stops pods and is killed', (engine) => {
  test('stops no pod twice, and none without its audit entry', async (t) => {
    const url = await engine.migrated();
    const store = await openStore({ url });
    t.after(() => store.close());
    const { fake, url: server } = await openFake();
    t.after(() => fake.close());
    await store.write((transaction) =>
      sql`insert into fences (name, value, holder, acquired_at) values ('cluster:eu', 7, 'me', 1)`.execute(
        transaction,
      ),
    );
    const uids = new Map<string, string>();
    const add = (round: number): Promise<unknown> =>
      store.write(async (transaction) => {
        for (let n = 0; n < EVENTS; n += 1) {
          const name = `web-${round}-${n}`;
          const { metadata } = fake.seed({
            ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'shop' } },
            spec: { containers: [{ name: 'main', image: 'acme/web:1' }] },
            status: { containerStatuses: [{ name: 'main', imageID: `acme/web@${DIGEST}` }] },
          });
          uids.set(metadata.uid, name);
          const fields = JSON.stringify({ 'k8s.pod.uid': metadata.uid });
          await sql`insert into runtime_events (at, rule, priority, output, fields, effect, policy, policy_effect, namespace, pod, pod_uid, workload, digest)
            values (${Date.now()}, 'Shell', 'Notice', '', ${fields}, 'record', 'stop', 'pending', 'shop', ${name}, ${metadata.uid}, ${`deployment/${name}`}, ${DIGEST})`.execute(
            transaction,
          );
        }
      });
    const { file, env } = await joinProgram(CHILD);
    const start = () =>
      fork(file, [url, server], {
        ...{ env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
      });
    const { from, until } = turns(5, 150);
    let kills = 0;
    for (let round = from; round < until; round += 1) {
      await add(round);
      const child = start();
      const [first] = (await once(child, 'message')) as [string];
      assert.equal(first, 'ready');
      // Somewhere among the dozen stops: each is two commits and two calls.
      await new Promise((resolve) => setTimeout(resolve, (round * 37) % 120));
      child.kill('SIGKILL');
      await once(child, 'exit');
      kills += 1;
    }
    const last = start();
    for (let said = ''; said !== 'done';) [said] = (await once(last, 'message')) as [string];
    last.kill('SIGKILL');
    await once(last, 'exit');

    const deleted = fake.seen
      .filter(({ method }) => method === 'DELETE')
      .map(({ path }) => path.split('/').at(-1));
    assert.equal(new Set(deleted).size, deleted.length, 'a pod was asked to be deleted twice');
    assert.equal(deleted.length, uids.size, 'a pod of an event runs on');
    const audited = (await rowsOf(store, "select detail from audit where action = 'runtime_pod_stop'")).map(
      ({ detail }) => uids.get((JSON.parse(String(detail)) as { pod_uid: string }).pod_uid),
    );
    assert.equal(audited.length, deleted.length, 'one entry for each pod that was deleted');
    assert.deepEqual(new Set(audited), new Set(deleted));
    const outcomes = await rowsOf(store, 'select outcome, count(*) as count from pod_stops group by outcome');
    assert.deepEqual(
      outcomes.map(({ outcome, count }) => [outcome, Number(count)]),
      [['stopped', uids.size]],
    );
    const left = await rowsOf(store, "select id from runtime_events where policy_effect <> 'stop'");
    assert.deepEqual(left, []);
    counted(t, { kills, 'pods stopped': deleted.length });
  });
});
