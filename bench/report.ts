import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { NEW_AS_NEW } from '../src/app/programs/worker-entry.ts';
import { spread } from './spread.ts';

/** benchReport prints the CPU that a report of 900 findings takes, beside JSON.parse of it in the same round. */
export function benchReport(
  directory: string,
  line: (name: string, figure: string, must: string) => void,
): void {
  const args = [
    NEW_AS_NEW,
    join(import.meta.dirname, 'report-measure.ts'),
    `sqlite:${join(directory, 'report.db')}`,
  ];
  const child = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (child.status !== 0) throw new Error(`measuring a report failed: ${child.stderr}`);
  const { bytes, rounds } = JSON.parse(child.stdout) as { bytes: number; rounds: readonly Times[] };
  const of = (name: keyof Times): string => {
    const ratios = rounds.map((round) => round[name] / round.parse).toSorted((a, b) => a - b);
    const ms = rounds.map((round) => round[name]).toSorted((a, b) => a - b)[rounds.length >> 1] ?? NaN;
    return `${spread(ratios, Math.max)}, ${ms.toFixed(1)} ms`;
  };
  line(
    `a report of 900 findings, ${(bytes / 1e6).toFixed(1)} MB, read: CPU of JSON.parse, worst of ${rounds.length} rounds`,
    of('read'),
    '',
  );
  line('  to a stored record of a new image', of('stored'), 'at most 2.5');
  line('  to a stored record where it found the same again', of('again'), 'at most 2.5');
}

type Times = Readonly<Record<'parse' | 'read' | 'stored' | 'again', number>>;
