import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import { imageReportObjects, KubernetesApi } from '../../src/adapters/kubernetes/index.ts';
import { BackOff } from '../../src/adapters/kubernetes/back-off.ts';
import { ClusterError } from '../../src/cluster/index.ts';
import { StatusError } from './fake/status-error.ts';
import { openFake, plainConnection } from './servers.ts';

/** A client of a fake API server that waits for nothing, and notes for how long it would have. */
async function waiting(t: TestContext) {
  const { fake, url } = await openFake();
  const waits: number[] = [];
  const wait = async (ms: number) => void waits.push(ms);
  const api = new KubernetesApi(plainConnection(url), 'test', wait);
  t.after(async () => {
    await api.close();
    await fake.close();
  });
  return { fake, waits, api };
}

const namespaces = { path: '/api/v1/namespaces', what: 'the namespaces' } as const;

suite('a call that the API server puts off', () => {
  test('is made again when it said: a list right after its definition was created, and a write', async (t) => {
    const { fake, waits, api } = await waiting(t);
    fake.faults.initialising('clusterimagereports', 3);
    assert.deepEqual(await imageReportObjects(api).list(), []);
    assert.equal(waits.length, 3);
    assert.ok(
      waits.every((ms) => ms >= 1_000 && ms <= 1_250),
      String(waits),
    );
    fake.faults.initialising('namespaces', 2);
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };
    await api.call({ method: 'POST', ...namespaces, body });
    assert.equal(waits.length, 5);
  });

  test('is given up after six attempts, and where its time or the wait is too short or too long', async (t) => {
    const { fake, waits, api } = await waiting(t);
    const faultOf = (call: object) =>
      api.call({ method: 'GET', ...namespaces, ...call }).then(
        () => null,
        (error: unknown) => (error instanceof ClusterError ? error.fault : error),
      );
    fake.faults.initialising('namespaces', 1_000);
    assert.deepEqual([await faultOf({}), waits.length], ['rate_limited', 5]);
    assert.deepEqual(
      [await faultOf({ timeoutMs: 500 }), await faultOf({ once: true }), waits.length],
      [...['rate_limited', 'rate_limited'], 5],
    );
    fake.faults.answer = () => new StatusError(503, 'ServiceUnavailable', 'shutting down', 3_000);
    assert.deepEqual([await faultOf({}), waits.length], ['server', 5]);
    fake.faults.answer = () => new StatusError(503, 'ServiceUnavailable', 'shutting down', 2);
    assert.deepEqual([await faultOf({}), waits.length], ['server', 10]);
    // What a 500 did is not known.
    fake.faults.answer = () => new StatusError(500, 'InternalError', 'broken', 1);
    assert.deepEqual([await faultOf({}), waits.length], ['server', 10]);
  });
});

test('after an outage, however long, what is watched is taken up within five seconds', () => {
  for (const random of [0, 0.5, 0.999])
    for (const outage of [1_000, 25_000, 600_000]) {
      const backOff = new BackOff({ random: () => random });
      let at = 0;
      while (at < outage) at += backOff.next();
      assert.ok(at - outage <= 5_000, `${at - outage} ms after ${outage} ms`);
    }
});
