import { openTrivy } from '../../src/adapters/trivy/run.ts';
import type { Log } from '../../src/base/index.ts';
import { ScanGate } from '../../src/scan/scan-gate.ts';
import { ScanWorker } from '../../src/scan/worker.service.ts';
import { openStore } from '../../src/store/engine/open.ts';
import { scanQueue } from '../../src/store/scans/queue.ts';
import { forgiveAttempt, scanSubjects } from '../../src/store/scans/subjects.ts';
import { scanStore } from '../../src/store/scans/scans.ts';

/** A worker in a process of its own, which a test kills. Arguments: database, program, directory, present in milliseconds. */
const [url = '', program = '', directory = '', at = ''] = process.argv.slice(2);
// The test has just made the tables: to compare them would be half of what a start costs.
const store = await openStore({ url, checked: true });
const silent = (): void => {};
const log: Log = { debug: silent, info: silent, warn: silent, error: console.error };
const scanner = await openTrivy({
  ...{
    program,
    directory,
    atOnce: 2,
    timeoutMs: 60_000,
    server: null,
    platform: 'linux/amd64',
    update: true,
  },
  ...{ databases: { vulnerabilities: null, java: null }, memory: null, env: process.env },
});
await scanner.refresh(new AbortController().signal);
const worker = new ScanWorker({
  ...{ queue: scanQueue(store), scans: scanStore(store), subjects: scanSubjects(store), scanner },
  ...{
    keychain: null,
    rescans: null,
    gate: new ScanGate(),
    atOnce: 2,
    clock: { now: () => Number(at) },
    log,
  },
  ...{
    together: (act) => store.write(act),
    forgive: forgiveAttempt(store),
    took: silent,
    count: { add: silent },
  },
});
await worker.run();
await worker.idle();
await store.close();
