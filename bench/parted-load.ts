import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism, setPriority } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { moveToIdleClass } from '../src/app/processes/lower-priority.ts';
import { statusOf, type Parted } from '../test/daemon/parts.ts';

/** Line prints a figure: what it is, the figure, and what it must be. */
export type Line = (name: string, figure: string, must: string) => void;

/** Load is what a load of reviews measured, in milliseconds. */
export interface Load {
  readonly p50: number;
  readonly p99: number;
  readonly count: number;
  readonly statuses: Readonly<Record<string, number>>;
}

const HERE = import.meta.dirname;
const RATE = 300;

/** AS_IN_IMAGE are settings of a daemon as the image has them. */
export const AS_IN_IMAGE = { IPO_BACKGROUND_PRIORITY: 'idle' };

/** standAside is for what stands for machines of others: it must not take the processors from what is measured. */
export function standAside({ pid = 0 }: ChildProcess): void {
  setPriority(pid, 10);
  moveToIdleClass(pid);
}

/** untilReady waits until a daemon answers reviews and calls. */
export async function untilReady(daemon: Parted): Promise<void> {
  for (;;) {
    const answer = await fetch(`${daemon.api}/readyz`).catch(() => null);
    if (answer?.ok === true && (await statusOf(daemon.port, '/readyz')) === 200) return;
    await sleep(100);
  }
}

/**
 * loadOf sends 300 reviews a second for some seconds from a process of its own. It stands for the API server, which is on another machine: with
 * a nice value of 10 the webhook has the processors before it. As its equal it would put the webhook in debt to the scheduler, which the
 * webhook then pays behind work of the class for idle time as well.
 */
export async function loadOf({ port }: Parted, seconds: number): Promise<Load> {
  const words = [join(HERE, 'webhook-load.ts'), port, 50, RATE * seconds, RATE].map(String);
  const child = spawn(process.execPath, words, {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  setPriority(child.pid ?? 0, 10);
  let text = '';
  for await (const chunk of child.stdout) text += String(chunk);
  return JSON.parse(text) as Load;
}

/** endOf ends a process that runs until its input ends. */
export async function endOf(child: ChildProcess): Promise<void> {
  child.stdin?.end();
  await once(child, 'exit');
}

/**
 * besideScript loads a daemon while a script of this folder works, whose own start is not measured: it says a line once it has begun, and one
 * when its input has ended. Gives that one as well.
 */
export async function besideScript(
  daemon: Parted,
  seconds: number,
  [script, ...words]: readonly [script: string, ...words: string[]],
): Promise<{ readonly load: Load; readonly said: string }> {
  const child = spawn(process.execPath, [join(HERE, script), ...words], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  await lines.next();
  await sleep(1000);
  const load = await loadOf(daemon, seconds);
  const ended = endOf(child);
  const said = String((await lines.next()).value);
  await ended;
  return { load, said };
}

/** unansweredOf counts the reviews that got no answer. */
export function unansweredOf({ statuses }: Load): number {
  return Object.entries(statuses).reduce((sum, [status, n]) => sum + (status === '200' ? 0 : n), 0);
}

/** medianAndWorst writes ratios of rounds. */
export function medianAndWorst(ratios: readonly number[]): string {
  const sorted = ratios.toSorted((a, b) => a - b);
  return `${sorted[sorted.length >> 1]?.toFixed(2)}; worst ${sorted.at(-1)?.toFixed(2)}`;
}

/** pairs writes milliseconds of rounds, without and with what is measured. */
function pairs(of: readonly (readonly [number, number])[]): string {
  return of.map((two) => two.map((ms) => ms.toFixed(1)).join('/')).join(' ');
}

const ROUNDS = 7;

/** Beside is what is measured with reviews and without: the daemon, seconds of each load, and where figures are printed. */
interface Beside {
  readonly daemon: Parted;
  readonly seconds: number;
  readonly line: Line;
}

/** What a load is compared with. */
type Computing = 'nice 19' | 'idle';
const CONTROLS: Readonly<Record<Computing, string>> = {
  'nice 19': 'a process of nice 19 that only computes',
  idle: 'a process for each processor that only computes, in the class for idle time',
};

/**
 * benchBeside prints by how much the p99 of the webhook at 300 reviews a second is moved by something, quiet and beside it in rotated rounds.
 * Below it stands by how much processes move it that have nothing to do with the service: they only compute. One with a nice value of 19, as
 * background work is where the class for idle time cannot be had; or, beside a load that keeps every processor busy in that class, one for each.
 */
export async function benchBeside(
  { daemon, seconds, line }: Beside,
  what: string,
  must: string,
  beside: () => Promise<Load>,
  control: Computing = 'nice 19',
): Promise<void> {
  const loads = [() => loadOf(daemon, seconds), beside, () => besideComputing(daemon, seconds, control)];
  const rounds: number[][] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const p99s: number[] = [];
    for (let turn = 0; turn < loads.length; turn += 1) {
      const which = (round + turn) % loads.length;
      p99s[which] = (await loads[which]?.())?.p99 ?? NaN;
    }
    rounds.push(p99s);
  }
  const print = (name: string, which: number, limit: string): void => {
    const p99s = rounds.map((one) => [one[0] ?? NaN, one[which] ?? NaN] as const);
    line(name, medianAndWorst(p99s.map(([alone, together]) => together / alone)), limit);
    line('  milliseconds quiet and beside it', pairs(p99s), '');
  };
  print(what, 1, must);
  print(`  of this machine: beside ${CONTROLS[control]}`, 2, '');
}

/** secondsOf gives how long one load lasts: with 300 reviews a second a p99 of a few seconds is that of a few reviews. */
export function secondsOf(quick: boolean): number {
  return quick ? 3 : 20;
}

/**
 * warmUp sends reviews until the engine has compiled what answers them, and the jobs have caught up with a ledger that was made without them,
 * which takes half a minute for a million rows.
 */
export async function warmUp(daemon: Parted, quick: boolean): Promise<void> {
  await loadOf(daemon, quick ? 3 : 60);
}

async function besideComputing(daemon: Parted, seconds: number, how: Computing): Promise<Load> {
  const children = Array.from({ length: how === 'idle' ? availableParallelism() : 1 }, () => {
    const child = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
    if (how === 'idle') standAside(child);
    else setPriority(child.pid ?? 0, 19);
    return child;
  });
  await sleep(500);
  try {
    return await loadOf(daemon, seconds);
  } finally {
    for (const child of children) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  }
}
