import { readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { makeDirectory } from '../../adapters/files/index.ts';
import type { BackupHistory } from '../../backup/index.ts';
import { DAY_MS, formatTime, type Clock, type Log } from '../../base/index.ts';
import type { Artifacts, Repository } from '../../image/index.ts';
import type { Job } from '../running/jobs.ts';
import type { BackupTask } from './child.ts';
import { pushBackup } from './registry.ts';

/** BackupRegistry is a repository of a registry that backups are pushed to. */
export interface BackupRegistry {
  readonly repository: Repository;
  readonly artifacts: Artifacts;
}

/** ScheduleParts are what the scheduled backups act through. */
export interface ScheduleParts {
  /** Milliseconds; undefined for none. */
  readonly schedule: number | undefined;
  readonly directory: string;
  /** Where backups go from the directory; null where they stay in it. */
  readonly registry: BackupRegistry | null;
  readonly keep: number;
  readonly database: string;
  readonly program: string;
  readonly history: BackupHistory;
  readonly clock: Clock;
  readonly log: Log;
  /** Makes one; throws why it could not. */
  make(
    task: BackupTask,
    signal: AbortSignal,
  ): Promise<{ readonly bytes: number; readonly sha256: string; readonly ledgerRows: number }>;
}

/** What a process leaves that was killed while it wrote; a day later it is certain that none writes it. */
const UNFINISHED = /^\.[0-9a-f]{12}\.ipo-tmp$/;
/** What a backup of the schedule is called, as a file and as a tag: nothing else is ever deleted. */
const TAG = /^ipo-\d{8}T\d{6}Z$/;
const ENDING = '.ipobackup';

/** backupJobs back the database up; there is none without a schedule. */
export function backupJobs(parts: ScheduleParts): readonly Job[] {
  const { schedule } = parts;
  if (schedule === undefined) return [];
  return [
    {
      name: 'backup',
      every: schedule,
      leaderOnly: true,
      remembered: true,
      failing: {
        what: 'the database was not backed up',
        meanwhile: 'the backups that are there stay; all else works',
      },
      run: (signal) => backUp(parts, signal),
    },
  ];
}

/** backUp makes one backup, and deletes those that are kept no more once it is whole. */
export async function backUp(parts: ScheduleParts, signal: AbortSignal): Promise<void> {
  const { directory, registry, database, program, history, clock, log, make } = parts;
  const at = clock.now();
  const tag = `ipo-${formatTime(at).replaceAll(/[-:]|\.\d+/g, '')}`;
  const out = join(directory, `${tag}${ENDING}`);
  const target = registry === null ? out : nameOf(registry, tag);
  await history.giveUp(at, at);
  const id = await history.begin(at, target);
  try {
    await makeDirectory(directory, 0o700);
    const written = await make({ url: database, out, program }, signal);
    const { bytes, sha256 } = written;
    if (registry !== null) {
      const file = { path: out, bytes, sha256, createdAt: at };
      await pushBackup(registry.artifacts, { ...registry.repository, tag }, file, signal);
      await rm(out);
    }
    await history.end(id, clock.now(), written);
    log.info('the database was backed up', { target, bytes, rows: written.ledgerRows });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    await history.end(id, clock.now(), { error: reason, isTold: !signal.aborted });
    // What a registry did not take stays in the directory, as many as are kept.
    await dropOld(parts, at);
    throw error;
  }
  await dropOld(parts, at);
  if (registry !== null) await dropPushed(registry, parts, signal);
}

function nameOf({ repository: { host, path } }: BackupRegistry, tag: string): string {
  return `oci://${host}/${path}:${tag}`;
}

/** Deletes the oldest in the registry. One that deletes nothing keeps all of them. */
async function dropPushed(
  registry: BackupRegistry,
  { keep, log }: ScheduleParts,
  signal: AbortSignal,
): Promise<void> {
  const { artifacts, repository } = registry;
  try {
    const tags = (await artifacts.tags(repository, signal)).filter((tag) => TAG.test(tag)).toSorted();
    for (const tag of tags.slice(0, Math.max(0, tags.length - keep)))
      await artifacts.remove(repository, tag, signal);
  } catch (error) {
    log.warn('old backups could not be deleted from the registry', {
      registry: `${repository.host}/${repository.path}`,
      error,
    });
  }
}

/** A backup that cannot be deleted does not stop the next one. */
async function dropOld({ directory, keep, log }: ScheduleParts, now: number): Promise<void> {
  const all = await readdir(directory).catch(() => []); // it may not have been made
  const names = all.filter((name) => name.endsWith(ENDING) && TAG.test(basename(name, ENDING))).toSorted();
  const left = await unfinished(directory, all, now);
  for (const name of [...left, ...names.slice(0, Math.max(0, names.length - keep))]) {
    try {
      await rm(join(directory, name));
    } catch (error) {
      log.warn('an old backup could not be deleted', { file: join(directory, name), error });
    }
  }
}

async function unfinished(
  directory: string,
  names: readonly string[],
  now: number,
): Promise<readonly string[]> {
  const old: string[] = [];
  for (const name of names.filter((one) => UNFINISHED.test(one))) {
    const found = await stat(join(directory, name)).catch(() => null);
    if (found !== null && now - found.mtimeMs > DAY_MS) old.push(name);
  }
  return old;
}
