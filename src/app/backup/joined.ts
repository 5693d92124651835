import type { Clock, Log } from '../../base/index.ts';
import { parseMirror, type Artifacts } from '../../image/index.ts';
import { backupHistory, logBytesOf, type Store } from '../../store/index.ts';
import type { Settings } from '../config/settings.ts';
import type { Places } from '../running/data-directory.ts';
import type { Job } from '../running/jobs.ts';
import { whileLogIsShort, type Traffic } from '../programs/pace.ts';
import { backupInChild } from './child.ts';
import { backupJobs } from './schedule.ts';

/** ServiceBackupDeps are what the backups of a service are joined with. */
export interface ServiceBackupDeps {
  readonly settings: Pick<Settings, 'backup'>;
  readonly places: Pick<Places, 'databaseUrl' | 'backupDirectory'>;
  /** Whose writes hold the fence of the job. */
  readonly store: Store;
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly facts: { readonly artifacts: Artifacts };
  readonly traffic: Traffic;
}

/** serviceBackups joins the scheduled backups of a service. */
export function serviceBackups(deps: ServiceBackupDeps): readonly Job[] {
  const { settings, places, store, version, clock, log, facts, traffic } = deps;
  const { schedule, keep, registry } = settings.backup;
  const place = registry === undefined ? null : parseMirror(registry);
  const short = whileLogIsShort(traffic, () => logBytesOf(places.databaseUrl));
  return backupJobs({
    schedule,
    keep,
    clock,
    log,
    program: version,
    directory: places.backupDirectory,
    registry:
      place === null
        ? null
        : { artifacts: facts.artifacts, repository: { host: place.host, path: place.prefix } },
    database: places.databaseUrl,
    history: backupHistory(store),
    make: (task, signal) => backupInChild(task, signal, short),
  });
}
