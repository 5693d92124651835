import { setImmediate as turn } from 'node:timers/promises';
import { FactsCache, openStore, replaySource, type Store } from '../../store/index.ts';
import {
  loadPrinting,
  runWhatIf,
  type ReplayJob,
  type Replayed,
  type ReplaySource,
} from '../../whatif/index.ts';
import { lowerPriority } from '../processes/lower-priority.ts';
import { toCarriedFault } from '../programs/carried-fault.ts';
import type { FromWorker, ReplaySetup, ReplayTask, ToWorker } from './protocol.ts';

/** Lowest priority: admissions have priority over a replay. */
const NICE = 19;

/** Channel is the process as it speaks to the one that started it. */
export type Channel = Pick<NodeJS.Process, 'on' | 'send' | 'exit'>;

/**
 * runReplayWorker is the process in which replays run: it takes tasks from the one that started it, reads the ledger through
 * a connection that cannot write, and ends when the other end is gone. Signals of the terminal are the other's to answer.
 */
export function runReplayWorker(channel: Channel): void {
  lowerPriority(NICE);
  const running = new Map<number, AbortController>();
  let setup: ReplaySetup | null = null;
  let connection: Promise<Store> | null = null;
  const facts = new FactsCache();
  const tell = (message: FromWorker): void => void channel.send?.(message);
  const store = (): Promise<Store> => {
    if (setup === null) throw new TypeError('a task came before the setup');
    // One that could not be opened is tried again by the next task.
    connection ??= openStore({ url: setup.url, readOnly: true, poolSize: 1 }).catch((error: unknown) => {
      connection = null;
      throw error;
    });
    return connection;
  };
  const run = async (task: ReplayTask, signal: AbortSignal): Promise<Replayed | Uint8Array> => {
    if (task.task === 'print') return (await loadPrinting()).printRun(task.run);
    const opened = await store();
    const { coldImagePolicy } = setup as ReplaySetup;
    return replay(task.job, interruptible(await replaySource(opened, { coldImagePolicy, facts }), signal));
  };
  const begin = async (id: number, task: ReplayTask): Promise<void> => {
    const cancelled = new AbortController();
    running.set(id, cancelled);
    try {
      tell({ kind: 'done', id, value: await run(task, cancelled.signal) });
    } catch (error) {
      tell({ kind: 'failed', id, fault: toCarriedFault(error) });
    } finally {
      running.delete(id);
    }
  };
  channel.on('message', (message: ToWorker) => {
    if (message.kind === 'setup') {
      setup = message.setup;
      tell({ kind: 'ready' });
    } else if (message.kind === 'cancel')
      running.get(message.id)?.abort(new Error('the replay was cancelled'));
    else void begin(message.id, message.task);
  });
  channel.on('disconnect', () => channel.exit(0));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) channel.on(signal, () => {});
}

async function replay(job: ReplayJob, source: ReplaySource): Promise<Replayed> {
  const result = await runWhatIf(job, source);
  return {
    json: JSON.stringify(result),
    evaluated: result.evaluated,
    wouldDeny: result.would_deny,
    wouldAllow: result.would_allow,
    inputsDigest: result.inputs_digest,
  };
}

/** A walk over SQLite never waits, so it gives way after each batch: else no cancellation would be heard. */
function interruptible(source: ReplaySource, signal: AbortSignal): ReplaySource {
  return {
    ...source,
    async *rows(period) {
      for await (const batch of source.rows(period)) {
        yield batch;
        await turn();
        signal.throwIfAborted();
      }
    },
  };
}
