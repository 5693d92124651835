import { randomBytes } from 'node:crypto';
import type { Line, Outbound } from '../../adapters/transport/index.ts';
import type { Clock, Count, Log, Secret } from '../../base/index.ts';
import {
  DataKey,
  openChannels,
  openCredentials,
  sealPlainCredentials,
  type ChannelTest,
  type CredentialDeps,
  type TrackerChannel,
} from '../../channels/index.ts';
import type { PoliciesInForce } from '../../inventory/index.ts';
import {
  adoptionStore,
  channelStore,
  continuationStore,
  erasureOf,
  filingStore,
  installationId,
  issueFacts,
  kevDueDates,
  restoreEpoch,
  runningImages,
  sweepStore,
  trackingHistory,
  type Store,
} from '../../store/index.ts';
import type { Redactor } from '../../telemetry/index.ts';
import {
  Breaker,
  Filing,
  openIssueWriter,
  openMarkers,
  openPreviews,
  SteadyClock,
  Sweep,
  TrackerError,
  type FilingReport,
  type Markers,
  type IssueTracker,
  type SweepReport,
  type TrackerFactory,
} from '../../trackers/index.ts';
import { type Leader } from '../../leadership/index.ts';
import type { ChannelParts, NotificationParts, TrackingParts } from '../../api/index.ts';
import { criticalWindow } from '../running/critical-window.ts';
import type { Settings } from '../config/settings.ts';
import { loadAdapters, textRoomsOf, type TrackerAdapters } from './adapters.ts';
import { trackingTerms } from './tracking-terms.ts';
import { openNotifications, type Notifications } from '../notify/notifications.ts';
import { openLine, REAL_PACE, type Pace } from './tracker-line.ts';
import { openStandaloneLeader, type StandaloneLeader } from '../leadership/standalone-leader.ts';

/** TrackersDeps are what the trackers of a service are joined with. */
export interface TrackersDeps {
  readonly store: Store;
  readonly settings: Settings;
  readonly version: string;
  readonly clock: Clock;
  /** How calls to trackers wait for each other; by real time unless given. */
  readonly pace?: Pace | undefined;
  /** How calls leave; directly unless given. */
  readonly outbound?: Outbound | undefined;
  readonly log: Log;
  readonly count: Count;
  readonly redactor: Redactor;
  readonly policies: () => Promise<PoliciesInForce>;
  /** Who leads; the process itself from its start unless given. */
  readonly leader?: Leader | undefined;
}

/** ServiceTrackers are the channels of a service and what files and closes through them. */
export interface ServiceTrackers {
  readonly routes: Pick<ChannelParts, 'channels' | 'told'> &
    Pick<NotificationParts, 'deliveries' | 'mutes'> &
    Pick<TrackingParts, 'history' | 'previews' | 'markers' | 'terms'>;
  readonly notifications: Notifications;
  /** Files what waits; nothing where `DATA_KEY` is not set, or another process leads. */
  file(signal?: AbortSignal): Promise<FilingReport | null>;
  /** One closing sweep; nothing likewise. */
  sweep(signal?: AbortSignal): Promise<SweepReport | null>;
}

/** openTrackers joins them, and seals what an earlier release left plain. */
export async function openTrackers(deps: TrackersDeps): Promise<ServiceTrackers> {
  const { store, settings, version, clock, log, count, redactor, policies } = deps;
  const { testLoopback, allowedHosts } = settings.trackers;
  const channels = channelStore(store);
  const dataKey = settings.dataKey === undefined ? null : DataKey.parse(settings.dataKey.reveal());
  const guard = redactor.add.bind(redactor);
  const credentialDeps: CredentialDeps = { store: channels, dataKey, guard, log };
  const credentials = openCredentials(credentialDeps);
  const { pace = REAL_PACE } = deps;
  const trackerClock = { now: () => clock.now(), monotonic: () => pace.monotonic() };
  const adapters = await loadAdapters();
  const textRooms = textRoomsOf(adapters);
  const line = openLine(settings.trackers, `ipo/${version}`, clock, pace, deps.outbound);
  const factory = trackerFactory(adapters, line);

  const filing = filingStore(store);
  const facts = issueFacts(store);
  const terms = { criticalWindow: criticalWindow(policies), dueDates: kevDueDates(store) };
  const markers = dataKey === null ? null : await markersOf(dataKey, store);
  const leader =
    deps.leader === undefined ? await openStandaloneLeader(store, clock.now(), log) : elected(deps.leader);
  const notifications = await openNotifications({ store, line, leader, clock, log, count });
  await sealPlain(credentialDeps, store);

  const parts =
    markers === null
      ? null
      : {
          filing,
          sweeps: sweepStore(store),
          continuations: continuationStore(store),
          running: runningImages(store),
          channels,
          credentials,
          factory,
          writer: openIssueWriter({ facts, terms, rooms: textRooms }),
          markers,
          leader,
          clock: trackerClock,
          steady: new SteadyClock(filing, trackerClock),
          breaker: new Breaker(),
          newId: () => randomBytes(16).toString('hex'),
          log,
          count,
        };
  const work = parts === null ? null : { filing: new Filing(parts), sweep: new Sweep(parts) };
  return {
    routes: {
      channels: openChannels({
        store: channels,
        adoptions: adoptionStore(store),
        credentials,
        tester: {
          test: (channel, credential) => testChannel(factory, channel, credential),
          tell: (channel, by) => notifications.test(channel, by),
        },
        dataKey,
        rules: { testLoopback, allowedHosts },
        guard,
        clock,
      }),
      history: trackingHistory(store),
      terms: trackingTerms(policies, channels),
      previews: openPreviews({ channels, filing, facts, terms, rooms: textRooms, clock: trackerClock }),
      markers,
      ...notifications.routes,
    },
    notifications,
    async file(signal) {
      await leader.check();
      return (await work?.filing.run(signal)) ?? null;
    },
    async sweep(signal) {
      await leader.check();
      return (await work?.sweep.run(signal)) ?? null;
    },
  };
}

async function markersOf(dataKey: DataKey, store: Store): Promise<Markers> {
  const key = dataKey.derive('issue-markers');
  return openMarkers(key, await installationId(store), await restoreEpoch(store));
}

async function sealPlain(deps: CredentialDeps, store: Store): Promise<void> {
  if ((await sealPlainCredentials(deps)) === 0) return;
  // The plain text goes from the files as well; what keeps it there now is tried again by the job `erasure`.
  const erasure = erasureOf(store);
  await erasure.mark();
  await erasure.attempt();
}

/** The elected one checks by itself whether it still leads. */
function elected(leader: Leader): StandaloneLeader {
  return {
    isLeader: () => leader.isLeader(),
    fence: () => leader.fence(),
    check: async () => {},
  };
}

/** The one read of a channel; an address that may not be called is what is wrong with it. */
async function testChannel(
  factory: TrackerFactory,
  channel: TrackerChannel,
  credential: Secret,
): Promise<ChannelTest> {
  try {
    return await factory.open(channel, credential, () => false).test();
  } catch (error) {
    if (!(error instanceof TrackerError)) throw error;
    return { works: false, sentence: error.message, hints: error.hint === undefined ? [] : [error.hint] };
  }
}

function trackerFactory(adapters: TrackerAdapters, line: Line): TrackerFactory {
  return {
    open: (channel, credential, guard): IssueTracker =>
      adapters[channel.kind].open(channel, credential, guard, line),
  };
}
