import { execFileSync } from 'node:child_process';

/** sourceCommit is the commit that is built: SOURCE_COMMIT, else that of the checkout at `root`; null where neither is known. */
export function sourceCommit(root: string): string | null {
  const given = process.env['SOURCE_COMMIT'] ?? '';
  if (/^[0-9a-f]{7,64}$/.test(given)) return given;
  try {
    const asked = ['-C', root, 'rev-parse', '--show-prefix', 'HEAD'];
    const [prefix, commit = ''] = execFileSync('git', asked, { stdio: ['ignore', 'pipe', 'ignore'] })
      .toString()
      .split('\n');
    // A copy inside somebody else's checkout is not of its commit.
    return prefix === '' && /^[0-9a-f]{40,64}$/.test(commit) ? commit : null;
  } catch {
    return null; // no git, or no checkout
  }
}
