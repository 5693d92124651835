import { openFileSpool } from '../../adapters/spool/index.ts';
import { Appender } from '../../ledger/index.ts';
import type { Jobs } from '../running/jobs.ts';
import { spoolTime } from '../running/shutdown.ts';
import { endsWithin, timers } from '../running/timers.ts';
import type { WebhookStatus } from './acts.ts';
import { openPartAdmission, type PartAdmission } from './part-admission.ts';
import type { WebhookPartDeps } from './part-deps.ts';
import { partJobs, partUpkeeps } from './part-upkeep.ts';
import { openReplicaLine } from './replica-line.ts';
import { openServicePeer } from './service-peer.ts';

/** WebhookPart answers reviews, and holds their rows until the database has them. */
export interface WebhookPart {
  readonly appender: Appender;
  /** Brings up what it needs and listens. Gives the port of the webhook, or null where there is none. */
  start(): Promise<number | null>;
  /**
   * Ends in order: calls under way ended within the grace, rows written, the spool put back as far as the database takes it in time.
   * `passedMs`: how long ago the signal came.
   */
  close(graceMs: number, passedMs: number): Promise<void>;
  /** Ends one that never answered. */
  drop(): Promise<void>;
  /** Logs what an end at once leaves in the spool. */
  sayLeft(): void;
}

/**
 * A start waits this many milliseconds at most for the uids of the ledger: some for each million rows, far more where they are not stored.
 */
const UIDS_MS = 10_000;
/** The API server learns of a pod that is not ready any more within this many milliseconds. */
const DRAIN_MS = 10_000;

/** openWebhookPart opens the spool and makes the line of this replica: before that, no review may be answered. */
export async function openWebhookPart(deps: WebhookPartDeps): Promise<WebhookPart> {
  const appender = await openAppender(deps);
  try {
    return await joinPart(deps, appender);
  } catch (error) {
    // Nothing was reviewed, and the next start needs the spool.
    await appender.close();
    throw error;
  }
}

async function joinPart(deps: WebhookPartDeps, appender: Appender): Promise<WebhookPart> {
  const { settings } = deps;
  // Made last: it needs what else is told of it.
  let reviews: PartAdmission = { admission: null, meter: null };
  let port: number | null = null;
  const service = openServicePeer(deps, () => reviews.admission, {
    status: (): WebhookStatus => ({
      pid: process.pid,
      port,
      reviews: reviews.admission?.health() ?? null,
      ledger: { ...appender.waiting, delayed: appender.delayed },
      jobs: jobs.states(),
      replica: report.name,
      replicas: report.standings(),
    }),
    inEffect: async () => reviews.admission?.inEffect(),
    tick: () => report.tick(),
    look: () => report.look(),
  });
  const report = await openReplicaLine(deps, appender, service.peer);
  reviews = openPartAdmission(deps, service, appender);
  const { admission } = reviews;
  const jobs: Jobs = partJobs(deps, reviews, report);
  const upkeeps = partUpkeeps(deps, reviews);
  service.peer.open();

  return {
    appender,
    async start() {
      const read = readFirst(deps, reviews);
      if (deps.takesOver !== true) await read;
      port = (await admission?.listen())?.port ?? null;
      jobs.start();
      for (const upkeep of upkeeps) upkeep.start();
      return port;
    },
    async close(graceMs, passedMs) {
      const began = performance.now() - passedMs; // the clock may be set meanwhile
      const drainMs = settings.cluster === undefined ? 0 : Math.min(DRAIN_MS, graceMs);
      await admission?.close(drainMs, graceMs);
      await appender.close(spoolTime(graceMs, performance.now() - began));
      await Promise.all(upkeeps.map((upkeep) => upkeep.stop()));
      await jobs.stop();
      await report.end();
    },
    async drop() {
      await admission?.close(0, 0);
      await appender.close();
      await report.end(); // it has reviewed nothing
    },
    sayLeft: () => appender.sayLeft(),
  };
}

/** What takes the rows of reviews: the database, and the spool while that does not answer. */
async function openAppender(deps: WebhookPartDeps): Promise<Appender> {
  const { settings, places, writer, watch, log, metrics, sidesteps = false } = deps;
  const { maxRows, maxBytes } = settings.ledger.spool;
  const spool = await openFileSpool({ directory: places.spoolDirectory, log, maxRows, maxBytes });
  return new Appender({ writer, spool, timers, log, count: metrics, watch }, { sidesteps });
}

/** Reads what reviews wait for in any case; what takes longer goes on beside a webhook that is not ready yet. Never rejects. */
async function readFirst({ writer, log }: WebhookPartDeps, { meter }: PartAdmission): Promise<void> {
  const followed = endsWithin(writer.follow(), UIDS_MS).catch((error: unknown) =>
    log.warn('the reviews that the ledger holds could not be read; it is tried again', { error }),
  );
  const metered = meter
    ?.refresh()
    .catch((error: unknown) =>
      log.warn('the licence meter was not read yet; it denies no image name', { error }),
    );
  await Promise.all([followed, metered]);
}
