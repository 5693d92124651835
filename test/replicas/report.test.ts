import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ReplicaList,
  ReplicaReport,
  type Holding,
  type Note,
  type SpoolNotes,
} from '../../src/replicas/index.ts';
import { auditLog } from '../../src/store/accounts/audit.ts';
import { raiseClusterFence } from '../../src/store/leadership/cluster-fence.ts';
import { replicaStore } from '../../src/store/cluster/replicas.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { listen } from '../ledger/parts.ts';
import { AT } from '../reconcile/parts.ts';
import { forEachEngine } from '../store/engines.ts';
import { rowsOf } from '../store/image-records.ts';

const BY = { accountId: 'acc-1', name: 'Ada' };

class Notes implements SpoolNotes {
  readonly all = new Map<string, number>();
  away = false;

  async write(name: string, since: number | null): Promise<void> {
    if (this.away) throw new Error('the API server does not answer');
    if (since === null) this.all.delete(name);
    else this.all.set(name, since);
  }

  async read(): Promise<Note[]> {
    return [...this.all].map(([name, since]) => ({ name, since }));
  }
}

/** A ledger that a test says all of. */
class Ledger implements Holding {
  delayed = false;
  waiting: { spooled: number; since: number | null } = { spooled: 0, since: null };
  taken = 0;
  done = 0;
  mark = (): number => this.taken;
  past = (mark: number): boolean => this.done >= mark && !this.delayed;
}

async function open(store: Store) {
  const fence = await raiseClusterFence(store, 'eu', 'leader', AT);
  const replicas = replicaStore(store);
  const [clock, log, notes] = [{ at: AT, now: () => clock.at }, listen(), new Notes()];
  let copies = 0;
  const start = async (name: string, life: number) => {
    const ledger = new Ledger();
    const another = async () => ({ name: `${name}-copy-${(copies += 1)}`, life: 1 });
    const me = { name, life };
    const report = new ReplicaReport({
      cluster: 'eu',
      store: replicas,
      ledger,
      notes,
      me,
      another,
      clock,
      log,
    });
    await report.begin();
    return { report, ledger };
  };
  const list = (report: ReplicaReport) =>
    new ReplicaList({
      ...{ cluster: 'eu', store: replicas, report, notes, clock, audit: auditLog(store, clock) },
      together: (act) => store.write(act),
    });
  const ask = (token: string) => replicas.ask(fence, 'eu', { token, askedAt: clock.at });
  const answers = async () =>
    Object.fromEntries((await replicas.read('eu')).lines.map(({ name, answered }) => [name, answered]));
  return { store, replicas, clock, log, notes, start, list, ask, answers };
}

forEachEngine('what replicas say of their rows', (engine) => {
  test('a life that takes over from one that was killed waits for no database, and makes its line once it answers', async (t) => {
    const store = await engine.open(t);
    const { replicas, clock, log, notes } = await open(store);
    let away = true;
    const report = new ReplicaReport({
      ...{ cluster: 'eu', ledger: new Ledger(), notes, clock, log, me: { name: 'one', life: 2 } },
      another: () => Promise.reject(new Error('no other name is wanted')),
      store: {
        ...replicas,
        begin: (line) => (away ? Promise.reject(new Error('the database is away')) : replicas.begin(line)),
      },
    });
    await report.begin(true);
    await report.tick();
    assert.deepEqual((await replicas.read('eu')).lines, []);
    away = false;
    await report.tick();
    assert.deepEqual(
      (await replicas.read('eu')).lines.map(({ name, life }) => [name, life]),
      [['one', 2]],
    );
  });

  test('a question is answered once all that was taken on before it was read is in the database', async (t) => {
    const { start, ask, answers } = await open(await engine.open(t));
    const { report, ledger } = await start('a', 1);
    await ask('one');
    ledger.taken = 5;
    await report.tick();
    ledger.taken = 9;
    ledger.done = 4;
    await report.tick();
    assert.deepEqual(await answers(), { a: null });
    ledger.done = 5; // four more came later: nobody had listed their pods
    ledger.delayed = true;
    await report.tick();
    assert.deepEqual(await answers(), { a: null });
    ledger.delayed = false;
    await report.tick();
    assert.deepEqual(await answers(), { a: 'one' });
  });

  test('a new life answers for itself, and a late write of the life before it says nothing', async (t) => {
    const { replicas, start, ask, answers } = await open(await engine.open(t));
    const { report } = await start('a', 1);
    await ask('one');
    await report.tick();
    assert.deepEqual(await answers(), { a: 'one' });
    const { ledger, report: next } = await start('a', 2);
    assert.deepEqual(await answers(), { a: null });
    ledger.delayed = true;
    await next.tick();
    const late = { name: 'a', cluster: 'eu', life: 1, at: AT, holdingSince: null, rows: 0 };
    const answer = { token: 'one', askedAt: AT };
    assert.equal(await replicas.report({ ...late, answer }), 'later');
    await replicas.end('a', 1, AT);
    const { lines } = await replicas.read('eu');
    assert.deepEqual(
      lines.map(({ answered, endedAt, holdingSince }) => [answered, endedAt, holdingSince]),
      [[null, null, AT]],
    );
  });

  test('a volume that was put back from a copy makes another replica of it, and the lost one goes on to count', async (t) => {
    const { start, answers, log } = await open(await engine.open(t));
    await start('a', 7);
    const { report } = await start('a', 6);
    assert.equal(report.name, 'a-copy-1');
    assert.deepEqual(await answers(), { a: null, 'a-copy-1': null });
    assert.ok(log.lines.some((said) => said.includes('this replica takes a new name')));
  });

  test('a line that a database lost is there again, and its note on the Lease speaks for it meanwhile', async (t) => {
    const { store, clock, notes, start, list, ask, answers } = await open(await engine.open(t));
    const { report, ledger } = await start('a', 1);
    const other = await start('b', 1);
    ledger.delayed = true;
    ledger.waiting.spooled = 3;
    clock.at += 1000;
    await report.tick();
    assert.deepEqual(await notes.read(), [{ name: 'a', since: AT + 1000 }]);
    await store.write((transaction) => transaction.deleteFrom('replicas').where('name', '=', 'a').execute());
    const shown = (await list(other.report).list()).map(({ line, state }) => [line.name, state]);
    assert.deepEqual(shown, [
      ['a', 'missing'],
      ['b', 'answers'],
    ]);
    ledger.delayed = false;
    ledger.waiting.spooled = 0;
    await ask('one');
    await report.tick();
    assert.deepEqual([await answers(), await notes.read()], [{ a: 'one', b: null }, []]);
  });

  test('who ends with an empty spool counts no more, and who ends with rows does', async (t) => {
    const { replicas, start } = await open(await engine.open(t));
    const [a, b] = [await start('a', 1), await start('b', 1)];
    b.ledger.delayed = true;
    b.ledger.waiting.spooled = 2;
    await a.report.end();
    await b.report.end();
    const { lines } = await replicas.read('eu');
    assert.deepEqual(
      lines.map(({ name, endedAt, rows }) => [name, endedAt, rows]),
      [
        ['a', AT, 0],
        ['b', null, 2],
      ],
    );
    await a.report.tick();
    assert.equal((await replicas.read('eu')).lines[0]?.endedAt, AT, 'nothing is written after the end');
  });

  test('who finds the spool of an earlier process says since when its rows wait, not since when it looked', async (t) => {
    const { replicas, clock, start } = await open(await engine.open(t));
    const { report, ledger } = await start('a', 1);
    ledger.delayed = true;
    ledger.waiting = { spooled: 3, since: AT - 60_000 };
    clock.at += 1000;
    await report.tick();
    assert.equal((await replicas.read('eu')).lines[0]?.holdingSince, AT - 60_000);
  });

  test('an administrator forgets a replica that is missing, and no other; it is audited, and who comes back counts', async (t) => {
    const { store, clock, notes, start, list, answers, ask } = await open(await engine.open(t));
    const [a, b] = [await start('a', 1), await start('b', 1)];
    b.ledger.delayed = true;
    b.ledger.waiting.spooled = 4;
    await b.report.tick();
    const replicas = list(a.report);
    await a.report.tick();
    await assert.rejects(replicas.forget('c', BY, 'DELETE /x'), { code: 'not_found' });
    await assert.rejects(replicas.forget('b', BY, 'DELETE /x'), {
      code: 'conflict',
      message: /puts its rows back/,
    });
    clock.at += 180_001;
    await a.report.tick();
    await assert.rejects(replicas.forget('a', BY, 'DELETE /x'), {
      code: 'conflict',
      message: /holds no rows/,
    });
    notes.away = true;
    await assert.rejects(replicas.forget('b', BY, 'DELETE /x'), /API server/);
    notes.away = false;
    await replicas.forget('b', BY, 'DELETE /x');
    assert.deepEqual(await notes.read(), []);
    const audit = await rowsOf(store, `select actor, action, target, detail from audit`);
    assert.deepEqual(audit, [
      {
        ...{ actor: 'Ada', action: 'replica_forget', target: 'b' },
        detail: JSON.stringify({ cluster: 'eu', rows: 4, holding_since: AT, clean_at: null }),
      },
    ]);
    await assert.rejects(replicas.forget('b', BY, 'DELETE /x'), { message: /forgotten already/ });
    b.ledger.delayed = false;
    await ask('one');
    await b.report.tick();
    const states = (await replicas.list()).map(({ line, state }) => [line.name, state]);
    assert.deepEqual([states[1], (await answers())['b']], [['b', 'answers'], 'one']);
  });

  test('a line that is as it was is written once a minute', async (t) => {
    const { clock, replicas, start } = await open(await engine.open(t));
    const { report } = await start('a', 1);
    const seen = async () => (await replicas.read('eu')).lines[0]?.seenAt;
    await report.tick();
    for (const [after, at] of [
      [30_000, 0],
      [59_999, 0],
      [60_000, 60_000],
      [90_000, 60_000],
    ] as const) {
      clock.at = AT + after;
      await report.tick();
      assert.equal(await seen(), AT + at);
    }
  });
});
