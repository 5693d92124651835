import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startFake } from '../../fakes/index.ts';
import { openStore } from '../../src/store/index.ts';
import { openShell } from '../accounts/cli.ts';
import { DOCUMENTS } from '../channels/documents.ts';
import { openWorld } from '../channels/world.ts';

test('the service tests its tracker channels by one read, and says what to fix', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'ipo-tracker-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const store = await openStore({ url: `sqlite:${join(directory, 'ipo.db')}` });
  t.after(() => store.close());
  const world = await openWorld(t, store);
  const shell = openShell(t);
  Object.assign(shell.env, { IPO_SERVER: world.served.url, IPO_TOKEN: 'administrator-token' });
  assert.equal((await shell.ipo(['tracker', 'test'])).out, 'No tracker channel.\n');
  for (const document of [DOCUMENTS.github, DOCUMENTS.gitlab, DOCUMENTS.slack])
    await world.channels.create(document, 'user:a');
  const all = await shell.ipo(['tracker', 'test']);
  assert.equal(all.code, 0, all.err);
  assert.equal(all.out, 'hub: works: the repository can be read\nlab: works: the repository can be read\n');
  world.found = {
    works: false,
    sentence: 'api.github.com refuses the token',
    hints: ['Enter another token'],
  };
  const one = await shell.ipo(['tracker', 'test', 'hub']);
  assert.equal(one.code, 1);
  assert.equal(one.out, 'hub: does not work: api.github.com refuses the token\n  Enter another token\n');
  const json = await shell.ipo(['tracker', 'test', 'hub', '-o', 'json']);
  assert.equal(json.code, 1);
  assert.deepEqual(JSON.parse(json.out), [
    {
      channel: 'hub',
      works: false,
      detail: 'api.github.com refuses the token',
      hints: ['Enter another token'],
      wrote: false,
    },
  ]);
  assert.equal((await shell.ipo(['tracker', 'test', 'chat'])).code, 2);
  assert.equal((await shell.ipo(['tracker', 'test', 'nobody'])).code, 2);
});

test('a channel in a file is tested from this machine by one read, with a token from stdin', async (t) => {
  const fake = await startFake('gitlab');
  t.after(() => fake.close());
  const directory = mkdtempSync(join(tmpdir(), 'ipo-tracker-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, 'channel.yaml');
  writeFileSync(file, `kind: gitlab\nname: lab\napiBaseUrl: ${fake.url}\ndefaultProject: acme/shop\n`);
  const shell = openShell(t);
  const tested = (secret: string) =>
    shell.ipo(['tracker', 'test', '--file', file, '--credential-stdin'], { stdin: `${secret}\n` });
  assert.match((await tested('x')).err, /apiBaseUrl/); // this machine is no tracker
  shell.env['IPO_TRACKERS_TEST_LOOPBACK'] = 'true';
  const good = await tested(fake.tokens.good.secret);
  assert.equal(good.code, 0, good.err);
  assert.match(good.out, /^lab: works: /);
  assert.deepEqual(
    fake.requests.map(({ method }) => method),
    ['GET'],
  );
  const stranger = await tested(fake.tokens.stranger.secret);
  assert.equal(stranger.code, 1);
  assert.match(stranger.out, /^lab: does not work: /);
  assert.ok(!`${stranger.out}${stranger.err}`.includes(fake.tokens.stranger.secret));
  assert.deepEqual(fake.violations, []);
});

test('wrong usage is said before anything is called', async (t) => {
  const shell = openShell(t);
  for (const [args, message] of [
    [['hub', '--file', 'x.yaml'], /two channels/],
    [['--credential-stdin'], /goes with --file/],
    [['--file', '/nowhere.yaml'], /nowhere\.yaml/],
    [['-o', 'html'], /no such format/],
  ] as const) {
    const { code, err } = await shell.ipo(['tracker', 'test', ...args]);
    assert.ok(code === 2 || code === 3);
    assert.match(err, message);
  }
});
