import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Chunk } from './parts.ts';
import type { Said } from './reporter.ts';
import type { Failure, Outcome } from './state.ts';

/** Flags of the runner, as for all test files (`scripts/test.ts`). */
const RUNNER = ['--test', '--test-global-setup=test/setup.ts'];

/** Of what a file wrote to stderr, so much is kept of its end. */
const STDERR_CHARS = 6000;

/** shareOf gives what `IPO_TORTURE` is for a chunk. */
export function shareOf({ part, of }: Chunk, seed: number): string {
  return `${part}/${of}:${seed}`;
}

/** commandOf gives the command that runs a chunk by itself. */
export function commandOf(chunk: Chunk, seed: number): string {
  return `IPO_TORTURE=${shareOf(chunk, seed)} node ${RUNNER.join(' ')} ${chunk.file}`;
}

/** runChunk runs a chunk in a process of its own; null when the signal ended it. `heard` is called with each test that ended. */
export async function runChunk(
  chunk: Chunk,
  seed: number,
  { root, signal, heard }: { root: string; signal: AbortSignal; heard: (line: string) => void },
): Promise<Outcome | null> {
  const started = new Date().toISOString();
  const args = [...RUNNER, '--test-reporter=./scripts/torture/reporter.ts'];
  const child = spawn(process.execPath, [...args, '--test-reporter-destination=stdout', chunk.file], {
    cwd: root,
    env: { ...process.env, IPO_TORTURE: shareOf(chunk, seed) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // It ends its files and its database server itself.
  const stop = (): void => void child.kill('SIGTERM');
  signal.addEventListener('abort', stop, { once: true });
  const counts: Record<string, number> = {};
  const skipped: string[] = [];
  const failures: Failure[] = [];
  let tests = 0;
  let stderr = '';
  const reader = createInterface({ input: child.stdout });
  reader.on('line', (line) => {
    const said = parseSaid(line);
    if (said === null) return;
    if (said.kind === 'counted') {
      for (const [what, count] of Object.entries(said.counts)) counts[what] = (counts[what] ?? 0) + count;
    } else if (said.kind === 'stderr') {
      stderr = (stderr + said.text).slice(-STDERR_CHARS);
    } else if (said.kind === 'failure') {
      failures.push({ name: said.name, message: said.message });
      heard(`✖ ${said.name}`);
    } else if (said.skip !== null) {
      skipped.push(`${said.name}: ${said.skip}`);
    } else {
      tests += 1;
      heard(`✔ ${said.name} (${lengthOf(said.ms)})`);
    }
  });
  const [code] = await Promise.all([
    new Promise<number | null>((resolve, reject) => child.on('exit', resolve).on('error', reject)),
    new Promise<void>((resolve) => reader.on('close', resolve)),
  ]);
  signal.removeEventListener('abort', stop);
  if (signal.aborted) return null;
  if (code !== 0 && failures.length === 0)
    failures.push({ name: chunk.file, message: `its process ended with ${code ?? 'a signal'}` });
  const [whole] = failures;
  if (whole?.name === chunk.file && stderr !== '')
    failures[0] = { name: whole.name, message: `${whole.message}\n${stderr}` };
  const ended = new Date().toISOString();
  return { passed: failures.length === 0, started, ended, tests, counts, skipped, failures };
}

function parseSaid(line: string): Said | null {
  try {
    return JSON.parse(line) as Said;
  } catch {
    return null;
  }
}

/** lengthOf writes milliseconds as people say them. */
export function lengthOf(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
