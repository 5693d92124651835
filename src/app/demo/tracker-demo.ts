import { asksNobody } from '../running/offline.ts';
import { randomBytes } from 'node:crypto';
import type { ServiceClient } from '../../adapters/service/index.ts';
import { recordSweep, type ClusterSweep } from '../../store/index.ts';
import { openLog, openMetrics, Redactor } from '../../telemetry/index.ts';
import { loadConfig } from '../config/config.ts';
import type { DemoTime } from './demo-time.ts';
import { secretsOf } from '../start/serve.ts';
import { openServiceClient } from '../service/client.ts';
import { startService } from '../start/service.ts';

/** TrackerDemoOptions say where the service of a story keeps its data, and by which time it goes. */
export interface TrackerDemoOptions {
  readonly directory: string;
  readonly time: DemoTime;
  readonly version: string;
  /** Address of its database; SQLite in the directory unless given. */
  readonly database?: string;
  /** Takes the lines of its log. */
  write(line: string): void;
}

/** TrackerDemo is a whole service for a story about trackers on this machine. */
export interface TrackerDemo {
  /** Calls it as its administrator. */
  readonly client: ServiceClient;
  /** Runs the job that files, and the closing sweep, at once. */
  file(): Promise<void>;
  sweep(): Promise<void>;
  /** Tells what a cluster runs, as its reconciliation would. */
  reconciled(sweep: ClusterSweep): Promise<void>;
  /** The page of its metrics. */
  metrics(): Promise<string>;
  close(): Promise<void>;
}

const EMAIL = 'admin@shop.example';

/** startTrackerDemo starts it, on a free port of this machine. */
export async function startTrackerDemo(options: TrackerDemoOptions): Promise<TrackerDemo> {
  const { directory, time, version, write } = options;
  const password = randomBytes(12).toString('base64url');
  const { settings } = await loadConfig({
    file: null,
    // The settings of a service of one's own must not change the story.
    env: {
      IPO_DATA: directory,
      ...(options.database !== undefined && { IPO_DATABASE_URL: options.database }),
      IPO_LISTEN: '127.0.0.1:0',
      IPO_CLUSTER_NAME: 'shop-prod-eu1',
      IPO_ADMIN_EMAIL: EMAIL,
      IPO_ADMIN_PASSWORD: password,
      IPO_TRACKERS_TEST_LOOPBACK: 'true',
      ...asksNobody(),
      DATA_KEY: randomBytes(32).toString('base64'),
    },
  });
  const redactor = new Redactor();
  for (const secret of secretsOf(settings)) redactor.add(secret);
  const log = openLog({ level: 'debug', format: 'json', redactor, write });
  const metrics = openMetrics();
  const service = await startService({ settings, version, log, metrics, redactor, clock: time, pace: time });
  const client = await signIn(service.url, password, `ipo/${version}`);
  return {
    client,
    file: async () => void (await service.trackers.file()),
    sweep: async () => void (await service.trackers.sweep()),
    reconciled: (sweep) => recordSweep(service.store, sweep),
    metrics: () => metrics.text(),
    close: async () => {
      await client.close();
      await service.close(0);
    },
  };
}

async function signIn(server: string, password: string, userAgent: string): Promise<ServiceClient> {
  const anonymous = await openServiceClient({ server, token: null, userAgent });
  const { body } = await anonymous.json<{ token: string }>('POST /session', {
    body: { email: EMAIL, password },
  });
  await anonymous.close();
  const session = await openServiceClient({ server, token: body.token, userAgent });
  // A session ends with the hours that a story passes over; a token does not.
  const made = await session.json<{ token: string }>('POST /tokens', {
    body: { name: 'story', role: 'administrator' },
  });
  await session.close();
  return openServiceClient({ server, token: made.body.token, userAgent });
}
