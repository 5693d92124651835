import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { startFake, type Fake, type FakeKind, type FakeOptions } from '../../fakes/index.ts';
import { channelRoutes } from '../../src/api/routes/channels.ts';
import {
  DataKey,
  openChannels,
  openCredentials,
  parseChannelText,
  type Channels,
} from '../../src/channels/index.ts';
import { adoptionStore } from '../../src/store/channels/adopt.ts';
import { channelStore } from '../../src/store/channels/channels.ts';
import { openStore } from '../../src/store/index.ts';
import { openShell, type Ran, type Shell } from '../accounts/cli.ts';
import { keptLog, startApi } from '../api/service.ts';

/** startTracker starts a fake in which a setup must not write, and to which it must send nothing that the vendor would not take. */
export async function startTracker(t: TestContext, kind: FakeKind, options: FakeOptions = {}): Promise<Fake> {
  const fake = await startFake(kind, options);
  t.after(async () => {
    await fake.close();
    assert.deepEqual(fake.violations, []);
    assert.deepEqual(fake.state.issues, []);
    assert.ok(fake.requests.every(({ method }) => method === 'GET'));
  });
  return fake;
}

/** serveChannels starts a service that takes this machine for a tracker too; without `DATA_KEY` where `keyed` is false. */
export async function serveChannels(
  t: TestContext,
  keyed = true,
): Promise<{ channels: Channels; url: string }> {
  const directory = mkdtempSync(join(tmpdir(), 'ipo-setup-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const store = await openStore({ url: `sqlite:${join(directory, 'ipo.db')}` });
  t.after(() => store.close());
  const dataKey = keyed ? DataKey.parse(randomBytes(32).toString('base64')) : null;
  const kept = channelStore(store);
  const guard = (): void => undefined;
  const together = <T>(act: () => Promise<T>): Promise<T> => store.write(act);
  const channels = openChannels({
    store: kept,
    adoptions: adoptionStore(store),
    credentials: openCredentials({ store: kept, dataKey, guard, log: keptLog() }),
    tester: {
      test: async () => ({ works: true, sentence: '', hints: [] }),
      tell: async () => ({ works: true, sentence: '', hints: [], wrote: true }),
    },
    dataKey,
    rules: { testLoopback: true, allowedHosts: [] },
    guard,
    clock: { now: () => Date.now() },
  });
  const audit = { record: async (): Promise<void> => undefined };
  const { url } = await startApi(t, channelRoutes({ channels, audit, together }));
  return { channels, url };
}

/** setupShell is a user who may take this machine for a tracker; signed in where a service is given. */
export function setupShell(t: TestContext, url?: string): Shell {
  const shell = openShell(t);
  shell.env['IPO_TRACKERS_TEST_LOOPBACK'] = 'true';
  if (url !== undefined) Object.assign(shell.env, { IPO_SERVER: url, IPO_TOKEN: 'administrator-token' });
  return shell;
}

/** setup runs `ipo channel setup` where nobody is, with a token from stdin. */
export const setup = (shell: Shell, secret: string, ...args: readonly string[]): Promise<Ran> =>
  shell.ipo(['channel', 'setup', ...args, '--credential-stdin'], { stdin: `${secret}\n` });

/** yaml reads the channel that a setup printed. */
export const yaml = ({ out }: Ran): unknown => parseChannelText(out, 'stdout');
