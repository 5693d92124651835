import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { benchApiServer } from './api-server.ts';
import { writeBigLedger } from './big-ledger.ts';
import { benchHistory } from './history.ts';
import { benchInventory } from './inventory.ts';
import { benchLedger } from './ledger.ts';
import { benchReport } from './report.ts';
import { benchSweep } from './sweep.ts';
import { benchWebhook } from './webhook.ts';

/**
 * Prints the figures of the project as ratios taken in one run, in rotated rounds, since machines drift by more than
 * the differences that matter. The worst round counts. `--quick` takes a tenth of the rows; `--large` ten times as many for the
 * ledger in a store; `--ledger`, `--sweep` (the closing sweep of the trackers), `--inventory` (the lists of images and vulnerabilities), `--history` (what evidence is
 * made of; beside SQLite in the database that `IPO_BENCH_DATABASE` names) and `--webhook` (with a real API server where
 * one is given) measure that alone.
 */
const ROOT = resolve(import.meta.dirname, '..');
const ROUNDS = 3;
const SMALL = process.argv.includes('--quick') ? 100_000 : 1_000_000;
const directory = mkdtempSync(join(tmpdir(), 'ipo-bench-'));

interface Measured {
  readonly count: number;
  readonly ms: number;
  readonly rss: number;
}

function measure(...args: string[]): Measured {
  const child = spawnSync(process.execPath, [join(ROOT, 'bench/measure.ts'), ...args], { encoding: 'utf8' });
  if (child.status !== 0) throw new Error(`measure ${args.join(' ')} failed: ${child.stderr}`);
  return JSON.parse(child.stdout) as Measured;
}

/** Milliseconds of a whole process: the median of some runs, after one that fills the caches. */
function wholeProcess(...args: string[]): number {
  const once = (): number => {
    const began = performance.now();
    const child = spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'ignore' });
    if (child.status !== 0) throw new Error(`${args.join(' ')} exits with ${child.status}`);
    return performance.now() - began;
  };
  once();
  const times = Array.from({ length: 9 }, once).toSorted((a, b) => a - b);
  return times[4] ?? NaN;
}

function line(name: string, figure: string, must: string): void {
  process.stdout.write(`${name.padEnd(58)} ${figure.padStart(22)}   ${must}\n`);
}

const number = (value: number): string => Math.round(value).toLocaleString('en-US');

try {
  const chosen = ['--history', '--inventory', '--ledger', '--sweep', '--webhook'].filter((flag) =>
    process.argv.includes(flag),
  );
  const measures = (flag: string): boolean => chosen.length === 0 || chosen.includes(flag);
  if (measures('--ledger'))
    benchLedger(directory, process.argv.includes('--large') ? 10_000_000 : SMALL, line);
  if (measures('--sweep')) benchSweep(directory, line);
  if (measures('--inventory')) benchReport(directory, line);
  if (measures('--inventory'))
    benchInventory(directory, line, process.argv.includes('--quick') ? 2000 : 10_000);
  if (measures('--history')) benchHistory(directory, line, process.argv.includes('--quick') ? 30 : 100);
  if (measures('--webhook')) {
    await benchWebhook(line, process.argv.includes('--quick'));
    await benchApiServer(line, process.argv.includes('--quick'));
  }
  if (chosen.length === 0) await benchFiles();
} finally {
  rmSync(directory, { recursive: true, force: true });
}

/** The figures of exports and of the command line. */
async function benchFiles(): Promise<void> {
  const small = join(directory, 'small.ndjson');
  const large = join(directory, 'large.ndjson');
  await writeBigLedger(small, SMALL);
  await writeBigLedger(large, SMALL * 5);

  const shares: number[] = [];
  let smallMs = Infinity;
  for (let round = 0; round < ROUNDS; round += 1) {
    const [scan, replay] =
      round % 2 === 0
        ? [measure('scan', small), measure('replay', small)]
        : [measure('replay', small), measure('scan', small)].toReversed();
    if (scan === undefined || replay === undefined) throw new Error('not measured');
    shares.push(scan.ms / replay.ms);
    smallMs = Math.min(smallMs, replay.ms);
  }
  line(
    `replay of ${number(SMALL)} rows, of a bare JSON.parse scan`,
    Math.min(...shares).toFixed(2),
    'at least 0.60, aim 0.80',
  );
  const five = measure('replay', large);
  line(`replay of ${number(SMALL * 5)} rows: memory`, `${number(five.rss)} MB`, 'at most 300 MB');
  line(
    '  time per row, of that of a fifth of the rows',
    (five.ms / smallMs / 5).toFixed(2),
    'about 1: linear',
  );

  const rates = Array.from({ length: ROUNDS }, () => measure('decide')).map(
    ({ count, ms }) => count / (ms / 1000),
  );
  line('decisions a second, every gate on', number(Math.min(...rates)), 'at least 1,000,000');
  const patterned = Array.from({ length: ROUNDS }, () => measure('decide-patterns')).map(
    ({ count, ms }) => count / (ms / 1000),
  );
  line(
    '  with signers by patterns, of the rate with exact ones',
    (Math.max(...patterned) / Math.max(...rates)).toFixed(2),
    'about 1: compiled once',
  );

  if (!existsSync(join(ROOT, 'dist/main.cjs')))
    throw new Error('run `npm run build` first: the start is measured on the bundle');
  const ipo = join(ROOT, 'bin/ipo.cjs');
  const whatif = [
    ipo,
    'whatif',
    'fixtures/policies/tighten.yaml',
    '--ledger',
    'fixtures/ledger/shop.ndjson.gz',
  ];
  const starts: Record<string, number[]> = { '--version': [], '--help': [], whatif: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    const floor = wholeProcess('-e', '0');
    starts['--version']?.push(wholeProcess(ipo, '--version') / floor);
    starts['--help']?.push(wholeProcess(ipo, '--help') / floor);
    starts.whatif?.push(wholeProcess(...whatif) / floor);
  }
  const worst = (name: string): string => Math.max(...(starts[name] ?? [])).toFixed(2);
  line('ipo --version, of `node -e 0`', worst('--version'), 'at most 1.7, aim 1.3');
  line('ipo --help, of `node -e 0`', worst('--help'), 'at most 1.7, aim 1.3');
  line('ipo whatif over the fixture ledger, of `node -e 0`', worst('whatif'), 'at most 8, aim 4');
}
