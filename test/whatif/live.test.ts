import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DAY_MS } from '../../src/base/index.ts';
import {
  LiveError,
  openKeptRuns,
  openLiveWhatIf,
  pruneRuns,
  WhatIfError,
  type LiveRequest,
  type PrintedRun,
} from '../../src/whatif/index.ts';
import { StartLimit } from '../../src/whatif/start-limit.ts';
import { runs as numRuns } from '../runs.ts';
import { ANSWER, caller, draft, makeWorld, type World } from './live-parts.ts';

const signal = new AbortController().signal;
const path = 'POST /api/v1/policies/whatif';
const ask = (world: World, request: Partial<LiveRequest> = {}, who = caller('deployer')): Promise<string> =>
  openLiveWhatIf(world.deps).run({ policy: draft(), ...request }, { principal: who, path, signal });

test('days, limit and time take their defaults, and what is given goes to the replay', async () => {
  const world = makeWorld();
  await ask(world);
  await ask(world, { days: 7, limit: 0, source: 'other', asOf: 1000.5 });
  const [first, second] = world.jobs.map(({ draft: { name }, ...options }) => ({ name, ...options }));
  assert.deepEqual(first, { name: 'baseline', asOf: world.now, days: 30, limit: 5000, source: null });
  assert.deepEqual(second, { name: 'baseline', asOf: 1000.5, days: 7, limit: 0, source: 'other' });
});

test("a deployer's and an administrator's run is kept, a viewer's is not", async () => {
  const world = makeWorld();
  assert.equal(await ask(world, {}, caller('viewer')), ANSWER);
  assert.equal(world.runs.kept.length, 0);
  for (const role of ['deployer', 'administrator'] as const) {
    const answer = await ask(world, {}, caller(role));
    const { id, result } = world.runs.kept.at(-1) ?? {};
    assert.match(id ?? '', /^[a-z2-7]{16}$/);
    assert.equal(answer, ANSWER.replace('"kept":false,"run_id":null', `"kept":true,"run_id":"${id}"`));
    assert.equal(result, answer);
  }
  assert.equal(await ask(world, { keep: false }, caller('administrator')), ANSWER);
  assert.equal(world.runs.kept.length, 2);
});

test('a viewer who asks for the run to be kept is refused before anything is replayed', async () => {
  const world = makeWorld();
  await assert.rejects(ask(world, { keep: true }, caller('viewer')), { code: 'forbidden' });
  assert.deepEqual([world.jobs.length, world.audited.length], [0, 0]);
});

test('a kept run holds what was asked, the draft as it was sent, and the figures', async () => {
  const world = makeWorld();
  await ask(world, { policy: draft('shop', { enforcement: 'Enforce' }), days: 2, source: 'old' });
  const [{ id: _id, result: _result, revision, ...run } = { id: '', result: '', revision: '' }] =
    world.runs.kept;
  assert.match(revision, /^[0-9a-f]{64}$/);
  assert.deepEqual(run, {
    at: world.now,
    accountId: 'aaaabbbbccccdddd',
    policy: 'shop',
    source: 'old',
    days: 2,
    period: { from: world.now - 2 * DAY_MS, to: world.now },
    evaluated: 3,
    wouldDeny: 2,
    wouldAllow: 1,
    draft: draft('shop', { enforcement: 'Enforce' }),
  });
});

test('an answer of many MiB, which a hostile ledger can have, is given and not kept', async () => {
  const world = makeWorld();
  const large = `{"text":"${'x'.repeat(8_400_000)}",${ANSWER.slice(1)}`;
  const replayer = {
    replay: async () => ({ json: large, evaluated: 3, wouldDeny: 2, wouldAllow: 1, inputsDigest: 'd' }),
  };
  const live = openLiveWhatIf({ ...world.deps, replayer });
  assert.equal(await live.run({ policy: draft() }, { principal: caller('deployer'), path, signal }), large);
  assert.deepEqual([world.runs.kept.length, world.audited.length], [0, 1]);
});

test('each replay of each account is counted and in the audit log; a refused one is in neither', async () => {
  const world = makeWorld();
  await ask(world, {}, caller('viewer'));
  await assert.rejects(ask(world, { policy: draft('x', { runtime: {} }) }), { code: 'invalid_policy' });
  await assert.rejects(ask(world, { days: 91 }), WhatIfError);
  await assert.rejects(ask(world, { limit: -1 }), { code: 'out_of_range' });
  world.fault = new WhatIfError('unknown_source', 'source "x" is not the name of a policy in effect');
  await assert.rejects(ask(world, { source: 'x' }), { code: 'unknown_source' });
  assert.equal(world.counted, 1);
  assert.equal(world.audited.length, 1);
  const [{ actor, action, target, detail } = { actor: null, action: '', target: '', detail: {} }] =
    world.audited;
  assert.deepEqual(
    [actor, action, target],
    [{ accountId: 'aaaabbbbccccdddd', name: 'a viewer' }, 'policy_whatif', 'baseline'],
  );
  assert.deepEqual(
    { ...detail, revision: '' },
    {
      revision: '',
      source: null,
      days: 30,
      limit: 5000,
      evaluated: 3,
      would_deny: 2,
      would_allow: 1,
      inputs_digest: 'd',
      run_id: null,
    },
  );
});

test('an answer whose audit entry cannot be written is not given', async () => {
  const world = makeWorld();
  const live = openLiveWhatIf({
    ...world.deps,
    audit: { record: async () => Promise.reject(new Error('the disk is full')) },
  });
  await assert.rejects(
    live.run({ policy: draft() }, { principal: caller('deployer'), path, signal }),
    /disk is full/,
  );
  assert.equal(world.counted, 0);
});

test('the eleventh start of an account within a minute waits, and no other account for it', async () => {
  const world = makeWorld();
  const live = openLiveWhatIf(world.deps);
  const start = (id: string) =>
    live.run({ policy: draft() }, { principal: caller('viewer', id), path, signal });
  for (let i = 0; i < 10; i += 1) {
    await start('one');
    world.now += 1000;
  }
  await assert.rejects(start('one'), { code: 'rate_limited', retryAfter: 50 });
  await start('two');
  await assert.rejects(live.run({ policy: {} }, { principal: caller('viewer', 'one'), path, signal }), {
    code: 'invalid_policy',
  });
  world.now += 49_999;
  await assert.rejects(start('one'), { code: 'rate_limited', retryAfter: 1 });
  world.now += 1;
  await start('one');
  await assert.rejects(start('one'), { code: 'rate_limited', retryAfter: 1 });
});

test('an account has two replays waiting or running at most, whose places come back however they end', async () => {
  const world = makeWorld();
  const ends: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const replay: typeof world.deps.replayer.replay = async (...call) => {
    await new Promise<void>((resolve, reject) => void ends.push({ resolve, reject }));
    return world.deps.replayer.replay(...call);
  };
  const live = openLiveWhatIf({ ...world.deps, replayer: { replay } });
  const start = (id: string) =>
    live.run({ policy: draft() }, { principal: caller('viewer', id), path, signal });
  const [first, second] = [start('one'), start('one')];
  const refused = { code: 'rate_limited', retryAfter: 10, hint: /^Wait until one of them/ };
  for (let i = 0; i < 20; i += 1) await assert.rejects(start('one'), refused);
  const other = start('two');
  ends[0]?.resolve();
  await first;
  const third = start('one');
  await assert.rejects(start('one'), refused);
  ends[1]?.reject(new LiveError('unavailable', 'it broke off'));
  await assert.rejects(second, { code: 'unavailable' });
  const fourth = start('one');
  for (const { resolve } of ends) resolve();
  await Promise.all([other, third, fourth]);
  // Four starts of ten: those that found no place do not count.
  for (let i = 0; i < 6; i += 1) {
    const next = start('one');
    ends.at(-1)?.resolve();
    await next;
  }
  await assert.rejects(start('one'), { code: 'rate_limited', retryAfter: 60 });
});

test('a start that found the queue full does not count', async () => {
  const world = makeWorld();
  const live = openLiveWhatIf(world.deps);
  const start = () => live.run({ policy: draft() }, { principal: caller('viewer'), path, signal });
  world.fault = new LiveError('unavailable', 'busy', { queueFull: true });
  for (let i = 0; i < 30; i += 1) await assert.rejects(start(), { code: 'unavailable' });
  world.fault = null;
  await start();
});

test('a start whose caller goes away, that takes too long or that breaks off counts', async () => {
  for (const gone of [AbortSignal.abort(), signal]) {
    const world = makeWorld();
    const live = openLiveWhatIf(world.deps);
    const start = (by: AbortSignal) =>
      live.run({ policy: draft() }, { principal: caller('viewer'), path, signal: by });
    world.fault = new LiveError('unavailable', 'no answer');
    for (let i = 0; i < 10; i += 1) await assert.rejects(start(gone), { code: 'unavailable' });
    world.fault = null;
    await assert.rejects(start(signal), { code: 'rate_limited' });
  }
});

test('however starts are spread, no window of a minute holds more than ten, and the wait that is told is the shortest', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20_000), { maxLength: 80 }), (gaps) => {
      const limit = new StartLimit(10, 60_000);
      const started: number[] = [];
      let now = 1_000_000;
      for (const gap of gaps) {
        now += gap;
        const wait = limit.take('a', now);
        const within = started.filter((at) => at > now - 60_000).length;
        assert.equal(wait === null, within < 10);
        if (wait === null) started.push(now);
        else assert.equal(started.filter((at) => at > now + wait - 60_000).length, 9);
      }
    }),
    { numRuns: numRuns(200) },
  );
});

test('a clock that steps back bars nobody', () => {
  const limit = new StartLimit(2, 60_000);
  assert.equal(limit.take('a', 10_000_000), null);
  assert.equal(limit.take('a', 10_000_000), null);
  assert.equal(limit.take('a', 1_000_000), null);
});

test('downloads are the bytes of the answer or a PDF, each with its audit entry', async () => {
  const world = makeWorld();
  await ask(world);
  const [run] = world.runs.kept;
  assert.ok(run);
  const asked: string[] = [];
  const printer = {
    print: async ({ askedBy }: PrintedRun) => {
      asked.push(askedBy);
      return Buffer.from('%PDF');
    },
  };
  const names = new Map<string, string>();
  const kept = openKeptRuns({
    ...{ runs: world.runs, printer, names: async () => names },
    ...{ audit: world.deps.audit, clock: world.deps.clock },
  });
  const call = { principal: caller('deployer'), path: 'GET /x', signal };
  const json = await kept.download(run.id, 'json', call);
  assert.deepEqual(
    [json.name, json.type, Buffer.from(json.bytes).toString()],
    [`whatif-baseline-${run.id}.json`, 'application/json', run.result],
  );
  const pdf = await kept.download(run.id, 'pdf', call);
  assert.deepEqual([pdf.name, pdf.type], [`whatif-baseline-${run.id}.pdf`, 'application/pdf']);
  assert.deepEqual(
    world.audited.slice(1).map(({ action, detail }) => [action, detail]),
    [
      ['policy_whatif_download', { run_id: run.id, format: 'json' }],
      ['policy_whatif_download', { run_id: run.id, format: 'pdf' }],
    ],
  );
  names.set(run.accountId, 'ada@shop.example');
  await kept.download(run.id, 'pdf', call);
  assert.deepEqual(asked, [`user:${run.accountId}`, 'ada@shop.example']);
  await assert.rejects(kept.download('none', 'json', call), { code: 'not_found' });
  await assert.rejects(kept.get('none'), { code: 'not_found' });
});

test('runs older than 90 days are dropped', async () => {
  const world = makeWorld();
  await ask(world);
  assert.equal(await pruneRuns(world.runs, world.now + 90 * DAY_MS), 0);
  assert.equal(await pruneRuns(world.runs, world.now + 90 * DAY_MS + 1), 1);
});
