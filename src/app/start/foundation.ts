import type { Clock, Count, Log } from '../../base/index.ts';
import type { Outbound } from '../../adapters/transport/index.ts';
import { beginHistory, fenceWrites, lockFile, type Store } from '../../store/index.ts';
import type { Metrics, Redactor } from '../../telemetry/index.ts';
import type { Settings } from '../config/settings.ts';
import type { Link } from '../processes/link.ts';
import { openDataDirectory, placesOf, type Places } from '../running/data-directory.ts';
import { keepLog } from '../running/keep-log.ts';
import type { Opening } from '../running/opening.ts';
import { openServiceOutbound, type ServiceOutbound } from '../running/outbound.ts';
import { lockSpool } from '../running/spool-lock.ts';
import { readTls, type TlsPair } from '../running/tls-files.ts';
import { openServiceStore } from '../service/store.ts';
import type { Pace } from '../trackers/tracker-line.ts';
import type { ServiceOptions } from './running-service.ts';

/** Foundation is what everything in a service stands on; a part of it is opened with this and with what it needs of other parts. */
export interface Foundation {
  readonly settings: Settings;
  readonly version: string;
  /** The environment, of which scanners see what they need. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** To the webhook's part, where that runs in a process of its own; null where it runs here. */
  readonly link: Link | null;
  /** How calls to trackers wait for each other; by real time unless given. */
  readonly pace: Pace | undefined;
  readonly places: Places;
  /** How calls leave, and the programs that it runs. */
  readonly way: ServiceOutbound;
  readonly outbound: Outbound;
  /** The certificate of the API; none where it has no TLS of its own. */
  readonly tls: TlsPair | undefined;
  /** As it was opened, and as leader jobs write through it. */
  readonly store: Store;
  readonly fenced: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly count: Count;
  readonly redactor: Redactor;
}

/** openFoundation opens directory, ways out, locks, and the database, which it brings up to date. Throws what keeps a service from starting. */
export async function openFoundation(options: ServiceOptions, opening: Opening): Promise<Foundation> {
  const { settings, version, link = null, pace, log, metrics, redactor } = options;
  const { env = process.env, clock = { now: () => Date.now() } } = options;
  const places = placesOf(settings);
  if (settings.data !== undefined) await openDataDirectory(settings.data);
  const way = opening.adopt(await openServiceOutbound(settings.outbound, env), (one) => one.close());
  const tls = settings.tls === undefined ? undefined : await readTls(settings.tls);
  if (places.lockFile !== null) opening.adopt(lockFile(places.lockFile), (unlock) => unlock());
  if (link === null) opening.adopt(await lockSpool(places.spoolDirectory), (unlock) => unlock());
  // The webhook's part writes to the same file, and goes first.
  const turn = link === null ? undefined : 'behind';
  const store = opening.adopt(
    await openServiceStore({ places, settings, clock, log, metrics, turn }),
    (one) => one.close(),
  );
  options.migrated?.();
  if (link !== null)
    opening.adopt(keepLog({ url: places.databaseUrl, log, metrics }), (kept) => kept.close());
  await beginHistory(store, clock.now());
  return {
    settings,
    version,
    env,
    link,
    pace,
    places,
    way,
    outbound: way.outbound,
    tls,
    store,
    fenced: fenceWrites(store),
    clock,
    log,
    metrics,
    count: metrics,
    redactor,
  };
}
