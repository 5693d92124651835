import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openFileSpool } from '../src/adapters/spool/index.ts';
import { Exposure } from '../src/pods/index.ts';
import { Reviewer, ReviewTally } from '../src/admission/index.ts';
import { openListener } from '../src/api/admission/index.ts';
import { openImages, readPolicies } from '../src/inventory/index.ts';
import { Appender, ClockWatch, LedgerTree, toSigner, type Timers } from '../src/ledger/index.ts';
import {
  AdmissionFacts,
  AdmissionPolicies,
  AdmissionScanFailures,
  imageStore,
  ledgerTree,
  ledgerWriter,
  openStore,
  policyReads,
  recordedTimes,
} from '../src/store/index.ts';
import { LoopStalls } from './loop-stalls.ts';

/**
 * A webhook with what works beside it in one process, to measure how long its event loop stands still: `stalls-server.ts FOLDER ALL`. ALL
 * `1`: with the tree and the states of images, as a service of one process; `0`: with only what the webhook itself keeps up to date. Tells
 * its port once it is ready; then, each time it is asked, the longest stall since.
 */
const [folder = '', all = '1'] = process.argv.slice(2);
const clock = { now: () => Date.now() };
const timers: Timers = {
  after: (ms, act) => {
    const timer = setTimeout(act, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
const warn = (message: string, keys: object = {}): void =>
  void process.stderr.write(
    `${message} ${JSON.stringify(keys, (_, value: unknown) => (value instanceof Error ? value.stack : value))}\n`,
  );
const log = { debug: () => {}, info: () => {}, warn, error: warn };
const count = { add: () => {} };

const store = await openStore({ url: `sqlite:${join(folder, 'stalls.db')}`, turn: 'first' });
const spool = await openFileSpool({
  directory: join(folder, 'spool'),
  log,
  maxRows: 10_000,
  maxBytes: 67_108_864,
});
const watch = new ClockWatch({ times: recordedTimes(store), clock, log, count });
const writer = ledgerWriter(store);
await writer.follow();
const appender = new Appender({ writer, spool, timers, log, count, watch });
const policies = new AdmissionPolicies(store, clock, log);
const facts = new AdmissionFacts(store);
const failures = new AdmissionScanFailures(store);
const tally = new ReviewTally();
await policies.refresh();
await facts.warm();
const reviewer = new Reviewer(
  {
    ...{ policies, facts, ledger: appender, tally, clock, timers, log },
    ...{ exposure: new Exposure([], []), lookup: null, names: null, scans: null, events: null },
  },
  { cluster: 'bench', coldImagePolicy: 'AllowAndScan', failurePolicy: 'Ignore' },
);
const certificate = {
  cert: readFileSync(join(folder, 'bench.crt'), 'utf8'),
  key: readFileSync(join(folder, 'bench.key'), 'utf8'),
};
const listener = openListener({ reviewer, tally, certificate, log, timers });

/** Does something again and again, one round at a time, as the jobs of the service do. */
function again(every: number, act: () => Promise<unknown>): void {
  setTimeout(() => {
    void act()
      .catch((error: unknown) => warn('a job of the benchmark fails', { error }))
      .finally(() => again(every, act));
  }, every).unref();
}

again(500, () => policies.refresh());
again(500, () => facts.refresh());
again(1000, () => failures.refresh());
again(1000, () => writer.follow());
again(15_000, () => watch.look());
again(1000, async () => tally.flush(count));
if (all === '1') {
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const tree = new LedgerTree({
    store: ledgerTree(store),
    signer: toSigner('ipo.dev/ledger/bench', pem),
    clock,
    log,
  });
  const images = openImages({
    store: imageStore(store),
    policies: readPolicies(policyReads(store), 'AllowAndScan'),
    coldImagePolicy: 'AllowAndScan',
    clock,
  });
  await tree.integrate();
  await images.refresh();
  // A checkpoint each minute would fall into a short run by chance: as many rows, more often.
  again(10_000, () => tree.integrate());
  again(15_000, () => images.refresh());
}

const { port } = await listener.listen('127.0.0.1', 0);
const stalls = new LoopStalls();
process.on('message', () => process.send?.(stalls.take()));
process.send?.({ port });
