import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openGrype } from '../../adapters/grype/index.ts';
import { openTrivy } from '../../adapters/trivy/index.ts';
import { isDigest, type Clock, type Log } from '../../base/index.ts';
import {
  isUnnamed,
  parsePlatform,
  platformEntries,
  RegistryError,
  type Keychain,
  type PullPlaces,
  type Registry,
} from '../../image/index.ts';
import {
  type ImageChoice,
  Rescans,
  ScanGate,
  type Scanner,
  type ScanQueue,
  type ScanStore,
  ScanWorker,
  VulnerabilityDatabase,
} from '../../scan/index.ts';
import {
  forgiveAttempt,
  lockFile,
  rescanStore,
  scanSubjects,
  type Store,
  vulnerabilityDatabaseStore,
} from '../../store/index.ts';
import type { Metrics } from '../../telemetry/index.ts';
import { findProgram } from '../running/find-program.ts';
import type { ServiceOutbound } from '../running/outbound.ts';
import { scannerEnvironment } from './scanner-environment.ts';
import { nodePlatforms, type ClusterNodes } from './node-platforms.ts';
import type { Job } from '../running/jobs.ts';
import type { ScannerSettings } from '../config/scanner.ts';

/** ScanningDeps are what scanning is joined with. */
export interface ScanningDeps {
  readonly store: Store;
  readonly queue: ScanQueue;
  readonly scans: ScanStore;
  readonly settings: ScannerSettings;
  /** Directory of the service, or none. */
  readonly data: string | undefined;
  /** Knows which credentials a registry may be shown; null: registries are asked anonymously. */
  readonly keychain: Keychain | null;
  /** Where and how each repository is asked for; null or absent: its registry, as the scanner does by itself. */
  readonly places?: PullPlaces | null | undefined;
  /** Says which image of an index is scanned; null or absent: the scanner chooses by itself. */
  readonly registry?: Pick<Registry, 'manifest' | 'platformImage'> | null | undefined;
  /** Our environment, of which scanners see what they need. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How calls leave; directly unless given. */
  readonly way?: ServiceOutbound | undefined;
  /** The platforms of the nodes of this cluster; null or absent outside a cluster. */
  readonly nodes?: ClusterNodes | null | undefined;
  /** Milliseconds beyond `scanner.timeout` for Trivy to say so by itself; its own unless given. */
  readonly slackMs?: number | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** ScannerHealth is how the scanner of this replica stands. */
export interface ScannerHealth {
  readonly name: string;
  /** Scans that are under way here. */
  readonly running: number;
  /** Why it does not work, or null. */
  readonly message: string | null;
}

/** ServiceScanning is what scans images. */
export interface ServiceScanning {
  /** The vulnerability database, also where there is no scanner to keep it up to date. */
  readonly database: VulnerabilityDatabase;
  readonly jobs: readonly Job[];
  /** Null where nothing is scanned here. */
  health(): ScannerHealth | null;
  /** Waits until no scan is under way. */
  idle(): Promise<void>;
  /** Ends: scans that are under way are stopped and put back. To be called before the store is closed. */
  close(): Promise<void>;
}

const MINUTE = 60_000;
/** Waiting scans are looked for so often; while some wait, one follows the other at once. */
const SCANS_EVERY = 2_000;

/**
 * openScanning joins what scans images. Nothing is run before its jobs are. Throws StoreError `unavailable` where another process works
 * in the scanner's directory.
 */
export async function openScanning(deps: ScanningDeps): Promise<ServiceScanning> {
  const { store, queue, scans, settings, keychain, clock, log, metrics } = deps;
  const databases = vulnerabilityDatabaseStore(store);
  const platforms = nodePlatforms(deps);
  const gate = new ScanGate();
  const opened = await openScanner(deps);
  const scanner = opened?.scanner ?? null;
  const context = { gate, clock, log, count: metrics };
  const database = new VulnerabilityDatabase({ scanner, store: databases, ...context });
  const worker =
    scanner === null
      ? null
      : new ScanWorker({
          queue,
          scans,
          scanner,
          keychain,
          ...context,
          atOnce: settings.atOnce,
          subjects: scanSubjects(store),
          // A SQLite file belongs to only one process; on PostgreSQL a replica beside us may be at it.
          aloneSince: store.engine === 'sqlite' ? clock.now() : null,
          imageOf: imageChoice(deps),
          pullPlaces: deps.places,
          rescans: rescansOf(deps, databases, scanner.name),
          together: (act) => store.write(act),
          forgive: forgiveAttempt(store),
          took: (seconds) => metrics.observe('svc_scan_seconds', seconds),
        });
  metrics.collect(async () => {
    metrics.set('svc_scans_running', worker?.running ?? 0);
    metrics.set('svc_scan_queue_size', await queue.size());
    tellAge(metrics, (await databases.state()).updatedAt);
  });
  return {
    database,
    jobs: [
      platforms.job,
      ...(worker === null
        ? []
        : [
            {
              name: 'vulnerability-database',
              every: 5 * MINUTE,
              leaderOnly: false,
              atStart: true,
              failing: {
                what: 'the vulnerability database was not fetched',
                meanwhile: 'images are scanned with the one that is there, if any; all else works',
                from: settings.databaseRepository ?? settings.server ?? 'the default of the scanner',
                nextTryAt: () => database.dueAt,
              },
              run: () => database.upkeep(),
            },
            {
              name: 'scans',
              every: SCANS_EVERY,
              leaderOnly: false,
              run: () => platforms.begin().then(() => worker.run()),
            },
          ]),
    ],
    health: () =>
      worker === null || scanner === null
        ? null
        : { name: scanner.name, running: worker.running, message: worker.fault?.message ?? null },
    idle: async () => worker?.idle(),
    async close() {
      database.stop();
      await worker?.stop();
      await opened?.close();
    },
  };
}

function rescansOf(
  { store, queue, clock, settings }: ScanningDeps,
  database: ReturnType<typeof vulnerabilityDatabaseStore>,
  scanner: string,
) {
  const { rescanAfter: minAge, usedWithin } = settings;
  return new Rescans({ store: rescanStore(store), queue, database, scanner, clock, minAge, usedWithin });
}

function tellAge(metrics: ScanningDeps['metrics'], updatedAt: number | null): void {
  if (updatedAt === null) metrics.unset('svc_vulnerability_db_updated_seconds');
  else metrics.set('svc_vulnerability_db_updated_seconds', updatedAt / 1000);
}

/**
 * The image that is scanned of an index, as the registry lists them; by the credentials of the service, as the scanner asks. Where the
 * environment names a proxy, through which scanners go and this service does not, a registry that cannot be reached leaves it to the scanner.
 */
function imageChoice({ registry = null, env }: ScanningDeps): ImageChoice | null {
  if (registry === null) return null;
  const proxied = Boolean(env['HTTPS_PROXY'] ?? env['https_proxy']);
  return async (reference, choose, signal) => {
    const { digest, name } = reference;
    if (digest === null || !isDigest(digest)) throw new TypeError('a digest is scanned');
    try {
      const manifest = await registry.manifest(reference, digest, { signal });
      if (manifest.kind === 'image') return { digest, platform: null, entries: null };
      const entries = platformEntries(manifest.manifests);
      const entry = choose(entries);
      if (entry === null)
        throw new RegistryError('unsupported', `${name} has no image for a platform that nodes have`, {
          hint: 'Build it for the platforms of the nodes, or name one of its own in scanner.platform where no nodes are known',
        });
      if (isUnnamed(entry))
        throw new RegistryError('unsupported', `${name} has an image that does not say its platform`, {
          hint: 'Build the index again with a present tool, so that each image in it names its platform',
        });
      const { platform } = entry;
      const { image } = await registry.platformImage(reference, parsePlatform(platform), { signal });
      return { digest: image.digest, platform, entries };
    } catch (error) {
      const isOut = error instanceof RegistryError && error.fault === 'unavailable';
      if (proxied && isOut) return { digest, platform: null };
      throw error;
    }
  };
}

/** The scanner that the settings name, in a directory that nobody else works in; null where there is none. */
async function openScanner(
  deps: ScanningDeps,
): Promise<{ readonly scanner: Scanner; close(): Promise<void> } | null> {
  const { settings, data, way, log } = deps;
  const { kind, server } = settings;
  if (kind === 'off') return null;
  const name = kind === 'grype' ? 'grype' : 'trivy';
  const program = await findProgram(settings.program ?? name, deps.env);
  if (program === null && kind === 'auto') {
    log.info('no scanner was found, so that no image is scanned here; reports can be imported', {
      program: name,
    });
    return null;
  }
  const given = settings.directory ?? (data === undefined ? null : join(data, 'scanner'));
  const directory = given === null ? await mkdtemp(join(tmpdir(), 'ipo-scanner-')) : resolve(given);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const unlock = lockFile(join(directory, 'scanner.lock'));
  const env = await scannerEnvironment(deps.env, way, directory);
  const context = {
    program: program ?? settings.program ?? name,
    timeoutMs: settings.timeout,
    platform: settings.platform,
    update: settings.update,
    memory: settings.memory * 1_048_576,
    env,
  };
  // Each its own: databases of two scanners do not lie in one directory.
  const own = join(directory, name);
  try {
    const scanner =
      name === 'grype'
        ? await openGrype({ ...context, directory: own })
        : await openTrivy({
            ...context,
            directory: own,
            atOnce: settings.atOnce,
            outbound: way?.outbound,
            ...(deps.slackMs !== undefined && { slackMs: deps.slackMs }),
            server:
              server === undefined ? null : { url: server, token: settings.serverToken?.reveal() ?? null },
            databases: {
              vulnerabilities: settings.databaseRepository ?? null,
              java: settings.javaDatabaseRepository ?? null,
            },
          });
    const close = async (): Promise<void> => {
      unlock();
      if (given === null) await rm(directory, { recursive: true, force: true });
    };
    return { scanner, close };
  } catch (error) {
    unlock();
    throw error;
  }
}
