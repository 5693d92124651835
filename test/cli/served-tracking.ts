import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { AuditEntry } from '../../src/accounts/index.ts';
import { channelRoutes } from '../../src/api/routes/channels.ts';
import { trackingRoutes } from '../../src/api/routes/tracking.ts';
import { loadAdapters, textRoomsOf } from '../../src/app/trackers/adapters.ts';
import { isTracker, type TrackerChannel } from '../../src/channels/index.ts';
import {
  findingKey,
  openPreviews,
  type AlertCandidate,
  type Candidate,
  type TrackingFilter,
  type TrackingHistory,
  type TrackingRow,
} from '../../src/trackers/index.ts';
import { openStore } from '../../src/store/index.ts';
import { channelStore } from '../../src/store/channels/channels.ts';
import { openShell, type Ran } from '../accounts/cli.ts';
import { startApi } from '../api/service.ts';
import { DOCUMENTS } from '../channels/documents.ts';
import { NOW, openWorld } from '../channels/world.ts';
import { DIGEST, knownImage } from '../trackers/findings.ts';

const textRooms = textRoomsOf(await loadAdapters());

/** Served is a service with a tracker channel `hub`, a chat `chat` and a history that tests fill. */
export interface Served {
  readonly rows: TrackingRow[];
  readonly filters: TrackingFilter[];
  readonly audited: AuditEntry[];
  /** What waits, and what was opened within 24 hours. */
  readonly waiting: { candidates: Candidate[]; alerts: AlertCandidate[]; opened: number };
  readonly channel: TrackerChannel;
  as(role: string, ...args: readonly string[]): Promise<Ran>;
}

/** serveTracking starts one. */
export async function serveTracking(t: TestContext): Promise<Served> {
  const directory = mkdtempSync(join(tmpdir(), 'ipo-tracking-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const store = await openStore({ url: `sqlite:${join(directory, 'ipo.db')}` });
  t.after(() => store.close());
  const { channels } = await openWorld(t, store);
  const { channel } = await channels.create(
    { ...DOCUMENTS.github, labels: ['security'], dailyCap: 10 },
    'user:a',
  );
  await channels.create(DOCUMENTS.slack, 'user:a');
  assert.ok(isTracker(channel));
  const [rows, filters, audited]: [TrackingRow[], TrackingFilter[], AuditEntry[]] = [[], [], []];
  const waiting: Served['waiting'] = { candidates: [], alerts: [], opened: 0 };
  const history: TrackingHistory = {
    list: async (filter, { limit, offset }) => {
      filters.push(filter);
      return { items: rows.slice(offset, offset + (limit ?? rows.length)), total: rows.length };
    },
    get: async (id) => rows.find((row) => row.id === id) ?? null,
    reopen: async (id, _at, marker) => {
      const row = rows.find((one) => one.id === id);
      if (row === undefined) return 'missing';
      if (row.channelId === 'gone') return 'no_channel';
      if (row.returnedAt === null) return 'not_returned';
      return {
        ...row,
        state: 'open',
        reason: null,
        returnedAt: null,
        generation: 2,
        marker: marker('c', id, 2),
      };
    },
    confirm: async (id, by) => {
      const row = rows.find((one) => one.id === id);
      assert.match(by, /^user:deployer/);
      return row === undefined ? 'missing' : row.withheld === null ? 'not_withheld' : row;
    },
  };
  const previews = openPreviews({
    channels: channelStore(store),
    filing: {
      critical: async () => ({ candidates: waiting.candidates, next: null }),
      alerts: async () => waiting.alerts,
      opened: async () => waiting.opened,
      clock: async () => null,
    },
    facts: {
      images: async (digests) =>
        new Map(
          digests.map((digest) => [digest, knownImage({ source: 'https://github.com/evil/x\u001b[31m' })]),
        ),
      findings: async (names) =>
        new Map(
          names
            .filter(({ cve }) => cve !== 'CVE-2026-4040')
            .map((name) => [
              findingKey(name),
              {
                packages: [{ name: 'openssl\u001b[31m', installed: '3.0.1', fixed: '3.0.2' }],
                knownExploited: true,
              },
            ]),
        ),
      alert: async () => null,
    },
    rooms: textRooms,
    terms: { criticalWindow: async () => 24 * 3_600_000, dueDates: async () => new Map() },
    clock: { now: () => NOW },
  });
  const audit = { record: async (entry: AuditEntry) => void audited.push(entry) };
  const together = <T>(act: () => Promise<T>): Promise<T> => store.write(act);
  const { url } = await startApi(t, [
    ...channelRoutes({ channels, audit, together }),
    ...trackingRoutes({
      history,
      previews,
      markers: { issue: () => 'ipo-1-abcdefghijklmnopqrstuvwxyz' },
      terms: async () => ({ window: 24 * 3_600_000, connected: true }),
      audit,
      clock: { now: () => NOW },
      together,
    }),
  ]);
  const shell = openShell(t);
  return {
    rows,
    filters,
    audited,
    waiting,
    channel,
    as: (role, ...args) => shell.ipo([...args, '--server', url, '--token-stdin'], { stdin: `${role}-token` }),
  };
}

/** candidates are so many findings that wait. */
export const candidates = (count: number): Candidate[] =>
  Array.from({ length: count }, (_, n) => ({
    digest: DIGEST,
    cve: `CVE-2026-${1000 + n}`,
    scanId: n,
    knownExploited: false,
  }));
