import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../src/app/config/config.ts';
import { asksNobody } from '../../src/app/running/offline.ts';
import { startService } from '../../src/app/start/service.ts';
import { openLog, openMetrics, Redactor } from '../../src/telemetry/index.ts';
import { fillForCosts, SIZES } from './route-cost-data.ts';
import { TurnCosts, type TurnCost } from './turn-costs.ts';

/**
 * A service in a process of its own whose event loop is watched: `route-cost-service.ts FOLDER full|small KEV_FILE`. Fills its database,
 * then tells where it answers; told `begin` it counts from zero, told `end` it says what the dearest turn since then has cost.
 */
const [folder = '', size = 'small', kev = ''] = process.argv.slice(2);
const PASSWORD = 'plover-lathe-umber-93';

/** Ready is what the service says once it answers. */
export interface Ready {
  readonly url: string;
  /** Secrets of sessions. */
  readonly administrator: string;
  readonly viewer: string;
  readonly password: string;
}

mkdirSync(folder, { recursive: true });
const url = `sqlite:${join(folder, 'costs.db')}`;
await fillForCosts(url, SIZES[size === 'full' ? 'full' : 'small'], Date.now());
const costs = new TurnCosts();
const { settings } = await loadConfig({
  file: null,
  env: {
    ...{ IPO_DATA: join(folder, 'data'), IPO_DATABASE_URL: url, IPO_LISTEN: '127.0.0.1:0' },
    ...asksNobody(),
    IPO_WHATIF_TIME_LIMIT: '4m', // behind everything else, on a machine that others use
    ...{ IPO_KEV_SOURCE: kev, DATA_KEY: randomBytes(32).toString('base64') },
    ...{ IPO_ADMIN_EMAIL: 'administrator@example.com', IPO_ADMIN_PASSWORD: PASSWORD },
  },
});
const service = await startService({
  ...{ settings, version: '0.0.0-test', metrics: openMetrics(), redactor: new Redactor() },
  log: openLog({
    level: 'error',
    format: 'json',
    redactor: new Redactor(),
    write: (line) => void process.stderr.write(line),
  }),
});
const { life, signIn } = service.parts.accounts;
await life.create(
  { by: null, path: null },
  {
    ...{ email: 'viewer@example.com', name: 'A viewer', role: 'viewer', password: PASSWORD },
  },
);
const secretOf = async (who: string): Promise<string> =>
  (
    await signIn.withPassword({
      ...{ email: `${who}@example.com`, password: PASSWORD },
      ...{ address: '127.0.0.1', path: 'POST /api/v1/session' },
    })
  ).secret;
await service.parts.images.refresh();
await service.checkpoint();
process.on('message', (asked) => {
  if (asked === 'begin') costs.begin();
  if (asked === 'end') process.send?.(costs.end() satisfies TurnCost);
  if (asked === 'close') void service.close(0).then(() => process.exit(0));
});
// Whoever measures may be killed.
process.on('disconnect', () => process.exit(1));
process.send?.({
  ...{ url: service.url, password: PASSWORD },
  ...{ administrator: await secretOf('administrator'), viewer: await secretOf('viewer') },
} satisfies Ready);
