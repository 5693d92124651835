import { Exposure, type ExposureIndex, type PlatformOfNode } from '../../pods/index.ts';
import {
  Reviewer,
  ReviewTally,
  WantedScans,
  type WantedScansDeps,
  type DigestLookup,
  type FailurePolicy,
  type NameGate,
  type PolicySnapshot,
  type ReviewEvents,
} from '../../admission/index.ts';
import { Callers, openListener, type ServingCertificate } from '../../api/index.ts';
import type { Clock, Log } from '../../base/index.ts';
import type { ColdImagePolicy, LedgerAppend, Timers } from '../../ledger/index.ts';
import {
  AdmissionFacts,
  AdmissionPolicies,
  AdmissionScanFailures,
  scanQueue,
  type Store,
} from '../../store/index.ts';
import { scanObstacles } from '../scanning/obstacles.ts';
import { endsWithin } from '../running/timers.ts';
import type { ReviewsStatus } from './acts.ts';
import type { CountingMetrics } from './count-relay.ts';
import { Upkeep } from './upkeep.ts';

/** AdmissionDeps are what the webhook of a service is joined with. */
export interface AdmissionDeps {
  readonly store: Store;
  readonly ledger: LedgerAppend;
  readonly host: string;
  readonly port: number;
  /** Null until there is one. */
  readonly certificate: ServingCertificate | null;
  readonly cluster: string | null;
  readonly coldImagePolicy: ColdImagePolicy;
  readonly failurePolicy: FailurePolicy;
  /** By what the API server is known: the end of its path, its certificate. Neither, unless given: anyone who reaches the port. */
  readonly known?: {
    readonly path: boolean;
    readonly certificate: boolean;
    readonly names: readonly string[];
  };
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly metrics: CountingMetrics;
  /** Monotonic milliseconds; the process's own unless given. */
  readonly monotonic?: () => number;
  /** Of a cluster; absent, those of the database, nothing exposed, nothing metered, no registry asked, nobody told. */
  readonly policies?: PolicySnapshot;
  readonly exposure?: ExposureIndex;
  readonly names?: NameGate;
  readonly lookup?: DigestLookup;
  readonly platformOf?: PlatformOfNode;
  readonly events?: ReviewEvents;
  /** Asks for scans of digests; the queue's own unless given. */
  readonly requestScans?: WantedScansDeps['request'];
  /** Whether it listens before the database was read, and says meanwhile that it is not ready. */
  readonly listensFirst?: boolean | undefined;
  /** Has what is signed and stated of digests looked for; absent, nobody finds out. */
  readonly collect?: WantedScansDeps['request'];
}

/** ServiceAdmission is the webhook of a service. */
export interface ServiceAdmission {
  /** Reads the policies and listens. Gives the address taken. Throws `port_taken`. */
  listen(): Promise<{ readonly host: string; readonly port: number }>;
  health(): ReviewsStatus;
  /** Takes another certificate for connections from now on. */
  replaceCertificate(certificate: ServingCertificate): void;
  readonly callers: Callers;
  /** Trusts another authority of callers for connections from now on. */
  callersChanged(): void;
  /** To be called once a write has been committed: the next review here is decided by it. Rejects while the database does not answer. */
  inEffect(): Promise<void>;
  /** Ends in order; to be called before the ledger is closed. Milliseconds: see AdmissionListener. */
  close(drainMs: number, graceMs: number): Promise<void>;
}

/** How often memory is compared with the database: what another replica acknowledged is in effect here within a second. */
const COMPARED_EVERY = 500;
/** How often what was counted and asked for is handed over. */
const EVERY = 1000;
/**
 * At the end the database is waited for this many milliseconds, to hand over the scans that were asked for: one that hangs must leave the
 * rest of the time to the spool, and a scan is asked for again with the next pod.
 */
export const LAST_ASKED = 2000;

/** openAdmission joins the webhook; it answers from `listen` on. */
export function openAdmission(deps: AdmissionDeps): ServiceAdmission {
  const { store, ledger, clock, timers, log, metrics } = deps;
  const tally = new ReviewTally();
  const facts = new AdmissionFacts(store, deps.monotonic === undefined ? {} : { now: deps.monotonic });
  const failures = new AdmissionScanFailures(store);
  const own = deps.policies === undefined ? new AdmissionPolicies(store, clock, log) : null;
  const policies: PolicySnapshot = own ?? (deps.policies as PolicySnapshot);
  const queue = scanQueue(store);
  const request = deps.requestScans ?? ((digests, at) => queue.request(digests, null, at));
  const scans = new WantedScans({ request, clock, log });
  const proofs = deps.collect === undefined ? null : new WantedScans({ request: deps.collect, clock, log });
  const context = { policies, facts, ledger, scans, proofs, tally, clock, timers, log };
  const reviewer = new Reviewer(
    {
      ...context,
      exposure: deps.exposure ?? new Exposure([], []),
      names: deps.names ?? null,
      lookup: deps.lookup ?? null,
      events: deps.events ?? null,
      platformOf: deps.platformOf,
      obstacles: scanObstacles(failures),
    },
    { cluster: deps.cluster, coldImagePolicy: deps.coldImagePolicy, failurePolicy: deps.failurePolicy },
  );
  const callers = callersOf(deps, tally);
  const listener = openListener({
    callers,
    reviewer,
    tally,
    log,
    timers,
    certificate: deps.certificate,
    observe: (seconds) => metrics.observe('svc_admission_review_seconds', seconds),
  });
  metrics.collect(async () => {
    tally.flush(metrics);
    metrics.set('svc_admission_reviews_in_flight', listener.load.reviews);
  });
  // Each by itself: what is slow must not keep a policy from coming into effect.
  const upkeeps = [
    new Upkeep([() => facts.warm(), () => facts.refresh()], COMPARED_EVERY, deps),
    new Upkeep([() => scans.flush(), async () => proofs?.flush(), () => failures.refresh()], EVERY, deps),
    ...(own ? [new Upkeep([() => own.refresh()], COMPARED_EVERY, deps)] : []),
  ];
  return {
    async listen() {
      const reading = Promise.all([
        deps.listensFirst === true ? own?.refresh().catch(() => undefined) : own?.refresh(),
        // Where the database does not answer, the upkeep goes on; the port says meanwhile that it is not ready.
        facts.warm().catch(() => undefined),
        failures.refresh().catch(() => undefined),
      ]);
      if (deps.listensFirst !== true) await reading;
      const address = await listener.listen(deps.host, deps.port);
      for (const upkeep of upkeeps) upkeep.start();
      return address;
    },
    health: () => ({
      unready: listener.unready(),
      reviews: listener.load.reviews,
      answered: listener.load.answered,
      policiesStaleSince: policies.staleSince(),
      refused: callers.refusals,
    }),
    replaceCertificate: (certificate) => listener.replaceCertificate(certificate),
    callers,
    callersChanged: () => listener.callersChanged(),
    inEffect: async () => {
      facts.changed();
      await own?.refresh();
    },
    async close(drainMs, graceMs) {
      await listener.close(drainMs, graceMs);
      const last = Promise.all(upkeeps.map((upkeep) => upkeep.stop())).then(() => scans.flush());
      await endsWithin(last, LAST_ASKED, timers);
      tally.flush(metrics);
    },
  };
}

function callersOf({ known, clock, log }: AdmissionDeps, tally: ReviewTally): Callers {
  return new Callers({
    ...(known ?? { path: false, certificate: false, names: [] }),
    now: () => clock.now(),
    log,
    refused: (reason) => tally.unknownCaller(reason),
  });
}
