import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ledgerWriter, openStore } from '../src/store/index.ts';
import { withoutOpenssl } from '../test/app/certificate.ts';
import { startRunning } from '../test/app/running.ts';
import { entriesFrom } from '../test/ledger/grown.ts';
import { openParted, PROCESSES, type Parted } from '../test/daemon/parts.ts';
import {
  AS_IN_IMAGE,
  benchBeside,
  endOf,
  loadOf,
  secondsOf,
  standAside,
  unansweredOf,
  untilReady,
  warmUp,
  type Line,
  type Load,
} from './parted-load.ts';

const HERE = import.meta.dirname;
/** Rows of one transaction while the ledger is filled. */
const GROUP = 5_000;

/**
 * benchAttack prints by how much a viewer who calls the API for as much as possible moves the webhook's p99 at 300 reviews a second: the
 * whole daemon as processes, idle and attacked in turns. On SQLite, and on the PostgreSQL that IPO_BENCH_DATABASE names.
 */
export async function benchAttack(line: Line, quick: boolean): Promise<void> {
  if (withoutOpenssl !== false) {
    line('webhook under attack', 'not measured', withoutOpenssl);
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'ipo-bench-attack-'));
  const ends: (() => unknown)[] = [];
  try {
    const server = process.env['IPO_BENCH_DATABASE'];
    const databases = [`sqlite:${join(folder, 'attack.db')}`, ...(server === undefined ? [] : [server])];
    for (const url of databases) await attackOn(url, folder, line, quick, ends);
  } finally {
    for (const end of ends.toReversed()) await end();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function attackOn(
  url: string,
  folder: string,
  line: Line,
  quick: boolean,
  ends: (() => unknown)[],
): Promise<void> {
  const engine = url.startsWith('sqlite:') ? 'SQLite' : 'PostgreSQL';
  const rows = quick ? 50_000 : 600_000;
  const running = await startRunning(
    { after: (end: () => unknown) => ends.push(end) } as unknown as TestContext,
    {
      env: { IPO_DATABASE_URL: url },
    },
  );
  const token = running.secretOf('viewer') ?? '';
  await running.service.close(0);
  await fill(url, rows);
  const daemon = await openParted(join(folder, engine), url, AS_IN_IMAGE);
  daemon.start();
  ends.push(() => daemon.end());
  await untilReady(daemon);
  const seconds = secondsOf(quick);
  await warmUp(daemon, quick);
  let [resident, own] = [0, 0];
  let unanswered = 0;
  const attacked = async (): Promise<Load> => {
    const attack = spawn(process.execPath, [join(HERE, 'attack-load.ts'), daemon.api, token], {
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    standAside(attack);
    await sleep(1500);
    const load = await loadOf(daemon, seconds);
    resident = Math.max(resident, memoryOf(daemon, 'Rss'));
    own = Math.max(own, memoryOf(daemon, 'Pss'));
    unanswered += unansweredOf(load);
    await endOf(attack);
    await sleep(1500);
    return load;
  };
  await benchBeside(
    { daemon, seconds, line },
    `p99 at 300/s on ${engine}, 40 calls of each list, 20 exports: of idle`,
    'at most 1.20; worst 1.50',
    attacked,
    'idle',
  );
  line(
    '  reviews without an answer; memory of all processes, as they share it',
    `${unanswered}; ${resident}, ${own} MB`,
    '0; at most 700 MB',
  );
  await daemon.end();
}

/** Without the tree, which the daemon makes with its own key. */
async function fill(url: string, rows: number): Promise<void> {
  const store = await openStore({ url });
  const writer = ledgerWriter(store);
  for (let from = 1; from <= rows; from += GROUP) await writer.appendAll(entriesFrom(from, GROUP));
  await store.close();
}

/** Megabytes of every process: `Rss` counts what they share once for each, `Pss` once for all, as a container is charged. */
function memoryOf(daemon: Parted, kind: 'Rss' | 'Pss'): number {
  const pages = PROCESSES.map((name) => {
    const pid = daemon.pid(name);
    if (pid === null) return 0;
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    return Number(new RegExp(`^${kind}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0);
  });
  return Math.round(pages.reduce((sum, kb) => sum + kb, 0) / 1024);
}
