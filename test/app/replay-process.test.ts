import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test, type TestContext } from 'node:test';
import { ANSWER_TIMEOUT } from '../../src/adapters/service/client.ts';
import { SERVER_LIMITS } from '../../src/api/limits.ts';
import { openReplayProcess, type ReplayProcessOptions } from '../../src/app/replay/process.ts';
import { settingsSchema } from '../../src/app/config/settings.ts';
import { parsePolicies } from '../../src/policy/index.ts';
import { openStore } from '../../src/store/index.ts';
import type { PrintedRun, ReplayJob, WhatIfResult } from '../../src/whatif/index.ts';
import { keptLog } from '../api/service.ts';

const ROOT = resolve(import.meta.dirname, '../..');

const job = (name: string): ReplayJob =>
  ({
    draft: { name, revision: '', spec: {} },
    asOf: 0,
    days: 1,
    limit: 0,
    source: null,
  }) as unknown as ReplayJob;

function open(t: TestContext, options: Partial<ReplayProcessOptions> = {}) {
  const log = keptLog();
  const process = openReplayProcess({
    url: 'none',
    coldImagePolicy: 'AllowAndScan',
    log,
    entry: join(import.meta.dirname, 'replay-worker-fake.ts'),
    grace: 20,
    ...options,
  });
  t.after(() => process.close());
  const replay = async (name: string, signal = new AbortController().signal): Promise<string> =>
    (await process.replay(job(name), signal)).json;
  const print = async (): Promise<string> =>
    Buffer.from(await process.print({} as PrintedRun, new AbortController().signal)).toString();
  return { process, log, replay, print };
}

test('one warm process serves replays and PDFs, and is told to go when it is no longer needed', async (t) => {
  const { process: replays, replay, print } = open(t);
  assert.equal(replays.pid, undefined);
  replays.start();
  const pid = String(replays.pid);
  assert.deepEqual(await Promise.all([replay('a'), replay('b'), print()]), [pid, pid, `pdf by ${pid}`]);
  await replays.close();
  assert.throws(() => process.kill(Number(pid), 0), { code: 'ESRCH' });
  await assert.rejects(replay('a'), { code: 'unavailable' });
});

test('a crash fails only its own replay, and the next finds another process', async (t) => {
  const { process: replays, log, replay } = open(t);
  const first = await replay('a');
  const crash = replay('crash');
  const next = replay('a');
  await assert.rejects(crash, { code: 'unavailable' });
  assert.notEqual(await next, first);
  const line = log.lines.find(({ level }) => level === 'error');
  assert.deepEqual(line?.keys, { code: 7, signal: null, last_words: 'last words\n' });
  assert.equal(replays.state().status, 'ok');
});

test('a replay that takes too much memory ends with its process, and the service goes on', async (t) => {
  const { replay, log } = open(t, { memory: 32 });
  await assert.rejects(replay('memory'), { code: 'unavailable' });
  assert.match(String(log.lines.find(({ level }) => level === 'error')?.keys['last_words']), /heap/);
  assert.match(await replay('a'), /^\d+$/);
});

test('a replay that takes too long is told to end; one that does not listen is ended', async (t) => {
  for (const [name, survives] of [
    ['wait', true],
    ['hang', false],
  ] as const) {
    const limits = { timeLimit: 60_000 };
    const entry = join(import.meta.dirname, 'replay-worker-fake.ts');
    const options = Object.assign(limits, {
      url: 'none',
      coldImagePolicy: 'AllowAndScan',
      log: keptLog(),
      entry,
      grace: 50,
    } as const);
    const replays = openReplayProcess(options);
    t.after(() => replays.close());
    const replay = async (draft: string) =>
      (await replays.replay(job(draft), new AbortController().signal)).json;
    const before = await replay('a');
    limits.timeLimit = 30;
    await assert.rejects(replay(name), { code: 'unavailable', message: 'no answer within 0.03 seconds' });
    limits.timeLimit = 60_000;
    assert.equal((await replay('a')) === before, survives, name);
  }
});

test('the time that a replay waits for others counts, and it is told so', async (t) => {
  const limits = { timeLimit: 60_000 };
  const entry = join(import.meta.dirname, 'replay-worker-fake.ts');
  const options = Object.assign(limits, {
    url: 'none',
    coldImagePolicy: 'AllowAndScan',
    log: keptLog(),
    entry,
  } as const);
  const replays = openReplayProcess(options);
  t.after(() => replays.close());
  const end = new AbortController();
  const running = replays.replay(job('wait'), end.signal);
  limits.timeLimit = 30;
  const waits = { message: /^no answer within 0\.03 seconds, in which it waited/, retryAfter: 30 };
  await assert.rejects(replays.replay(job('a'), new AbortController().signal), waits);
  assert.equal(replays.state().running, 1);
  limits.timeLimit = 60_000;
  end.abort();
  await assert.rejects(running, { code: 'unavailable' });
  const { json } = await replays.replay(job('a'), new AbortController().signal);
  assert.equal(json, String(replays.pid));
});

test('a process that cannot even be started keeps nobody from closing', async (t) => {
  const { process: replays, replay } = open(t);
  const { execPath } = process;
  t.after(() => (process.execPath = execPath));
  process.execPath = '/nowhere/at/all/node';
  replays.start();
  await replays.close();
  process.execPath = execPath;
  await assert.rejects(replay('a'), { code: 'unavailable' });
});

test('what a replay may take fits into what the client and the server wait', () => {
  const { whatif } = settingsSchema.shape;
  assert.ok(whatif.parse({ timeLimit: '4m' }).timeLimit < ANSWER_TIMEOUT);
  assert.throws(() => whatif.parse({ timeLimit: '5m' }));
  assert.ok(ANSWER_TIMEOUT < SERVER_LIMITS.idleTimeout);
});

test('a caller who goes away ends its replay, also one that waits', async (t) => {
  const { replay } = open(t);
  const before = await replay('a');
  const [running, waiting] = [new AbortController(), new AbortController()];
  const first = replay('wait', running.signal);
  const second = replay('hang', waiting.signal);
  waiting.abort();
  await assert.rejects(second, { code: 'unavailable' });
  running.abort();
  await assert.rejects(first, { code: 'unavailable' });
  assert.equal(await replay('a'), before, 'the process is the same: it ended the replay by itself');
  await assert.rejects(replay('a', AbortSignal.abort()), { code: 'unavailable' });
});

test('a replay whose caller goes away before the process is ready never begins', async (t) => {
  const { replay } = open(t, { grace: 60_000 });
  const gone = new AbortController();
  const first = replay('hang', gone.signal);
  gone.abort();
  await assert.rejects(first, { code: 'unavailable' });
  assert.match(await replay('a'), /^\d+$/, 'it does not stand in the way of the next');
});

test('more than may wait are told to come back; PDFs have a lane of their own', async (t) => {
  const { process: replays, replay, print } = open(t, { queue: 2 });
  const end = new AbortController();
  const running = replay('wait', end.signal);
  const waiting = [replay('a'), replay('b')];
  assert.deepEqual(replays.state(), { status: 'ok', running: 1 });
  await assert.rejects(replay('c'), { code: 'unavailable', retryAfter: 10, queueFull: true });
  assert.match(await print(), /^pdf by/);
  end.abort();
  await assert.rejects(running, { code: 'unavailable' });
  assert.equal(new Set(await Promise.all(waiting)).size, 1);
});

test('faults come through with code, sentence and hint; a defect tells its caller nothing', async (t) => {
  const { replay } = open(t);
  await assert.rejects(replay('unknown'), {
    name: 'WhatIfError',
    code: 'unknown_source',
    message: 'no such source',
    hint: 'Look',
  });
  await assert.rejects(replay('gone'), { code: 'unavailable', message: 'the database is gone' });
  await assert.rejects(replay('defect'), (error: Error) => {
    assert.ok(!('code' in error));
    assert.doesNotMatch(error.message, /secret/);
    assert.match(String(error.cause), /secret place/);
    return true;
  });
});

test('a process that does not start fails what waits for it, is not started over and over, and is tried again', async (t) => {
  const { process: replays, replay, log } = open(t, { url: 'crash' });
  await assert.rejects(replay('a'), { code: 'unavailable' });
  assert.equal(replays.pid, undefined);
  assert.equal(replays.state().status, 'down');
  await assert.rejects(replay('a'), { code: 'unavailable' });
  assert.equal(log.lines.filter(({ level }) => level === 'error').length, 2);
  const never = open(t, { url: 'never', timeLimit: 200 });
  await assert.rejects(never.replay('a'), { code: 'unavailable', message: /no answer within/ });
});

test('the real process runs at the lowest priority and with no secret of ours in its environment', async (t) => {
  const { process: replays, log } = open(t, {
    url: 'sqlite:/nowhere/at/all.db',
    entry: join(import.meta.dirname, '../../daemon/replay-worker.ts'),
  });
  process.env['IPO_TEST_SECRET'] = 'a secret';
  t.after(() => delete process.env['IPO_TEST_SECRET']);
  await assert.rejects(replays.replay(job('a'), new AbortController().signal), { code: 'unreadable' });
  assert.equal(getPriority(replays.pid), 19);
  if (process.platform === 'linux') {
    const environment = readFileSync(`/proc/${replays.pid}/environ`, 'utf8');
    assert.match(environment, /PATH=/);
    assert.doesNotMatch(environment, /a secret/);
  }
  assert.deepEqual(log.lines, []);
});

for (const [name, entry] of [
  ['the sources', join(ROOT, 'daemon/replay-worker.ts')],
  ['the built package', join(ROOT, 'dist/replay-worker.cjs')],
] as const) {
  const skip = existsSync(entry) ? false : 'dist/ is not built: run npm run build';
  test(`the process of ${name} replays a ledger and prints a run`, { skip }, async (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'ipo-replay-'));
    t.after(() => rmSync(directory, { recursive: true, force: true }));
    const url = `sqlite:${join(directory, 'ipo.db')}`;
    await (await openStore({ url })).close();
    const { process: replays, log } = open(t, { url, entry });
    const text = readFileSync(join(ROOT, 'fixtures/policies/tighten.yaml'), 'utf8');
    const [parsed] = parsePolicies(text, 'tighten.yaml').policies;
    assert.ok(parsed);
    const { signal } = new AbortController();
    const asked = { draft: parsed.policy, asOf: 1_800_000_000_000, days: 30, limit: 0, source: null };
    const { json, ...figures } = await replays.replay(asked, signal);
    const { inputs_digest: inputsDigest, evaluated, kept } = JSON.parse(json) as WhatIfResult;
    assert.deepEqual(figures, { evaluated: 0, wouldDeny: 0, wouldAllow: 0, inputsDigest });
    assert.deepEqual([evaluated, kept], [0, false]);
    const asking = replays.replay({ ...asked, source: 'nothing' }, signal);
    await assert.rejects(asking, { name: 'WhatIfError', code: 'unknown_source' });
    const { policy, written } = parsed;
    const run = {
      id: 'a',
      at: 0,
      accountId: 'b',
      policy: policy.name,
      revision: policy.revision,
      source: null,
    };
    const rest = { days: 30, period: { from: 0, to: 0 }, evaluated: 0, wouldDeny: 0, wouldAllow: 0 };
    const bytes = await replays.print(
      { ...run, ...rest, askedBy: 'ada@shop.example', draft: written, result: json },
      signal,
    );
    assert.equal(Buffer.from(bytes).toString('latin1', 0, 5), '%PDF-');
    assert.deepEqual(log.lines, []);
  });
}
