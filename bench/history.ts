import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { NEW_AS_NEW } from '../src/app/programs/worker-entry.ts';

/** Line prints a figure beside what it must be. */
type Line = (name: string, figure: string, must: string) => void;

interface Measured {
  readonly findings: { readonly rows: number; readonly bytes: number };
  readonly scans: { readonly rows: number; readonly bytes: number };
  /** Milliseconds of a scan without news, and of its part in the history. */
  readonly whole: number;
  readonly own: number;
}

/** What the figure is told for. */
const AT_ONCE = 10_000;
const DAYS = 400;

/**
 * benchHistory prints what the history of findings and scans costs for 10,000 images with 300 findings each, scanned daily for 400 days,
 * measured on a share of the images. `database` names another database than SQLite, such as `postgres://…`.
 */
export function benchHistory(directory: string, line: Line, images = 100): void {
  const urls = [`sqlite:${join(directory, 'history.db')}`];
  const other = process.env['IPO_BENCH_DATABASE'];
  if (other !== undefined) urls.push(other);
  for (const url of urls) {
    const measure = join(import.meta.dirname, 'history-measure.ts');
    const child = spawnSync(process.execPath, [NEW_AS_NEW, measure, url, String(images)], {
      encoding: 'utf8',
    });
    if (child.status !== 0) throw new Error(`measuring the history failed: ${child.stderr}`);
    const { findings, scans, whole, own } = JSON.parse(child.stdout) as Measured;
    const perImage = (findings.bytes + scans.bytes) / images;
    const engine = url.startsWith('sqlite:') ? 'SQLite' : 'PostgreSQL';
    line(
      `history of ${AT_ONCE.toLocaleString('en-US')} images over ${DAYS} days, ${engine}`,
      `${((perImage * AT_ONCE) / 1e9).toFixed(2)} GB`,
      'below 2 GB',
    );
    line('  an image with its findings and scans', `${(perImage / 1000).toFixed(1)} kB`, '');
    line(
      `  a finding (${Math.round(findings.rows / images)} of an image in that time), a scan`,
      `${(findings.bytes / findings.rows).toFixed(0)} and ${(scans.bytes / scans.rows).toFixed(0)} bytes`,
      '',
    );
    line(
      '  a scan that reports what the last one did, of one without history',
      `${(whole / (whole - own)).toFixed(2)} (${whole.toFixed(1)} ms)`,
      'at most 1.5',
    );
  }
}
