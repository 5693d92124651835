import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { benchApiServer } from './api-server.ts';
import { benchAttack } from './attack.ts';
import { benchBackup } from './backup.ts';
import { writeBigLedger } from './big-ledger.ts';
import { benchEvidence } from './evidence.ts';
import { benchHistory } from './history.ts';
import { benchInventory } from './inventory.ts';
import { benchLedger } from './ledger.ts';
import { benchNotify } from './notify.ts';
import { benchReport } from './report.ts';
import { benchRoutes } from './routes.ts';
import { benchRuntime } from './runtime.ts';
import { benchStalls } from './stalls.ts';
import { benchSweep } from './sweep.ts';
import { benchTurns } from './turns.ts';
import { benchWebhook } from './webhook.ts';

/** What it measures, by flag. */
const PARTS: Readonly<Record<string, string>> = {
  '--ledger': 'the ledger in a store',
  '--sweep': 'the closing sweep of the trackers',
  '--inventory': 'the lists of images and vulnerabilities',
  '--turns': 'two processes that write to one file',
  '--evidence': 'packages, beside exports and verification of the same rows, and the webhook beside one',
  '--history': 'what evidence is made of; beside SQLite in the database that IPO_BENCH_DATABASE names',
  '--webhook': 'the webhook, with a real API server where one is given',
  '--attack': "what calls of the API do to the webhook's answers",
  '--notify': 'what a storm of events does to them',
  '--runtime': 'what events of the runtime detector do to them, and their replay',
  '--routes': 'how long calls of the API hold its event loop up',
  '--backup': 'backups, restores, and the webhook beside one',
  '--stalls': "the first review after a start, and how long the webhook's event loop stands still",
};
const SIZES: Readonly<Record<string, string>> = {
  '--quick': 'a tenth of the rows',
  '--large': 'ten times as many rows for the ledger in a store',
};
const HELP = `Usage: node bench/run.ts [flags]

Prints the figures of the project as ratios taken in one run, in rotated rounds, since machines drift by
more than the differences that matter. The worst round counts. Without a flag of a part all are measured.

${[...Object.entries(PARTS), ...Object.entries(SIZES)].map(([flag, text]) => `  ${flag.padEnd(12)} ${text}`).join('\n')}
`;
const unknown = process.argv.slice(2).find((flag) => !(flag in PARTS) && !(flag in SIZES));
if (unknown !== undefined) {
  const isHelp = unknown === '--help' || unknown === '-h';
  if (isHelp) process.stdout.write(HELP);
  else process.stderr.write(`unknown flag ${unknown}\n\n${HELP}`);
  process.exit(isHelp ? 0 : 2);
}

const ROOT = resolve(import.meta.dirname, '..');
const ROUNDS = 5;
const START_ROUNDS = 5;
const IMAGE = `registry.shop.example/checkout/api:1.0@sha256:${'a'.repeat(64)}`;
const SMALL = process.argv.includes('--quick') ? 100_000 : 1_000_000;
const directory = mkdtempSync(join(tmpdir(), 'ipo-bench-'));

interface Measured {
  readonly count: number;
  readonly ms: number;
  /** Processor time of the work in milliseconds, of all threads. */
  readonly cpu: number;
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
  const chosen = Object.keys(PARTS).filter((flag) => process.argv.includes(flag));
  const measures = (flag: string): boolean => chosen.length === 0 || chosen.includes(flag);
  if (measures('--ledger'))
    benchLedger(directory, process.argv.includes('--large') ? 10_000_000 : SMALL, line);
  if (measures('--backup')) await benchBackup(directory, SMALL, line, process.argv.includes('--quick'));
  if (measures('--evidence')) await benchEvidence(directory, SMALL, line, process.argv.includes('--quick'));
  if (measures('--sweep')) benchSweep(directory, line);
  if (measures('--inventory')) benchReport(directory, line);
  if (measures('--inventory'))
    benchInventory(directory, line, process.argv.includes('--quick') ? 2000 : 10_000);
  if (measures('--history')) benchHistory(directory, line, process.argv.includes('--quick') ? 30 : 100);
  if (measures('--turns'))
    await benchTurns(directory, line, process.argv.includes('--quick') ? 1000 : 10_000);
  if (measures('--webhook')) {
    await benchWebhook(line, process.argv.includes('--quick'));
    await benchApiServer(line, process.argv.includes('--quick'));
  }
  if (measures('--stalls')) await benchStalls(line, process.argv.includes('--quick'));
  if (measures('--routes')) await benchRoutes(directory, line, process.argv.includes('--quick'));
  if (measures('--notify')) await benchNotify(line, process.argv.includes('--quick'));
  if (measures('--runtime')) await benchRuntime(line, process.argv.includes('--quick'));
  if (measures('--attack')) await benchAttack(line, process.argv.includes('--quick'));
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

  const [wall, cpu]: [number[], number[]] = [[], []];
  let smallMs = Infinity;
  for (let round = 0; round < ROUNDS; round += 1) {
    const [scan, replay] =
      round % 2 === 0
        ? [measure('scan', small), measure('replay', small)]
        : [measure('replay', small), measure('scan', small)].toReversed();
    if (scan === undefined || replay === undefined) throw new Error('not measured');
    wall.push(scan.ms / replay.ms);
    cpu.push(scan.cpu / replay.cpu);
    smallMs = Math.min(smallMs, replay.ms);
  }
  const least = (shares: readonly number[]): string => {
    const sorted = shares.toSorted((a, b) => a - b);
    return `${(sorted[0] ?? NaN).toFixed(2)} (median ${(sorted[sorted.length >> 1] ?? NaN).toFixed(2)})`;
  };
  line(
    `replay of ${number(SMALL)} rows, of a bare JSON.parse scan: CPU`,
    least(cpu),
    'at least 0.80, aim 0.95',
  );
  line('  the same: wall, on two cores', least(wall), 'at least 1.0, aim 1.4');
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
  const draft = 'fixtures/policies/tighten.yaml';
  const commands: Readonly<Record<string, readonly string[]>> = {
    '--version': ['--version'],
    '--help': ['--help'],
    whatif: ['whatif', draft, '--ledger', 'fixtures/ledger/shop.ndjson.gz'],
    lint: ['policy', 'lint', draft],
    // By its digest, and in a namespace of its own: what nothing is known of is undecided, and is not a failure here.
    check: ['check', '--offline', '--policy', draft, '--allow-undecided', IMAGE],
  };
  const starts: Record<string, number[]> = {};
  for (let round = 0; round < START_ROUNDS; round += 1) {
    const floor = wholeProcess('-e', '0');
    for (const [name, words] of Object.entries(commands))
      (starts[name] ??= []).push(wholeProcess(ipo, ...words) / floor);
  }
  const worst = (name: string): string => {
    const ratios = (starts[name] ?? []).toSorted((x, y) => x - y);
    return `${(ratios.at(-1) ?? NaN).toFixed(2)} (median ${(ratios[ratios.length >> 1] ?? NaN).toFixed(2)})`;
  };
  line('ipo --version, of `node -e 0`', worst('--version'), 'at most 1.7, aim 1.3');
  line('ipo --help, of `node -e 0`', worst('--help'), 'at most 1.7, aim 1.3');
  line('ipo whatif over the fixture ledger, of `node -e 0`', worst('whatif'), 'at most 5.5, aim 4');
  line('ipo policy lint, of `node -e 0`', worst('lint'), 'at most 2.5, aim 2');
  line('ipo check --offline, of `node -e 0`', worst('check'), 'at most 3, aim 2.5');
}
