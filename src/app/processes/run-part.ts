import { EventEmitter } from 'node:events';
import { serveWith, type BasisOptions, type ServeBasis, type Serving } from '../serve-with.ts';
import { channelLink } from './channel-link.ts';
import type { Link } from './link.ts';
import { lowerPriority } from './lower-priority.ts';
import { BEAT_MS, type FromPart, type PartName, type PartSetup, type ToPart } from './part-messages.ts';

/** RunPartOptions are what a program of a part hands over. */
export interface RunPartOptions {
  readonly name: PartName;
  readonly process: NodeJS.Process;
  write(line: string): void;
  /** Starts the part, with its link to the other one; `lives`: how often it was started again. */
  start(basis: ServeBasis, link: Link, lives: number): Promise<Serving>;
}

/** Above 0: what else the service does goes behind reviews. */
const NICE: Readonly<Record<PartName, number>> = { webhook: 0, service: 10 };

/**
 * runPart runs one part of a service as a process of a supervisor, and gives the exit code. It obeys the supervisor alone, signals of a
 * terminal are not for it; without the supervisor it ends at once. Throws what keeps it from starting.
 */
export async function runPart({ name, process, write, start }: RunPartOptions): Promise<number> {
  const signals = new EventEmitter();
  const begun = Promise.withResolvers<PartSetup>();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  process.on('message', (message: ToPart) => {
    if (message.kind === 'begin') begun.resolve(message.setup);
    else if (message.kind === 'stop') signals.emit(message.signal, message.signal);
  });
  // What was answered is in the database or in the spool; nobody is left who would start anything again.
  process.on('disconnect', () => process.exit(3));
  process.stdout.on('error', () => {});
  const link = channelLink(process);
  const { file, lives } = await begun.promise;
  const tell = (message: FromPart): void => {
    process.send?.(message, undefined, undefined, () => {});
  };
  const lower = NICE[name];
  if (lower > 0) lowerPriority(lower);
  const options: BasisOptions = {
    ...{ sources: { file, env: process.env }, write, part: name },
    process: {
      on: (event: string, listener: (...args: never[]) => void) =>
        (event.startsWith('SIG') ? signals : process).on(event as never, listener as never),
      off: (event: string, listener: (...args: never[]) => void) =>
        (event.startsWith('SIG') ? signals : process).off(event as never, listener as never),
      exit: (code) => process.exit(code),
    } as BasisOptions['process'],
  };
  const started = (): void => {
    tell({ kind: 'started' });
    setInterval(() => tell({ kind: 'beat' }), BEAT_MS).unref();
  };
  return serveWith(options, async (basis) => ({ ...(await start(basis, link, lives)), started }));
}
