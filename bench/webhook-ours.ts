import { join } from 'node:path';
import { openFileSpool } from '../src/adapters/spool/index.ts';
import { Exposure } from '../src/pods/index.ts';
import { Reviewer, ReviewTally } from '../src/admission/index.ts';
import { Appender, type Timers } from '../src/ledger/index.ts';
import { ledgerWriter, openStore } from '../src/store/index.ts';
import { AdmissionFacts } from '../src/store/admission/facts.ts';
import { AdmissionPolicies } from '../src/store/admission/policies.ts';

/** timers are those of the process; none keeps it alive. */
export const timers: Timers = {
  after: (ms, act) => {
    const timer = setTimeout(act, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** log prints warnings and errors on stderr. */
export const log = { debug: () => {}, info: () => {}, warn: warn, error: warn };

function warn(message: string, keys: object = {}): void {
  process.stderr.write(
    `${message} ${JSON.stringify(keys, (_, value: unknown) => (value instanceof Error ? value.stack : value))}\n`,
  );
}

/** openReviewer joins the webhook but for its port over `webhook.db` of a folder, with its upkeep, as the service does. */
export async function openReviewer(folder: string): Promise<{ reviewer: Reviewer; tally: ReviewTally }> {
  // As the webhook's part does: other processes write to the file as well, and wait for it.
  const store = await openStore({ url: `sqlite:${join(folder, 'webhook.db')}`, turn: 'first' });
  const clock = { now: () => Date.now() };
  const spool = await openFileSpool({
    directory: join(folder, 'spool'),
    log,
    maxRows: 10_000,
    maxBytes: 67_108_864,
  });
  const count = { add: () => {} };
  const writer = ledgerWriter(store);
  await writer.follow();
  const appender = new Appender({ writer, spool, timers, log, count });
  const policies = new AdmissionPolicies(store, clock, log);
  const facts = new AdmissionFacts(store);
  await policies.refresh();
  await facts.warm();
  const tally = new ReviewTally();
  setInterval(() => {
    void policies.refresh();
    void facts.refresh();
  }, 500).unref();
  setInterval(() => tally.flush(count), 1000).unref();
  const reviewer = new Reviewer(
    {
      ...{ policies, facts, ledger: appender, tally, clock, timers, log },
      ...{ exposure: new Exposure([], []), lookup: null, names: null, scans: null, events: null },
    },
    { cluster: 'bench', coldImagePolicy: 'AllowAndScan', failurePolicy: 'Ignore' },
  );
  return { reviewer, tally };
}
