import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { ROWS_A_DAY } from './ledger-store.ts';

/** Line prints a figure beside what it must be. */
type Line = (name: string, figure: string, must: string) => void;

interface Measured {
  readonly [name: string]: number;
}

const FEW = 10_000;

/**
 * benchLedger prints the figures of the ledger in a store: how fast it is written, how large it is, how fast it is replayed and
 * verified, and how that grows. Each measurement is a process of its own, replays at the low priority of the service's.
 */
export function benchLedger(directory: string, rows: number, line: Line): void {
  const [small, large] = [join(directory, 'few.db'), join(directory, 'many.db')];
  const number = (value: number): string => Math.round(value).toLocaleString('en-US');
  const ms = (value: number | undefined): string => `${(value ?? NaN).toFixed(1)} ms`;

  measure('build', small, FEW);
  const built = measure('build', large, rows);
  line(`ledger of ${number(rows)} rows built`, `${number((built.ms ?? NaN) / 1000)} s`, '');
  line(
    '  bytes a row, with indexes and tree',
    (statSync(large).size / rows).toFixed(0),
    'at most 400, aim 200',
  );

  const newest = measure('newest', large);
  const few = measure('newest', small);
  line('what-if over the newest 5,000, answer included', ms(newest.ms), 'at most 50 ms, aim 15');
  line('  the first in a process', ms(newest.first), '');
  line(
    `  of that over ${number(FEW)} rows`,
    ((newest.ms ?? NaN) / (few.ms ?? NaN)).toFixed(2),
    'at most 1.5',
  );
  const period = measure('period', large);
  const whole = 30 * ROWS_A_DAY;
  const seconds = (period.ms ?? NaN) / 1000;
  line(
    `what-if over all ${number(period.evaluated ?? NaN)} rows of 30 days`,
    `${seconds.toFixed(1)} s, ${number(period.rss ?? NaN)} MB`,
    `at most 5 s for ${number(whole)}, aim 2`,
  );
  const verified = measure('verify', large);
  line(
    `verification of ${number(rows)} rows`,
    `${((verified.ms ?? NaN) / 1000).toFixed(1)} s, ${number(verified.rss ?? NaN)} MB`,
    'at most 120 s for 10,000,000, aim 45',
  );
  line(
    '  of a bare SHA-256 of the leaves',
    `${(verified.worst ?? NaN).toFixed(2)} (median ${(verified.median ?? NaN).toFixed(2)})`,
    'at least 0.30, aim 0.60',
  );

  const append = measure('append', large);
  line(
    'group commit of 256 rows, of raw append with fdatasync',
    `${(append.worst ?? NaN).toFixed(2)} (median ${(append.median ?? NaN).toFixed(2)})`,
    'at least 0.30, aim 0.50',
  );
  line('  rows a second', number(append.rate ?? NaN), '');
  line(
    'group commit of 256 rows, of a bare table of better-sqlite3',
    `${(append.worstOfBare ?? NaN).toFixed(2)} (median ${(append.medianOfBare ?? NaN).toFixed(2)})`,
    'at least 0.40, aim 0.55',
  );
}

function measure(what: string, file: string, rows = 0): Measured {
  const args = [join(import.meta.dirname, 'ledger-measure.ts'), what, `sqlite:${file}`, String(rows)];
  const low = what === 'newest' || what === 'period';
  const child = low
    ? spawnSync('nice', ['-n', '19', process.execPath, ...args], { encoding: 'utf8' })
    : spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (child.status !== 0) throw new Error(`measuring ${what} failed: ${child.stderr}`);
  return JSON.parse(child.stdout) as Measured;
}
