import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { openInterview } from '../../bin/channel/setup/ask.ts';
import { openOutcome } from '../../bin/terminal/outcome.ts';
import { endSetup } from '../../bin/channel/setup/end.ts';
import { placeFields } from '../../bin/channel/setup/place.ts';
import type { Terminal } from '../../bin/terminal/terminal.ts';
import { startFake } from '../../fakes/index.ts';
import { Secret } from '../../src/base/index.ts';
import { serveChannels, setup, setupShell as shellFor, startTracker as start, yaml } from './served-setup.ts';

test('without a terminal every answer is a flag, and the channel is printed without its token', async (t) => {
  const fake = await start(t, 'github');
  const secret = fake.tokens.good.secret;
  const ran = await setup(
    shellFor(t),
    secret,
    ...[
      'github',
      '--url',
      fake.url,
      '--repo',
      'acme/shop',
      '--name',
      'hub',
      '--label',
      'security',
      '--label',
      'cve',
    ],
    ...['--daily-cap', '40', '--allowed-target', 'acme/*', '--no-first-run-summary'],
  );
  assert.equal(ran.code, 0, ran.err);
  assert.deepEqual(yaml(ran), {
    kind: 'github',
    name: 'hub',
    apiBaseUrl: fake.url,
    defaultRepo: 'acme/shop',
    labels: ['security', 'cve'],
    dailyCap: 40,
    firstRunSummary: false,
    allowedTargets: ['acme/*'],
  });
  assert.match(ran.err, /ok +the token reads acme\/shop/);
  assert.ok(!`${ran.out}${ran.err}`.includes(secret));
});

test('what is missing is named, and nothing is asked where nobody is', async (t) => {
  const shell = shellFor(t);
  for (const [args, message] of [
    [[], /KIND is missing/],
    [['trello'], /KIND trello: not one of the choices/],
    [['github'], /--repo is missing/],
    [['gitlab'], /--project is missing/],
    [['jira'], /--url is missing/],
    [['jira', '--url', 'acme.atlassian.net', '--project', 'SEC'], /--email is missing/],
    [['github', '--repo', 'acme/web'], /--credential-stdin is missing/],
    [['github', '--repo', 'acme/web', '--daily-cap', '0'], /--daily-cap: dailyCap must be between 1 and 500/],
    [['github', '--repo', 'acme'], /--repo acme: it is not a valid repository as owner\/name/],
    [
      ['github', '--repo', 'acme/web', '--url', 'http://169.254.169.254'],
      /--url http:\/\/169\.254\.169\.254: it /,
    ],
    [['github', '--repo', 'acme/web', '--label', 'a,A'], /--label: it has a label twice/],
    [['github', '--save', '--print'], /exclude each other/],
  ] as const) {
    const { code, err } = await shell.ipo(['channel', 'setup', ...args]);
    assert.equal(code, 2, err);
    assert.match(err, message);
  }
});

test('a token of another tracker is named before it is sent anywhere', async (t) => {
  const fake = await start(t, 'github');
  const { code, err } = await setup(
    shellFor(t),
    'glpat-somebody',
    'github',
    '--url',
    fake.url,
    '--repo',
    'acme/shop',
  );
  assert.equal(code, 2);
  assert.match(err, /the token looks like an access token of GitLab, and this is a channel of github/);
  assert.equal(fake.requests.length, 0);
});

test('a scope that is missing is found for GitLab, where the test read would pass by itself', async (t) => {
  const fake = await start(t, 'gitlab');
  const args = ['gitlab', '--url', fake.url, '--project', 'acme/shop'];
  const reader = await setup(shellFor(t), fake.tokens.reader.secret, ...args);
  assert.equal(reader.code, 1);
  assert.match(reader.err, /wrong +the token has the scopes read_api, and api is needed/);
  const good = await setup(shellFor(t), fake.tokens.good.secret, ...args);
  assert.equal(good.code, 0, good.err);
  assert.equal((yaml(good) as { defaultProject: string }).defaultProject, 'acme/shop');
});

test('a scoped token of Jira is recognised at the site, and the channel gets the address of the gateway', async (t) => {
  const fake = await start(t, 'jira-gateway');
  const { secret, user } = fake.tokens.good;
  const ran = await setup(
    shellFor(t),
    secret,
    ...[
      'jira',
      '--url',
      fake.webUrl,
      '--project',
      'SEC',
      '--email',
      user.email,
      '--gateway',
      new URL(fake.url).origin,
    ],
  );
  assert.equal(ran.code, 0, ran.err);
  assert.match(ran.err, /the token is scoped and works only with the gateway/);
  const channel = yaml(ran) as Record<string, unknown>;
  assert.equal(channel['apiBaseUrl'], fake.url);
  assert.equal(channel['issueType'], 'Task');
  assert.equal(channel['doneTransitionId'], undefined);
  assert.match(ran.err, /without a transition issues are commented on and left open/);
});

test('a permission and a field that issues need are found for Jira before anything is filed', async (t) => {
  const fake = await start(t, 'jira-cloud', {
    projects: [{ path: 'SEC', name: 'Security', requiredFields: { customfield_10042: 'Team' } }],
  });
  const gateway = new URL((await start(t, 'jira-gateway')).url).origin;
  const args = ['jira', '--url', fake.url, '--project', 'SEC', '--gateway', gateway];
  const { good, reader, expired } = fake.tokens;
  const needs = await setup(shellFor(t), good.secret, ...args, '--email', good.user.email);
  assert.equal(needs.code, 1);
  assert.match(needs.err, /wrong +an issue of the type Task must have Team/);
  const lacks = await setup(shellFor(t), reader.secret, ...args, '--email', reader.user.email);
  assert.match(lacks.err, /wrong +the account lacks in the project SEC: .*Create/i);
  const ended = await setup(shellFor(t), expired.secret, ...args, '--email', expired.user.email);
  assert.equal(ended.code, 1);
  assert.match(ended.err, /neither the site nor the gateway accepts the token/);
  assert.match(ended.err, /AUTHENTICATED_FAILED/);
});

test('transitions are listed from an issue that is there, and one is never inferred', async (t) => {
  const fake = await startFake('jira-datacenter');
  t.after(() => fake.close());
  const { secret } = fake.tokens.good;
  const answer = await fetch(`${fake.url}/rest/api/2/issue`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${secret}`,
      'content-type': 'application/json',
      'x-atlassian-token': 'no-check',
    },
    body: JSON.stringify({
      fields: { project: { key: 'SEC' }, issuetype: { name: 'Task' }, summary: 'x', description: 'x' },
    }),
  });
  const { key } = (await answer.json()) as { key: string };
  const args = ['jira', '--url', fake.url, '--project', 'SEC', '--example-issue', key];
  const none = await setup(shellFor(t), secret, ...args);
  assert.equal(none.code, 0, none.err);
  assert.equal((yaml(none) as Record<string, unknown>)['doneTransitionId'], undefined);
  const named = await setup(shellFor(t), secret, ...args, '--done-transition', 'Done');
  assert.equal(named.code, 0, named.err);
  assert.match(String((yaml(named) as Record<string, unknown>)['doneTransitionId']), /^\d+$/);
  const other = await setup(shellFor(t), secret, ...args, '--done-transition', 'Fly');
  assert.equal(other.code, 2);
  assert.match(other.err, /--done-transition Fly: not one of the choices/);
  assert.equal(fake.state.issues.length, 1);
});

test('a person is asked one thing after the other, and the channel that works is saved', async (t) => {
  const fake = await start(t, 'github');
  const { channels, url } = await serveChannels(t);
  const shell = shellFor(t, url);
  const { code, out, err } = await shell.ipo(['channel', 'setup'], {
    answers: [
      [/Which kind of channel\?/, ''],
      [/Address of the tracker/, fake.url],
      [/Repository for issues/, 'https://github.com/acme/shop'],
      [/Token, fine-grained/, fake.tokens.good.secret],
      [/Name of the channel/, ''],
      [/Labels of every issue/, ''],
      [/Maximum number of issues in any 24 hours/, '30'],
      [/Targets that image labels/, ''],
      [/What next\?/, ''],
    ],
  });
  assert.equal(code, 0, err);
  assert.match(out, /^github-shop saved as [a-z2-7]{16}\n$/);
  const { items } = await channels.list({ limit: null, offset: 0 });
  const { settings } = items[0]?.channel ?? {};
  assert.deepEqual(settings, {
    apiBaseUrl: fake.url,
    defaultRepo: 'acme/shop',
    labels: ['security'],
    dailyCap: 30,
    firstRunSummary: true,
    allowedTargets: ['acme/*'],
  });
  assert.ok(!`${out}${err}`.includes(fake.tokens.good.secret));
});

test('a channel that would not work is not saved', async (t) => {
  const fake = await start(t, 'github');
  const args = ['github', '--url', fake.url, '--repo', 'acme/nowhere', '--save'];
  const { code, out, err } = await setup(shellFor(t), fake.tokens.good.secret, ...args);
  assert.equal(code, 1);
  assert.equal(out, '');
  assert.match(err, /wrong +/);
  assert.match(err, /nothing was saved/);
});

for (const [kind, args] of [
  ['github', ['github', '--repo', 'acme/shop']],
  ['gitlab', ['gitlab', '--project', 'acme/shop']],
  ['jira-cloud', ['jira', '--project', 'SHOP', '--issue-type', 'Task']],
] as const)
  test(`a limit of ${kind} during a setup is not an error of the channel, which is not saved`, async (t) => {
    const fake = await start(t, kind);
    const { channels, url } = await serveChannels(t);
    const { secret, user } = fake.tokens.good;
    fake.faults.inject({}, '429 with Retry-After');
    const ran = await setup(
      shellFor(t, url),
      secret,
      ...[...args, '--url', fake.url, ...(kind === 'jira-cloud' ? ['--email', user.email] : []), '--save'],
    );
    assert.equal(ran.code, 3, ran.err);
    assert.match(ran.err, /^wait +127\.0\.0\.1:\d+ asks to call less often/m);
    assert.match(ran.err.replaceAll(/\s+/g, ' '), /the limit ends at [\d: -]+ UTC, in 60 seconds/);
    assert.match(ran.err, /nothing was saved: the tracker could not be reached for a check/);
    assert.doesNotMatch(ran.err, /^wrong/m);
    assert.equal(fake.requests.length, 1);
    assert.equal((await channels.list({ limit: null, offset: 0 })).total, 0);
  });

for (const [end, allowedTargets] of [
  ['print', []],
  ['save', []],
  ['save', ['**']],
  ['print', ['acme/*']],
  ['save', ['acme/*']],
] as const)
  test(`a setup that ends with ${end} warns where labels lead to strangers: [${allowedTargets.join()}]`, async (t) => {
    const { channels, url } = await serveChannels(t);
    let err = '';
    const terminal: Terminal = {
      out: () => undefined,
      err: (text) => void (err += text),
      env: { IPO_SERVER: url, IPO_TOKEN: 'administrator-token' },
      tty: { in: false, out: false, err: false },
      columns: 100,
      stdin: Readable.from([]),
    };
    const place = {
      kind: 'github',
      apiBaseUrl: 'https://api.github.com',
      target: 'acme/shop',
      email: null,
    } as const;
    const document = { ...placeFields(place), kind: 'github', name: 'hub', allowedTargets };
    const outcome = openOutcome([], terminal);
    const secrets = { token: new Secret('github_pat_1') };
    const { kind, target } = place;
    const setUp = { kind, target, document, secrets, status: 'works', outcome } as const;
    const interview = openInterview(terminal, false);
    const answers = { gateway: '', firstRunSummary: true as const, [end]: true as const };
    const code = await endSetup(
      setUp,
      answers,
      { interview, rest: interview, testLoopback: false },
      terminal,
      { color: true },
    );
    assert.equal(code, 0, err);
    const warnings = err.match(/^ipo: warning: the label of an image can send its issues to .*$/gm) ?? [];
    assert.equal(warnings.length, allowedTargets[0] === 'acme/*' ? 0 : 1, err);
    assert.ok(warnings.every((line) => line.endsWith('; set allowedTargets: [acme/*]')));
    assert.equal((await channels.list({ limit: null, offset: 0 })).total, end === 'save' ? 1 : 0);
  });
