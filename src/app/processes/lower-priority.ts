import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, setPriority } from 'node:os';

/** How long the program may take that changes the class; without an answer the nice value has to do. */
const CHRT_MS = 2_000;

/**
 * lowerPriority lets this process go behind those of a lower number: all of its threads, the engine's own helpers among them, where the
 * system tells them (each has a priority of its own on Linux), and those that they start.
 */
export function lowerPriority(nice: number): void {
  setPriority(nice);
  for (const thread of listed(() => readdirSync('/proc/self/task'))) {
    try {
      setPriority(Number(thread), nice);
    } catch {
      // it has ended
    }
  }
}

/**
 * toIdleClass moves this process, what it has started and what it will start to the scheduler's class for idle time (`SCHED_IDLE` of Linux).
 * A process of another class keeps a woken one waiting until its slice ends, some 3 ms, whatever its nice value is; one of this class
 * yields at once. Beside busy processes of others it gets nothing, nor with a single processor beside a busy webhook: then it does nothing.
 * Node.js cannot do it by itself; `chrt` is a program of util-linux, and in our image. Where it is absent or refused nothing changes.
 */
export function toIdleClass(): void {
  if (process.platform !== 'linux' || availableParallelism() < 2) return;
  for (const pid of [process.pid, ...children()]) moveToIdleClass(pid);
}

/** moveToIdleClass does it to another process, whatever the number of processors is. */
export function moveToIdleClass(pid: number): void {
  spawnSync('chrt', ['--all-tasks', '--idle', '--pid', '0', String(pid)], {
    env: { PATH: process.env['PATH'] },
    stdio: 'ignore',
    timeout: CHRT_MS,
  });
}

/** Processes that this one has started, by any of its threads. */
function children(): readonly number[] {
  return listed(() => readdirSync('/proc/self/task'))
    .flatMap((thread) => listed(() => readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' ')))
    .map(Number)
    .filter((pid) => pid > 0);
}

/** What the system lists; nothing where it does not, or no longer. */
function listed(read: () => readonly string[]): readonly string[] {
  try {
    return read();
  } catch {
    return [];
  }
}
