import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { certificateMaker, keptFile } from '../../adapters/certificates/index.ts';
import type { DetectorDoor, DetectorParts, DetectorStanding } from '../../api/index.ts';
import { DAY_MS, IpoError, type Clock, type Log } from '../../base/index.ts';
import {
  certificateNames,
  DetectorCertificates,
  noticeOf,
  readDetectorData,
  type KeptDetector,
  type SecretStore,
} from '../../certificates/index.ts';
import type { Metrics } from '../../telemetry/index.ts';
import type { CertificateCluster } from '../cluster/webhook-certificates.ts';
import { secretStore } from '../cluster/secret-store.ts';
import { parseListen, type Settings } from '../config/settings.ts';
import type { Places } from '../running/data-directory.ts';
import type { Job } from '../running/jobs.ts';
import { DetectorProcess } from './process.ts';

/** DetectorDeps are what the listener of the detector is joined with. */
export interface DetectorDeps {
  readonly settings: Pick<Settings, 'integrations' | 'listen' | 'data' | 'clusterName'>;
  readonly places: Pick<Places, 'databaseUrl'>;
  /** Null where the service is not the operator of a cluster. */
  readonly cluster: CertificateCluster | null;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'add' | 'set'>;
}

/** ServiceDetector is the listener of the runtime detector, where it is enabled. */
export interface ServiceDetector {
  readonly jobs: readonly Job[];
  readonly routes: DetectorParts['detector'];
  /** Begins to listen, as soon as there are certificates. */
  start(): Promise<void>;
  close(graceMs: number): Promise<void>;
}

const EVERY = 60_000;
const FOLLOW_EVERY = 5_000;
/** A new leader begins with it after so long: no replica listens without. */
const AGAIN = 1_000;

/** openDetector joins the listener with its certificates. Nothing listens before `start`. Throws `invalid_config`. */
export function openDetector(deps: DetectorDeps): ServiceDetector {
  const { settings, places, cluster, clock, log, metrics } = deps;
  const { detector, port } = settings.integrations;
  if (!detector.enabled) return OFF;
  const secret = keptIn(deps);
  const process = new DetectorProcess({
    setup: {
      url: places.databaseUrl,
      cluster: settings.clusterName ?? '',
      host: parseListen(settings.listen)?.host ?? '127.0.0.1',
      port,
    },
    log,
    counted({ events, dropped, lastAt: newest }) {
      for (const { source, priority, count } of events)
        metrics.add('svc_runtime_events_total', { source, priority }, count);
      for (const [reason, count] of Object.entries(dropped))
        metrics.add('svc_runtime_events_dropped_total', { reason }, count);
      lastAt = newest ?? lastAt;
    },
  });
  let lastAt: number | null = null;
  let kept: KeptDetector | null = null;
  let told = { message: '', at: 0 };
  const follow = async (): Promise<void> => {
    const stored = await secret.read();
    const read = stored === null ? null : readDetectorData(stored.data);
    if (read === null) return;
    const door = doorOf(read);
    if (kept === null || JSON.stringify(doorOf(kept)) !== JSON.stringify(door)) process.open(door);
    kept = read;
    metrics.set('svc_detector_certificate_not_after_seconds', read.client.to / 1000);
    const { message } = noticeOf(read, clock.now());
    if (message === null || (told.message === message && Math.abs(clock.now() - told.at) < DAY_MS)) return;
    told = { message, at: clock.now() };
    log.warn(message);
  };
  const own = new DetectorCertificates({
    secret,
    maker: certificateMaker,
    names: namesOf(deps),
    clock,
    log,
    isLeader: () => cluster === null || cluster.leadsCluster(),
  });
  return {
    routes: {
      standing: (): DetectorStanding => ({
        enabled: true,
        port: process.port,
        fault: process.fault,
        lastAt,
        certificate: kept === null ? null : noticeOf(kept, clock.now()),
      }),
      bundle: () => bundleOf(kept),
    },
    jobs: [
      {
        name: 'detector-certificates',
        every: EVERY,
        again: AGAIN,
        leaderOnly: false,
        atStart: true,
        mayRun: () => cluster === null || cluster.leadsCluster(),
        async run() {
          await own.run();
          await follow();
        },
      },
      { name: 'detector-door', every: FOLLOW_EVERY, leaderOnly: false, atStart: true, run: follow },
    ],
    start: () => follow().catch(() => {}), // the job says what is wrong
    close: (graceMs) => process.close(graceMs),
  };
}

function bundleOf(kept: KeptDetector | null): ReturnType<ServiceDetector['routes']['bundle']> {
  if (kept === null)
    throw new IpoError('unavailable', 'the certificates of the detector are not made yet', {
      hint: 'Try again in a minute; the log of the service says why they are missing',
    });
  const { authority, client } = kept;
  return { ca: authority.cert, cert: client.cert, key: client.key, endsAt: client.to };
}

const OFF: ServiceDetector = {
  jobs: [],
  routes: {
    standing: () => ({ enabled: false, port: null, fault: null, lastAt: null, certificate: null }),
    bundle() {
      throw new IpoError('conflict', 'the listener of the runtime detector is off', {
        hint: 'Set integrations.detector.enabled to true in the values of the chart or the settings file of the service',
      });
    },
  },
  start: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

function keptIn({ settings, cluster }: DetectorDeps): SecretStore {
  const { secret } = settings.integrations.detector;
  if (cluster !== null && secret !== undefined) return secretStore(cluster.secrets, secret);
  if (settings.data !== undefined) return keptFile(join(resolve(settings.data), 'detector.json'));
  throw new IpoError(
    'invalid_config',
    'the detector has no place for its certificates: integrations.detector.secret in a cluster, or data',
  );
}

function namesOf({ settings, cluster }: DetectorDeps): readonly string[] {
  const { names, service } = settings.integrations.detector;
  const own =
    cluster !== null && service !== undefined ? certificateNames(service, cluster.namespace) : [hostname()];
  return [...new Set([...own, ...names, 'localhost', '127.0.0.1', '::1'])];
}

function doorOf({ authority, server, client, previous }: KeptDetector): DetectorDoor {
  return {
    cert: server.cert,
    key: server.key,
    ca: authority.cert,
    clients: [client.cert, ...(previous === null ? [] : [previous.cert])],
  };
}
