import { spawn } from 'node:child_process';
import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { entryOf, groupsOf, inTurns } from './test/groups.ts';

/**
 * What `npm test` runs: node's test runner over all test files, or over those that are named (`npm test -- 'test/store/*.test.ts'`). Flags go
 * to the runner. A file by itself needs none of this: `node --test FILE`.
 */
const ROOT = resolve(import.meta.dirname, '..');
const ENTRIES = '.tmp/tests';
const given = process.argv.slice(2);
const flags = given.filter((word) => word.startsWith('-'));
const patterns = given.filter((word) => !word.startsWith('-'));
const files = globSync(patterns.length === 0 ? 'test/**/*.test.ts' : patterns, { cwd: ROOT });
if (files.length === 0) {
  process.stderr.write(`No test file is named ${patterns.join(' or ')}\n`);
  process.exit(2);
}

rmSync(join(ROOT, ENTRIES), { recursive: true, force: true });
mkdirSync(join(ROOT, ENTRIES), { recursive: true });
const programs = inTurns(groupsOf(ROOT, files)).map((group, n) => {
  const [first] = group;
  const name =
    group.length === 1 ? basename(first, '.test.ts') : dirname(first).split('/').slice(1).join('-');
  const program = `${ENTRIES}/${n}-${name}.mjs`;
  writeFileSync(join(ROOT, program), entryOf(group, '../..'));
  return program;
});
const runner = [
  ...['--test', '--test-concurrency=3'],
  ...['--test-global-setup=test/setup.ts', '--test-reporter=spec', ...flags, ...programs],
];
const child = spawn(process.execPath, runner, { cwd: ROOT, stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => (process.exitCode = code ?? 1));
