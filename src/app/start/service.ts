import { holdOrigin, sessionCookieName } from '../../accounts/index.ts';
import { openApi, probes, UntrustedProxies, type Api } from '../../api/index.ts';
import {
  backupHistory,
  beginHistory,
  fenceWrites,
  firstTime,
  jobMarks,
  lockFile,
  underLeadership,
} from '../../store/index.ts';
import { toLedgerEvents } from '../cluster/events.ts';
import { serviceBackups } from '../backup/joined.ts';
import { openEvidence } from '../evidence/joined.ts';
import { openDataDirectory, placesOf } from '../running/data-directory.ts';
import { Jobs } from '../running/jobs.ts';
import { openServiceStore } from '../service/store.ts';
import { keepLog } from '../running/keep-log.ts';
import { openReplayProcess } from '../replay/process.ts';
import type { RunningService, ServiceOptions } from './running-service.ts';
import { localUrl, originsOf } from '../service/address.ts';
import { openServiceCalls } from '../service/calls.ts';
import { openFacts } from '../service/facts.ts';
import { clusterIdJobs, openServiceDoctor } from '../doctor/service.ts';
import { openHealth } from '../service/open-health.ts';
import { openRetentionTime, retentionJobs } from '../ledger/history.ts';
import { observedBy } from '../service/health-parts.ts';
import { serviceJobs } from '../service/jobs.ts';
import { openServiceOutbound } from '../running/outbound.ts';
import { renewing } from '../running/renew-tls.ts';
import { openLedger } from '../service/ledger.ts';
import { openLicence } from '../service/licence.ts';
import { openOperator } from '../service/operator.ts';
import { serviceRoutes } from '../service/routes.ts';
import { joinParts } from '../service/parts.ts';
import { openRuntime } from '../service/runtime.ts';
import { prepareSetup } from '../service/prepare-setup.ts';
import { parseListen } from '../config/settings.ts';
import { linkedPair } from '../processes/link.ts';
import { CALLS_MS, END_MS } from '../running/shutdown.ts';
import { lockSpool } from '../running/spool-lock.ts';
import { wantedFeeds } from '../notify/feeds.ts';
import { noticeJobs, tellingBroken } from '../notify/notice-jobs.ts';
import { openTrackers } from '../trackers/trackers.ts';
import { timers } from '../running/timers.ts';
import { readTls } from '../running/tls-files.ts';
import { openWebhookPart, type WebhookPart } from '../webhook/webhook-part.ts';

/** So long after the signal the webhook's part is waited for no longer: the rest of the time belongs to the checkpoint. */
const LAST_OF_WEBHOOK = END_MS - 8_000;

/**
 * startService starts a service: directory, database (brought up to date under its lock), key, spool, services, jobs, and
 * listens last. What keeps it from starting is thrown, with everything closed again that was open.
 */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const { settings, version, log, metrics, redactor, clock = { now: () => Date.now() } } = options;
  const places = placesOf(settings);
  await using opened = new AsyncDisposableStack();

  if (settings.data !== undefined) await openDataDirectory(settings.data);
  const env = options.env ?? process.env;
  const way = opened.adopt(await openServiceOutbound(settings.outbound, env), (one) => one.close());
  const tls = settings.tls === undefined ? undefined : await readTls(settings.tls);
  if (places.lockFile !== null) opened.adopt(lockFile(places.lockFile), (unlock) => unlock());
  if (options.link === undefined) opened.adopt(await lockSpool(places.spoolDirectory), (unlock) => unlock());
  const store = await openServiceStore({
    ...{ places, settings, clock, log, metrics },
    // The webhook's part writes to the same file, and goes first.
    turn: options.link === undefined ? undefined : 'behind',
  });
  opened.adopt(store, () => store.close());
  options.migrated?.();
  if (options.link !== undefined)
    opened.adopt(keepLog({ url: places.databaseUrl, log, metrics }), (kept) => kept.close());

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
          await import('../cluster/cluster.ts')
        ).openCluster({
          ...{ store: fenced, settings: settings.cluster, clusterName: settings.clusterName ?? null },
          ...{ version, clock, log, count: metrics },
        });
  if (cluster !== null) opened.adopt(cluster, () => cluster.close());
  const leader = cluster?.leader;
  const parts = joinParts({
    ...{ store: fenced, objects: cluster, replay, settings, outbound: way.outbound },
    ...{ clock, log, count: metrics },
  });
  const policies = parts.inForce;
  const trackers = await openTrackers({
    ...{ store: fenced, settings, version, clock, pace: options.pace, outbound: way.outbound },
    ...{ log, count: metrics, redactor, policies, leader },
  });

  const ledger = await openLedger({
    ...{ store, parts, places, settings, clock, log, count: metrics, redactor },
    outbound: way.outbound,
    reviews: options.link === undefined,
    ...(cluster !== null && { refused: toLedgerEvents(cluster.events, cluster.namespace) }),
    spool: () => {
      const { spooled, delayed } = queue();
      return { rows: spooled, delayed };
    },
  });
  const { appender, checkpoint, writer, watch } = ledger;
  let answers = false;
  opened.adopt(appender, () => appender.close());
  const [toService, toWebhook] = options.link === undefined ? linkedPair() : [null, options.link];
  const part: WebhookPart | null =
    toService === null
      ? null
      : await openWebhookPart({
          ...{ settings, places, store, writer, watch, link: toService },
          ...{ clock, log, metrics, counted: null, redactor },
        });
  opened.defer(async () => {
    if (!answers) await part?.drop();
  });

  const facts = await openFacts({
    ...{ store, fenced, parts, settings, version, cluster, env, way, clock, log, metrics },
  });
  opened.adopt(facts, () => facts.close());
  const operator = openOperator({
    ...{ store, parts, settings, cluster, appender, link: toWebhook, clock, log, metrics, redactor },
    ...{ tags: facts.tags, collect: (digests: readonly string[]) => facts.collect(digests) },
  });
  const licence = await openLicence({ store, parts, settings, cluster, trackers, way, clock, log });
  const runtime = openRuntime({ store, settings, places, cluster, parts, replay, clock, log, metrics });
  const queue = () => operator.peer.status?.ledger ?? { queued: 0, spooled: 0, delayed: false };
  const backups = backupHistory(store);
  let api: Api | null = null;
  const now = (): number => clock.now();
  const retention = openRetentionTime(fenced, { clock, log, pace: options.pace });
  const evidence = await openEvidence({
    ...{ store, fenced, parts, settings, places, version, retention, clock, log, count: metrics },
    namespace: cluster?.namespace ?? null,
    checkpoint: () => ledger.routes.signing.checkpoint(),
    outbound: way.outbound,
  });
  const jobs = new Jobs(
    serviceJobs({
      ...parts,
      ...{ settings, retention, trackers },
      operator: [
        ...ledger.jobs,
        ...operator.jobs,
        ...licence.jobs,
        ...runtime.jobs,
        ...clusterIdJobs({ store, settings, cluster, clock }),
      ],
      facts: facts.jobs,
      notices: noticeJobs({
        notifications: trackers.notifications,
        retention,
        wantedSince: (title, at) => firstTime(store, title, at),
        feeds: wantedFeeds(store, parts, facts.scanning.database),
      }),
      evidence: evidence.jobs,
      history: retentionJobs(fenced, settings, retention),
      backups: serviceBackups({ settings, places, store: fenced, version, clock, log, facts }),
      checkpoint: () => tellingBroken(trackers.notifications, checkpoint),
      renewTls:
        settings.tls === undefined || tls === undefined
          ? null
          : renewing(settings.tls, tls, () => api, log, now),
    }),
    {
      ...{ log, count: metrics, clock, timers, marks: jobMarks(fenced) },
      isLeader: () => leader?.isLeader() ?? true,
      underFence: (act) => (leader === undefined ? act() : underLeadership(leader.fence(), act)),
    },
  );
  const proxies = new UntrustedProxies({ now, log });
  const health = openHealth({
    ...{ parts, store, replay, version, jobs, ledger, operator, facts, trackers, proxies, clock, metrics },
    ledgerQueue: queue,
  });
  const { licences } = licence.routes;
  const examine = openServiceDoctor({
    ...{ health, parts, store, settings, cluster, licence: licences, clock, ...trackers.routes },
    database: facts.scanning.database,
  });
  metrics.set('svc_build_info', 1, { version });

  const { host, port } = parseListen(settings.listen) ?? { host: '127.0.0.1', port: 8080 };
  const routes = serviceRoutes(
    parts,
    ledger.routes,
    trackers.routes,
    health,
    operator.nodes,
    operator.replicas.list,
    { backups, examine },
    licence.routes,
    evidence.routes,
    runtime.detector,
    { database: facts.scanning.database, collected: (digest) => facts.collected(digest) },
    version,
  );
  const calls = openServiceCalls({ places, settings, parts, ledger: ledger.routes, facts, clock, log });
  opened.adopt(calls, () => calls.close());
  api = openApi({
    routes,
    ...calls.api,
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
    observe: observedBy(metrics),
    tls,
    https: parts.cookie.https,
    trustedProxies: settings.trustedProxies,
    proxies,
    inEffect: async (written) => {
      // A policy of a cluster comes to every replica by the watch, all else by the database.
      const shared = store.engine === 'sqlite' ? null : 1;
      const others = written !== null && cluster !== null ? 'watch' : shared;
      try {
        return { here: await operator.inEffect(written), others };
      } catch (error) {
        log.warn('what was written is in effect here once the database answers again', { error });
        return { here: false, others };
      }
    },
  });
  opened.defer(async () => {
    if (!answers) await Promise.all([api?.close(0), operator.close(), runtime.close(0)]);
  });
  const setupCode = await prepareSetup(parts, settings);
  const address = await api.listen(host, port);
  const url = localUrl(address, tls !== undefined);
  await operator.start();
  operator.peer.start();
  const webhook = (await part?.start()) ?? null;
  await runtime.start();
  replay.start();
  calls.start();
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
  answers = true;
  const held = opened.move();
  let closing: Promise<void> | null = null;
  const close = async (graceMs: number, passedMs: number): Promise<void> => {
    const began = performance.now() - passedMs; // the clock may be set meanwhile
    health.drain();
    parts.kev.stop();
    parts.endOfLife.stop();
    facts.scanning.database.stop();
    const passed = performance.now() - began;
    const ends = part?.close(graceMs, passed) ?? operator.peer.ended(Math.max(0, LAST_OF_WEBHOOK - passed));
    await Promise.all([served.close(graceMs), ends, runtime.close(graceMs)]);
    await Promise.all([operator.close(), trackers.notifications.stop()]);
    await appender.close();
    // The last checkpoint covers what the webhook's part wrote at its end.
    await jobs.stop();
    await held.disposeAsync();
  };
  return {
    url,
    webhook,
    setupCode,
    data: settings.data ?? `(${store.engine})`,
    parts,
    store,
    append: part?.appender ?? appender,
    checkpoint,
    trackers,
    sweep: operator.sweep,
    close: (graceMs = CALLS_MS, passedMs = 0) => (closing ??= close(graceMs, passedMs)),
    sayLeft: () => part?.sayLeft(),
  };
}
