import { existsSync } from 'node:fs';
import { rm, rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { BackupError } from '../../backup/index.ts';
import { formatTime, type Clock } from '../../base/index.ts';
import type { ClusterSettings } from '../config/cluster.ts';
import { openDataDirectory } from '../running/data-directory.ts';
import type { BackupPlaces } from './places.ts';

/** A replica reports every 2 seconds. */
const SILENT_MS = 30_000;

/** WorkedOn says whose database is looked at. */
export interface WorkedOn {
  readonly database: string;
  /** Lock of the service's directory; null where that is not known. */
  readonly lockFile: string | null;
  /** The cluster whose Lease is read; undefined for none. */
  readonly cluster: ClusterSettings | undefined;
  /** Version of this program. */
  readonly program: string;
  readonly clock: Clock;
}

/**
 * holdStopped takes the lock of a service's directory, so that it cannot be started, and gives what lets go of it. Throws BackupError
 * `conflict` where a service works on the database: by its lock, its sessions, its replicas or its Lease.
 */
export async function holdStopped({
  database,
  lockFile,
  cluster,
  program,
  clock,
}: WorkedOn): Promise<() => void> {
  const { lockFile: take, othersAtWork, sqliteFileOf } = await import('../../store/index.ts');
  const file = sqliteFileOf(database);
  const beside = file === null ? null : join(dirname(file), 'service.lock');
  const lock = lockFile ?? (beside !== null && existsSync(beside) ? beside : null);
  const unlock = lock === null ? () => undefined : take(lock);
  try {
    const { sessions, replicas } = await othersAtWork(database);
    const now = clock.now();
    const working = replicas.find(({ seenAt }) => now - seenAt < SILENT_MS);
    if (sessions > 0)
      throw atWork(`${sessions === 1 ? '1 session' : `${sessions} sessions`} of ipo`, 'on it');
    if (working !== undefined)
      throw atWork(
        `replica ${working.name}`,
        `on it: it reported at ${formatTime(working.seenAt)}`,
        'Stop it, and try again 30 seconds later',
      );
    const holder = cluster === undefined ? null : await leaseHolder(cluster, program, now);
    if (holder !== null)
      throw atWork(`the operator ${holder}`, 'in the cluster: it holds the Lease', 'Scale it to 0 replicas');
    return unlock;
  } catch (error) {
    unlock();
    throw error;
  }
}

function atWork(who: string, where: string, hint = 'Stop the service first'): BackupError {
  return new BackupError('conflict', `${who} is at work ${where}`, { hint: `${hint}; nothing was changed` });
}

/** Who holds the Lease of the operator now; null for nobody. */
async function leaseHolder(settings: ClusterSettings, program: string, now: number): Promise<string | null> {
  const { KubernetesApi, leaseStore, openInCluster, openKubeconfig } =
    await import('../../adapters/kubernetes/index.ts');
  const { kubeconfig } = settings;
  const connection = await (kubeconfig === undefined ? openInCluster() : openKubeconfig(kubeconfig));
  const namespace = settings.namespace ?? connection.namespace;
  if (namespace === null) return null;
  const lease = await leaseStore(new KubernetesApi(connection, program), namespace, settings.leaseName).read(
    10_000,
  );
  if (lease === null || lease.holder === '' || lease.renewedAt === null) return null;
  return Date.parse(lease.renewedAt) + lease.durationSeconds * 1000 > now ? lease.holder : null;
}

/**
 * inHeldDirectory does something while it holds the directory of a service, made where it is missing, so that none is started on it
 * meanwhile. Where that fails, what was made for it is taken away again. Without a named directory it only does it. Throws what `act`
 * throws, `unwritable`, StoreError.
 */
export async function inHeldDirectory<T>(
  places: Pick<BackupPlaces, 'data' | 'lockFile'> | null,
  act: () => Promise<T>,
): Promise<T> {
  if (places === null || places.data === null || places.lockFile === null) return act();
  const { data, lockFile: file } = places;
  const missing = missingAbove(data);
  const isNew = !existsSync(file);
  await openDataDirectory(data);
  const { lockFile } = await import('../../store/index.ts');
  const unlock = lockFile(file);
  try {
    const result = await act();
    unlock();
    return result;
  } catch (error) {
    // While it is locked: afterwards it could be the lock of a service that has just started.
    if (isNew) await rm(file, { force: true }).catch(() => undefined);
    unlock();
    await removeEmpty(missing);
    throw error;
  }
}

/** The directory and those above it that are not there, the deepest first. */
function missingAbove(path: string): readonly string[] {
  const missing: string[] = [];
  for (let at = resolve(path); !existsSync(at); at = dirname(at)) missing.push(at);
  return missing;
}

async function removeEmpty(directories: readonly string[]): Promise<void> {
  for (const directory of directories) {
    try {
      await rmdir(directory);
    } catch {
      // Something else is in it by now, or it was never made.
      return;
    }
  }
}
