import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { openFileSpool } from '../src/adapters/spool/index.ts';
import { Exposure, Reviewer, ReviewTally } from '../src/admission/index.ts';
import { openListener } from '../src/api/admission/index.ts';
import { Appender, type Timers } from '../src/ledger/index.ts';
import { ledgerWriter, openStore } from '../src/store/index.ts';
import { AdmissionFacts } from '../src/store/admission-facts.ts';
import { AdmissionPolicies } from '../src/store/admission-policies.ts';

/**
 * A server to measure, in a process of its own: `webhook-server.ts bare|ours FOLDER`. `bare` answers a fixed body over `node:https`,
 * `ours` is the webhook with a durable ledger. Tells its port, then its use of the machine each time it is asked.
 */
const [what, folder = ''] = process.argv.slice(2);
const certificate = {
  cert: readFileSync(join(folder, 'bench.crt'), 'utf8'),
  key: readFileSync(join(folder, 'bench.key'), 'utf8'),
};
const timers: Timers = {
  after: (ms, act) => {
    const timer = setTimeout(act, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
const log = { debug: () => {}, info: () => {}, warn: warn, error: warn };

function warn(message: string, keys: object = {}): void {
  process.stderr.write(
    `${message} ${JSON.stringify(keys, (_, value: unknown) => (value instanceof Error ? value.stack : value))}\n`,
  );
}

process.send?.({ port: await (what === 'bare' ? bare() : ours()) });
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpu: (user + system) / 1e6, rss: process.memoryUsage.rss() / 1048576 });
});

async function bare(): Promise<number> {
  const answer =
    '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"00000000-0000-4000-8000-000000000000","allowed":true}}';
  const server = createServer(certificate, (request, response) => {
    request.resume();
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length });
      response.end(answer);
    });
  });
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function ours(): Promise<number> {
  const store = await openStore({ url: `sqlite:${join(folder, 'webhook.db')}` });
  const clock = { now: () => Date.now() };
  const spool = await openFileSpool({
    directory: join(folder, 'spool'),
    log,
    maxRows: 10_000,
    maxBytes: 67_108_864,
  });
  const count = { add: () => {} };
  const appender = new Appender({ writer: ledgerWriter(store), spool, timers, log, count });
  const policies = new AdmissionPolicies(store, clock, log);
  const facts = new AdmissionFacts(store);
  await policies.refresh();
  await facts.warm();
  const tally = new ReviewTally();
  setInterval(() => {
    void policies.refresh();
    void facts.refresh();
    tally.flush(count);
  }, 1000).unref();
  const reviewer = new Reviewer(
    {
      ...{ policies, facts, ledger: appender, tally, clock, timers, log },
      ...{ exposure: new Exposure([], []), lookup: null, names: null, scans: null, events: null },
    },
    { cluster: 'bench', coldImagePolicy: 'AllowAndScan', failurePolicy: 'Ignore' },
  );
  const listener = openListener({ reviewer, tally, certificate, log, timers });
  return (await listener.listen('127.0.0.1', 0)).port;
}
