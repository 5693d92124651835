import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { channelRoutes } from '../../src/api/routes/channels.ts';
import { CHANNEL_EVENTS } from '../../src/channels/index.ts';
import { trackingRoutes } from '../../src/api/routes/tracking.ts';
import { openStore, trackingHistory, type Store } from '../../src/store/index.ts';
import { startApi } from '../api/service.ts';
import { dataCenter, DOCUMENTS, SECRETS } from '../channels/documents.ts';
import { NOW, openWorld, type World } from '../channels/world.ts';
import { openShell, type Ran, type Shell } from '../accounts/cli.ts';

interface Served {
  readonly world: World;
  readonly store: Store;
  readonly directory: string;
  readonly shell: Shell;
  ipo(args: readonly string[], options?: Parameters<Shell['ipo']>[1]): Promise<Ran>;
}

async function serve(t: TestContext): Promise<Served> {
  const directory = mkdtempSync(join(tmpdir(), 'ipo-channel-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const store = await openStore({ url: `sqlite:${join(directory, 'ipo.db')}` });
  t.after(() => store.close());
  const world = await openWorld(t, store);
  const together = <T>(act: () => Promise<T>): Promise<T> => store.write(act);
  const audit = { record: async (): Promise<void> => undefined };
  const history = trackingRoutes({
    history: trackingHistory(store),
    previews: { issue: async () => 'missing', plan: async () => 'missing' },
    markers: null,
    terms: async () => ({ window: null, connected: true }),
    audit,
    clock: { now: () => NOW },
    together,
  });
  const { url } = await startApi(t, [
    ...channelRoutes({ channels: world.channels, audit, together }),
    ...history,
  ]);
  const shell = openShell(t);
  Object.assign(shell.env, { IPO_SERVER: url, IPO_TOKEN: 'administrator-token' });
  return { world, store, directory, shell, ipo: (args, options) => shell.ipo(['channel', ...args], options) };
}

const idOf = async ({ world }: Served, name: string): Promise<string> => {
  const { items } = await world.channels.list({ limit: null, offset: 0 });
  return items.find(({ channel }) => channel.name === name)?.channel.id ?? '';
};

test('channels are listed in order of creation, each with where it leads and how it stands', async (t) => {
  const served = await serve(t);
  assert.equal((await served.ipo(['list'])).out, 'No channel.\n');
  for (const document of [DOCUMENTS.github, DOCUMENTS.slack, { ...dataCenter, enabled: false }])
    await served.world.channels.create(document, 'user:a');
  const { code, out } = await served.ipo(['list']);
  assert.equal(code, 0);
  const lines = out.trimEnd().split('\n');
  assert.match(
    lines[1] ?? '',
    /^hub +github +enabled +example\/app +critical_finding, runtime_alert +[a-z2-7]{16}$/,
  );
  assert.match(lines[2] ?? '', /^chat +slack +enabled +hooks\.slack\.com +/);
  assert.match(lines[3] ?? '', /^own board +jira +disabled +OPS +/);
  const json = await served.ipo(['list', '-o', 'json']);
  assert.deepEqual(
    (JSON.parse(json.out) as { items: { name: string }[] }).items.map(({ name }) => name),
    ['hub', 'chat', 'own board'],
  );
  for (const secret of SECRETS) assert.ok(!`${out}${json.out}`.includes(secret));
});

test('a channel is shown by its name or id, without its secrets, and its document can be given back', async (t) => {
  const served = await serve(t);
  await served.world.channels.create(
    { ...DOCUMENTS.github, labels: ['security'], subscriptions: ['nodes_80'] },
    'user:a',
  );
  const id = await idOf(served, 'hub');
  await served.store.write((transaction) =>
    transaction.updateTable('channels').set({ last_error: 'refused', last_error_at: 60_000 }).execute(),
  );
  const shown = await served.ipo(['show', 'hub']);
  assert.equal(shown.out, (await served.ipo(['show', id])).out);
  for (const line of [
    /^state +enabled$/m,
    /^without effect +nodes_80$/m,
    /^defaultRepo +example\/app$/m,
    /^labels +security$/m,
    /^dailyCap +20$/m,
    /^firstRunSummary +yes$/m,
    /^token +stored, never shown$/m,
    /^updated +2026-11-20 06:00 UTC by user:a$/m,
    /^last error +1970-01-01 00:01 UTC: refused$/m,
  ])
    assert.match(shown.out, line);
  const document = await served.ipo(['show', 'hub', '--document']);
  assert.match(document.out, /^kind: github\nname: hub\nenabled: true\n/);
  const again = await served.ipo(['edit', 'hub', '--file', '-'], { stdin: document.out });
  assert.deepEqual([again.code, again.out], [0, 'hub is unchanged\n']);
  assert.equal((await served.ipo(['show', 'hub', '--document', '-o', 'json'])).code, 2);
  const unknown = await served.ipo(['show', 'hob']);
  assert.deepEqual(
    [unknown.code, /no channel has the name or ID hob[\s\S]*Did you mean hub\?/.test(unknown.err)],
    [1, true],
  );
});

test('a channel whose labels lead anywhere on a public host is warned of when it is written', async (t) => {
  const served = await serve(t);
  await served.world.channels.create(DOCUMENTS.github, null);
  const warning =
    'ipo: warning: the label of an image can send its issues to any repository of github.com, since allowedTargets is empty; set allowedTargets: [example/*]\n';
  const edited = await served.ipo(['edit', 'hub', '--set', 'dailyCap=30']);
  assert.deepEqual([edited.code, edited.out, edited.err], [0, 'hub changed\n', warning]);
  assert.ok((await served.ipo(['disable', 'hub'])).err.includes(warning));
  assert.ok((await served.ipo(['enable', 'hub'])).err.includes(warning));
  const narrow = await served.ipo(['edit', 'hub', '--set', 'allowedTargets=example/*']);
  assert.deepEqual([narrow.code, narrow.err], [0, '']);
});

test('edit changes what is named and leaves the rest as it is', async (t) => {
  const served = await serve(t);
  await served.world.channels.create({ ...DOCUMENTS.github, allowedTargets: ['example/*'] }, null);
  const edited = await served.ipo([
    ...['edit', 'hub', '--name', 'hub 2', '--set', 'dailyCap=50', '--set', 'labels=security, critical'],
    ...['--set', 'firstRunSummary=false', '--unset', 'allowedTargets'],
    ...['--subscribe', 'nodes_80', '--unsubscribe', 'runtime_alert'],
  ]);
  assert.equal(edited.out, 'hub 2 changed\n', edited.err);
  assert.match(edited.err, /a channel of this kind does nothing with nodes_80/);
  const { items } = await served.world.channels.list({ limit: null, offset: 0 });
  const [{ channel } = { channel: null }] = items;
  assert.deepEqual(channel?.settings, {
    apiBaseUrl: 'https://api.github.com',
    defaultRepo: 'example/app',
    labels: ['security', 'critical'],
    dailyCap: 50,
    firstRunSummary: false,
    allowedTargets: [],
  });
  assert.deepEqual(channel?.subscriptions, ['critical_finding', 'nodes_80']);
  assert.equal(items[0]?.secrets[0]?.state, 'set');
  for (const [args, message] of [
    [['--set', 'dailyCap=0'], /dailyCap must be between 1 and 500; disable the channel to file nothing/],
    [['--set', 'dailyCap=many'], /dailyCap must be between 1 and 500/],
    [['--set', 'dailycap=5'], /unknown field "dailycap"; did you mean "dailyCap"\?/],
    [['--set', 'dailyCap'], /--set dailyCap: a value is missing/],
    [['--set', 'kind=jira'], /this field cannot be changed\n/],
    [['--set', 'name=x'], /this field cannot be changed here\n {2}Change it with --name/],
    [['--set', `token=${SECRETS[0]}`], /token is a secret, and an argument must not contain one/],
    [
      ['--subscribe', 'nodes_8'],
      /--subscribe nodes_8: choose one of critical_finding, [^\n]+\n {2}Did you mean "nodes_80"\?/,
    ],
    [['--set', 'apiBaseUrl=https://git.example.com/api/v3'], /token must be entered again/],
    [[], /no change is named/],
    [['--ask-credential', '--credential-stdin'], /Choose one/],
    [['--credential-stdin', '--file', '-'], /only one input can come from stdin/],
    [['--credential-stdin', '--token-stdin'], /only one input can come from stdin/],
  ] as const) {
    const { code, err } = await served.ipo(['edit', 'hub 2', ...args]);
    assert.deepEqual([code, message.test(err)], [2, true], `${args.join(' ')}: ${err}`);
    assert.ok(!err.includes(SECRETS[0] ?? '?'));
  }
});

test('edit --event subscribes to exactly these events, and a wrong one names the right ones', async (t) => {
  const served = await serve(t);
  await served.world.channels.create(DOCUMENTS.slack, 'user:a');
  const id = await idOf(served, 'chat');
  const { code, err } = await served.ipo([
    'edit',
    'chat',
    '--event',
    'nodes_over,ledger_broken',
    '--event',
    'nodes_80',
  ]);
  assert.equal(code, 0, err);
  const { channel } = await served.world.channels.get(id);
  assert.deepEqual(channel.subscriptions.toSorted(), ['ledger_broken', 'nodes_80', 'nodes_over']);
  const wrong = await served.ipo(['edit', 'chat', '--event', 'node_over']);
  assert.equal(wrong.code, 2);
  for (const event of CHANNEL_EVENTS) assert.ok(wrong.err.includes(event), wrong.err);
});

test('a credential comes from stdin or a question, and goes into the field that the channel has', async (t) => {
  const served = await serve(t);
  await served.world.channels.create(DOCUMENTS.github, null);
  await served.world.channels.create(DOCUMENTS.jira, null);
  await served.world.channels.create(DOCUMENTS.slack, null);
  const used = async (name: string): Promise<string | undefined> => {
    await served.world.channels.test(await idOf(served, name), 'ada');
    return served.world.tested.at(-1)?.credential;
  };
  const moved = await served.ipo(
    ['edit', 'hub', '--set', 'apiBaseUrl=https://git.example.com/api/v3', '--credential-stdin'],
    { stdin: 'canary-stdin-1\n' },
  );
  assert.equal(moved.out, 'hub changed\n', moved.err);
  assert.equal(await used('hub'), 'canary-stdin-1');
  const asked = await served.ipo(['edit', 'board', '--ask-credential'], {
    answers: [[/The apiToken of board/, 'canary-asked-2']],
  });
  assert.equal(asked.out, 'board changed\n', asked.err);
  assert.equal(await used('board'), 'canary-asked-2');
  const toBearer = await served.ipo(
    [
      'edit',
      'board',
      '--unset',
      'email',
      '--set',
      'apiBaseUrl=https://jira.example.com',
      '--credential-stdin',
    ],
    { stdin: 'canary-bearer-3' },
  );
  assert.equal(toBearer.out, 'board changed\n', toBearer.err);
  assert.equal(await used('board'), 'canary-bearer-3');
  const chat = await served.ipo(['edit', 'chat', '--credential-stdin'], {
    stdin: 'https://hooks.example.com/canary4',
  });
  assert.equal(chat.out, 'chat changed\n', chat.err);
  assert.match((await served.ipo(['list'])).out, /^chat +slack +enabled +hooks\.example\.com/m);
  const nobody = await served.ipo(['edit', 'hub', '--ask-credential']);
  assert.deepEqual([nobody.code, /Give it with --credential-stdin/.test(nobody.err)], [2, true]);
  const empty = await served.ipo(['edit', 'hub', '--credential-stdin'], { stdin: '' });
  assert.equal(empty.code, 2);
  for (const { out, err } of [moved, asked, toBearer, chat]) assert.doesNotMatch(out + err, /canary/);
});

test('a file is read strictly: what it is not is said with its place', async (t) => {
  const served = await serve(t);
  await served.world.channels.create(DOCUMENTS.github, null);
  const file = join(served.directory, 'channel.yaml');
  for (const [text, message] of [
    [
      'kind: github\nname: hub\nkind: github\n',
      /channel\.yaml:3:1: the channel cannot be read: a field is written twice\n {2}Keep one of the two\./,
    ],
    [
      'kind: [github\n',
      /:1:7: the channel cannot be read: the \[ here is never closed\n {2}Add the missing \]/,
    ],
    [
      'kind: slack\nwebhookUrl https://x/canary\nname: hub\n',
      /:2:1: the channel cannot be read: behind the name of the field a colon and a space are missing\n {2}Write "name: value"\.\n$/,
    ],
    ['a: &x 1\nb: *x\n', /has an alias/],
    ['- a\n', /does not contain a channel/],
    ['', /does not contain a channel/],
    ['[[[[[[[[[[[[1]]]]]]]]]]]]', /goes deeper than a channel does/],
    [`${'- '.repeat(2000)}a`, /goes deeper than a channel does/],
    [`a: ${'x'.repeat(65_536)}`, /65,?536|too|larger|more than/],
    ['kind: github\nname: hub\n', /apiBaseUrl is missing/],
  ] as const) {
    writeFileSync(file, text);
    const { code, err } = await served.ipo(['edit', 'hub', '--file', file]);
    assert.deepEqual([code, message.test(err)], [2, true], `${text.slice(0, 40)}: ${err}`);
  }
  writeFileSync(
    file,
    'kind: github\nname: hub\napiBaseUrl: https://api.github.com\ndefaultRepo: example/other\ndailyCap: 9\n',
  );
  assert.equal(
    (await served.ipo(['edit', 'hub', '--file', file, '--set', 'dailyCap=10'])).out,
    'hub changed\n',
  );
  assert.match(
    (await served.ipo(['show', 'hub'])).out,
    /^defaultRepo +example\/other\n(.*\n)*dailyCap +10$/m,
  );
});

test('enable and disable say what became of the channel', async (t) => {
  const served = await serve(t);
  await served.world.channels.create(DOCUMENTS.github, null);
  const { token: _token, ...bare } = DOCUMENTS.gitlab;
  await served.world.channels.create({ ...bare, enabled: false }, null);
  assert.equal((await served.ipo(['disable', 'hub'])).out, 'hub disabled\n');
  assert.equal((await served.ipo(['disable', 'hub'])).out, 'hub is disabled already\n');
  assert.equal((await served.ipo(['enable', 'hub'])).out, 'hub enabled\n');
  const refused = await served.ipo(['enable', 'lab']);
  assert.deepEqual(
    [refused.code, /token is missing, without which an enabled channel cannot file/.test(refused.err)],
    [2, true],
  );
  await served.store.write((transaction) =>
    transaction
      .updateTable('channel_credentials')
      .set({ value: `enc:v1:${'A'.repeat(80)}` })
      .execute(),
  );
  const unreadable = await served.ipo(['enable', 'hub']);
  assert.equal(unreadable.out, 'hub is enabled already\n');
  assert.match(unreadable.err, /its token cannot be read; enter it again with ipo channel edit/);
  assert.match((await served.ipo(['list'])).out, /^hub +github +token unreadable /m);
  served.shell.env['IPO_TOKEN'] = 'viewer-token';
  assert.equal((await served.ipo(['disable', 'hub'])).code, 3);
});

test('delete asks, deletes what was shown, and says how its issues can still be closed', async (t) => {
  const served = await serve(t);
  await served.world.channels.create(DOCUMENTS.github, null);
  await served.world.channels.create({ ...DOCUMENTS.github, name: 'other' }, null);
  await served.world.channels.create(DOCUMENTS.slack, null);
  const id = await idOf(served, 'hub');
  const silent = await served.ipo(['delete', 'hub']);
  assert.deepEqual([silent.code, /Add --yes/.test(silent.err)], [2, true]);
  await served.store.write((transaction) =>
    transaction
      .insertInto('tracking')
      .values(
        ['https://github.com/example/app/issues/1', 'https://git.example.com/a/b/issues/1'].map(
          (issue_url, n) => ({
            kind: 'finding',
            digest: `sha256:${n}`,
            cve: 'CVE-2026-1',
            generation: 1,
            channel_id: id,
            channel_kind: 'github',
            clusters: '[]',
            issue_url,
            summary: 0,
            state: 'open',
            attempts: 0,
            claimed_at: 1,
            issue_left_open: 0,
          }),
        ),
      )
      .execute(),
  );
  const asked = await served.ipo(['delete', 'hub'], {
    answers: [[/2 findings that it filed would stay/, 'n\n']],
  });
  assert.deepEqual([asked.code, asked.out], [1, '']);
  const deleted = await served.ipo(['delete', 'hub', '-y']);
  assert.equal(deleted.out, 'hub deleted\n');
  assert.match(
    deleted.err,
    new RegExp(`2 open findings stay open; .*: ipo channel adopt CHANNEL --from ${id}`),
  );
  assert.equal((await served.ipo(['delete', 'chat', '--yes'])).err, '');
  const adopted = await served.ipo(['adopt', 'other', '--from', id]);
  assert.equal(
    adopted.out,
    'other closes 1 open row from now on\n1 row not moved, since the issue is on another host\n',
  );
  const none = await served.ipo(['adopt', 'other', '--from', 'never']);
  assert.deepEqual([none.code, /no open row was filed by a channel never/.test(none.err)], [1, true]);
  assert.equal((await served.ipo(['adopt', 'other'])).code, 2);
});
