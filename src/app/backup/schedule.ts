import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { BackupHistory } from '../../backup/index.ts';
import { DAY_MS, formatTime, type Clock, type Log } from '../../base/index.ts';
import type { Happened } from '../../notify/index.ts';
import type { Job } from '../running/jobs.ts';
import type { BackupTask } from './child.ts';

/** ScheduleParts are what the scheduled backups act through. */
export interface ScheduleParts {
  /** Milliseconds; undefined for none. */
  readonly schedule: number | undefined;
  readonly directory: string;
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
  tell(happened: Happened): Promise<unknown>;
}

/** What a backup of the schedule is called: nothing else in the directory is ever deleted. */
/** What a process leaves that was killed while it wrote; a day later it is certain that none writes it. */
const UNFINISHED = /^\.[0-9a-f]{12}\.ipo-tmp$/;
const NAME = /^ipo-\d{8}T\d{6}Z\.ipobackup$/;

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
  const { directory, database, program, history, clock, log, make, tell } = parts;
  const at = clock.now();
  const name = `ipo-${formatTime(at).replaceAll(/[-:]|\.\d+/g, '')}.ipobackup`;
  const out = join(directory, name);
  await history.giveUp(at, at);
  const id = await history.begin(at, out);
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const written = await make({ url: database, out, program }, signal);
    await history.end(id, clock.now(), written);
    log.info('the database was backed up', { file: out, bytes: written.bytes, rows: written.ledgerRows });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    await history.end(id, clock.now(), { error: reason });
    if (!signal.aborted)
      await tell({ event: 'backup_failed', subject: 'backup', payload: { error: reason } });
    throw error;
  }
  await dropOld(parts, at);
}

/** A backup that cannot be deleted does not stop the next one. */
async function dropOld({ directory, keep, log }: ScheduleParts, now: number): Promise<void> {
  const all = await readdir(directory);
  const names = all.filter((name) => NAME.test(name)).toSorted();
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
