import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { run } from '../../bin/main.ts';
import { openStandaloneLeader } from '../../src/app/leadership/standalone-leader.ts';
import { openNotifications } from '../../src/app/notify/notifications.ts';
import { channelRoutes } from '../../src/api/routes/channels.ts';
import { notificationRoutes } from '../../src/api/routes/notifications.ts';
import type { AuditEntry } from '../../src/accounts/index.ts';
import { displayWidth } from '../../src/render/index.ts';
import { openStore } from '../../src/store/index.ts';
import { openShell, type Ran } from '../accounts/cli.ts';
import { keptLog, startApi } from '../api/service.ts';
import { openWorld } from '../channels/world.ts';
import { lineOf } from '../notify/others.ts';
import { found, openDesk, type Desk } from '../notify/world.ts';

interface Served {
  readonly desk: Desk;
  readonly audited: AuditEntry[];
  ipo(...args: readonly string[]): Promise<Ran>;
  /** The same as a person sees it on a terminal of 80 columns. */
  seen(...args: readonly string[]): Promise<string>;
}

async function serve(t: TestContext): Promise<Served> {
  const directory = mkdtempSync(join(tmpdir(), 'ipo-messages-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const store = await openStore({ url: `sqlite:${join(directory, 'ipo.db')}` });
  t.after(() => store.close());
  const desk = await openDesk(t, store);
  const { channels } = await openWorld(t, store);
  const clock = { now: (): number => desk.now };
  const { routes } = await openNotifications({
    ...{ store, clock, log: keptLog(), count: { add: () => undefined } },
    line: lineOf(clock.now),
    leader: await openStandaloneLeader(store, desk.now, keptLog()),
  });
  const audited: AuditEntry[] = [];
  const audit = { record: async (entry: AuditEntry): Promise<void> => void audited.push(entry) };
  const together = <T>(act: () => Promise<T>): Promise<T> => store.write(act);
  const parts = { channels, audit, together, clock, ...routes };
  const { url } = await startApi(t, [...channelRoutes(parts), ...notificationRoutes(parts)]);
  const shell = openShell(t);
  Object.assign(shell.env, { IPO_SERVER: url, IPO_TOKEN: 'administrator-token' });
  const seen = async (...args: readonly string[]): Promise<string> => {
    let out = '';
    await run(['channel', ...args], {
      ...{ env: { ...shell.env, NO_COLOR: '1' }, columns: 80, tty: { in: false, out: true, err: true } },
      out: (text) => void (out += text),
      err: (text) => assert.fail(text),
      stdin: (async function* () {})(),
    });
    return out;
  };
  return { desk, audited, seen, ipo: (...args) => shell.ipo(['channel', ...args]) };
}

interface Listed {
  readonly items: readonly { readonly message: string; readonly state: string; readonly attempts: number }[];
  readonly total: number;
}

const listed = ({ out }: Ran): Listed => JSON.parse(out) as Listed;

test('deliveries lists what a channel was sent with its answers, newest first, by state and page', async (t) => {
  const { desk, ipo } = await serve(t);
  await desk.channel('webhook', 'desk');
  assert.equal((await ipo('deliveries', 'desk')).out, '0 messages\n');
  await desk.happen([found('CVE-2026-0001')]);
  await desk.settle();
  desk.side.fault = 'refused';
  await desk.happen([found('CVE-2026-0002')]);
  await desk.run();
  const { code, out } = await ipo('deliveries', 'desk');
  assert.equal(code, 0);
  const lines = out.trimEnd().split('\n');
  assert.match(lines[0] ?? '', /^made \(UTC\) +state +tries +title +to +answer +message$/);
  assert.match(lines[1] ?? '', /^2026-11-24 06:\d\d +(failed|waiting) .* msg_[a-z2-7]{26}$/);
  assert.match(lines[2] ?? '', /^2026-11-24 06:00 +sent +1 .*127\.0\.0\.1.* msg_[a-z2-7]{26}$/);
  assert.equal(lines[3], '2 messages');
  const sent = listed(await ipo('deliveries', 'desk', '--state', 'sent', '--limit', '1', '-o', 'json'));
  assert.deepEqual([sent.total, sent.items.map(({ state }) => state)], [1, ['sent']]);
  const wrong = await ipo('deliveries', 'desk', '--state', 'lost');
  assert.equal(wrong.code, 2);
  assert.match(wrong.err, /--state lost: choose one of waiting, sent, failed/);
});

test('where a terminal has no room for them, deliveries says below its table to whom, and what became of them', async (t) => {
  const { desk, seen } = await serve(t);
  await desk.channel('webhook', 'desk');
  assert.equal(await seen('deliveries', 'desk'), '0 messages\n');
  await desk.happen([found('CVE-2026-0001')]);
  await desk.settle();
  desk.side.fault = 'refused';
  desk.now += 60_000;
  await desk.happen([found('CVE-2026-0002')]);
  await desk.run();
  const lines = (await seen('deliveries', 'desk')).trimEnd().split('\n');
  for (const line of lines) assert.ok(displayWidth(line) <= 80, line);
  assert.match(lines[0] ?? '', /^made \(UTC\) +state +title +message$/);
  const below = lines.slice(3).join(' ').replaceAll(/\s+/g, ' ').trim();
  assert.match(below, /^msg_[a-z2-7]{26}: 127\.0\.0\.1:\d+ .+; next try .+ 2 messages to 127\.0\.0\.1:\d+$/);
});

test('resend sends named messages again with their id, or those that failed since a time', async (t) => {
  const { desk, audited, ipo } = await serve(t);
  await desk.channel('webhook', 'desk');
  await desk.happen([found('CVE-2026-0001')]);
  await desk.settle();
  const [first] = listed(await ipo('deliveries', 'desk', '-o', 'json')).items;
  const id = first?.message ?? '';
  const again = await ipo('resend', 'desk', id);
  assert.deepEqual([again.code, again.out], [0, 'desk: 1 message sent again within a minute each\n']);
  await desk.settle();
  assert.deepEqual(
    desk.side.taken.map((taken) => taken.id),
    [id, id],
  );
  assert.deepEqual(
    audited.map(({ action, detail }) => [action, detail]),
    [['channel_resend', { messages: 1 }]],
  );
  const none = await ipo('resend', 'desk', '--since', '24h');
  assert.deepEqual([none.code, none.out], [1, 'desk: no message to send again\n']);
  for (const args of [
    ['resend', 'desk'],
    ['resend', 'desk', id, '--since', '1h'],
    ['resend', 'desk', '--since', 'yesterday'],
    ['resend', 'desk', 'msg_1'],
  ]) {
    const wrong = await ipo(...args);
    assert.equal(wrong.code, 2, args.join(' '));
    assert.match(wrong.err, /give either IDs of messages|is not a time|not the ID of a message/);
  }
});

test('an ID that no message can have is named as it was given', async (t) => {
  const { desk, ipo } = await serve(t);
  await desk.channel('webhook', 'desk');
  const { code, err } = await ipo('resend', 'desk', 'zzz');
  assert.equal(code, 2);
  assert.match(err, /^ipo: zzz: not the ID of a message\n/);
});

test('a muted channel says so, is sent nothing, and all of it once the mute ends', async (t) => {
  const { desk, audited, ipo } = await serve(t);
  await desk.channel('webhook', 'desk');
  const muted = await ipo('mute', 'desk', '--for', '6h', '--reason', 'upgrade of the cluster');
  assert.deepEqual(
    [muted.code, muted.out],
    [0, 'desk is muted until 2026-11-24 12:00 UTC; events until then are sent afterwards\n'],
  );
  await desk.happen([found('CVE-2026-0001')]);
  await desk.run();
  const shown = await ipo('show', 'desk');
  assert.match(shown.out, /^waiting +1$/m);
  assert.match(shown.out, /^muted +until 2026-11-24 12:00 UTC: upgrade of the cluster$/m);
  assert.match(shown.out, /^signed by +whpk_/m);
  assert.doesNotMatch(shown.out, /first run/);
  assert.equal(desk.side.taken.length, 0);
  assert.equal((await ipo('unmute', 'desk')).out, 'desk is no longer muted\n');
  assert.equal((await ipo('unmute', 'desk')).out, 'desk was not muted\n');
  await desk.settle();
  assert.equal(desk.side.taken.length, 1);
  assert.deepEqual(
    audited.map(({ action }) => action),
    ['channel_mute', 'channel_unmute'],
  );
  const long = await ipo('mute', 'desk', '--for', '800h', '--reason', 'x');
  assert.equal(long.code, 2);
  assert.match(long.err, /at most 720h/);
  assert.match(long.err, /^ipo: --for 800h: /);
  const soon = await ipo('mute', 'desk', '--for', 'soon', '--reason', 'x');
  assert.deepEqual(
    [soon.code, soon.err],
    [2, 'ipo: --for soon: this is not a duration\n  Write it as 6h or 30m.\n'],
  );
  assert.equal((await ipo('mute', 'desk', '--for', '6h')).code, 2);
});

test('test sends one message and says what was answered', async (t) => {
  const { desk, ipo } = await serve(t);
  await desk.channel('webhook', 'desk');
  const { code, out } = await ipo('test', 'desk');
  assert.deepEqual([code, out], [0, 'desk: works: a test message was taken\n']);
  const missing = await ipo('test', 'dask');
  assert.equal(missing.code, 1);
  assert.match(missing.err, /no channel has the name or ID dask[\s\S]*Did you mean desk\?/);
});
