import { IpoError } from '../../base/index.ts';
import { SWEEP_EVERY } from '../../trackers/index.ts';
import { pruneRuns } from '../../whatif/index.ts';
import type { Job } from '../running/jobs.ts';
import type { RetentionClock } from '../running/retention-time.service.ts';
import type { ServiceParts } from './parts.ts';
import type { ServiceTrackers } from '../trackers/trackers.ts';
import type { Settings } from '../config/settings.ts';

const MINUTE = 60_000;

/** JobsParts are what the jobs act through. */
export interface JobsParts extends Pick<
  ServiceParts,
  'accounts' | 'runStore' | 'images' | 'kev' | 'endOfLife'
> {
  readonly settings: Settings;
  readonly trackers: Pick<ServiceTrackers, 'file' | 'sweep'>;
  /** Sends what the channels are to be told, and looks for what nobody else tells. */
  readonly notices: readonly Job[];
  /** The time by which what was kept for a while is deleted. */
  readonly retention: RetentionClock;
  /** Signs what the ledger has grown by and tells it outside. */
  checkpoint(): Promise<void>;
  /** What takes away history that is no longer kept. */
  readonly history: readonly Job[];
  /** What makes evidence packages, and deletes them. */
  readonly evidence: readonly Job[];
  /** What backs the database up. */
  readonly backups: readonly Job[];
  /** The jobs of the webhook, and of the cluster. */
  readonly operator: readonly Job[];
  /** What brings facts of images in: scans, signatures and statements. */
  readonly facts: readonly Job[];
  /** Reads certificate files again where they changed; null without TLS. */
  readonly renewTls: (() => Promise<void>) | null;
}

function stillRead(): IpoError {
  return new IpoError(
    'unavailable',
    'a long read still needs the log of the database, in which an erased text stands',
    {
      hint: 'It is tried again every 5 seconds; a replay, or another program that reads the file, may take a while',
    },
  );
}

/** serviceJobs lists every job of the service. */
export function serviceJobs(parts: JobsParts): readonly Job[] {
  const { settings, retention, accounts, runStore, images } = parts;
  return [
    {
      name: 'checkpoint',
      every: settings.ledger.checkpointInterval,
      leaderOnly: true,
      // A new leader first looks at what the anchors hold, before anything grows.
      atStart: true,
      atEnd: true,
      run: () => parts.checkpoint(),
    },
    { name: 'image-states', every: MINUTE / 4, leaderOnly: true, run: () => images.refresh() },
    {
      name: 'sign-in-sweep',
      every: 5 * MINUTE,
      leaderOnly: true,
      atStart: true,
      run: async () => accounts.sweep(await retention.now()),
    },
    {
      name: 'erasure',
      every: 5_000,
      leaderOnly: false,
      run: async () => {
        if ((await accounts.erase()) === 'pending') throw stillRead();
      },
    },
    {
      name: 'whatif-run-retention',
      every: 60 * MINUTE,
      leaderOnly: true,
      atStart: true,
      run: async () => void (await pruneRuns(runStore, await retention.now())),
    },
    {
      name: 'issue-filing',
      every: MINUTE,
      leaderOnly: true,
      atStart: true,
      run: async (signal) => void (await parts.trackers.file(signal)),
    },
    {
      name: 'closing-sweep',
      every: SWEEP_EVERY,
      leaderOnly: true,
      remembered: true,
      run: async (signal) => void (await parts.trackers.sweep(signal)),
    },
    ...catalogueJobs(parts),
    ...parts.notices,
    ...parts.history,
    ...parts.evidence,
    ...parts.backups,
    ...parts.facts,
    ...parts.operator,
    ...(parts.renewTls === null
      ? []
      : [{ name: 'certificate-files', every: MINUTE / 2, leaderOnly: false, run: parts.renewTls }]),
  ];
}

/** What others publish, and every cluster is judged by. */
function catalogueJobs({ kev, endOfLife }: JobsParts): readonly Job[] {
  return [
    ...(kev.off
      ? []
      : [
          {
            name: 'catalogues',
            every: 6 * 60 * MINUTE,
            leaderOnly: true,
            atStart: true,
            failing: {
              what: 'known exploited vulnerabilities were not fetched',
              meanwhile: 'the stored catalogue stays in use, if there is one; everything else works',
            },
            run: async (): Promise<void> => {
              const { fault } = await kev.refresh();
              if (fault !== null) throw fault;
            },
          },
        ]),
    {
      // Also without a source: what is kept ends with the days.
      name: 'end-of-life',
      every: 6 * 60 * MINUTE,
      leaderOnly: true,
      atStart: true,
      failing: {
        what: 'release data of operating systems was not fetched',
        meanwhile: 'the stored release data and what the scanner reports stay in use; everything else works',
      },
      run: async (): Promise<void> => {
        const { fault } = await endOfLife.refresh();
        if (fault !== null) throw fault;
      },
    },
  ];
}
