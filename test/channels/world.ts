import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import type { AuditEntry, Role } from '../../src/accounts/index.ts';
import { channelRoutes } from '../../src/api/routes/channels.ts';
import type { Secret } from '../../src/base/index.ts';
import {
  DataKey,
  openChannels,
  openCredentials,
  type Channels,
  type ChannelTest,
  type TrackerChannel,
} from '../../src/channels/index.ts';
import { adoptionStore } from '../../src/store/channels/adopt.ts';
import { channelStore } from '../../src/store/channels/channels.ts';
import type { Store } from '../../src/store/index.ts';
import { keptLog, startApi, type Started } from '../api/service.ts';

/** Answer is what came back of a call. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown> & { items: Record<string, unknown>[] };
  readonly text: string;
}

/** World is a service with nothing but channels. */
export interface World {
  readonly channels: Channels;
  readonly audited: AuditEntry[];
  /** What was told to the log as secret. */
  readonly guarded: Secret[];
  readonly log: ReturnType<typeof keptLog>;
  /** Channels that were tested, each with the credential that the tester was given. */
  readonly tested: { readonly channel: TrackerChannel; readonly credential: string }[];
  /** What the tracker of a test answers. */
  found: ChannelTest;
  /** Whether the audit log takes entries. */
  audits: boolean;
  readonly served: Started;
  call(
    method: string,
    path: string,
    options?: { readonly body?: unknown; readonly match?: string; readonly role?: Role },
  ): Promise<Answer>;
}

/** NOW is when everything happens. */
export const NOW = Date.UTC(2026, 10, 20, 6);

/** openWorld opens a service with nothing but channels on a store; without a key where `dataKey` is null. */
export async function openWorld(
  t: TestContext,
  store: Store,
  dataKey: DataKey | null = DataKey.parse(randomBytes(32).toString('base64')),
): Promise<World> {
  const log = keptLog();
  const audited: AuditEntry[] = [];
  const guarded: Secret[] = [];
  const tested: World['tested'] = [];
  const guard = (secret: Secret): void => void guarded.push(secret);
  const channelsStore = channelStore(store);
  const together = <T>(act: () => Promise<T>): Promise<T> => store.write(act);
  const channels = openChannels({
    store: channelsStore,
    adoptions: adoptionStore(store),
    credentials: openCredentials({ store: channelsStore, dataKey, guard, log }),
    tester: {
      test: async (channel, credential) => {
        tested.push({ channel, credential: credential.reveal() });
        return world.found;
      },
      tell: async () => ({ works: true, sentence: 'a test message was taken', hints: [], wrote: true }),
    },
    dataKey,
    rules: { testLoopback: false, allowedHosts: [] },
    guard,
    clock: { now: () => NOW },
  });
  const audit = {
    record: async (entry: AuditEntry): Promise<void> => {
      if (!world.audits) throw new Error('the audit log is full');
      audited.push(entry);
    },
  };
  const served = await startApi(t, channelRoutes({ channels, audit, together }));
  const world: World = {
    channels,
    audited,
    guarded,
    log,
    tested,
    found: { works: true, sentence: 'the repository can be read', hints: [] },
    audits: true,
    served,
    async call(method, path, { body, match, role = 'administrator' } = {}) {
      const answer = await fetch(`${served.url}/api/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${role}-token`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(match !== undefined && { 'if-match': match }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      return {
        status: answer.status,
        headers: answer.headers,
        body: text === '' ? {} : JSON.parse(text),
        text,
      };
    },
  };
  return world;
}
