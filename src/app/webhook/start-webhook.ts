import { isOnDiskOf } from '../../adapters/spool/index.ts';
import type { Clock, Log } from '../../base/index.ts';
import { ClockWatch } from '../../ledger/index.ts';
import { ledgerWriter, openStore, recordedTimes, sqliteFileOf } from '../../store/index.ts';
import type { Redactor } from '../../telemetry/index.ts';
import { openDataDirectory, placesOf } from '../running/data-directory.ts';
import { patiently } from '../processes/patiently.ts';
import type { Link } from '../processes/link.ts';
import type { Settings } from '../config/settings.ts';
import { Opening } from '../running/opening.ts';
import { CALLS_MS } from '../running/shutdown.ts';
import { lockSpool } from '../running/spool-lock.ts';
import { timers } from '../running/timers.ts';
import type { CountRelay } from './count-relay.ts';
import { Upkeep } from './upkeep.ts';
import { openWebhookPart } from './webhook-part.ts';

/** WebhookProcessOptions are what the webhook's part is started with in a process of its own. */
export interface WebhookProcessOptions {
  readonly settings: Settings;
  readonly log: Log;
  readonly counted: CountRelay;
  readonly redactor: Redactor;
  readonly link: Link;
  readonly clock?: Clock;
  /** Whether an earlier life of this part answered reviews on this spool: what the database would be asked first is asked beside reviews. */
  readonly takesOver?: boolean;
}

/** RunningPart is a part of a service that does its work. */
export interface RunningPart {
  /** Ends in order. `passedMs`: how long ago the signal came. */
  close(graceMs?: number, passedMs?: number): Promise<void>;
  /** Logs what an end at once leaves behind. */
  sayLeft(): void;
}

/** Connections to PostgreSQL: one appends, the others read facts and write the line of the replica. */
const POOL = 3;
/** How often the times of other replicas are looked at. */
const WATCH_EVERY = 15_000;

/** startWebhook opens a database connection and the spool, and answers reviews from then on. What keeps it from that is thrown. */
export async function startWebhook(options: WebhookProcessOptions): Promise<RunningPart> {
  const {
    settings,
    log,
    counted,
    redactor,
    link,
    takesOver = false,
    clock = { now: () => Date.now() },
  } = options;
  const places = placesOf(settings);
  await using opening = new Opening();
  if (settings.data !== undefined) await openDataDirectory(settings.data);
  // An earlier life of it lets go of the spool the moment it ends.
  opening.adopt(await patiently(() => lockSpool(places.spoolDirectory)), (unlock) => unlock());
  const store = await openStore({
    url: places.databaseUrl,
    poolSize: Math.min(POOL, settings.database.poolSize),
    turn: 'first',
    checked: true,
    now: () => clock.now(),
  });
  opening.adopt(store, () => store.close());
  const watch = new ClockWatch({ times: recordedTimes(store), clock, log, count: counted });
  const looked = watch.look();
  if (!takesOver) await looked;
  else
    looked.catch((error: unknown) =>
      log.warn('the times that the ledger has recorded could not be read yet; rows are not marked', {
        error,
      }),
    );
  const looking = new Upkeep([() => watch.look()], WATCH_EVERY, { timers, log });
  const part = await openWebhookPart({
    settings,
    places,
    store,
    writer: ledgerWriter(store),
    watch,
    link,
    clock,
    log,
    metrics: counted,
    counted,
    redactor,
    takesOver,
    // Elsewhere a row could be lost that the database would have kept.
    sidesteps: isOnDiskOf(places.spoolDirectory, sqliteFileOf(places.databaseUrl)),
  });
  opening.unlessAnswered(() => part.drop());
  const port = await patiently(() => part.start());
  looking.start();
  log.info('the webhook answers', { port, engine: store.engine });
  const closeOpened = opening.answers();
  let closing: Promise<void> | null = null;
  const close = async (graceMs: number, passedMs: number): Promise<void> => {
    await part.close(graceMs, passedMs);
    await looking.stop();
    await closeOpened();
  };
  return {
    close: (graceMs = CALLS_MS, passedMs = 0) => (closing ??= close(graceMs, passedMs)),
    sayLeft: () => part.sayLeft(),
  };
}
