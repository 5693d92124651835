import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { bundleProgram } from '../joined-program.ts';
import type { Secret } from '../../src/base/index.ts';
import {
  CANNOT_STORE,
  DataKey,
  isTracker,
  openCredentials,
  seal,
  sealPlainCredentials,
  unseal,
  type CredentialDeps,
  type CredentialField,
} from '../../src/channels/index.ts';
import { channelStore } from '../../src/store/channels/channels.ts';
import { openStore, type Store } from '../../src/store/index.ts';
import { keptLog } from '../api/service.ts';
import { runs } from '../runs.ts';
import { forEachEngine } from './engines.ts';

const DATA_KEY = randomBytes(32).toString('base64');
const KEY = DataKey.parse(DATA_KEY);
const PLACES = ['before', 'inside', 'after'] as const;

const folder = mkdtempSync(join(tmpdir(), 'ipo-seal-'));
const program = join(folder, 'child.mjs');
after(() => rmSync(folder, { recursive: true, force: true }));

let made: Promise<unknown> | null = null;

/** One file of the child's forty modules, which would take longer to find and link than it lives. */
function makeProgram(): Promise<unknown> {
  made ??= bundleProgram(resolve(import.meta.dirname, '../channels/seal-child.ts'), program);
  return made;
}

/** Runs the child; gives what it said, or null when it was killed. */
function sealIn(url: string, last: number, place: string): Promise<string | null> {
  const child = spawn(process.execPath, [program, url, String(last), place], {
    env: { ...process.env, DATA_KEY, NODE_COMPILE_CACHE: join(folder, 'cache') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (text: Buffer) => void (said += text.toString()));
  return new Promise((done) =>
    child.on('close', (code, signal) => done(signal === 'SIGKILL' ? null : `${code}:${said}`)),
  );
}

const FIELDS: readonly CredentialField[] = ['token', 'apiToken', 'bearerToken'];
const plainOf = (id: string): string => `plain-${id}-"ä`;

/** Channels of an earlier release: their credentials are plain. */
async function seed(store: Store, from: number, count: number): Promise<void> {
  await store.write(async (transaction) => {
    for (let n = from; n < from + count; n += 1) {
      const id = `channel${n}`;
      const jira = { apiBaseUrl: 'https://jira.example.com', projectKey: 'SEC' };
      const kind = ['github', 'jira', 'jira'][n % 3] ?? 'jira';
      const settings =
        kind === 'github'
          ? { apiBaseUrl: 'https://api.github.com', defaultRepo: 'example/app' }
          : n % 3 === 1
            ? { ...jira, email: 'bot@example.com' }
            : jira;
      await transaction
        .insertInto('channels')
        .values({
          id,
          kind,
          name: id,
          enabled: 1,
          settings: JSON.stringify(settings),
          subscriptions: '["critical_finding"]',
          created_at: 1,
          place: n + 1,
          version: 1,
          updated_at: 1,
        })
        .execute();
      await transaction
        .insertInto('channel_credentials')
        .values({ channel_id: id, field: FIELDS[n % 3] ?? 'token', value: plainOf(id), updated_at: 1 })
        .execute();
    }
  });
}

/** How many are plain, how many open to what they were; one that does neither is a fault. */
async function judge(store: Store): Promise<{ readonly plain: number; readonly sealed: number }> {
  let plain = 0;
  let sealed = 0;
  for (const credential of await channelStore(store).credentials(null)) {
    if (credential.value === plainOf(credential.channelId)) plain += 1;
    else {
      assert.equal(unseal(KEY, credential, credential.value)?.reveal(), plainOf(credential.channelId));
      sealed += 1;
    }
  }
  return { plain, sealed };
}

function depsOf(store: Store, more: Partial<CredentialDeps> = {}) {
  const log = keptLog();
  const guarded: Secret[] = [];
  const guard = (secret: Secret): void => void guarded.push(secret);
  return { deps: { store: channelStore(store), dataKey: KEY, guard, log, ...more }, log, guarded };
}

forEachEngine('sealing what earlier releases left plain', (engine) => {
  test('the leader seals every plain credential once, says how many, and then changes nothing', async (t) => {
    const store = await engine.open(t);
    await seed(store, 0, 30);
    const { deps, log, guarded } = depsOf(store);
    assert.equal(await sealPlainCredentials(deps), 30);
    assert.deepEqual(await judge(store), { plain: 0, sealed: 30 });
    const before = await store.read
      .selectFrom('channel_credentials')
      .selectAll()
      .orderBy('channel_id')
      .execute();
    assert.equal(await sealPlainCredentials(deps), 0);
    assert.deepEqual(
      await store.read.selectFrom('channel_credentials').selectAll().orderBy('channel_id').execute(),
      before,
      'a second run changes no row',
    );
    assert.deepEqual(
      log.lines.map(({ level, message, keys }) => [level, message, keys['changed']]),
      [
        ['info', 'plain tracker credentials were sealed', 30],
        ['info', 'plain tracker credentials were sealed', 0],
      ],
    );
    assert.equal(guarded.length, 30, 'the log knows each before it could show one');
    assert.ok(!JSON.stringify(log.lines).includes('plain-'));
  });

  test('two replicas at once seal each once', async (t) => {
    const store = await engine.open(t);
    await seed(store, 0, 20);
    const changed = await Promise.all([
      sealPlainCredentials(depsOf(store).deps),
      sealPlainCredentials(depsOf(store).deps),
    ]);
    assert.equal(changed[0] + changed[1], 20);
    assert.deepEqual(await judge(store), { plain: 0, sealed: 20 });
  });

  test('a credential that is entered while the leader seals stays as it was entered', async (t) => {
    const store = await engine.open(t);
    await seed(store, 0, 3);
    const channels = channelStore(store);
    const entered = seal(KEY, { channelId: 'channel1', field: 'apiToken' }, {
      reveal: () => 'new',
    } as Secret);
    const { deps } = depsOf(store, {
      store: {
        credentials: channels.credentials,
        async seal(before, box) {
          if (before.channelId === 'channel1')
            await store.write((transaction) =>
              transaction
                .updateTable('channel_credentials')
                .set({ value: entered })
                .where('channel_id', '=', 'channel1')
                .execute(),
            );
          return channels.seal(before, box);
        },
      },
    });
    assert.equal(await sealPlainCredentials(deps), 2);
    assert.equal((await channels.credentials('channel1'))[0]?.value, entered);
  });

  test('without DATA_KEY nothing is sealed, plain text is not used, and it is said once', async (t) => {
    const store = await engine.open(t);
    await seed(store, 0, 3);
    const { deps, log } = depsOf(store, { dataKey: null });
    const credentials = openCredentials(deps);
    assert.equal(await sealPlainCredentials(deps), 0);
    assert.deepEqual(await judge(store), { plain: 3, sealed: 0 });
    const { items } = await channelStore(store).list({ limit: null, offset: 0 });
    for (const channel of items.filter(isTracker))
      assert.equal(await credentials.open(channel), 'unreadable');
    assert.deepEqual(
      log.lines.map(({ level, message }) => [level, message]),
      [['warn', CANNOT_STORE]],
    );
    assert.equal(CANNOT_STORE, 'tracker credentials cannot be stored: DATA_KEY is not set');
  });

  test('what was sealed opens for its channel; with another key it is unreadable and nothing is given out', async (t) => {
    const store = await engine.open(t);
    await seed(store, 0, 3);
    const { deps, guarded } = depsOf(store);
    const { items } = await channelStore(store).list({ limit: null, offset: 0 });
    const channels = items.filter(isTracker);
    assert.equal(channels.length, 3);
    for (const channel of channels)
      assert.equal(await openCredentials(deps).open(channel), 'unreadable', 'plain text is not used either');
    await sealPlainCredentials(deps);
    const credentials = openCredentials(deps);
    const told = guarded.length;
    for (const channel of [...channels, ...channels]) {
      const secret = await credentials.open(channel);
      assert.equal(typeof secret === 'object' && secret.reveal(), plainOf(channel.id));
    }
    assert.equal(guarded.length, told + 3, 'each is told to the log once');
    const other = depsOf(store, { dataKey: DataKey.parse(randomBytes(32).toString('base64')) });
    for (const channel of channels)
      assert.equal(await openCredentials(other.deps).open(channel), 'unreadable');
    assert.deepEqual(other.guarded, []);
    await store.write((transaction) => transaction.deleteFrom('channel_credentials').execute());
    const [first] = channels;
    assert.ok(first);
    assert.equal(await credentials.open(first), 'missing');
  });

  test('killed in the middle, it leaves nothing plain after the next start and nothing unreadable', async (t) => {
    await makeProgram();
    const url = await engine.migrated();
    const store = await openStore({ url });
    t.after(() => store.close());
    const kills = runs(5);
    for (let kill = 0; kill < kills; kill += 1) {
      await seed(store, kill * 8, 8);
      const last = 1 + ((kill * 5) % 8);
      const place = PLACES[kill % 3] ?? 'inside';
      assert.equal(await sealIn(url, last, place), null, 'it was killed');
      assert.deepEqual(await judge(store), {
        plain: 8 - last + (place === 'after' ? 0 : 1),
        sealed: kill * 8 + last - (place === 'after' ? 0 : 1),
      });
      // The next start: half of them in a process of their own.
      if (kill % 2 === 0) assert.match((await sealIn(url, 0, 'never')) ?? '', /^0:\d+$/);
      else await sealPlainCredentials(depsOf(store).deps);
      assert.deepEqual(await judge(store), { plain: 0, sealed: (kill + 1) * 8 });
    }
  });
});
