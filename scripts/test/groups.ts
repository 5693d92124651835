import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The most files that share a process. */
const MOST = 8;

/**
 * What a file has that is about its whole process: it starts others or threads, changes the environment, measures memory, or has a hook that
 * must run before its first test and would come too late for one that runs behind another file.
 */
const APART =
  /node:(?:child_process|worker_threads|cluster)|process\.(?:env\[|chdir|exitCode|memoryUsage|kill|on\()|^before(?:Each)?\(|^afterEach\(/m;

/** Group is test files that run in one process, one after the other. Paths from the root of the project. */
export type Group = readonly [string, ...string[]];

/**
 * groupsOf joins test files of a folder, up to eight, into groups that share a process: to load the same modules for each of them again takes
 * longer than most of their tests. A file that is about its process has one of its own.
 */
export function groupsOf(root: string, files: readonly string[]): Group[] {
  const groups: [string, ...string[]][] = [];
  const open = new Map<string, [string, ...string[]]>();
  for (const file of files.toSorted()) {
    const folder = dirname(file);
    const group = open.get(folder);
    const isApart = APART.test(readFileSync(join(root, file), 'utf8'));
    if (!isApart && group !== undefined && group.length < MOST) {
      group.push(file);
      continue;
    }
    const own: [string, ...string[]] = [file];
    groups.push(own);
    if (!isApart) open.set(folder, own);
  }
  return groups;
}

/** LONGEST are the files that take longest, or wait longest for what they start. */
export const LONGEST: readonly string[] = [
  'test/trackers/fault-matrix.test.ts',
  'test/evidence/kill.test.ts',
  'test/daemon/parts-kill.test.ts',
  'test/ledger/kill.test.ts',
  'test/trackers/real-process.test.ts',
  'test/app/whatif-equality.test.ts',
  'test/distribution/release.test.ts',
  'test/app/route-costs.test.ts',
  'test/cli/examples.test.ts',
  'test/supply-chain/verify-fuzz.test.ts',
  'test/kubernetes/failover.test.ts',
  'test/backup/kill.test.ts',
  'test/distribution/image.test.ts',
  'test/store/migrate-processes.test.ts',
];

/**
 * inTurns mixes files that wait for processes of theirs with groups that compute, so that neither the processors nor the places of the runner
 * idle. The longest begin first: everything would wait in the end for one that begins last.
 */
export function inTurns(groups: readonly Group[]): Group[] {
  const long = LONGEST.flatMap((file) => groups.filter((group) => group.includes(file)));
  const others = groups.filter((group) => !long.includes(group));
  const [own, shared] = [
    others.filter(({ length }) => length === 1),
    others.filter(({ length }) => length > 1),
  ];
  const longer = own.length > shared.length ? own : shared;
  const turns = longer.flatMap((_, n) => [own[n], shared[n]].filter((group) => group !== undefined));
  return [...new Set([...long, ...turns])];
}

/** entryOf is the program of a group: each file in turn. One that cannot be loaded fails by itself. `up` leads from the program to the root. */
export function entryOf(group: Group, up: string): string {
  return [
    `import ${JSON.stringify(`${up}/scripts/test/test-of-call.ts`)};`,
    // Behind that, which a static import would not be: Node loads its own modules before it runs any.
    `const { test } = await import('node:test');`,
    ...group.map((file) => {
      const path = JSON.stringify(`${up}/${file}`);
      return `await import(${path}).catch((error) => test(${JSON.stringify(file)}, () => { throw error; }));`;
    }),
    '',
  ].join('\n');
}
