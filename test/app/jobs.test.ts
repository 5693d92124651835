import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { evidenceJobs } from '../../src/app/evidence/jobs.ts';
import { Jobs, type Job } from '../../src/app/running/jobs.ts';
import { openFacts } from '../../src/app/service/facts.ts';
import { retentionJobs } from '../../src/app/ledger/history.ts';
import { noticeJobs } from '../../src/app/notify/notice-jobs.ts';
import { serviceJobs, type JobsParts } from '../../src/app/service/jobs.ts';
import { settingsSchema } from '../../src/app/config/settings.ts';
import { IpoError } from '../../src/base/index.ts';
import type { CatalogueRefresh, KevChange } from '../../src/catalogues/index.ts';
import type { Store } from '../../src/store/index.ts';
import { openMetrics } from '../../src/telemetry/index.ts';
import { keptLog } from '../api/service.ts';
import { scratchDirectory } from './running.ts';

/** Timers that pass when they are told to, and a clock that goes with them. */
function fakeTime() {
  let now = 0;
  let waiting: { at: number; act: () => void }[] = [];
  return {
    clock: { now: () => now },
    timers: {
      after(ms: number, act: () => void) {
        const entry = { at: now + ms, act };
        waiting.push(entry);
        return () => void (waiting = waiting.filter((one) => one !== entry));
      },
    },
    waiting: () => waiting.length,
    /** Lets time pass, and what it starts come to its end. */
    async pass(ms: number): Promise<void> {
      now += ms;
      const due = waiting.filter(({ at }) => at <= now);
      waiting = waiting.filter(({ at }) => at > now);
      for (const { act } of due) act();
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    },
  };
}

/** When jobs last ended, as a database keeps it. */
function keptMarks(kept = new Map<string, number>()) {
  return {
    lastEnd: async (job: string) => kept.get(job) ?? null,
    ended: async (job: string, at: number) => void kept.set(job, at),
  };
}

function start(jobs: readonly Job[], isLeader = () => true, marks = keptMarks(), time = fakeTime()) {
  const [log, metrics] = [keptLog(), openMetrics()];
  const running = new Jobs(jobs, {
    log,
    count: metrics,
    isLeader,
    marks,
    underFence: (act) => act(),
    ...time,
  });
  running.start();
  return { ...time, log, metrics, running };
}

test('a job runs after each interval, counted from the end of the run before', async () => {
  let runs = 0;
  const end: (() => void)[] = [];
  const { pass, running, clock } = start([
    {
      name: 'slow',
      every: 100,
      leaderOnly: false,
      run: () => new Promise<void>((resolve) => (runs++, end.push(resolve))),
    },
  ]);
  await pass(99);
  assert.equal(runs, 0);
  await pass(1);
  await pass(1000);
  assert.equal(runs, 1, 'never twice at a time');
  end.pop()?.();
  await pass(0);
  assert.equal(running.states()[0]?.lastSuccessAt, clock.now());
  await pass(99);
  assert.equal(runs, 1);
  await pass(1);
  assert.equal(runs, 2);
  end.pop()?.();
});

test('a job of the leader that is due begins as soon as its replica leads, whatever its interval', async () => {
  const runs: string[] = [];
  let [leads, clusters] = [false, false];
  const job = (name: string, more: Partial<Job>): Job => ({
    ...{ name, every: 3_600_000, leaderOnly: false, run: async () => void runs.push(name) },
    ...more,
  });
  const { pass } = start(
    [
      job('of the database', { leaderOnly: true, atStart: true }),
      job('of the cluster', { mayRun: () => clusters, atStart: true }),
      job('not due', { leaderOnly: true }),
    ],
    () => leads,
  );
  await pass(0);
  await pass(5_000);
  assert.deepEqual(runs, []);
  leads = true;
  await pass(2_000);
  clusters = true;
  await pass(2_000);
  assert.deepEqual(runs, ['of the database', 'of the cluster']);
  await pass(60_000);
  assert.equal(runs.length, 2, 'and then by its interval');
});

test('a service that restarts more often than a remembered job comes still runs it, and no more often than it should', async () => {
  const every = 600_000;
  const time = fakeTime();
  const marks = keptMarks();
  const runs: number[] = [];
  const job: Job = {
    ...{ name: 'closing-sweep', every, leaderOnly: true, remembered: true },
    run: async () => void runs.push(time.clock.now()),
  };
  for (let restart = 0; restart < 30; restart += 1) {
    const { running } = start([job], () => true, marks, time);
    await time.pass(0);
    await time.pass(120_000); // each process lives for two minutes
    await running.stop();
  }
  assert.deepEqual(
    runs,
    [0, 1, 2, 3, 4, 5, 6].map((turn) => turn * every),
  );
});

test('a remembered job runs when its last run lies in the future, and when the database does not tell', async () => {
  const runs: string[] = [];
  const job = (name: string): Job => ({
    ...{ name, every: 600_000, leaderOnly: true, remembered: true, run: async () => void runs.push(name) },
  });
  const time = fakeTime();
  start([job('clock set back')], () => true, keptMarks(new Map([['clock set back', 5_000_000]])), time);
  start(
    [job('database away')],
    () => true,
    { ...keptMarks(), lastEnd: () => Promise.reject(new Error('away')) },
    time,
  );
  await time.pass(0);
  assert.deepEqual(runs.toSorted(), ['clock set back', 'database away']);
});

test('a remembered job that failed is not taken as run', async () => {
  const marks = keptMarks();
  const time = fakeTime();
  const job: Job = {
    ...{ name: 'frail', every: 600_000, leaderOnly: true, remembered: true },
    run: () => Promise.reject(new Error('the tracker is gone')),
  };
  start([job], () => true, marks, time);
  await time.pass(0);
  assert.equal(await marks.lastEnd('frail'), null);
});

test('an error of one run is logged and counted, and the next run may succeed', async () => {
  let broken = true;
  const { pass, running, log, metrics } = start([
    {
      name: 'frail',
      every: 10,
      leaderOnly: false,
      run: async () => {
        if (broken) throw new Error('the database is gone');
      },
    },
  ]);
  await pass(10);
  assert.deepEqual(running.states(), [{ name: 'frail', lastSuccessAt: null, fault: 'the database is gone' }]);
  broken = false;
  await pass(10);
  assert.deepEqual(running.states(), [{ name: 'frail', lastSuccessAt: 20, fault: null }]);
  assert.deepEqual(
    log.lines.map(({ level, message }) => `${level} ${message}`),
    ['warn job failed; it is tried again', 'info job works again'],
  );
  const text = await metrics.text();
  assert.match(text, /^svc_job_runs_total\{job="frail",outcome="failed"\} 1$/m);
  assert.match(text, /^svc_job_runs_total\{job="frail",outcome="done"\} 1$/m);
});

test('a fault that stands is warned of once, and another one again', async () => {
  let fault = 'the host is not known';
  const { pass, log } = start([
    { name: 'far', every: 10, leaderOnly: false, run: () => Promise.reject(new Error(fault)) },
  ]);
  await pass(10);
  await pass(10);
  fault = 'the host refuses connections';
  await pass(10);
  assert.deepEqual(
    log.lines.map(({ level }) => level),
    ['warn', 'debug', 'warn'],
  );
});

test('an outage is said once when it begins and once when it ends, with what works meanwhile and the next try', async () => {
  let fault: string | null = 'the host is not known';
  const { pass, log } = start([
    {
      ...{ name: 'far', every: 60_000, leaderOnly: false },
      failing: { what: 'the list was not fetched', meanwhile: 'the old one counts', from: 'https://list' },
      run: async () => {
        if (fault !== null) throw new IpoError('network', fault, { hint: 'Set list.source to off' });
      },
    },
  ]);
  for (const next of [
    'cannot be looked up now',
    'the host is not known',
    'cannot be looked up now',
    null,
    null,
  ]) {
    await pass(60_000);
    fault = next;
  }
  await pass(60_000);
  fault = 'the host is not known';
  await pass(60_000);
  const shown = log.lines.filter(({ level }) => level !== 'debug');
  assert.deepEqual(
    shown.map(({ level, message }) => `${level} ${message}`),
    [
      ...['warn the list was not fetched', 'warn the list was not fetched', 'info job works again'],
      'warn the list was not fetched',
    ],
  );
  const [first] = shown;
  assert.ok(first);
  const { error, ...keys } = first.keys as { error: IpoError };
  assert.equal(error.message, 'the host is not known');
  assert.deepEqual(keys, {
    ...{ job: 'far', from: 'https://list', meanwhile: 'the old one counts' },
    ...{ next_try: '1970-01-01T00:02:00Z', hint: 'Set list.source to off' },
  });
});

test('what belongs to the start runs at once, and then after its interval', async () => {
  let runs = 0;
  const { pass } = start([
    { name: 'early', every: 100, leaderOnly: false, atStart: true, run: async () => void (runs += 1) },
  ]);
  await pass(0);
  assert.equal(runs, 1);
  await pass(99);
  assert.equal(runs, 1);
  await pass(1);
  assert.equal(runs, 2);
});

test('what only a leader may do waits until this one leads', async () => {
  let leads = false;
  let runs = 0;
  const { pass } = start(
    [{ name: 'sweep', every: 10, leaderOnly: true, run: async () => void (runs += 1) }],
    () => leads,
  );
  await pass(10);
  assert.equal(runs, 0);
  leads = true;
  await pass(10);
  assert.equal(runs, 1);
});

test('stopping waits for what runs, starts nothing new, and does once more what belongs to the end', async () => {
  const done: string[] = [];
  let end = (): void => {};
  const { pass, running, waiting } = start([
    {
      name: 'long',
      every: 10,
      leaderOnly: false,
      run: (signal) =>
        new Promise<void>((resolve) => {
          end = () => {
            done.push(`long, aborted: ${signal.aborted}`);
            resolve();
          };
        }),
    },
    {
      name: 'checkpoint',
      every: 1000,
      leaderOnly: true,
      atEnd: true,
      run: async () => void done.push('checkpoint'),
    },
  ]);
  await pass(10);
  const stopped = running.stop().then(() => done.push('stopped'));
  await pass(0);
  assert.deepEqual(done, []);
  end();
  await stopped;
  assert.deepEqual(done, ['long, aborted: true', 'checkpoint', 'stopped']);
  assert.equal(waiting(), 0);
  await pass(10_000);
  assert.equal(done.length, 3);
});

test('a job that hangs keeps nothing from being done at the end', async () => {
  const done: string[] = [];
  const { running, pass } = start([
    { name: 'hanging', every: 10, leaderOnly: false, run: () => new Promise(() => {}) },
    {
      ...{ name: 'checkpoint', every: 1000, leaderOnly: true, atEnd: true },
      run: async () => void done.push('checkpoint'),
    },
  ]);
  await pass(10);
  void running.stop().then(() => done.push('stopped'));
  await pass(4_900);
  assert.deepEqual(done, []);
  await pass(200);
  assert.deepEqual(done, ['checkpoint', 'stopped']);
});

const never = async (): Promise<void> => {};
const NO_STORE = {} as Store;

/** Parts from which every job is made, and none of which is called. */
const PARTS = {
  accounts: { sweep: never },
  images: { refresh: never },
  runStore: { prune: async () => 0 },
  kev: { off: false, refresh: never },
  endOfLife: { refresh: never },
  facts: [],
  operator: [],
  notices: noticeJobs({
    notifications: { send: never, prune: never, tell: async () => false, tellTriageRanOut: never },
    wantedSince: async () => 0,
    retention: { now: async () => 0 },
    feeds: async () => ({}),
  }),
  history: retentionJobs(NO_STORE, settingsSchema.parse({}), { now: async () => 0 }),
  evidence: evidenceJobs({} as never),
  backups: [],
  settings: settingsSchema.parse({}),
  retention: { now: async () => 0 },
  checkpoint: never,
  renewTls: never,
} as unknown as JobsParts;

test('where there is no source of catalogues, none is asked', () => {
  const names = (parts: JobsParts): string[] => serviceJobs(parts).map(({ name }) => name);
  const off = { ...PARTS, kev: { off: true } } as JobsParts;
  assert.deepEqual(
    names(off),
    names(PARTS).filter((name) => name !== 'catalogues'),
  );
  assert.equal(names(off).length + 1, names(PARTS).length);
});

test('a source that fails is a fault of the job, and one that the end of the service cut off is none', async () => {
  const job = (outcome: Partial<CatalogueRefresh<KevChange>>): Job | undefined => {
    const kev = { off: false, refresh: async () => outcome };
    return serviceJobs({ ...PARTS, kev } as unknown as JobsParts).find(({ name }) => name === 'catalogues');
  };
  const signal = new AbortController().signal;
  await assert.rejects(
    async () => job({ outcome: 'failed', fault: new IpoError('network', 'gone') })?.run(signal),
    {
      message: 'gone',
    },
  );
  await job({ outcome: 'stopped', fault: null })?.run(signal);
});

// Those of an operator stand in a table of their own, which the story of a cluster holds.
test('ARCHITECTURE.md lists every job as it is, those of facts by themselves', async (t) => {
  const [, own = '', table = ''] =
    /^([^]*?)\nThese bring the facts of images in([^]*?)\nA service with a webhook, or in a cluster,/.exec(
      readFileSync(new URL('../../ARCHITECTURE.md', import.meta.url), 'utf8'),
    ) ?? [];
  assert.deepEqual(toRows(serviceJobs(PARTS)), rowsIn(own));
  const any = new Proxy({}, { get: () => () => {} }) as never;
  const facts = await openFacts({
    ...{ store: any, fenced: any, parts: any, version: '0', cluster: null, env: {}, log: any, metrics: any },
    settings: settingsSchema.parse({
      data: scratchDirectory(t),
      scanner: { kind: 'trivy', program: process.execPath },
      sigstore: { trustRoot: 'off' },
    }),
    clock: { now: () => 0 },
  });
  t.after(() => facts.close());
  assert.deepEqual(toRows(facts.jobs), rowsIn(table));
});

function rowsIn(table: string): readonly string[] {
  return table
    .split('\n')
    .filter((line) => /^\| `[a-z-]+` \| \d/.test(line))
    .map((line) => line.split(' | ').slice(0, 3).join(' | '));
}

function toRows(jobs: readonly Job[]): readonly string[] {
  return jobs.map(({ name, every, leaderOnly, atStart, remembered, atEnd }) => {
    const since = remembered === true ? ' since its last run, by any process' : '';
    const also = `${since}${atStart === true ? ', and at the start' : ''}${atEnd === true ? ', and at the end' : ''}`;
    return `| \`${name}\` | ${every / 1000} s${also} | ${leaderOnly ? 'yes' : 'no'}`;
  });
}
