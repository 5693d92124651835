import { certificateFiles, certificateMaker } from '../../adapters/certificates/index.ts';
import type { Secrets } from '../../adapters/kubernetes/index.ts';
import type { Callers } from '../../api/index.ts';
import { IpoError, type Clock, type Log } from '../../base/index.ts';
import {
  certificateNames,
  OwnCertificates,
  secretSource,
  ServingCertificates,
  type SecretStore,
  type ServingPair,
} from '../../certificates/index.ts';
import type { Job } from '../running/jobs.ts';
import type { CallerSettings, CertificateSettings } from '../config/operator.ts';
import { secretStore } from './secret-store.ts';
import { leadJob, webhookPath, type PathCluster } from './webhook-path.ts';

/** CertificateCluster is what certificates of one's own are kept in. */
export interface CertificateCluster extends PathCluster {
  readonly namespace: string;
  readonly secrets: Secrets;
  readCaBundles(configuration: string): Promise<readonly string[] | null>;
  writeCaBundle(configuration: string, pem: string): Promise<boolean>;
}

/** WebhookCertificatesDeps are what the certificates of the webhook are joined with. */
export interface WebhookCertificatesDeps {
  readonly settings: CertificateSettings;
  /** Null where the service is not the operator of a cluster. */
  readonly cluster: CertificateCluster | null;
  /** By what the API server is known. */
  readonly callerSettings: CallerSettings;
  readonly callers: Pick<Callers, 'takePaths' | 'trust'>;
  /** Keeps an end of a path out of the log. */
  readonly guard: (end: string) => void;
  /** Told that another authority of callers is trusted. */
  callersChanged(): void;
  /** Takes a certificate for connections from now on. */
  replace(pair: ServingPair): void;
  readonly clock: Clock;
  readonly log: Log;
  /** Told when the certificate in use ends, as Unix time in seconds. */
  readonly measure: (notAfter: number) => void;
}

/** How often the leader looks whether something is to be done, and every replica whether there is another certificate or path. */
const EVERY = 5_000;
const FOLLOW_EVERY = 1_000;
/** A new leader begins with it after so long: no replica is ready without. */
const AGAIN = 250;

/**
 * webhookCertificates gives the jobs of the webhook's certificates and of the path by which it is called, all of which run at the start:
 * the leader's, and each replica's. What the leader made, it shows at once. Throws `invalid_config` for settings that name nothing to
 * take certificates from.
 */
export function webhookCertificates(deps: WebhookCertificatesDeps): readonly Job[] {
  const { settings, callerSettings, callers, callersChanged, cluster, replace, clock, log, measure } = deps;
  const { source, certFile, keyFile, secret: name, service, configuration } = settings;
  const files = source === 'files';
  holdNamed(settings, cluster !== null);
  const store = cluster === null || name === undefined ? null : secretStore(cluster.secrets, name);
  const from =
    certFile !== undefined && keyFile !== undefined && files
      ? certificateFiles(certFile, keyFile)
      : secretSource(store ?? NO_SECRET);
  const serving = new ServingCertificates({ source: from, replace, clock, log, measure });
  const pathName = callerSettings.secret ?? name;
  const pathOf = callerSettings.configuration ?? configuration;
  const path = webhookPath({
    settings: callerSettings,
    kept:
      cluster === null || pathName === undefined || pathOf === undefined
        ? null
        : { cluster, secret: secretStore(cluster.secrets, pathName), configuration: pathOf },
    certificate: () => serving.fingerprint,
    callers,
    changed: callersChanged,
    guard: deps.guard,
    clock,
    log,
  });
  const follow = async (): Promise<void> => {
    const done = await Promise.allSettled([serving.run(), path.follow()]);
    for (const one of done) if (one.status === 'rejected') throw one.reason;
  };
  const jobs: Job[] = [];
  if (!files && cluster !== null && store !== null) {
    const own = new OwnCertificates({
      secret: store,
      bundles: {
        read: () => cluster.readCaBundles(configuration ?? ''),
        publish: (pem) => cluster.writeCaBundle(configuration ?? '', pem),
      },
      maker: certificateMaker,
      names: certificateNames(service ?? '', cluster.namespace),
      isLeader: () => cluster.leadsCluster(),
      clock,
      log,
    });
    jobs.push({
      name: 'webhook-authority',
      every: EVERY,
      again: AGAIN,
      // Of its cluster: another cluster's operator may lead over the database, which this does not touch.
      leaderOnly: false,
      atStart: true,
      mayRun: () => cluster.leadsCluster(),
      run: async (signal) => {
        await own.run(signal);
        await serving.run();
      },
    });
  }
  const { lead } = path;
  if (lead !== null)
    jobs.push(
      leadJob(
        async (signal) => {
          await lead(signal);
          await path.follow();
        },
        () => cluster?.leadsCluster() === true,
      ),
    );
  jobs.push({
    name: 'webhook-certificate',
    every: FOLLOW_EVERY,
    leaderOnly: false,
    atStart: true,
    run: follow,
  });
  return jobs;
}

function holdNamed(settings: WebhookCertificatesDeps['settings'], inCluster: boolean): void {
  const { source, certFile, keyFile, secret, service, configuration } = settings;
  if (source === 'files') {
    if (certFile === undefined || keyFile === undefined) throw missing('certFile and keyFile');
    return;
  }
  if (!inCluster)
    throw missing('source files, certFile and keyFile: outside a cluster there is no Secret to keep them in');
  if (secret === undefined || service === undefined || configuration === undefined)
    throw missing('secret, service and configuration');
}

const NO_SECRET: Pick<SecretStore, 'read'> = { read: () => Promise.resolve(null) };

function missing(what: string): IpoError {
  return new IpoError('invalid_config', `the webhook has no certificate: webhook.certificates needs ${what}`);
}
