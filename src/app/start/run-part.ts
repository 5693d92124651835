import { flushCompileCache } from 'node:module';
import { takeConfig } from '../processes/carried-config.ts';
import { serveWith, type BasisOptions, type ServeBasis, type Serving } from './serve-with.ts';
import { channelLink } from '../processes/channel-link.ts';
import type { Link } from '../processes/link.ts';
import { lowerPriority, toIdleClass } from '../processes/lower-priority.ts';
import {
  BEAT_MS,
  LOWER_BY,
  type FromPart,
  type PartName,
  type PartSetup,
  type ToPart,
} from '../processes/part-messages.ts';
import { StopSignals } from '../processes/stop-signals.ts';

/** RunPartOptions are what a program of a part hands over. */
export interface RunPartOptions {
  readonly name: PartName;
  readonly process: NodeJS.Process;
  write(line: string): void;
  /** Starts the part. */
  start(basis: ServeBasis, begun: BegunPart): Promise<Serving>;
}

/** BegunPart is what a part has of its supervisor. */
export interface BegunPart {
  /** To the other part. */
  readonly link: Link;
  /** How often this part was started again. */
  readonly lives: number;
  /** Lets the other part open the database, which is up to date. */
  migrated(): void;
}

/**
 * runPart runs one part of a service as a process of a supervisor, and gives the exit code. It obeys only the supervisor, signals of a
 * terminal are not for it; without the supervisor it ends at once. Throws what keeps it from starting.
 */
export async function runPart({ name, process, write, start }: RunPartOptions): Promise<number> {
  const signals = new StopSignals();
  const begun = Promise.withResolvers<PartSetup>();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  process.on('message', (message: ToPart) => {
    if (message.kind === 'begin') begun.resolve(message.setup);
    else if (message.kind === 'stop') signals.came(message.signal);
  });
  // What was answered is in the database or in the spool; nobody is left who would start anything again.
  process.on('disconnect', () => process.exit(3));
  for (const out of [process.stdout, process.stderr]) out.on('error', () => {});
  const link = channelLink(process);
  const { config: carried, lives } = await begun.promise;
  const config = takeConfig(carried);
  const tell = (message: FromPart): void => {
    process.send?.(message, undefined, undefined, () => {});
  };
  const goBehind = (): void => {
    const nice = LOWER_BY[name];
    if (nice === 0) return;
    lowerPriority(nice);
    if (config.settings.backgroundPriority === 'idle') toIdleClass();
  };
  if (lives > 0) goBehind();
  const options: BasisOptions = {
    write,
    part: name,
    process: {
      on: (event: string, listener: (...args: never[]) => void) =>
        event.startsWith('SIG')
          ? signals.on(listener as never)
          : process.on(event as never, listener as never),
      off: (event: string, listener: (...args: never[]) => void) =>
        event.startsWith('SIG') ? signals.off() : process.off(event as never, listener as never),
      exit: (code) => process.exit(code),
    } as BasisOptions['process'],
  };
  const started = (): void => {
    // In a later life it is behind already, with all that it started since.
    if (lives === 0) goBehind();
    tell({ kind: 'started' });
    // At an end in order Node writes it by itself; a part that is killed would leave nothing for its next life.
    flushCompileCache();
    setInterval(() => tell({ kind: 'beat' }), BEAT_MS).unref();
  };
  return serveWith(config, options, async (basis) => ({
    ...(await start(basis, { link, lives, migrated: () => tell({ kind: 'migrated' }) })),
    started,
  }));
}
