import { readBounded } from '../../adapters/files/index.ts';
import { REVIEW_PATH } from '../../admission/index.ts';
import type { Callers } from '../../api/index.ts';
import { IpoError, type Clock, type Log } from '../../base/index.ts';
import { isToken, pathSource, WebhookPath, type SecretStore } from '../../certificates/index.ts';
import type { Job } from '../running/jobs.ts';
import type { CallerSettings } from '../config/operator.ts';

/** PathCluster is what the path of the webhook is kept and told in. */
export interface PathCluster {
  /** Whether this process leads this cluster. */
  leadsCluster(): boolean;
  readWebhookPaths(configuration: string): Promise<readonly string[] | null>;
  writeWebhookPath(configuration: string, path: string): Promise<boolean>;
}

/** WebhookPathDeps are what the path by which the API server calls is joined with. */
export interface WebhookPathDeps {
  readonly settings: CallerSettings;
  /** Null where no cluster keeps it: it is then that of `pathFile`. */
  readonly kept: {
    readonly cluster: PathCluster;
    readonly secret: SecretStore;
    readonly configuration: string;
  } | null;
  /** Fingerprint of the serving certificate. */
  certificate(): string | null;
  readonly callers: Pick<Callers, 'takePaths' | 'trust'>;
  /** Keeps an end of a path out of the log. */
  readonly guard: (end: string) => void;
  /** Told that another authority of callers is trusted. */
  changed(): void;
  readonly clock: Clock;
  readonly log: Log;
}

/** CallersOf is what keeps it up to date. */
export interface CallersOf {
  /** The leader's; null where nothing is to be kept. */
  readonly lead: ((signal: AbortSignal) => Promise<void>) | null;
  /** Every replica's: takes over the paths and the authority of callers. */
  follow(): Promise<void>;
}

/** Bytes of the file of a path, and of authorities. */
const MAX_PATH_BYTES = 4_096;
const MAX_CA_BYTES = 1_048_576;

/** webhookPath joins what tells callers apart. */
export function webhookPath(deps: WebhookPathDeps): CallersOf {
  const { settings, kept, callers, changed, clock, log } = deps;
  const { pathFile, clientCaFile } = settings;
  const own =
    kept === null
      ? null
      : new WebhookPath({
          secret: kept.secret,
          paths: {
            read: () => kept.cluster.readWebhookPaths(kept.configuration),
            publish: (path) => kept.cluster.writeWebhookPath(kept.configuration, path),
          },
          base: REVIEW_PATH,
          certificate: deps.certificate,
          isLeader: () => kept.cluster.leadsCluster(),
          clock,
          log,
        });
  const source = kept === null ? null : pathSource(kept.secret, clock);
  let authority: string | null = null;
  let guarded: ReadonlySet<string> = new Set();
  return {
    lead: own === null ? null : (signal) => own.run(signal),
    async follow() {
      let ends: readonly string[] | null = null;
      if (source !== null) ends = await source.read();
      else if (pathFile !== undefined) ends = await readPathFile(pathFile);
      for (const end of ends ?? []) if (!guarded.has(end)) deps.guard(end);
      if (ends !== null) guarded = new Set(ends);
      if (ends !== null) callers.takePaths(ends);
      if (clientCaFile === undefined) return;
      const read = await readBounded(clientCaFile, MAX_CA_BYTES);
      if (read === authority) return;
      if (!read.includes('-----BEGIN CERTIFICATE-----'))
        throw new IpoError('invalid_config', `${clientCaFile}: holds no certificate in PEM`);
      callers.trust((authority = read));
      changed();
    },
  };
}

/** leadJob is the leader's job of it. */
export function leadJob(lead: NonNullable<CallersOf['lead']>, leads: () => boolean): Job {
  return {
    name: 'webhook-path',
    every: 5_000,
    again: 250,
    leaderOnly: false,
    atStart: true,
    mayRun: leads,
    run: lead,
  };
}

/** Ends of paths, one a line: two while one takes the place of the other. */
async function readPathFile(path: string): Promise<readonly string[]> {
  const lines = (await readBounded(path, MAX_PATH_BYTES)).split('\n').map((line) => line.trim());
  const ends = lines.filter((line) => line !== '');
  if (ends.length > 0 && ends.every(isToken)) return ends;
  throw new IpoError(
    'invalid_config',
    `${path}: each line must be the end of a path, of 22 to 128 letters, digits, - and _`,
    { hint: 'openssl rand -hex 16' },
  );
}
