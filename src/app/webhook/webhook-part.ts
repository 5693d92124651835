import { hostname } from 'node:os';
import { nextLife, openFileSpool } from '../../adapters/spool/index.ts';
import type { ReviewEvent } from '../../admission/index.ts';
import { Secret, type Clock, type Log } from '../../base/index.ts';
import { Appender, type ClockWatch } from '../../ledger/index.ts';
import { Meter } from '../../nodes/index.ts';
import { ReplicaReport } from '../../replicas/index.ts';
import {
  jobMarks,
  meterStore,
  nodeStore,
  storedCeilings,
  replicaStore,
  type Store,
  type StoreLedgerWriter,
} from '../../store/index.ts';
import type { Redactor } from '../../telemetry/index.ts';
import type { Places } from '../running/data-directory.ts';
import { Jobs } from '../running/jobs.ts';
import type { Link } from '../processes/link.ts';
import { Peer } from '../processes/peer.ts';
import { answeringJobs } from '../ledger/history.ts';
import { parseListen, type Settings } from '../config/settings.ts';
import { spoolTime } from '../running/shutdown.ts';
import { endsWithin, timers } from '../running/timers.ts';
import type { ServiceActs, WebhookActs, WebhookStatus } from './acts.ts';
import { openAdmission, type ServiceAdmission } from './admission.ts';
import { NO_COUNTS, type CountingMetrics, type CountRelay } from './count-relay.ts';
import { EventRelay } from './event-relay.ts';
import { knownCallers } from './known-callers.ts';
import { RememberedTags } from './remembered-tags.ts';
import { ToldState } from './told-state.ts';
import { Upkeep } from './upkeep.ts';

/** WebhookPartDeps are what the webhook's part of a service is joined with. */
export interface WebhookPartDeps {
  readonly settings: Settings;
  readonly places: Pick<Places, 'spoolDirectory'>;
  /** The directory of the spool is locked for this process. */
  readonly store: Store;
  readonly writer: StoreLedgerWriter;
  readonly watch: ClockWatch;
  /** To the service's part. */
  readonly link: Link;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: CountingMetrics;
  /** Where another process has the metrics: what was counted for them here. */
  readonly counted: CountRelay | null;
  /** Takes the path by which the API server calls, so that no line of the log holds it. */
  readonly redactor: Pick<Redactor, 'add'>;
  /** Whether reviews go to the spool while another process writes to the database (false). */
  readonly sidesteps?: boolean;
  /** Whether an earlier life answered reviews on this spool, and was killed: its line in the database stands for this one for now. */
  readonly takesOver?: boolean;
}

/** WebhookPart answers reviews, and holds their rows until the database has them. */
export interface WebhookPart {
  readonly appender: Appender;
  /** Brings up what it needs and listens. Gives the port of the webhook, or null where there is none. */
  start(): Promise<number | null>;
  /**
   * Ends in order: calls under way ended within the grace, rows written, the spool put back as far as the database takes it in time.
   * `passedMs`: how long ago the signal came.
   */
  close(graceMs: number, passedMs: number): Promise<void>;
  /** Ends one that never answered. */
  drop(): Promise<void>;
  /** Logs what an end at once leaves in the spool. */
  sayLeft(): void;
}

/** How often a replica looks for a question. */
const REPLICA_EVERY = 2_000;
/** How often the memory of the meter is brought up to date, and how the cluster stands against its ceiling. */
const METER_EVERY = 15_000;
const STANDING_EVERY = 1_000;
/**
 * A start waits this many milliseconds at most for the uids of the ledger: some for each million rows, far more where they are not stored.
 */
const UIDS_MS = 10_000;
/** How often the uids that others appended are read, which the next review would else read while all of them wait for the ledger. */
const UIDS_EVERY = 1_000;
/** The API server learns of a pod that is not ready any more within this many milliseconds. */
const DRAIN_MS = 10_000;
/** The Lease is written by the service's part, which calls the API server for it. */
const NOTE_MS = 15_000;

/** openWebhookPart opens the spool and makes the line of this replica: before that, no review may be answered. */
export async function openWebhookPart(deps: WebhookPartDeps): Promise<WebhookPart> {
  const {
    settings,
    places,
    store,
    writer,
    watch,
    link,
    clock,
    log,
    metrics,
    counted,
    redactor,
    sidesteps = false,
  } = deps;
  const { webhook, clusterName } = settings;
  const isCluster = settings.cluster !== undefined;
  const cluster = clusterName ?? '';
  const { maxRows, maxBytes } = settings.ledger.spool;
  const spool = await openFileSpool({ directory: places.spoolDirectory, log, maxRows, maxBytes });
  const appender = new Appender({ writer, spool, timers, log, count: metrics, watch }, { sidesteps });
  let admission: ServiceAdmission | null = null;
  let port: number | null = null;

  const told = new ToldState({
    clock,
    certificate: (certificate) => admission?.replaceCertificate(certificate),
    paths: (ends) => {
      for (const end of ends) redactor.add(new Secret(end));
      admission?.callers.takePaths(ends);
    },
    authority: (pem) => {
      admission?.callers.trust(pem);
      admission?.callersChanged();
    },
  });
  const peer: Peer<WebhookActs, ServiceActs> = new Peer<WebhookActs, ServiceActs>(link, {
    log,
    there: () => {
      told.begin();
      events.flush();
    },
    gone: () => told.away(),
    acts: {
      state: (piece) => told.take(piece),
      status: async ({ came }) => ({ status: status(), counts: (await counted?.take(came)) ?? NO_COUNTS }),
      inEffect: async () => {
        await admission?.inEffect();
        return null;
      },
      tick: async () => {
        await report.tick();
        return null;
      },
      look: () => report.look(),
    },
  });
  const events = new EventRelay(
    (batch: readonly ReviewEvent[]) =>
      peer.ask('events', batch).then(
        () => true,
        () => false,
      ),
    log,
  );

  const replicas = replicaStore(store);
  const host = process.env['POD_NAME'] ?? hostname();
  const life = (another: boolean) => nextLife(places.spoolDirectory, host, another);
  const report = new ReplicaReport({
    cluster,
    store: replicas,
    ledger: appender,
    clock,
    log,
    notes: isCluster
      ? {
          write: async (name, since) => void (await peer.ask('note', { name, since }, { ms: NOTE_MS })),
        }
      : null,
    me: await life(false),
    another: () => life(true),
  });
  await report.begin(deps.takesOver);

  const meter = !isCluster
    ? null
    : new Meter({
        cluster,
        meter: meterStore(store),
        nodes: nodeStore(store),
        ceilings: storedCeilings(store, cluster),
        running: { names: () => peer.ask('runningNames', null) },
        clock,
        log,
      });
  const at = webhook.listen === undefined ? null : parseListen(webhook.listen);
  const tags =
    settings.registries.tags === 'resolve'
      ? new RememberedTags({
          ask: (reference, signal) => peer.ask('digestOf', reference, { signal }),
          monotonic: () => performance.now(),
        })
      : null;
  admission =
    at === null
      ? null
      : openAdmission({
          store,
          ledger: appender,
          ...at,
          certificate: null,
          cluster: clusterName ?? null,
          coldImagePolicy: webhook.coldImagePolicy,
          failurePolicy: webhook.failurePolicy,
          known: knownCallers(webhook, isCluster),
          clock,
          timers,
          log,
          metrics,
          ...(isCluster && {
            policies: told.policies,
            exposure: told.exposure,
            events,
            platformOf: (node: string) => told.platformOf(node),
          }),
          ...(meter !== null && { names: meter }),
          ...(tags !== null && { lookup: tags }),
          listensFirst: deps.takesOver,
          requestScans: (digests, at) => peer.ask('requestScans', { digests, at }),
          collect: (digests, at) => peer.ask('collect', { digests, at }),
        });
  const jobs = new Jobs(
    [
      { name: 'replica', every: REPLICA_EVERY, leaderOnly: false, atStart: true, run: () => report.tick() },
      ...(admission === null
        ? []
        : answeringJobs({ store, cluster, clock, answers: () => admission?.health().unready === null })),
    ],
    {
      log,
      count: metrics,
      clock,
      timers,
      marks: jobMarks(store),
      isLeader: () => false,
      underFence: (act) => act(),
    },
  );
  const upkeeps = [
    new Upkeep([() => writer.follow()], UIDS_EVERY, { timers, log }),
    ...(meter === null || admission === null
      ? []
      : [
          new Upkeep([() => meter.refresh()], METER_EVERY, { timers, log }),
          new Upkeep([() => meter.refreshStanding()], STANDING_EVERY, { timers, log }),
        ]),
  ];
  const status = (): WebhookStatus => ({
    pid: process.pid,
    port,
    reviews: admission?.health() ?? null,
    ledger: { ...appender.waiting, delayed: appender.delayed },
    jobs: jobs.states(),
    replica: report.name,
    replicas: report.standings(),
  });
  peer.open();

  return {
    appender,
    async start() {
      // Reviews wait for it in any case; what takes longer goes on beside a webhook that is not ready yet.
      const followed = endsWithin(writer.follow(), UIDS_MS).catch((error: unknown) =>
        log.warn('the reviews that the ledger holds could not be read; it is tried again', { error }),
      );
      const metered = meter
        ?.refresh()
        .catch((error: unknown) =>
          log.warn('the meter was not read yet; no name is refused by it', { error }),
        );
      if (deps.takesOver !== true) await Promise.all([followed, metered]);
      port = (await admission?.listen())?.port ?? null;
      jobs.start();
      for (const upkeep of upkeeps) upkeep.start();
      return port;
    },
    async close(graceMs, passedMs) {
      const began = performance.now() - passedMs; // the clock may be set meanwhile
      await admission?.close(isCluster ? Math.min(DRAIN_MS, graceMs) : 0, graceMs);
      await appender.close(spoolTime(graceMs, performance.now() - began));
      await Promise.all(upkeeps.map((upkeep) => upkeep.stop()));
      await jobs.stop();
      await report.end();
    },
    async drop() {
      await admission?.close(0, 0);
      await appender.close();
      await report.end(); // it has reviewed nothing
    },
    sayLeft: () => appender.sayLeft(),
  };
}
