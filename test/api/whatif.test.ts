import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { runSchema, runSummarySchema } from '../../src/api/contract/whatif.ts';
import { whatIfResultSchema } from '../../src/api/contract/whatif-result.ts';
import { whatIfRoutes } from '../../src/api/routes/whatif.ts';
import { LiveError, openKeptRuns, openLiveWhatIf } from '../../src/whatif/index.ts';
import { runStore } from '../../src/store/index.ts';
import { forEachEngine, type TestEngine } from '../store/engines.ts';
import { draft, makeWorld } from '../whatif/live-parts.ts';
import { fullResult } from '../whatif/report/sample-result.ts';
import { startApi } from './service.ts';

type Json = Record<string, unknown> & { items: Record<string, unknown>[] };

async function start(t: TestContext, engine: TestEngine) {
  const store = await engine.open(t);
  const world = makeWorld();
  const json = JSON.stringify(fullResult());
  const signals: AbortSignal[] = [];
  const deps = {
    ...world.deps,
    runs: runStore(store),
    together: <T>(act: () => Promise<T>) => store.write(act),
    replayer: {
      replay: async (...[job, signal]: Parameters<typeof world.deps.replayer.replay>) => {
        signals.push(signal);
        if (job.draft.name === 'endless') {
          await once(signal, 'abort');
          throw signal.reason;
        }
        return { ...(await world.deps.replayer.replay(job, signal)), json };
      },
    },
  };
  const printer = { print: async () => Buffer.from('%PDF-1.7 \u0000\u00ff', 'latin1') };
  const { audit, clock } = deps;
  const runs = openKeptRuns({ runs: deps.runs, printer, names: async () => new Map(), audit, clock });
  const { url } = await startApi(
    t,
    whatIfRoutes({
      whatif: openLiveWhatIf(deps),
      runs,
      names: async (ids) => new Map(ids.map((id) => [id, `Name of ${id}`])),
    }),
  );
  const call = async (method: string, path: string, body?: unknown, role = 'deployer') => {
    const answer = await fetch(`${url}/api/v1/policies/whatif${path}`, {
      method,
      headers: {
        authorization: `Bearer ${role}-token`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    const { status, headers } = answer;
    const text = bytes.toString('utf8');
    const isJson = /json/.test(headers.get('content-type') ?? '');
    return { status, headers, bytes, text, body: (isJson ? JSON.parse(text) : {}) as Json };
  };
  return { call, world, json, signals, url };
}

forEachEngine('the routes of the what-if', (engine) => {
  test('the answer is the bytes of the replay; those of a deployer say under which id the run is kept', async (t) => {
    const { call, json, world } = await start(t, engine);
    const viewer = await call('POST', '', { policy: draft() }, 'viewer');
    assert.deepEqual([viewer.status, viewer.text], [200, json]);
    const deployer = await call('POST', '', {
      policy: draft(),
      days: 7,
      source: 'shop',
      limit: 0,
      as_of: '2026-11-20T07:00:00+01:00',
    });
    const id = deployer.body['run_id'] as string;
    assert.equal(deployer.text, json.replace('"kept":false,"run_id":null', `"kept":true,"run_id":"${id}"`));
    assert.deepEqual(
      { ...world.jobs[1], draft: null },
      { draft: null, days: 7, limit: 0, source: 'shop', asOf: Date.UTC(2026, 10, 20, 6) },
    );
    assert.equal((await call('POST', '', { policy: draft(), keep: false })).body['kept'], false);
    assert.equal((await call('POST', '', { policy: draft(), keep: true }, 'viewer')).status, 403);
  });

  test('the answer and a run are what the description of the API says', async (t) => {
    const { call } = await start(t, engine);
    const { body } = await call('POST', '', { policy: draft() });
    assert.deepEqual(whatIfResultSchema.parse(body), body);
    const run = await call('GET', `/runs/${body['run_id'] as string}`);
    assert.deepEqual(runSchema.parse(run.body), run.body);
  });

  test('wrong questions are refused with the path of each fault, and nothing is replayed', async (t) => {
    const { call, world } = await start(t, engine);
    const cases: readonly (readonly [body: unknown, code: string, path: RegExp])[] = [
      [{}, 'invalid_request', /^policy$/],
      [{ policy: draft(), dais: 3 }, 'invalid_request', /^dais$/],
      [{ policy: draft(), days: 'x' }, 'invalid_request', /^days$/],
      [{ policy: draft(), days: 1.5 }, 'invalid_request', /^days$/],
      [{ policy: draft(), as_of: 'yesterday' }, 'invalid_request', /^as_of$/],
      [{ policy: draft(), keep: 'yes' }, 'invalid_request', /^keep$/],
      [{ policy: draft(), source: '' }, 'invalid_request', /^source$/],
      [{ policy: draft('a', { runtime: {} }) }, 'invalid_policy', /^policy\.spec\.runtime$/],
      [{ policy: null }, 'invalid_policy', /^policy$/],
    ];
    for (const [body, code, path] of cases) {
      const answer = await call('POST', '', body);
      assert.deepEqual([answer.status, answer.body['code']], [400, code], JSON.stringify(body));
      assert.match((answer.body['errors'] as { path: string }[])[0]?.path ?? '', path);
    }
    for (const days of [0, 91, -1]) {
      const { status, body } = await call('POST', '', { policy: draft(), days });
      assert.deepEqual([status, body['code']], [400, 'out_of_range']);
    }
    assert.deepEqual([world.jobs.length, world.audited.length, world.counted], [0, 0, 0]);
  });

  test('more than ten starts within a minute are told how long to wait, as is one that finds the queue full', async (t) => {
    const { call, world } = await start(t, engine);
    world.fault = new LiveError('unavailable', '8 what-ifs are waiting already', {
      retryAfter: 10,
      queueFull: true,
    });
    const busy = await call('POST', '', { policy: draft() });
    assert.deepEqual([busy.status, busy.headers.get('retry-after')], [503, '10']);
    world.fault = null;
    for (let i = 0; i < 10; i += 1) assert.equal((await call('POST', '', { policy: draft() })).status, 200);
    world.now += 12_500;
    const late = await call('POST', '', { policy: draft() });
    assert.deepEqual(
      [late.status, late.headers.get('retry-after'), late.body['code']],
      [429, '48', 'rate_limited'],
    );
    assert.equal(
      (await call('POST', '', { policy: draft() }, 'administrator')).status,
      200,
      'each account has its own',
    );
  });

  test('a third replay of one account at a time is told to wait', async (t) => {
    const { url, call, signals } = await start(t, engine);
    const leave = new AbortController();
    const endless = () =>
      fetch(`${url}/api/v1/policies/whatif`, {
        method: 'POST',
        headers: { authorization: 'Bearer viewer-token', 'content-type': 'application/json' },
        body: JSON.stringify({ policy: draft('endless') }),
        signal: leave.signal,
      });
    const open = [endless(), endless()];
    while (signals.length < 2) await nextTurn();
    const third = await call('POST', '', { policy: draft() }, 'viewer');
    assert.deepEqual(
      [third.status, third.headers.get('retry-after'), third.body['code'], third.body['hint']],
      [429, '10', 'rate_limited', 'Wait until one of them has its answer, then ask again'],
    );
    assert.equal((await call('POST', '', { policy: draft() })).status, 200, 'each account has its own');
    leave.abort();
    await Promise.all(open.map((answer) => assert.rejects(answer)));
  });

  test('a client that goes away ends its replay, which is neither kept nor audited', async (t) => {
    const { url, signals, world } = await start(t, engine);
    const leave = new AbortController();
    const answer = fetch(`${url}/api/v1/policies/whatif`, {
      method: 'POST',
      headers: { authorization: 'Bearer deployer-token', 'content-type': 'application/json' },
      body: JSON.stringify({ policy: draft('endless') }),
      signal: leave.signal,
    });
    while (signals.length === 0) await nextTurn();
    leave.abort();
    await assert.rejects(answer);
    const [signal] = signals;
    if (signal !== undefined && !signal.aborted) await once(signal, 'abort');
    assert.deepEqual([world.audited.length, world.counted], [0, 0]);
  });

  test('kept runs are listed by policy and period, reopened byte for byte, and downloaded with an entry each', async (t) => {
    const { call, world, json, url } = await start(t, engine);
    const ids: string[] = [];
    for (const name of ['a', 'b', 'a']) {
      ids.push(
        (await call('POST', '', { policy: draft(name, { denyLatestTag: true }) })).body['run_id'] as string,
      );
      world.now += 60_000;
    }
    const list = async (query: string) => {
      const { status, body } = await call('GET', `/runs${query}`);
      assert.equal(status, 200, query);
      for (const item of body.items) assert.deepEqual(runSummarySchema.parse(item), item);
      return body.items.map((item) => ids.indexOf(item['id'] as string));
    };
    assert.deepEqual(await list(''), [2, 1, 0]);
    assert.deepEqual(await list('?policy=a'), [2, 0]);
    const at = (ms: number): string => encodeURIComponent(new Date(world.now - ms).toISOString());
    assert.deepEqual(await list(`?from=${at(120_000)}&to=${at(60_000)}`), [2, 1]);
    assert.deepEqual(await list('?limit=1&offset=1'), [1]);
    assert.equal((await call('GET', '/runs?from=x')).status, 400);
    const [id] = ids;
    const shown = await call('GET', `/runs/${id}`);
    assert.deepEqual(shown.body['draft'], draft('a', { denyLatestTag: true }));
    assert.ok(
      shown.text.endsWith(
        `,"result":${json.replace('"kept":false,"run_id":null', `"kept":true,"run_id":"${id}"`)}}`,
      ),
    );
    world.audited.length = 0;
    const pdf = await call('GET', `/runs/${id}/download`);
    assert.equal(pdf.headers.get('content-type'), 'application/pdf');
    assert.equal(pdf.headers.get('content-disposition'), `attachment; filename="whatif-a-${id}.pdf"`);
    assert.deepEqual(pdf.bytes, Buffer.from('%PDF-1.7 \u0000\u00ff', 'latin1'));
    const file = await call('GET', `/runs/${id}/download?format=json`);
    assert.deepEqual(file.body, shown.body['result']);
    const picky = await fetch(`${url}/api/v1/policies/whatif/runs/${id}/download?format=json`, {
      headers: { authorization: 'Bearer deployer-token', accept: 'application/json' },
    });
    assert.equal(picky.status, 200);
    await picky.body?.cancel();
    world.audited.pop();
    assert.deepEqual(
      world.audited.map(({ action, target, detail }) => [action, target, detail]),
      [
        ['policy_whatif_download', 'a', { run_id: id, format: 'pdf' }],
        ['policy_whatif_download', 'a', { run_id: id, format: 'json' }],
      ],
    );
    assert.equal((await call('GET', `/runs/${id}/download?format=html`)).status, 400);
    for (const path of [`/runs/${'a'.repeat(16)}`, `/runs/${'a'.repeat(16)}/download`])
      assert.equal((await call('GET', path)).status, 404);
    assert.equal((await call('GET', '/runs/..%2f..')).status, 400);
    for (const path of ['/runs', `/runs/${id}`, `/runs/${id}/download`])
      assert.equal((await call('GET', path, undefined, 'viewer')).status, 403);
  });
});
