import { execFileSync } from 'node:child_process';

/** commitTime is the time that all files of the image get, in seconds: `SOURCE_DATE_EPOCH`, else the time of the commit, else 0. */
export function commitTime(root: string): number {
  const given = process.env['SOURCE_DATE_EPOCH'];
  if (given !== undefined && given !== '') {
    if (!/^\d{1,11}$/.test(given)) throw new Error(`SOURCE_DATE_EPOCH is not a number of seconds: ${given}`);
    return Number(given);
  }
  return Number(git(root, ['log', '-1', '--format=%ct']) || 0);
}

function git(root: string, args: string[]): string {
  try {
    return execFileSync('git', args, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return '';
  }
}
