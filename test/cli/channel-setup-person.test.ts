import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { exampleChannel } from '../../fakes/index.ts';
import { serveChannels, setup, setupShell, startTracker, yaml } from './served-setup.ts';

const DOWN = '\u001b[B';

function fileOf(t: TestContext, text: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'ipo-setup-file-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, 'channel.yaml');
  writeFileSync(file, text);
  return file;
}

test('a person corrects an answer where it was wrong, and what the tracker refuses', async (t) => {
  const fake = await startTracker(t, 'github');
  const { good, expired } = fake.tokens;
  const { code, out, err } = await setupShell(t).ipo(['channel', 'setup', 'github', '--url', fake.url], {
    answers: [
      [/Repository for issues/, 'shop'],
      [/it is not a valid repository/, '\u0015acme/shop'],
      [/Token, fine-grained/, 'glpat-of-another'],
      [/looks like an access token of GitLab/, `\u0015${expired.secret}`],
      [/What next\?/, ''],
      [/Token, fine-grained/, good.secret],
      [/Name of the channel \S*\(github-shop\)/, 'shop hub'],
      [/Labels of every issue/, '-'],
      [/Maximum number of issues in any 24 hours/, '0'],
      [/dailyCap must be between 1 and 500/, '\u00157'],
      [/Targets that image labels/, '-'],
      [/What next\?/, `${DOWN}${DOWN}`],
    ],
  });
  assert.equal(code, 0, err);
  assert.match(err, /wrong +\S+ answers 401[\s\S]*ok +the token reads acme\/shop/);
  assert.deepEqual(yaml({ code, out, err }), {
    kind: 'github',
    name: 'shop hub',
    apiBaseUrl: fake.url,
    defaultRepo: 'acme/shop',
    labels: [],
    dailyCap: 7,
    firstRunSummary: true,
    allowedTargets: [],
  });
  // The token of another tracker went nowhere.
  assert.equal(fake.requests.length, 2);
  for (const { secret } of [good, expired]) assert.ok(!`${out}${err}`.includes(secret));
});

test('a type whose issues need more is said to, and another can be chosen; a site is known by itself', async (t) => {
  const fake = await startTracker(t, 'jira-cloud', {
    projects: [{ path: 'SEC', requiredFields: { customfield_10042: 'Team' } }],
  });
  const { secret, user } = fake.tokens.good;
  const { code, out, err } = await setupShell(t).ipo(['channel', 'setup', 'jira'], {
    answers: [
      [/Address of the tracker/, `${fake.url}/browse/SEC-1`],
      [/Key of the project/, 'sec'],
      [/E-mail address/, user.email],
      [/API token/, secret],
      [/Type of the issues/, ''],
      [/Task \(must have Team\)/, ''],
      [/Key of any open issue/, 'SEC-9'],
      [/transitions of SEC-9 cannot be read[\s\S]*Key of any open issue/, ''],
      [/What next\?/, `${DOWN}${DOWN}${DOWN}`],
      [/Name of the channel/, ''],
      [/Labels of every issue/, ''],
      [/Maximum number of issues in any 24 hours/, ''],
      [/What next\?/, DOWN],
    ],
  });
  assert.deepEqual([code, out], [1, ''], err);
  // A required field on a second page would be found by the first issue alone.
  const lists = fake.requests.filter(({ path }) => path.includes('/createmeta/'));
  assert.ok(lists.length > 1 && lists.every(({ query }) => query.includes('maxResults=200')));
  assert.match(err, /nothing was saved/);
  assert.doesNotMatch(err, /save it in the service/);
});

test('a channel that cannot be saved is not lost: a person is asked again', async (t) => {
  const fake = await startTracker(t, 'github');
  const { channels, url } = await serveChannels(t);
  const args = ['channel', 'setup', '--file', fileOf(t, exampleChannel(fake))];
  const shell = setupShell(t, url);
  const first = await shell.ipo([...args, '--save'], { answers: [] });
  assert.equal(first.code, 0, first.err);
  assert.match(first.out, /^fake github saved as [a-z2-7]{16}\n$/);
  const second = await shell.ipo([...args, '--save', '--disabled'], {
    answers: [[/a channel named fake github already exists[\s\S]*Name of the channel/, '']],
  });
  assert.equal(second.code, 0, second.err);
  assert.match(second.out, /^github-shop saved as [a-z2-7]{16}, disabled\n$/);
  assert.match(second.err, /ipo channel plan github-shop; ipo channel preview github-shop/);
  assert.match(second.err, /ipo channel enable github-shop/);
  const { items } = await channels.list({ limit: null, offset: 0 });
  assert.deepEqual(
    items.map(({ channel }) => [channel.name, channel.enabled, channel.subscriptions]),
    [
      ['fake github', true, ['critical_finding']],
      ['github-shop', false, ['critical_finding']],
    ],
  );
  const keyless = await setupShell(t, (await serveChannels(t, false)).url).ipo([...args, '--save'], {
    answers: [[/DATA_KEY is not set[\s\S]*What next\?/, `${DOWN}${DOWN}`]],
  });
  assert.equal(keyless.code, 0, keyless.err);
  assert.match(keyless.out, /^kind: github\nname: fake github\n/);
});

test('a file answers what it holds, flags go before it, and what it leaves out is not asked', async (t) => {
  const fake = await startTracker(t, 'jira-datacenter');
  const shell = setupShell(t);
  const text = exampleChannel(fake);
  const file = fileOf(t, text);
  const ran = await shell.ipo(['channel', 'setup', '--file', file, '--label', 'a,b', '--daily-cap', '9']);
  assert.equal(ran.code, 0, ran.err);
  assert.deepEqual(yaml(ran), {
    kind: 'jira',
    name: 'fake jira-datacenter',
    subscriptions: ['critical_finding'],
    apiBaseUrl: fake.url,
    projectKey: 'SEC',
    issueType: 'Task',
    doneTransitionId: '31',
    labels: ['a', 'b'],
    dailyCap: 9,
    firstRunSummary: true,
  });
  assert.match(ran.err, /ok +the account may open, comment on and close issues in SEC/);
  const again = await setup(shell, fake.tokens.good.secret, '--file', fileOf(t, ran.out));
  assert.deepEqual(yaml(again), yaml(ran), again.err);
  for (const [args, message] of [
    [['--file', file, '--repo', 'a/b'], /--repo is for channels of github, and this is a channel of jira/],
    [['gitlab', '--file', file], /the file contains a channel of the kind jira, not gitlab/],
    [['--file', '-', '--credential-stdin'], /only one input can come from stdin/],
    [['--file', fileOf(t, 'kind: slack\nname: x\n')], /--credential-stdin is missing/],
    [['--file', fileOf(t, `${text}dailycap: 3\n`)], /unknown field "dailycap"; did you mean "dailyCap"\?/],
    [['--file', fileOf(t, text.replace(/^bearerToken.*\n/m, ''))], /--credential-stdin is missing/],
  ] as const) {
    const { code, err } = await shell.ipo(['channel', 'setup', ...args]);
    assert.deepEqual([code, message.test(err)], [2, true], err);
  }
});
