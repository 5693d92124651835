import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Callers } from '../../src/api/index.ts';
import { pathSource, readPathData, WebhookPath } from '../../src/certificates/index.ts';
import { runs } from '../runs.ts';
import { FakeSecret, SILENT } from './cluster.ts';

const BASE = '/admission/pods';
const CHANGES = runs(50, 10);
const TIMES = { announce: 6_000, overlap: 8_000 };

/** A configuration of two webhooks, with all paths that it ever had. */
class FakePaths {
  live: string[] | null = ['', ''];
  readonly history: string[] = [];

  async read(): Promise<readonly string[] | null> {
    return this.live;
  }

  async publish(path: string): Promise<boolean> {
    if (this.live === null) return false;
    this.live = this.live.map(() => path);
    this.history.push(path);
    return true;
  }
}

function cluster() {
  const [secret, paths] = [new FakeSecret(), new FakePaths()];
  const state = { at: 1_000_000, leads: true, certificate: 'first' as string | null };
  const clock = { now: () => state.at };
  const lines: string[] = [];
  const keep = (message: string, keys?: object): void =>
    void lines.push(message + JSON.stringify(keys ?? {}));
  const path = new WebhookPath({
    ...{ secret, paths, base: BASE, clock, times: TIMES },
    certificate: () => state.certificate,
    isLeader: () => state.leads,
    log: { debug: keep, info: keep, warn: keep, error: keep },
  });
  const replica = () => {
    const known = { path: true, certificate: false, names: [] };
    const callers = new Callers({ ...known, now: clock.now, log: SILENT, refused: () => {} });
    const source = pathSource(secret, clock);
    return {
      callers,
      read: async () => {
        const ends = await source.read();
        if (ends !== null) callers.takePaths(ends);
      },
      /** What a call by a path is answered. */
      call: (url: string) => callers.refuse({ url, socket: {} } as never),
    };
  };
  return { secret, paths, state, path, replica, lines };
}

suite('the path by which the API server calls', () => {
  test('has 128 random bits, is told to the API server, and is in no line of the log', async () => {
    const { secret, paths, path, replica, lines } = cluster();
    const one = replica();
    assert.equal(one.callers.unready(), 'the webhook has no path yet');
    await path.run();
    const [live = ''] = paths.live ?? [];
    assert.match(live, /^\/admission\/pods\/[a-z0-9]{32}$/);
    assert.deepEqual([paths.live, secret.stored?.data['path']], [[live, live], live]);
    await one.read();
    assert.equal(one.callers.unready(), null);
    assert.deepEqual(
      [
        live,
        `${live}?timeout=5s`,
        BASE,
        `${BASE}/`,
        `${BASE}/x`,
        `${live}x`,
        live.slice(0, -1),
        `${live}/`,
      ].map(one.call),
      [null, null, 'path', 'path', 'path', 'path', 'path', 'path'],
    );
    const writes = secret.writes;
    await path.run();
    assert.deepEqual([secret.writes, paths.history.length], [writes, 1]);
    assert.ok(lines.length > 0 && lines.every((line) => !line.includes(live.slice(BASE.length + 1))));
  });

  test(`changes with the certificate, and no review is lost: ${CHANGES} changes under load`, async () => {
    const { paths, state, path, replica, secret } = cluster();
    await path.run();
    const replicas = [0, 1, 2].map(() => ({ ...replica(), took: 0 }));
    for (const one of replicas) await one.read();
    const seen: string[] = [];
    const lost: string[] = [];
    let [calls, random] = [0, 1];
    const pick = (below: number): number => (random = (random * 48_271) % 2_147_483_647) % below;
    for (let tick = 1; new Set(paths.history).size <= CHANGES; tick += 1) {
      assert.ok(tick < CHANGES * 100);
      state.at += 1_000;
      if (tick % 7 === 0) state.certificate = `certificate ${tick}`;
      // A leader dies between any two writes, and another goes on.
      state.leads = pick(4) > 0;
      await path.run();
      seen.push(paths.live?.[0] ?? '');
      // A replica is up to 5 s late, an API server up to 6 s.
      for (const [at, one] of replicas.entries())
        if (tick - one.took >= 5 || pick(5) === at) {
          await one.read();
          one.took = tick;
        }
      for (const late of [0, 6, pick(7)]) {
        const url = seen[Math.max(0, seen.length - 1 - late)] ?? '';
        for (const one of replicas) {
          calls += 1;
          if (one.call(`${url}?timeout=5s`) !== null) lost.push(`${tick} ${late}`);
        }
      }
    }
    assert.deepEqual(lost, []);
    assert.ok(calls > CHANGES * 30);
    // An old one is not taken for ever.
    state.leads = true;
    state.at += 20_000;
    await path.run();
    const [one] = replicas;
    await one?.read();
    assert.equal(one?.call(paths.history[0] ?? ''), 'path');
    assert.ok((secret.stored?.data['paths'] ?? '').length < 2_000);
  });

  test('what the API server calls by is taken over where the Secret was lost, and put back where a person changed it', async () => {
    const { secret, paths, path } = cluster();
    await path.run();
    const [live = ''] = paths.live ?? [];
    secret.stored = null;
    await path.run();
    assert.equal((await secret.read())?.data['path'], live);
    paths.live = ['/admission/pods', live];
    await path.run();
    assert.deepEqual(paths.live, [live, live]);
    secret.put({ paths: '{"current":{"token":"short"},"next":null,"previous":[]}', other: 'kept' });
    await path.run();
    const { data = {} } = (await secret.read()) ?? {};
    assert.deepEqual(
      [data['other'], readPathData(data)?.current.token],
      ['kept', live.slice(BASE.length + 1)],
    );
  });

  test('an end that no API server takes for a Service is replaced at once, unless it is called by', async () => {
    const { secret, paths, path } = cluster();
    const old = 'r1kb81DCon2IDPFLCcF_hA';
    const kept = JSON.stringify({
      ...{ current: { token: old, certificate: 'first' }, next: null, previous: [] },
    });
    secret.put({ paths: kept });
    paths.live = [BASE, BASE];
    await path.run();
    assert.match(paths.live[0] ?? '', /^\/admission\/pods\/[a-z0-9]{32}$/);
    assert.equal(paths.history.length, 1);
    // An address that a person wrote is no Service: what it ends in is taken as it is.
    secret.put({ paths: kept });
    paths.live = [`${BASE}/${old}`, `${BASE}/${old}`];
    await path.run();
    assert.equal(paths.history.length, 1);
  });

  test('the path that the API server still calls by is taken for as long as the configuration cannot be written', async () => {
    const { paths, path, state, replica } = cluster();
    await path.run();
    const one = replica();
    const [before = ''] = paths.live ?? [];
    const publish = paths.publish.bind(paths);
    paths.publish = async () => Promise.reject(new Error('forbidden'));
    state.certificate = 'second';
    for (let passed = 0; passed < 10 * TIMES.overlap; passed += 1_000) {
      state.at += 1_000;
      await path.run().catch(() => {});
      await one.read();
      assert.equal(one.call(before), null, `after ${passed} ms`);
    }
    // Also where nobody led for long.
    state.at += 10 * TIMES.overlap;
    await path.run().catch(() => {});
    await one.read();
    assert.equal(one.call(before), null);
    paths.publish = publish;
    await path.run();
    assert.notEqual(paths.live?.[0], before);
    state.at += TIMES.overlap + 1_000;
    await path.run();
    await one.read();
    assert.deepEqual([one.call(before), one.call(paths.live?.[0] ?? '')], ['path', null]);
  });

  test('without a configuration it is kept and waits; who does not lead writes nothing', async () => {
    const { secret, paths, path, state } = cluster();
    state.leads = false;
    await path.run();
    assert.deepEqual([secret.stored, paths.history], [null, []]);
    state.leads = true;
    paths.live = null;
    await path.run();
    assert.notEqual(secret.stored, null);
    paths.live = [''];
    await path.run();
    assert.equal(paths.history.length, 1);
  });

  test('a clock that is set back changes nothing early', async () => {
    const { paths, path, state } = cluster();
    await path.run();
    state.certificate = 'second';
    await path.run();
    state.at -= 100_000;
    await path.run();
    state.at += TIMES.announce - 1;
    await path.run();
    assert.equal(paths.history.length, 1);
    state.at += 1;
    await path.run();
    assert.equal(paths.history.length, 2);
  });
});
