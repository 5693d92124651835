import { openDetectorListener, type DetectorListener } from '../../api/index.ts';
import type { Keys, Log } from '../../base/index.ts';
import { EventQueue } from '../../runtime/index.ts';
import { openStore, runtimeIntake, type Store } from '../../store/index.ts';
import { lowerPriority } from '../processes/lower-priority.ts';
import { toCarriedFault } from '../programs/carried-fault.ts';
import type { DetectorSetup, FromDetector, ToDetector } from './protocol.ts';
import { DetectorCounter } from './counter.ts';

/** Channel is the process as it speaks to the one that started it. */
export type Channel = Pick<NodeJS.Process, 'on' | 'send' | 'exit' | 'connected'>;

/** Admissions have priority over events. */
const NICE = 10;
/** Connections to PostgreSQL: one writes. */
const POOL = 2;
const LOOK_MS = 200;
/** How often what was dropped is written to the day of the cluster. */
const DROPPED_MS = 10_000;
/** At an end that nobody asks for, as the other end is gone. */
const GRACE_MS = 2_000;

/**
 * runDetectorWorker is the process that takes events of the runtime detector: it listens, keeps them, and tells what came to the one that
 * started it. It ends with it. Signals of the terminal are the other's to answer.
 */
export function runDetectorWorker(channel: Channel): void {
  lowerPriority(NICE);
  const tell = (message: FromDetector): void => {
    if (channel.connected) channel.send?.(message, undefined, undefined, () => {});
  };
  let taking: Taking | null = null;
  let ended = false;
  const end = async (graceMs: number): Promise<void> => {
    if (ended) return;
    ended = true;
    await taking?.end(graceMs).catch(() => {});
    channel.exit(0);
  };
  const begin = async (setup: DetectorSetup): Promise<void> => {
    try {
      taking = await takeEvents(setup, tell);
      tell({ kind: 'listens', port: taking.port });
    } catch (error) {
      tell({ kind: 'failed', fault: toCarriedFault(error) });
      channel.exit(1);
    }
  };
  channel.on('message', (message: ToDetector) => {
    if (message.kind === 'end') void end(message.graceMs);
    else if (message.kind === 'door') taking?.listener.replace(message.door);
    else void begin(message.setup);
  });
  channel.on('disconnect', () => void end(GRACE_MS));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) channel.on(signal, () => {});
}

interface Taking {
  readonly listener: DetectorListener;
  readonly port: number;
  end(graceMs: number): Promise<void>;
}

async function takeEvents(setup: DetectorSetup, tell: (message: FromDetector) => void): Promise<Taking> {
  const clock = { now: () => Date.now() };
  const log = toldLog(tell);
  await using opened = new AsyncDisposableStack();
  const store: Store = await openStore({ url: setup.url, poolSize: POOL, turn: 'behind', checked: true });
  opened.adopt(store, () => store.close());
  const intake = runtimeIntake(store);
  const { cluster, host, port, door } = setup;
  const queue = new EventQueue({ intake, cluster, log, monotonic: () => performance.now() });
  const counter = new DetectorCounter(clock);
  const listener = openDetectorListener({ queue, door, tally: counter, clock, log });
  const address = await listener.listen(host, port);
  const tellCounts = (): void => {
    const counts = counter.taken();
    if (counts !== null) tell({ kind: 'counts', ...counts });
  };
  const look = setInterval(() => {
    queue.look();
    tellCounts();
  }, LOOK_MS);
  const writeDropped = async (): Promise<void> => {
    const count = counter.unwritten();
    if (count === 0) return;
    await intake.dropped(cluster, clock.now(), count).then(
      () => counter.written(count),
      () => {}, // what cannot be written now is written later
    );
  };
  const drops = setInterval(() => void writeDropped(), DROPPED_MS);
  opened.move();
  return {
    listener,
    port: address.port,
    async end(graceMs) {
      await listener.close(graceMs);
      await queue.end();
      clearInterval(look);
      clearInterval(drops);
      await writeDropped();
      tellCounts();
      await store.close();
    },
  };
}

/** Errors go over the channel as texts. */
function toldLog(tell: (message: FromDetector) => void): Log {
  const at =
    (level: keyof Log) =>
    (message: string, { error, ...keys }: Keys = {}) =>
      tell({
        kind: 'log',
        level,
        message,
        keys: {
          ...keys,
          ...(error !== undefined && { error: error instanceof Error ? error.message : 'unknown fault' }),
        },
      });
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
