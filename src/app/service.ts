import { holdOrigin, sessionCookieName } from '../accounts/index.ts';
import { openApi, probes, UntrustedProxies, type Api } from '../api/index.ts';
import { type Clock, type Log } from '../base/index.ts';
import type { LedgerAppend } from '../ledger/index.ts';
import {
  beginHistory,
  catalogueStates,
  countFailing,
  fenceWrites,
  jobMarks,
  lockFile,
  underLeadership,
  type Store,
} from '../store/index.ts';
import type { Metrics, Redactor } from '../telemetry/index.ts';
import { toLedgerEvents } from './cluster-events.ts';
import { openDataDirectory, placesOf } from './data-directory.ts';
import { Jobs } from './jobs.ts';
import { openServiceStore } from './service-store.ts';
import { openReplayProcess } from './replay-process.ts';
import { localUrl, originsOf } from './service-address.ts';
import { openFacts } from './service-facts.ts';
import { ServiceHealth } from './service-health.ts';
import { openRetentionTime, retentionJobs } from './service-history.ts';
import { serviceJobs } from './service-jobs.ts';
import { renewing } from './renew-tls.ts';
import { openReplicas } from './service-replicas.ts';
import { openLedger } from './service-ledger.ts';
import { openOperator, type ServiceOperator } from './service-operator.ts';
import { serviceRoutes } from './service-routes.ts';
import { joinParts, type ServiceParts } from './service-parts.ts';
import { prepareSetup } from './prepare-setup.ts';
import { parseListen, type Settings } from './settings.ts';
import { CALLS_MS, spoolTime } from './shutdown.ts';
import { lockSpool } from './spool-lock.ts';
import { openTrackers, type ServiceTrackers } from './service-trackers.ts';
import { timers } from './timers.ts';
import type { Pace } from './tracker-line.ts';
import { readTls } from './tls-files.ts';

/** ServiceOptions are what a service is started with. */
export interface ServiceOptions {
  readonly settings: Settings;
  readonly version: string;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Takes what must not stand in the log, as it comes up. */
  readonly redactor: Redactor;
  readonly clock?: Clock;
  /** The environment, of which scanners see what they need; the process's own unless given. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** How calls to trackers wait for each other; by real time unless given. */
  readonly pace?: Pace;
}

/** RunningService is a service that answers. */
export interface RunningService {
  /** Address by which it is called from this machine, without a slash at its end. */
  readonly url: string;
  /** Port of the webhook; null where there is none. */
  readonly webhook: number | null;
  /** One-time code that makes the first administrator; null when an administrator can sign in. */
  readonly setupCode: string | null;
  /** The directory of the service, or the name of its database where it has none. */
  readonly data: string;
  readonly parts: ServiceParts;
  readonly store: Store;
  /** Takes the rows of reviews, durably. */
  readonly append: LedgerAppend;
  /** Integrates what the ledger has grown by, and signs it. */
  checkpoint(): Promise<void>;
  /** Files with trackers, and closes what has ended. */
  readonly trackers: Pick<ServiceTrackers, 'file' | 'sweep'>;
  /** Judges what runs in the cluster again, now; null where the service stands alone. */
  readonly sweep: ServiceOperator['sweep'];
  /**
   * Ends in order: not ready any more, nothing new accepted, calls under way ended within the grace (20 s), rows written, the spool put
   * back as far as the database takes it in time, a last checkpoint, everything closed. `passedMs`: how long ago the signal came.
   */
  close(graceMs?: number, passedMs?: number): Promise<void>;
  /** Logs what an end at once leaves in the spool. */
  sayLeft(): void;
}

/**
 * startService starts a service: directory, database (brought up to date under its lock), key, spool, services, jobs, and
 * listens last. What keeps it from starting is thrown, with everything closed again that was open.
 */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const { settings, version, log, metrics, redactor, clock = { now: () => Date.now() } } = options;
  const places = placesOf(settings);
  await using opened = new AsyncDisposableStack();

  if (settings.data !== undefined) await openDataDirectory(settings.data);
  const tls = settings.tls === undefined ? undefined : await readTls(settings.tls);
  if (places.lockFile !== null) opened.adopt(lockFile(places.lockFile), (unlock) => unlock());
  opened.adopt(await lockSpool(places.spoolDirectory), (unlock) => unlock());
  const store = await openServiceStore({ places, settings, clock, log });
  opened.adopt(store, () => store.close());

  await beginHistory(store, clock.now());

  const { coldImagePolicy } = settings.webhook;
  const { timeLimit, memory } = settings.whatif;
  const replay = openReplayProcess({ url: places.databaseUrl, coldImagePolicy, timeLimit, memory, log });
  opened.adopt(replay, () => replay.close());
  const fenced = fenceWrites(store);
  const cluster =
    settings.cluster === undefined
      ? null
      : await (
          await import('./cluster.ts')
        ).openCluster({
          ...{ store: fenced, settings: settings.cluster, clusterName: settings.clusterName ?? null },
          ...{ version, clock, log, count: metrics },
        });
  if (cluster !== null) opened.adopt(cluster, () => cluster.close());
  const leader = cluster?.leader;
  const parts = joinParts({
    ...{ store: fenced, policyStore: cluster?.policyStore, replay, settings, clock, log, count: metrics },
  });

  const policies = parts.inForce;
  const { pace } = options;
  const trackers = await openTrackers({
    ...{ store: fenced, settings, version, clock, pace },
    ...{ log, count: metrics, redactor, policies, leader },
  });

  const ledger = await openLedger({
    ...{ store, parts, places, settings, clock, log, count: metrics, redactor },
    ...(cluster !== null && { refused: toLedgerEvents(cluster.events, cluster.namespace) }),
  });
  const { appender, checkpoint } = ledger;
  let answers = false;
  opened.adopt(appender, () => appender.close());
  const replicas = await openReplicas({
    ...{ store, parts, places, settings, cluster, appender, clock, log, metrics },
  });
  opened.defer(async () => {
    if (!answers) await replicas.end(); // it has reviewed nothing
  });

  const env = options.env ?? process.env;
  const facts = await openFacts({
    ...{ store, fenced, parts, settings, version, cluster, env, clock, log, metrics },
  });
  opened.adopt(facts, () => facts.close());
  const operator = openOperator({
    ...{ store, settings, cluster, appender, replicas, clock, log, metrics, redactor },
    ...{ tags: facts.tags, collect: (digests: readonly string[]) => facts.collect(digests) },
  });
  let api: Api | null = null;
  const retention = openRetentionTime(fenced, { clock, log, pace });
  const jobs = new Jobs(
    serviceJobs({
      ...parts,
      settings,
      retention,
      trackers,
      operator: [...ledger.jobs, replicas.job, ...operator.jobs],
      facts: facts.jobs,
      history: retentionJobs(fenced, settings.evidence.retentionDays, retention),
      checkpoint,
      renewTls:
        settings.tls === undefined || tls === undefined
          ? null
          : renewing(
              settings.tls,
              tls,
              () => api,
              log,
              () => clock.now(),
            ),
    }),
    {
      ...{ log, count: metrics, clock, timers, marks: jobMarks(fenced) },
      isLeader: () => leader?.isLeader() ?? true,
      underFence: (act) => (leader === undefined ? act() : underLeadership(leader.fence(), act)),
    },
  );
  const proxies = new UntrustedProxies({ now: () => clock.now(), log });
  const health = new ServiceHealth({
    ...{ parts, appender, replay, jobs, version, clock, metrics },
    anchors: ledger.anchors,
    ledgerClock: () => ledger.clock(),
    engine: store.engine,
    startedAt: clock.now(),
    operator: () => operator.health(),
    scanner: () => facts.health(),
    scanFailures: () => countFailing(store.read),
    registries: () => facts.registries(),
    untrustedProxies: () => proxies.list(),
    feeds: async () => {
      const { kev, trivyDb } = await catalogueStates(store);
      // Why an attempt failed is of no matter any more where none is made.
      return {
        kev: parts.kev.off ? { ...kev, lastError: null } : kev,
        trivyDb: facts.scanning.database.off ? { ...trivyDb, lastError: null } : trivyDb,
      };
    },
  });
  metrics.set('svc_build_info', 1, { version });

  const { host, port } = parseListen(settings.listen) ?? { host: '127.0.0.1', port: 8080 };
  const routes = serviceRoutes(
    parts,
    ledger.routes,
    trackers.routes,
    health,
    operator.nodes,
    replicas.list,
    { database: facts.scanning.database, collected: (digest) => facts.collected(digest) },
    version,
  );
  api = openApi({
    routes,
    probes: probes({
      unready: () => health.unready(),
      metrics: async () => ({ text: await metrics.text(), type: metrics.contentType }),
    }),
    signIn: {
      cookies: [sessionCookieName(parts.cookie)],
      principalOf: (secret, via) => parts.accounts.principalOf(secret, via),
      holdOrigin: ({ cookie, ...request }) => holdOrigin(request, { origins: originsOf(settings), cookie }),
    },
    log,
    observe: ({ method, route, status, seconds }) => {
      const labels = { method, route: route ?? 'none' };
      metrics.add('svc_http_requests_total', { ...labels, status: String(status) });
      metrics.observe('svc_http_request_seconds', seconds, labels);
    },
    tls,
    https: parts.cookie.https,
    trustedProxies: settings.trustedProxies,
    proxies,
    inEffect: async (written) => {
      // A policy of a cluster comes to every replica by the watch, all else by the database.
      const others = written !== null && cluster !== null ? 'watch' : store.engine === 'sqlite' ? null : 1;
      try {
        return { here: await operator.inEffect(written), others };
      } catch (error) {
        log.warn('what was written is in effect here once the database answers again', { error });
        return { here: false, others };
      }
    },
  });
  opened.defer(async () => {
    if (!answers) await Promise.all([api?.close(0), operator.close(0)]);
  });
  const setupCode = await prepareSetup(parts, settings);
  const address = await api.listen(host, port);
  const url = localUrl(address, tls !== undefined);
  const webhook = await operator.start();
  replay.start();
  jobs.start();
  log.info('service answers', {
    url,
    webhook,
    public_url: settings.publicUrl,
    version,
    engine: store.engine,
  });
  if (setupCode !== null)
    log.warn('no administrator can sign in yet; make the first with this code', { setup_code: setupCode });

  const served = api;
  const data = settings.data ?? `(${store.engine})`;
  answers = true;
  const held = opened.move();
  let closing: Promise<void> | null = null;
  const close = async (graceMs: number, passedMs: number): Promise<void> => {
    const began = performance.now() - passedMs; // the clock may be set meanwhile
    health.drain();
    parts.kev.stop();
    parts.endOfLife.stop();
    facts.scanning.database.stop();
    await Promise.all([served.close(graceMs), operator.close(graceMs)]);
    await appender.close(spoolTime(graceMs, performance.now() - began));
    await jobs.stop();
    await replicas.end();
    await held.disposeAsync();
  };
  return {
    url,
    webhook,
    setupCode,
    data,
    parts,
    store,
    append: appender,
    checkpoint,
    trackers,
    sweep: operator.sweep,
    close: (graceMs = CALLS_MS, passedMs = 0) => (closing ??= close(graceMs, passedMs)),
    sayLeft: () => appender.sayLeft(),
  };
}
