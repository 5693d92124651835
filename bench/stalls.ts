import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { sha256Hex } from '../src/base/index.ts';
import { keepLog } from '../src/app/index.ts';
import { severityRank, type Finding } from '../src/findings/index.ts';
import { openStore, scanStore, type Store } from '../src/store/index.ts';
import { makeCertificate, withoutOpenssl } from '../test/app/certificate.ts';
import { buildStore, ENDS_AT } from './ledger-store.ts';
import type { Stalls } from './loop-stalls.ts';

/** Line prints a figure beside what it must be. */
type Line = (name: string, figure: string, must: string) => void;

const HERE = import.meta.dirname;
const ROUNDS = 5;
const RATE = 300;
/** Rows in the open segment of the ledger at a start. */
const OPEN = 65_000;
/** A ledger so long that its open segment becomes full while it is measured. */
const ROWS = 15 * 65_536 + 64_000;
const IMAGES = 400;
/** Findings of an image, and how often another image is scanned again meanwhile. */
const FINDINGS = 600;
const SCANNED_EVERY = 250;
const SEVERITIES = ['HIGH', 'MEDIUM', 'LOW'] as const;

/** benchStalls prints how long the first review after a start takes, and how long the webhook's event loop stands still. */
export async function benchStalls(line: Line, quick: boolean): Promise<void> {
  if (withoutOpenssl !== false) {
    line('stalls', 'not measured', withoutOpenssl);
    return;
  }
  await firstReview(line);
  await longestStall(line, quick);
}

async function firstReview(line: Line): Promise<void> {
  await using bench = await Bench.build(OPEN);
  const [starts, firsts]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    const began = performance.now();
    const server = await bench.start('0');
    starts.push(performance.now() - began);
    firsts.push((await load(server.port, 1)).answeredP99);
    await server.stop();
  }
  line(
    `first review after a start, ${OPEN.toLocaleString('en-US')} rows open`,
    `${spread(firsts)} ms`,
    'at most 30 ms, aim 15',
  );
  line('  the start until it is ready', `${spread(starts)} ms`, '');
}

async function longestStall(line: Line, quick: boolean): Promise<void> {
  await using bench = await Bench.build(quick ? ROWS - 8 * 65_536 : ROWS);
  const count = RATE * (quick ? 60 : 600);
  for (const [all, what] of [
    ['0', "longest stall of the webhook's loop"],
    ['1', '  with the tree and the states of images beside it'],
  ] as const) {
    const server = await bench.start(all);
    await load(server.port, 3000); // compiled once it is measured
    await server.stalls();
    const scans = bench.scan();
    const { p99 } = await load(server.port, count);
    const { longest, busiest } = await server.stalls();
    await scans.stop();
    await server.stop();
    line(what, `${longest.toFixed(1)} ms`, 'at most 20 ms, aim 10');
    line('    of it on a processor; p99 of the reviews', `${busiest.toFixed(1)}; ${p99.toFixed(1)} ms`, '');
  }
}

/** Bench is a folder with a ledger in it, and the servers on it. */
class Bench {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  static async build(rows: number): Promise<Bench> {
    const folder = mkdtempSync(join(tmpdir(), 'ipo-bench-stalls-'));
    const bench = new Bench(folder);
    makeCertificate(folder, 'bench');
    await buildStore(bench.#url, rows);
    const store = await openStore({ url: bench.#url });
    for (let image = 0; image < IMAGES; image += 1) await scanAgain(store, image, 0);
    await store.close();
    return bench;
  }

  get #url(): string {
    return `sqlite:${join(this.#folder, 'stalls.db')}`;
  }

  /** `all`: see `stalls-server.ts`. */
  async start(all: '0' | '1'): Promise<Server> {
    const child = fork(join(HERE, 'stalls-server.ts'), [this.#folder, all], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      execArgv: ['--max-semi-space-size=16', '--heap-growing-percent=40'], // as the image starts the daemon
    });
    const [{ port }] = (await once(child, 'message')) as [{ port: number }];
    return new Server(child, port);
  }

  /** Scans one image after another again, as another process of a service does. */
  scan(): { stop(): Promise<void> } {
    const stopping = new AbortController();
    const scanning = (async (): Promise<void> => {
      const store = await openStore({ url: this.#url, turn: 'behind' });
      const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
      const kept = keepLog({ url: this.#url, log: quiet, metrics: { set: () => {} } });
      for (let n = 1; !stopping.signal.aborted; n += 1) {
        await scanAgain(store, n % IMAGES, n);
        await sleep(SCANNED_EVERY);
      }
      await kept.close();
      await store.close();
    })();
    return {
      stop: () => {
        stopping.abort();
        return scanning;
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

class Server {
  readonly #child: ChildProcess;
  readonly port: number;

  constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  async stalls(): Promise<Stalls> {
    this.#child.send('stalls');
    const [stalls] = (await once(this.#child, 'message')) as [Stalls];
    return stalls;
  }

  async stop(): Promise<void> {
    this.#child.kill();
    await once(this.#child, 'exit');
  }
}

async function load(
  port: number,
  count: number,
): Promise<{ readonly p99: number; readonly answeredP99: number }> {
  const args = [join(HERE, 'webhook-load.ts'), port, 50, count, RATE].map(String);
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  for await (const chunk of child.stdout) text += String(chunk);
  const result = JSON.parse(text) as { p99: number; answeredP99: number; count: number };
  if (result.count !== count) throw new Error(`not every call was answered: ${text}`);
  return result;
}

/** Records a scan of one image whose findings are those of round `n`, in pieces, as the service does. */
async function scanAgain(store: Store, image: number, n: number): Promise<void> {
  const scannedAt = new Date(Date.parse('2026-11-20T05:00:00Z') + n * 1000).toISOString();
  const findings = Array.from({ length: FINDINGS }, (_, i): Finding => {
    const severity = SEVERITIES[i % 3] ?? 'LOW';
    return {
      ...{ cve: `CVE-20${10 + ((i + n) % 16)}-${1000 + i}`, severity, rank: severityRank(severity) ?? 0 },
      ...{ package: `package-${i}`, installed: `1.${i}.0`, fixed: i % 3 === 0 ? null : `1.${i}.1` },
      ...{ knownExploited: false, triagedUntil: null, triagedUntilMs: -Infinity, purl: null },
    };
  });
  await scanStore(store).record({
    digest: `sha256:${sha256Hex(`image ${image}`)}`,
    names: [`registry.shop.example/team-${image % 23}/service-${image}`],
    ...{ source: null, at: ENDS_AT + n },
    scan: {
      ...{ scannedAt, scanner: { name: 'trivy', version: '0.72.0', dbUpdatedAt: '2026-11-20T00:00:00Z' } },
      ...{ os: { family: 'debian', name: '13.1', eosl: false }, findings },
    },
  });
}

/** The worst, with the median. */
function spread(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  return `${(sorted.at(-1) ?? NaN).toFixed(1)} (median ${(sorted[sorted.length >> 1] ?? NaN).toFixed(1)})`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await benchStalls(
    (name, figure, must) => process.stdout.write(`${name.padEnd(58)} ${figure.padStart(22)}   ${must}\n`),
    process.argv.includes('--quick'),
  );
}
