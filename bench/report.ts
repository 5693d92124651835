import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** benchReport prints what a report of 900 findings takes, beside JSON.parse of it. */
export function benchReport(
  directory: string,
  line: (name: string, figure: string, must: string) => void,
): void {
  const args = [join(import.meta.dirname, 'report-measure.ts'), `sqlite:${join(directory, 'report.db')}`];
  const child = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (child.status !== 0) throw new Error(`measuring a report failed: ${child.stderr}`);
  const { bytes, parse, read, stored } = JSON.parse(child.stdout) as Record<string, number>;
  const times = (ms = NaN): string => `${(ms / (parse ?? NaN)).toFixed(2)} (${ms.toFixed(1)} ms)`;
  line(
    `a report of 900 findings, ${((bytes ?? 0) / 1e6).toFixed(1)} MB, read: of JSON.parse`,
    times(read),
    '',
  );
  line('  to a stored record', times(stored), 'at most 3');
}
