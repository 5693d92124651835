import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { z } from 'zod';
import { exampleChannel, startFake } from '../../fakes/index.ts';
import { channelPath } from '../../src/api/contract/channels.ts';
import { route } from '../../src/api/route.ts';
import { openStore } from '../../src/store/index.ts';
import { openShell } from '../accounts/cli.ts';
import { startApi } from '../api/service.ts';
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
      status: 'fails',
      limited_until: null,
      detail: 'api.github.com refuses the token',
      hints: ['Enter another token'],
      wrote: false,
    },
  ]);
  assert.equal((await shell.ipo(['tracker', 'test', 'chat'])).code, 2);
  assert.equal((await shell.ipo(['tracker', 'test', 'nobody'])).code, 1);
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

for (const [fault, kind] of [
  ['429 with Retry-After', 'github'],
  ['403 secondary limit', 'github'],
  ['429 with Retry-After', 'gitlab'],
  ['429 with Retry-After', 'jira-cloud'],
] as const)
  test(`a limit (${fault}) of ${kind} is named with its end, and is not a failure`, async (t) => {
    const fake = await startFake(kind);
    t.after(() => fake.close());
    const directory = mkdtempSync(join(tmpdir(), 'ipo-tracker-'));
    t.after(() => rmSync(directory, { recursive: true, force: true }));
    const file = join(directory, 'channel.yaml');
    writeFileSync(file, exampleChannel(fake).replace(/^(token|apiToken): .*\n/m, ''));
    const shell = openShell(t);
    shell.env['IPO_TRACKERS_TEST_LOOPBACK'] = 'true';
    fake.faults.inject({}, fault);
    const { code, out, err } = await shell.ipo(
      [
        'tracker',
        'test',
        '--file',
        file,
        '--credential-stdin',
        '-o',
        'table',
        '-o',
        `json=${directory}/out.json`,
      ],
      { stdin: `${fake.tokens.good.secret}\n` },
    );
    assert.equal(code, 3, err);
    assert.match(out, /: cannot be tested now: 127\.0\.0\.1:\d+ asks to call less often \((429|403)/);
    assert.match(out, /; the limit ends at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, in 60 seconds\n$/);
    const [told] = JSON.parse(readFileSync(join(directory, 'out.json'), 'utf8')) as Record<string, unknown>[];
    assert.equal(told?.['works'], false);
    assert.equal(told?.['status'], 'limited');
    assert.match(String(told?.['limited_until']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.000)?Z$/);
    assert.equal(fake.requests.length, 1);
    assert.equal(fake.faults.waiting, 0);
  });

test('of several channels one that fails goes before one at its limit', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'ipo-tracker-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const store = await openStore({ url: `sqlite:${join(directory, 'ipo.db')}` });
  t.after(() => store.close());
  const world = await openWorld(t, store);
  const shell = openShell(t);
  Object.assign(shell.env, { IPO_SERVER: world.served.url, IPO_TOKEN: 'administrator-token' });
  for (const document of [DOCUMENTS.github, DOCUMENTS.gitlab])
    await world.channels.create(document, 'user:a');
  const limit = { works: false, sentence: 'it asks to call less often', hints: [], limitedMs: 90_000 };
  world.found = limit;
  const limited = await shell.ipo(['tracker', 'test']);
  assert.equal(limited.code, 3);
  assert.match(
    limited.out,
    /^hub: cannot be tested now: it asks .*; the limit ends at 2026-11-20 06:01:30 UTC, in 90 seconds\nlab: cannot/,
  );
  let calls = 0;
  Object.defineProperty(world, 'found', {
    get: () => (++calls === 1 ? limit : { works: false, sentence: 'refused', hints: [] }),
  });
  const both = await shell.ipo(['tracker', 'test']);
  assert.equal(both.code, 1);
  assert.match(both.out, /^hub: cannot be tested now: .*\nlab: does not work: refused\n$/);
});

test('a service that knows no status is understood', async (t) => {
  const { url } = await startApi(t, [
    route({
      key: 'GET /channels',
      id: 'listChannels',
      tag: 'channels',
      summary: 'List',
      answers: { 200: { description: 'The channels', schema: z.unknown() } },
      handle: async () => ({ body: { items: [{ id: 'a', name: 'hub', kind: 'github' }], total: 1 } }),
    }),
    route({
      key: 'POST /channels/{id}/test',
      id: 'testChannel',
      tag: 'channels',
      summary: 'Test',
      params: channelPath,
      answers: { 200: { description: 'What was found', schema: z.unknown() } },
      handle: async () => ({ body: { works: false, detail: 'it refuses', hints: [], wrote: false } }),
    }),
  ]);
  const shell = openShell(t);
  Object.assign(shell.env, { IPO_SERVER: url, IPO_TOKEN: 'administrator-token' });
  const { code, out, err } = await shell.ipo(['tracker', 'test']);
  assert.equal(out, 'hub: does not work: it refuses\n', err);
  assert.equal(code, 1);
  const json = await shell.ipo(['tracker', 'test', '-o', 'json']);
  assert.deepEqual(JSON.parse(json.out), [
    {
      channel: 'hub',
      works: false,
      detail: 'it refuses',
      hints: [],
      wrote: false,
      status: 'fails',
      limited_until: null,
    },
  ]);
});

test('wrong usage is said before anything is called', async (t) => {
  const shell = openShell(t);
  for (const [args, message] of [
    [['hub', '--file', 'x.yaml'], /exclude each other/],
    [['--credential-stdin'], /needs --file/],
    [['--file', '/nowhere.yaml'], /nowhere\.yaml/],
    [['-o', 'html'], /not a format of this command/],
  ] as const) {
    const { code, err } = await shell.ipo(['tracker', 'test', ...args]);
    assert.ok(code === 2 || code === 3);
    assert.match(err, message);
  }
});
