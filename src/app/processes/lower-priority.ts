import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { availableParallelism, setPriority } from 'node:os';

/** How long the program may take that changes the class; without an answer the nice value has to do. */
const CHRT_MS = 2_000;

/**
 * lowerPriority lets this process go behind those of a lower number: all of its threads, the engine's own helpers among them, where the
 * system tells them (each has a priority of its own on Linux), and those that they start. Where it can, it moves them to the scheduler's
 * class for idle time as well.
 */
export function lowerPriority(nice: number): void {
  lowerThreads(nice);
  if (hasIdleClass()) toIdleClass(process.pid);
}

/**
 * hasIdleClass tells whether background work may go to the class for idle time (`SCHED_IDLE` of Linux). A process of another class keeps a
 * woken one waiting until its slice ends, some 3 ms, whatever its nice value is; one of this class yields at once. With a single processor
 * it would get none at all beside a busy webhook.
 */
export function hasIdleClass(): boolean {
  return process.platform === 'linux' && availableParallelism() > 1;
}

/** Node.js cannot do it by itself; `chrt` is a program of util-linux, and in our image. Where it is absent the nice value stays. */
function toIdleClass(pid: number): void {
  spawnSync('chrt', ['--all-tasks', '--idle', '--pid', '0', String(pid)], {
    env: { PATH: process.env['PATH'] },
    stdio: 'ignore',
    timeout: CHRT_MS,
  });
}

function lowerThreads(nice: number): void {
  setPriority(nice);
  let threads: readonly string[];
  try {
    threads = readdirSync('/proc/self/task');
  } catch {
    return; // another system, where a process has one
  }
  for (const thread of threads) {
    try {
      setPriority(Number(thread), nice);
    } catch {
      // it has ended
    }
  }
}
