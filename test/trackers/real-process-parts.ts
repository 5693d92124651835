import type { LookupFunction } from 'node:net';
import { openGithubTracker } from '../../src/adapters/github/index.ts';
import { openGitlabTracker } from '../../src/adapters/gitlab/index.ts';
import { openJiraTracker } from '../../src/adapters/jira/index.ts';
import { loadAdapters, textRoomsOf } from '../../src/app/trackers/adapters.ts';
import { openWriterQueues } from '../../src/adapters/transport/index.ts';
import type { Count, Log, Secret } from '../../src/base/index.ts';
import {
  openChannels,
  openCredentials,
  type Channels,
  type DataKey,
  type TrackerChannel,
} from '../../src/channels/index.ts';
import {
  adoptionStore,
  channelStore,
  filingStore,
  installationId,
  issueFacts,
  runningImages,
  continuationStore,
  sweepStore,
  type Store,
} from '../../src/store/index.ts';
import {
  Breaker,
  Filing,
  openIssueWriter,
  openMarkers,
  SteadyClock,
  Sweep,
  type IssueTracker,
  type TrackerClock,
  type TrackerParts,
  type WriteGuard,
} from '../../src/trackers/index.ts';
import { type Leader } from '../../src/leadership/index.ts';

const textRooms = textRoomsOf(await loadAdapters());

/** MovedClock is a clock that waiting moves on, so that no test waits. */
export interface MovedClock extends TrackerClock {
  advance(ms: number): void;
}

/** JoinOptions are what a process of a test brings; everything else is the service's own. */
export interface JoinOptions {
  readonly store: Store;
  readonly dataKey: DataKey;
  readonly clock: MovedClock;
  readonly leader: Leader;
  readonly log: Log;
  readonly count: Count;
  newId(): string;
  /** Milliseconds of real time that a call may take. */
  timeoutMs?(): number;
  readonly lookup?: LookupFunction;
  /** Looks into the calls to a store. */
  watchStore?<T extends object>(target: T): T;
  /** Looks into the calls to a tracker; `open` opens it at the address of the channel, or at another. */
  watchTracker?(open: (apiBaseUrl: string) => IssueTracker, channel: TrackerChannel): IssueTracker;
}

/** Joined is a process that files and closes with the service's own adapters, over HTTP. */
export interface Joined {
  readonly parts: TrackerParts;
  readonly filing: Filing;
  readonly sweep: Sweep;
  readonly channels: Channels;
}

/** joinTrackers joins the trackers as the service does, but for what the test brings. */
export async function joinTrackers(options: JoinOptions): Promise<Joined> {
  const { store, dataKey, clock, leader, log, count, newId, timeoutMs, lookup } = options;
  const {
    watchStore = (target) => target,
    watchTracker = (open, { settings }) => open(settings.apiBaseUrl),
  } = options;
  const kept = channelStore(store);
  const guard = (): void => {};
  const credentials = openCredentials({ store: kept, dataKey, guard, log });
  const line = {
    rules: { testLoopback: true, privateNetworks: 'allow', denied: [] },
    queues: openWriterQueues({ clock, wait: async (ms) => clock.advance(ms) }),
    clock,
    userAgent: 'ipo-test/0',
    get timeoutMs() {
      return timeoutMs?.();
    },
    lookup,
  } as const;
  const openAt = (
    channel: TrackerChannel,
    apiBaseUrl: string,
    credential: Secret,
    held: WriteGuard,
  ): IssueTracker => {
    switch (channel.kind) {
      case 'github':
        return openGithubTracker(
          { ...channel, settings: { ...channel.settings, apiBaseUrl } },
          credential,
          held,
          line,
        );
      case 'gitlab':
        return openGitlabTracker(
          { ...channel, settings: { ...channel.settings, apiBaseUrl } },
          credential,
          held,
          line,
        );
      case 'jira':
        return openJiraTracker(
          { ...channel, settings: { ...channel.settings, apiBaseUrl } },
          credential,
          held,
          line,
        );
    }
  };
  const factory: TrackerParts['factory'] = {
    open: (channel, credential, held) =>
      watchTracker((apiBaseUrl) => openAt(channel, apiBaseUrl, credential, held), channel),
  };
  const filing = watchStore(filingStore(store));
  const parts: TrackerParts = {
    filing,
    sweeps: watchStore(sweepStore(store)),
    continuations: watchStore(continuationStore(store)),
    running: runningImages(store),
    channels: kept,
    credentials,
    factory,
    writer: openIssueWriter({
      facts: issueFacts(store),
      terms: { criticalWindow: async () => 24 * 3_600_000, dueDates: async () => new Map() },
      rooms: textRooms,
    }),
    markers: openMarkers(dataKey.derive('issue-markers'), await installationId(store)),
    leader,
    clock,
    steady: new SteadyClock(filing, clock),
    breaker: new Breaker(),
    newId,
    log,
    count,
  };
  const channels = openChannels({
    store: kept,
    adoptions: adoptionStore(store),
    credentials,
    tester: {
      test: async (channel, credential) => factory.open(channel, credential, () => false).test(),
      tell: async () => ({ works: false, sentence: '', hints: [] }),
    },
    dataKey,
    rules: { testLoopback: true, allowedHosts: [] },
    guard,
    clock,
  });
  return { parts, filing: new Filing(parts), sweep: new Sweep(parts), channels };
}
