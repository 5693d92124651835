import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Jobs, type Job } from '../../src/app/jobs.ts';
import { serviceJobs, type JobsParts } from '../../src/app/service-jobs.ts';
import { settingsSchema } from '../../src/app/settings.ts';
import { openMetrics } from '../../src/telemetry/index.ts';
import { keptLog } from '../api/service.ts';

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

function start(jobs: readonly Job[], isLeader = () => true) {
  const time = fakeTime();
  const [log, metrics] = [keptLog(), openMetrics()];
  const running = new Jobs(jobs, { log, count: metrics, isLeader, ...time });
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

test('a fault of one run is said and counted, and the next run may mend it', async () => {
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

test('ARCHITECTURE.md lists every job as it is', () => {
  const never = async (): Promise<void> => {};
  const parts = {
    accounts: { sweep: never },
    images: { refresh: never },
    runStore: { prune: async () => 0 },
    settings: settingsSchema.parse({}),
    clock: { now: () => 0 },
    checkpoint: never,
    renewTls: never,
  } as unknown as JobsParts;
  const rows = readFileSync(new URL('../../ARCHITECTURE.md', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => /^\| `[a-z-]+` \| \d/.test(line))
    .map((line) => line.split(' | ').slice(0, 3).join(' | '));
  assert.deepEqual(
    serviceJobs(parts).map(
      ({ name, every, leaderOnly, atEnd }) =>
        `| \`${name}\` | ${every / 1000} s${atEnd === true ? ', and at the end' : ''} | ${leaderOnly ? 'yes' : 'no'}`,
    ),
    rows,
  );
});
