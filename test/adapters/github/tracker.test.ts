import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TrackerError } from '../../../src/trackers/index.ts';
import { MARKERS, openAt, openTracker, paragraph, start } from '../tracker-parts.ts';
import { startLoopback } from '../transport/loopback.ts';

const [MARKER] = MARKERS;
const DRAFT = { title: 'x', body: [paragraph('y')], labels: ['security'], marker: MARKER };

for (const [reason, word] of [
  ['fixed', 'completed'],
  ['triaged', 'not_planned'],
  ['image_retired', 'not_planned'],
] as const) {
  test(`an issue closed as ${reason} is ${word} on GitHub`, async (t) => {
    const fake = await start(t, 'github');
    const tracker = openTracker(fake);
    await tracker.close(await tracker.create('acme/shop', DRAFT), reason);
    assert.equal(fake.state.issues[0]?.reason, word);
    assert.deepEqual(JSON.parse(fake.requests.at(-1)?.body ?? ''), { state: 'closed', state_reason: word });
  });
}

test('labels that GitHub drops in silence do not hinder an issue', async (t) => {
  const fake = await start(t, 'github');
  const ref = await openTracker(fake, { token: 'reporter' }).create('acme/shop', DRAFT);
  assert.equal(ref.key, 'acme/shop#1');
  assert.deepEqual(fake.state.issues[0]?.labels, []);
});

test('a pull request with the marker is not an issue', async (t) => {
  const fake = await start(t, 'github');
  const tracker = openTracker(fake);
  fake.state.open({
    project: 'acme/shop',
    title: 'x',
    body: `<!-- ${MARKER} -->`,
    by: 'ipo-bot',
    pullRequest: true,
  });
  assert.equal(await tracker.find('acme/shop', MARKER, 0), null);
});

test('a deleted issue is gone, and one that is not there for this token is not', async (t) => {
  const fake = await start(t, 'github');
  const tracker = openTracker(fake);
  const ref = await tracker.create('acme/shop', DRAFT);
  const [issue] = fake.state.issues;
  assert.ok(issue);
  fake.state.remove(issue);
  assert.deepEqual(await tracker.read(ref), { state: 'closed', gone: true });
  await assert.rejects(
    openTracker(fake, { token: 'stranger' }).read(ref),
    (error) => error instanceof TrackerError && error.fault === 'not_found',
  );
});

test('issues that are switched off are not a deleted issue', async (t) => {
  const fake = await start(t, 'github');
  const tracker = openTracker(fake);
  const ref = await tracker.create('acme/shop', DRAFT);
  fake.state.project('acme/shop').issuesEnabled = false;
  await assert.rejects(tracker.read(ref), (error) => error instanceof TrackerError && error.fault === 'gone');
});

test('an issue that a person transferred is read where it is now, and written to there', async (t) => {
  const fake = await start(t, 'github');
  const tracker = openTracker(fake);
  const ref = await tracker.create('acme/shop', DRAFT);
  const [issue] = fake.state.issues;
  assert.ok(issue);
  fake.state.move(issue, 'acme/payments');
  await assert.rejects(
    tracker.close(ref, 'fixed'),
    (error) => error instanceof TrackerError && error.fault === 'moved' && error.happened === 'no',
  );
  const state = await tracker.read(ref);
  assert.equal(state.state, 'open');
  assert.equal(state.movedTo?.key, 'acme/payments#1');
  assert.equal(state.movedTo.id, ref.id);
  assert.equal(await tracker.close(state.movedTo, 'fixed'), 'closed');
  assert.equal(issue.state, 'closed');
});

test('a renamed repository stops a create, and the error says where it is', async (t) => {
  const fake = await start(t, 'github');
  const tracker = openTracker(fake);
  fake.state.rename('acme/shop', 'acme/store');
  await assert.rejects(
    tracker.create('acme/shop', DRAFT),
    /channel moved to http:\/\/127\.0\.0\.1:\d+\/repositories\/\d+/,
  );
  assert.equal(fake.state.issues.length, 0);
  const told = await tracker.test();
  assert.equal(told.works, false);
  assert.match(told.hints.join(), /name that it has now/);
});

test('a repository that is not named as owner/name is never called', async (t) => {
  const fake = await start(t, 'github');
  const tracker = openTracker(fake);
  for (const target of [
    '',
    'acme',
    'acme/shop/x',
    'acme/..',
    './shop',
    'acme/sh op',
    'acme/shop?x',
    'acme/%2e%2e',
    'acme/shop#1',
    '../../user',
  ])
    await assert.rejects(
      tracker.create(target, DRAFT),
      (error) => error instanceof TrackerError && error.fault === 'invalid',
      target,
    );
  for (const key of ['acme/shop', 'acme/shop#0', 'acme/shop#-1', 'acme/shop#1/../2', 'acme/shop#1e9', '#1'])
    await assert.rejects(tracker.read({ key, url: '', id: '1' }), TrackerError, key);
  assert.equal(fake.requests.length, 0);
});

test('an issue among hundreds of the own account is found page by page', async (t) => {
  const fake = await start(t, 'github');
  const tracker = openTracker(fake);
  const ref = await tracker.create('acme/shop', DRAFT);
  for (let turn = 0; turn < 95; turn += 1)
    fake.state.open({ project: 'acme/shop', title: 'x', body: 'z', by: 'ipo-bot' });
  assert.deepEqual(await tracker.find('acme/shop', MARKER, 0), ref);
  assert.equal(fake.requests.filter(({ act }) => act === 'find').length, 4);
});

const TESTS: readonly (readonly [string, number, Record<string, string>, string, boolean, RegExp])[] = [
  ['an archived repository', 200, {}, '{"full_name":"acme/shop","archived":true}', false, /archived/],
  [
    'a repository without issues',
    200,
    {},
    '{"full_name":"acme/shop","has_issues":false}',
    false,
    /switched off/,
  ],
  [
    'a classic token without the scope',
    200,
    { 'x-oauth-scopes': 'read:user, gist' },
    '{"full_name":"acme/shop","private":true}',
    false,
    /lacks the scope repo \(it has read:user, gist\)/,
  ],
  [
    'a classic token for public repositories',
    200,
    { 'x-oauth-scopes': 'public_repo' },
    '{"full_name":"acme/shop","private":false}',
    true,
    /reads acme\/shop/,
  ],
  [
    'a classic token for public repositories at a private one',
    200,
    { 'x-oauth-scopes': 'public_repo' },
    '{"full_name":"acme/shop","private":true}',
    false,
    /lacks the scope/,
  ],
  [
    'an account without triage right',
    200,
    {},
    '{"full_name":"acme/shop","permissions":{"pull":true,"triage":false,"push":false}}',
    true,
    /drops the labels/,
  ],
  [
    'single sign-on',
    403,
    { 'x-github-sso': 'required; url=https://github.com/orgs/acme/sso' },
    '{"message":"Resource protected by organization SAML enforcement"}',
    false,
    /single sign-on/,
  ],
  ['a token that is refused', 401, {}, '{"message":"Bad credentials"}', false, /Bad credentials/],
  ['a page of a proxy', 200, { 'content-type': 'text/html' }, '<html>Sign in</html>', false, /proxy/],
];

for (const [name, status, headers, body, works, sentence] of TESTS) {
  test(`the test read tells ${name}`, async (t) => {
    const server = await startLoopback(t, (_seen, response) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(body);
    });
    const told = await openAt('github-enterprise', 'ghp_x', {
      settings: { apiBaseUrl: `${server.url}/api/v3` },
    }).test();
    assert.equal(told.works, works, told.sentence);
    assert.match([told.sentence, ...told.hints].join('\n'), sentence);
    assert.equal(server.seen.length, 1);
    assert.equal(server.seen[0]?.url, '/api/v3/repos/acme/shop');
    assert.match(String(server.seen[0].headers['user-agent']), /^ipo\//);
    assert.equal(server.seen[0].headers['x-github-api-version'], '2022-11-28');
  });
}
