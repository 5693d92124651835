import { certificateFiles, certificateMaker } from '../adapters/certificates/index.ts';
import type { Secrets } from '../adapters/kubernetes/index.ts';
import { IpoError, type Clock, type Log } from '../base/index.ts';
import {
  certificateNames,
  OwnCertificates,
  secretSource,
  ServingCertificates,
  type SecretStore,
  type ServingPair,
  type ServingSource,
} from '../certificates/index.ts';
import type { Job } from './jobs.ts';
import type { CertificateSettings } from './settings-operator.ts';

/** CertificateCluster is what certificates of one's own are kept in. */
export interface CertificateCluster {
  readonly namespace: string;
  readonly secrets: Secrets;
  /** Whether this process leads this cluster. */
  leadsCluster(): boolean;
  readCaBundles(configuration: string): Promise<readonly string[] | null>;
  writeCaBundle(configuration: string, pem: string): Promise<boolean>;
}

/** WebhookCertificatesDeps are what the certificates of the webhook are joined with. */
export interface WebhookCertificatesDeps {
  readonly settings: CertificateSettings;
  /** Null where the service is not the operator of a cluster. */
  readonly cluster: CertificateCluster | null;
  /** Takes a certificate for connections from now on. */
  replace(pair: ServingPair): void;
  readonly clock: Clock;
  readonly log: Log;
  /** Told when the certificate in use ends, as Unix time in seconds. */
  readonly measure: (notAfter: number) => void;
}

/** How often the leader looks whether something is to be done, and every replica whether there is another certificate. */
const EVERY = 5_000;

/**
 * webhookCertificates gives the jobs of the webhook's certificates, both of which run at the start: the leader's, where they are of
 * its own, and each replica's. Throws `invalid_config` for settings that name nothing to take them from.
 */
export function webhookCertificates(deps: WebhookCertificatesDeps): readonly Job[] {
  const { settings, cluster, clock, log } = deps;
  const { source, certFile, keyFile, secret: name, service, configuration } = settings;
  if (source === 'files') {
    if (certFile === undefined || keyFile === undefined) throw missing('certFile and keyFile');
    return [follow(certificateFiles(certFile, keyFile), deps)];
  }
  if (cluster === null)
    throw missing('source files, certFile and keyFile: there is no cluster to keep a Secret in');
  if (name === undefined || service === undefined || configuration === undefined) {
    throw missing('secret, service and configuration');
  }
  const secret = secretStore(cluster.secrets, name);
  const own = new OwnCertificates({
    secret,
    bundles: {
      read: () => cluster.readCaBundles(configuration),
      publish: (pem) => cluster.writeCaBundle(configuration, pem),
    },
    maker: certificateMaker,
    names: certificateNames(service, cluster.namespace),
    isLeader: () => cluster.leadsCluster(),
    clock,
    log,
  });
  return [
    {
      name: 'webhook-authority',
      every: EVERY,
      // Of its cluster: another cluster's operator may lead over the database, which this does not touch.
      leaderOnly: false,
      atStart: true,
      mayRun: () => cluster.leadsCluster(),
      run: (signal) => own.run(signal),
    },
    follow(secretSource(secret), deps),
  ];
}

function follow(source: ServingSource, deps: WebhookCertificatesDeps): Job {
  const { replace, clock, log, measure } = deps;
  const serving = new ServingCertificates({ source, replace, clock, log, measure });
  return {
    name: 'webhook-certificate',
    every: EVERY,
    leaderOnly: false,
    atStart: true,
    run: () => serving.run(),
  };
}

/** secretStore keeps the texts of one Secret. */
function secretStore(secrets: Secrets, name: string): SecretStore {
  // One that a person left there keeps its type, as it must.
  let type = 'Opaque';
  const write = async (data: Readonly<Record<string, string>>, version: string | null): Promise<boolean> => {
    const bytes = new Map(Object.entries(data).map(([key, value]) => [key, Buffer.from(value)]));
    return (await secrets.write(name, version === null ? 'Opaque' : type, bytes, version)) !== null;
  };
  return {
    async read() {
      const held = await secrets.read(name);
      if (held === null) return null;
      ({ type } = held);
      const data = Object.fromEntries([...held.data].map(([key, value]) => [key, value.toString()]));
      return { data, version: held.version };
    },
    create: (data) => write(data, null),
    replace: write,
  };
}

function missing(what: string): IpoError {
  return new IpoError('invalid_config', `the webhook has no certificate: webhook.certificates needs ${what}`);
}
