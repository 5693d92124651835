import { readdirSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * lowerPriority lets this process go behind those of a lower number: all of its threads, the engine's own helpers among them, where the
 * system tells them (each has a priority of its own on Linux), and those that they start.
 */
export function lowerPriority(nice: number): void {
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
