import assert from 'node:assert/strict';
import { Agent, request } from 'node:https';
import { suite, test, type TestContext } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { REVIEW_PATH, ReviewTally } from '../../src/admission/index.ts';
import { Callers, type CallersOptions } from '../../src/api/admission/index.ts';
import { keptLog } from '../api/service.ts';
import { madeCertificate } from './certificate.ts';
import { other, skip, start } from './port.ts';
import { reviewOf } from './reviews.ts';

const END = 'Zm9vYmFyYmF6cXV4MTIzNA';
const apiServer = skip === false ? madeCertificate('kube-apiserver') : null;

/** A port that knows its callers, with what it counted and told. */
async function guarded(t: TestContext, options: Partial<CallersOptions>) {
  const tally = new ReviewTally();
  const log = keptLog();
  const state = { now: 0 };
  const callers = new Callers({
    ...{ path: false, certificate: false, names: [], now: () => state.now, log },
    refused: (reason) => tally.unknownCaller(reason),
    ...options,
  });
  const port = await start(t, { callers, log });
  const counts = () => {
    const found: Record<string, number> = {};
    tally.flush({
      add: (name, labels = {}, by = 1) => void (found[`${name} ${Object.values(labels).join()}`] = by),
    });
    return found;
  };
  const shown = (pair: object, path = REVIEW_PATH, agent: Agent | false = false): Promise<number> =>
    new Promise((resolve, reject) => {
      const method = path === REVIEW_PATH || path.startsWith(`${REVIEW_PATH}/`) ? 'POST' : 'GET';
      const options = { host: '127.0.0.1', port: port.port, method, path, rejectUnauthorized: false };
      const call = request({ ...options, ...pair, agent }, (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      });
      call.on('error', reject);
      call.end(method === 'POST' ? reviewOf() : undefined);
    });
  return { ...port, callers, log, state, counts, shown };
}

suite('who may post reviews', { skip }, () => {
  test('who reaches the port without the secret of the path is refused, counted and told', async (t) => {
    const { ask, listener, callers, log, counts, state } = await guarded(t, { path: true });
    assert.equal(listener.unready(), 'the webhook has no path yet');
    assert.equal((await ask('POST', REVIEW_PATH, reviewOf())).status, 403);
    callers.takePaths([END, 'another-end-of-22-chars']);
    assert.equal(listener.unready(), null);
    for (const path of [
      REVIEW_PATH,
      `${REVIEW_PATH}/`,
      `${REVIEW_PATH}?timeout=5s`,
      `${REVIEW_PATH}/${END}x`,
      `${REVIEW_PATH}/x/${END}`,
    ]) {
      const { status, body } = await ask('POST', path, reviewOf());
      assert.deepEqual(
        [status, body],
        [403, 'the path of this call is not that of the webhook configuration'],
        path,
      );
    }
    assert.equal((await ask('POST', `${REVIEW_PATH}/${END}?timeout=5s`, reviewOf())).status, 200);
    assert.equal((await ask('POST', `${REVIEW_PATH}/another-end-of-22-chars`, reviewOf())).status, 200);
    assert.equal((await ask('GET', `${REVIEW_PATH}/${END}`)).status, 405);
    assert.equal((await ask('GET', '/readyz')).status, 200);
    assert.deepEqual(counts(), { 'svc_admission_refused_callers_total path': 6 });
    assert.deepEqual(callers.refusals, { calls: 6, lastAt: 0 });
    const told = () =>
      log.lines.filter(({ message }) => message.startsWith('a call of the webhook did not come'));
    assert.equal(told().length, 1);
    state.now = 600_000;
    await ask('POST', REVIEW_PATH, reviewOf());
    assert.equal(told().length, 2);
    assert.ok(!JSON.stringify(log.lines).includes(END));
  });

  test('where an authority is named, a call without its certificate is refused; probes need none', async (t) => {
    assert.ok(apiServer !== null && other !== null);
    const { shown, callers, listener, counts, ask } = await guarded(t, { certificate: true });
    assert.equal(listener.unready(), 'the authority of callers has not been read yet');
    assert.equal(await shown(apiServer), 403);
    callers.trust(apiServer.cert);
    listener.callersChanged();
    assert.deepEqual([await shown(apiServer), await shown({}), await shown(other)], [200, 403, 403]);
    assert.equal((await ask('GET', '/readyz')).status, 200);
    // A serving certificate that changes keeps the authority of callers.
    listener.replaceCertificate(other);
    assert.deepEqual([await shown(apiServer), await shown({})], [200, 403]);
    callers.trust(other.cert);
    listener.callersChanged();
    assert.deepEqual([await shown(apiServer), await shown(other)], [403, 200]);
    assert.deepEqual(counts(), { 'svc_admission_refused_callers_total certificate': 5 });
  });

  test('before the authority of callers is known, none of the system is trusted in its place', async (t) => {
    assert.ok(apiServer !== null && other !== null);
    const before = getCACertificates('default');
    t.after(() => setDefaultCACertificates(before));
    setDefaultCACertificates([apiServer.cert]);
    const { shown, callers, listener } = await guarded(t, { certificate: true });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    t.after(() => agent.destroy());
    // A connection that is open since then is not taken once there is an authority.
    assert.equal(await shown(apiServer, '/livez', agent), 200);
    callers.trust(other.cert);
    listener.callersChanged();
    assert.equal(await shown(apiServer, REVIEW_PATH, agent), 403);
  });

  test('certificates of one authority are told apart by their names, and path and certificate are both asked for', async (t) => {
    assert.ok(apiServer !== null && other !== null);
    const { shown, callers, listener, counts } = await guarded(t, {
      ...{ certificate: true, path: true, names: ['kube-apiserver'] },
    });
    callers.trust(`${apiServer.cert}\n${other.cert}`);
    callers.takePaths([END]);
    listener.callersChanged();
    const path = `${REVIEW_PATH}/${END}`;
    assert.deepEqual(
      [await shown(apiServer, path), await shown(other, path), await shown(apiServer), await shown({}, path)],
      [200, 403, 403, 403],
    );
    assert.deepEqual(counts(), {
      'svc_admission_refused_callers_total name': 1,
      'svc_admission_refused_callers_total path': 1,
      'svc_admission_refused_callers_total certificate': 1,
    });
  });
});
