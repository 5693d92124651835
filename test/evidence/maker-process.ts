import { keepInChild } from '../../src/app/evidence/child.ts';
import { evidenceJobs } from '../../src/app/evidence/jobs.ts';
import type { KeepTask } from '../../src/app/evidence/keep.ts';
import { openStore, packageStore, packageWork } from '../../src/store/index.ts';

/**
 * A replica that makes evidence packages, as the service does, and ends when its parent does: `maker-process.ts TASK`. A test kills it, or the
 * process that it starts.
 */
const { silence, ...task } = JSON.parse(process.argv[2] ?? '') as Omit<KeepTask, 'claimed'> & {
  readonly silence: number;
};
process.on('disconnect', () => process.exit());
const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
void (async () => {
  const store = await openStore({ url: task.url, migrate: false, checked: true, poolSize: 2 });
  const [job] = evidenceJobs({
    ...{ task, silence, days: 0, log: quiet, count: { add: () => {} } as never },
    work: packageWork(store),
    store: packageStore(store),
    checkpoint: async () => undefined,
    stamp: () => Promise.reject(new Error('no time stamp is asked for')),
    retention: { now: async () => Date.now() },
    clock: { now: () => Date.now() },
    monotonic: () => performance.now(),
    make: (one, stamp, signal) => keepInChild(one, stamp, signal, { comes: false }),
  });
  const { signal } = new AbortController();
  for (;;) {
    await job?.run(signal);
    await new Promise((next) => setTimeout(next, 20));
  }
})();
