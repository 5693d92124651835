import { fork, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { keptFile } from '../src/adapters/certificates/index.ts';
import { readDetectorData } from '../src/certificates/index.ts';
import { readRule } from '../src/runtime/index.ts';
import { openStore, runtimeRuleStore, type Store } from '../src/store/index.ts';
import { run } from '../src/store/sql/run.ts';
import { withoutOpenssl } from '../test/app/certificate.ts';
import { freePort, openParted, type Parted } from '../test/daemon/parts.ts';
import {
  AS_IN_IMAGE,
  benchBeside,
  loadOf,
  medianAndWorst,
  secondsOf,
  standAside,
  unansweredOf,
  untilReady,
  warmUp,
  type Line,
} from './parted-load.ts';

/** Sent is what a load of events was answered; times in milliseconds. */
interface Sent {
  /** Events a second. */
  readonly rate: number;
  readonly sent: number;
  readonly statuses: Readonly<Record<string, number>>;
  /** Numbers of the events that were not answered with 200. */
  readonly refused: readonly number[];
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly most: number;
}

interface Times {
  readonly ms: number;
  readonly cpu: number;
}

const HERE = import.meta.dirname;
const RATE = 2_000;
const CONNECTIONS = 50;
/** Under too much load: more than events may wait. */
const MANY = 1_500;
const RULES = [
  { name: 'backup', match: { fields: [{ name: 'proc.name', equals: 'restic' }] }, action: 'allow' },
  { name: 'shells', match: { tags: ['shell'] }, window: { count: 3, duration: '10m' }, action: 'notify' },
  { name: 'grave', match: { priority: 'Critical' }, action: 'notify' },
];

/**
 * benchRuntime prints what events of the runtime detector cost: 2,000 a second beside 300 reviews a second through the whole daemon, more than
 * its listener can keep, and the replay of stored events.
 */
export async function benchRuntime(line: Line, quick: boolean): Promise<void> {
  if (withoutOpenssl !== false) {
    line('events of the runtime detector', 'not measured', withoutOpenssl);
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'ipo-bench-runtime-'));
  try {
    await benchIntake(join(folder, 'beside'), line, quick);
    await benchCeiling(join(folder, 'ceiling'), line, quick);
    benchReplay(join(folder, 'replay.db'), line, quick);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Events beside reviews, in the daemon as processes. */
async function benchIntake(folder: string, line: Line, quick: boolean): Promise<void> {
  mkdirSync(folder);
  const url = process.env['IPO_BENCH_DATABASE'] ?? `sqlite:${join(folder, 'runtime.db')}`;
  const store = await openStore({ url });
  await runtimeRuleStore(store).change({ at: Date.now(), accountId: null, name: null }, () =>
    RULES.map((rule) => ({ id: null, rule: readRule(rule) })),
  );
  const port = await freePort();
  const daemon = await openParted(folder, url, {
    ...AS_IN_IMAGE,
    IPO_INTEGRATIONS_DETECTOR_ENABLED: 'true',
    IPO_INTEGRATIONS_PORT: String(port),
  });
  daemon.start();
  try {
    await untilReady(daemon);
    const bundle = await bundleOf(folder);
    const events = (seconds: number, mark: string): Promise<Sent> =>
      send(port, bundle, { connections: CONNECTIONS, rate: RATE, seconds, mark });
    const seconds = secondsOf(quick);
    await warmUp(daemon, quick);
    await events(2, 'warm');
    await untilDecided(store);

    const before = memoryOf(daemon);
    const long = quick ? 5 : 60;
    const peak = watchMemory(daemon);
    const [sent, load] = await Promise.all([events(long, 'long'), loadOf(daemon, long)]);
    const behind = await untilDecided(store);
    line(
      `${RATE} events a second for ${long} s: answered with 200, others, lost`,
      `${sent.statuses['200'] ?? 0}, ${sent.refused.length}, ${await lostOf(store, 'long', sent)}`,
      'none lost',
    );
    line(
      '  rate; p50, p99 and longest answer in ms',
      `${rateOf(sent)}; ${[sent.p50, sent.p99, sent.most].map((ms) => ms.toFixed(1)).join(', ')}`,
      `${RATE} a second`,
    );
    line('  ms until the last one was decided', String(behind), 'at most 1,000');
    line('  memory of all processes, more than before', `${peak.end() - before} MB`, 'at most 150 MB');
    line('  reviews beside them without an answer', String(unansweredOf(load)), '0');

    let [lost, round] = [0, 0];
    const busy = async () => {
      const mark = `round ${round++}`;
      const sending = events(seconds + 2, mark);
      await sleep(1_000);
      const reviews = await loadOf(daemon, seconds);
      lost += await lostOf(store, mark, await sending);
      await untilDecided(store);
      return reviews;
    };
    const what = `webhook p99 at 300/s beside ${RATE} events a second: of without`;
    await benchBeside({ daemon, seconds, line }, what, 'at most 1.2; worst 1.5', busy);
    line('  events lost', String(lost), '0');
  } finally {
    await daemon.end();
    await store.close();
  }
}

/** What the listener can keep by itself, and five times as much. */
async function benchCeiling(folder: string, line: Line, quick: boolean): Promise<void> {
  mkdirSync(folder);
  const server = fork(join(HERE, 'runtime-server.ts'), [folder], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    execArgv: ['--max-old-space-size=192'],
  });
  try {
    const [{ port }] = (await once(server, 'message')) as [{ readonly port: number }];
    const times = async (): Promise<Readonly<Record<string, { count: number; p95: number }>>> => {
      server.send('times');
      return ((await once(server, 'message')) as [never])[0];
    };
    const bundle = join(folder, 'bundle');
    const seconds = quick ? 3 : 8;
    await send(port, bundle, { connections: CONNECTIONS, rate: 0, seconds: 2, mark: 'warm' });
    for (const connections of [1, 10, CONNECTIONS]) {
      const some = await send(port, bundle, { connections, rate: 0, seconds, mark: `of ${connections}` });
      line(
        `events a second over ${connections} connections, one under way on each`,
        `${rateOf(some)}; p99 ${some.p99.toFixed(1)} ms`,
        '',
      );
      if (connections !== CONNECTIONS) continue;
      await times();
      const over = await send(port, bundle, {
        connections: MANY,
        rate: Math.round(5 * some.rate),
        seconds,
        mark: 'over',
      });
      const { 200: kept, 429: shed, ...others } = await times();
      line(
        'five times as many: offered a second; kept, 429, others',
        `${rateOf(over)}; ${kept?.count ?? 0}, ${shed?.count ?? 0}, ${Object.values(others).reduce((sum, { count }) => sum + count, 0)}`,
        '',
      );
      line('  p95 of a 429 at the server', `${(shed?.p95 ?? 0).toFixed(1)} ms`, 'at most 20 ms');
    }
  } finally {
    server.disconnect();
    await once(server, 'exit');
  }
}

/** A replay of stored events beside a bare scan of them. */
function benchReplay(file: string, line: Line, quick: boolean): void {
  const count = quick ? 100_000 : 1_000_000;
  const words = [join(HERE, 'runtime-measure.ts'), `sqlite:${file}`, String(count), quick ? '3' : '5'];
  const child = spawnSync(process.execPath, words, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (child.status !== 0) throw new Error('the replay of stored events was not measured');
  const rounds = child.stdout
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text) as Readonly<Record<'scan' | 'plain' | 'fields', Times>>);
  for (const [name, what] of [
    ['plain', 'rules without fields'],
    ['fields', 'each rule reads fields'],
  ] as const) {
    line(
      `replay of ${count.toLocaleString('en-US')} stored events, ${what}: of a bare scan`,
      medianAndWorst(rounds.map((round) => round[name].ms / round.scan.ms)),
      'at most 3',
    );
    line('  the same: CPU', medianAndWorst(rounds.map((round) => round[name].cpu / round.scan.cpu)), '');
  }
}

interface Load {
  readonly connections: number;
  /** 0: each connection has one event under way. */
  readonly rate: number;
  readonly seconds: number;
  readonly mark: string;
}

/** send sends events from a process of its own. */
async function send(port: number, bundle: string, { connections, rate, seconds, mark }: Load): Promise<Sent> {
  const words = [join(HERE, 'runtime-load.ts'), port, bundle, connections, rate, seconds, mark].map(String);
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  // Other machines send them.
  standAside(child);
  const text = await textOf(child);
  if (text === '') throw new Error('no events were sent');
  return JSON.parse(text) as Sent;
}

async function textOf(child: ChildProcess): Promise<string> {
  let text = '';
  for await (const chunk of child.stdout ?? []) text += String(chunk);
  return text;
}

function rateOf({ rate }: Sent): string {
  return Math.round(rate).toLocaleString('en-US');
}

/** How many events that were answered with 200 are not in the database. */
async function lostOf(store: Store, mark: string, { sent, refused }: Sent): Promise<number> {
  const rows = await run(
    store.read,
    sql<{ output: string }>`select output from runtime_events where output like ${`${mark} %`}`,
  );
  const there = new Set(rows.map(({ output }) => Number(output.slice(mark.length + 1).split(':', 1)[0])));
  const unanswered = new Set(refused);
  let lost = 0;
  for (let n = 0; n < sent; n += 1) if (!unanswered.has(n) && !there.has(n)) lost += 1;
  return lost;
}

/** Waits until every event is decided; gives the milliseconds. */
async function untilDecided({ read }: Store): Promise<number> {
  const began = performance.now();
  for (;;) {
    const rows = await run(read, sql`select id from runtime_events where decided_at is null limit 1`);
    if (rows.length === 0) return Math.round(performance.now() - began);
    await sleep(20);
  }
}

/** The certificates of a detector, as the service keeps them in its directory. */
async function bundleOf(folder: string): Promise<string> {
  const bundle = join(folder, 'bundle');
  mkdirSync(bundle);
  const secret = keptFile(join(folder, 'data', 'detector.json'));
  for (;;) {
    const kept = readDetectorData((await secret.read())?.data ?? {});
    if (kept === null) {
      await sleep(100);
      continue;
    }
    const { authority, client } = kept;
    for (const [name, text] of [
      ['ca.crt', authority.cert],
      ['client.crt', client.cert],
      ['client.key', client.key],
    ] as const)
      writeFileSync(join(bundle, name), text, { mode: 0o600 });
    return bundle;
  }
}

/** The largest memory in megabytes until it is asked. */
function watchMemory(daemon: Parted): { end(): number } {
  let most = 0;
  const timer = setInterval(() => (most = Math.max(most, memoryOf(daemon))), 500);
  return {
    end() {
      clearInterval(timer);
      return Math.max(most, memoryOf(daemon));
    },
  };
}

/** Megabytes of every process of a daemon, what they share once, as a container is charged. */
function memoryOf(daemon: Parted): number {
  const pids = [daemon.pid('ipod')].flatMap((pid) => (pid === null ? [] : treeOf(pid)));
  const kilobytes = pids.map((pid) => {
    try {
      return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
    } catch {
      return 0; // it ended meanwhile
    }
  });
  return Math.round(kilobytes.reduce((sum, kb) => sum + kb, 0) / 1024);
}

function treeOf(pid: number): readonly number[] {
  let children: readonly number[] = [];
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    children = text === '' ? [] : text.split(' ').map(Number);
  } catch {
    // It ended meanwhile.
  }
  return [pid, ...children.flatMap(treeOf)];
}
