import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { NEW_AS_NEW } from '../src/app/programs/worker-entry.ts';

/** Line prints a figure beside what it must be. */
type Line = (name: string, figure: string, must: string) => void;

interface Measured {
  /** Milliseconds of processor time, the best of some. */
  readonly few: number;
  readonly many: number;
  /** The large one by the small one: of the rounds the worst, and the one in the middle. */
  readonly worst: number;
  readonly median: number;
  /** Bytes held between pages, at most. */
  readonly held: number;
  readonly calls: number;
}

const [FEW, MANY] = [5000, 50_000];

/** benchSweep prints how a closing sweep with nothing to close grows with the rows that are open. */
export function benchSweep(directory: string, line: Line): void {
  const number = (value: number): string => Math.round(value).toLocaleString('en-US');
  const args = [join(directory, 'sweep-few.db'), String(FEW), join(directory, 'sweep-many.db'), String(MANY)];
  const child = spawnSync(
    process.execPath,
    ['--expose-gc', NEW_AS_NEW, join(import.meta.dirname, 'sweep-measure.ts'), ...args],
    { encoding: 'utf8' },
  );
  if (child.status !== 0) throw new Error(`measuring the sweep failed: ${child.stderr}`);
  const { few, many, worst, median, held, calls } = JSON.parse(child.stdout) as Measured;
  line(
    `sweep of ${number(MANY)} open rows, nothing to close, of ${number(FEW)}`,
    `${worst.toFixed(1)} (median ${median.toFixed(1)})`,
    'at most 12',
  );
  line('  processor time', `${number(few)} ms, ${number(many)} ms`, '');
  line('  calls to providers', number(calls), 'none');
  line('  memory held between pages', `${(held / 2 ** 20).toFixed(1)} MB`, 'flat: at most 4 MB');
}
