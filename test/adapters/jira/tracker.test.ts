import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TrackerError } from '../../../src/trackers/index.ts';
import { MARKERS, openAt, openTracker, paragraph, start } from '../tracker-parts.ts';
import { startLoopback } from '../transport/loopback.ts';

const [MARKER, OTHER] = MARKERS;
const DRAFT = { title: 'x', body: [paragraph('y')], labels: ['security', 'with a blank'], marker: MARKER };
const KINDS = ['jira-cloud', 'jira-gateway', 'jira-datacenter'] as const;

for (const kind of KINDS) {
  test(`${kind}: without a transition the issue is left open, and nothing is called`, async (t) => {
    const fake = await start(t, kind);
    const tracker = openTracker(fake, { settings: { doneTransitionId: null } });
    const ref = await tracker.create('SEC', DRAFT);
    const before = fake.requests.length;
    assert.equal(tracker.closes, false);
    assert.equal(await tracker.close(ref, 'fixed'), 'left_open');
    assert.equal(fake.requests.length, before);
  });

  test(`${kind}: a transition that is not there now is refused, and its refusal told`, async (t) => {
    const fake = await start(t, kind);
    const tracker = openTracker(fake);
    const ref = await tracker.create('SEC', DRAFT);
    const [issue] = fake.state.issues;
    assert.ok(issue);
    fake.state.status(issue, '10001');
    assert.deepEqual(await tracker.read(ref), { state: 'closed' });
    await assert.rejects(
      openTracker(fake, { settings: { doneTransitionId: '99' } }).close(ref, 'fixed'),
      (error) => error instanceof TrackerError && error.fault === 'invalid' && error.happened === 'no',
    );
  });

  test(`${kind}: an issue that a person moved keeps its number and has another key`, async (t) => {
    const fake = await start(t, kind);
    const tracker = openTracker(fake);
    const ref = await tracker.create('SEC', DRAFT);
    const [issue] = fake.state.issues;
    assert.ok(issue);
    fake.state.move(issue, 'OPS');
    const state = await tracker.read(ref);
    assert.deepEqual([state.state, state.movedTo?.key, state.movedTo?.id], ['open', 'OPS-1', ref.id]);
    await tracker.comment(ref, { body: [paragraph('still there')], marker: OTHER });
    assert.equal(issue.comments.length, 1);
  });

  test(`${kind}: an issue that is not found is not said to be gone, since it may only be hidden`, async (t) => {
    const fake = await start(t, kind);
    const tracker = openTracker(fake);
    const ref = await tracker.create('SEC', DRAFT);
    const [issue] = fake.state.issues;
    assert.ok(issue);
    fake.state.remove(issue);
    await assert.rejects(
      tracker.read(ref),
      (error) => error instanceof TrackerError && error.fault === 'not_found',
    );
  });

  test(`${kind}: labels are made fit, and the marker is one of them`, async (t) => {
    const fake = await start(t, kind);
    await openTracker(fake).create('SEC', DRAFT);
    assert.deepEqual(
      fake.state.issues[0]?.labels.toSorted(),
      [MARKER, 'security', 'with-a-blank'].toSorted(),
    );
  });

  test(`${kind}: what the project demands is told by Jira's own words`, async (t) => {
    const fake = await start(t, kind);
    fake.state.project('SEC').requiredFields = { customfield_10042: 'Team' };
    await assert.rejects(openTracker(fake).create('SEC', DRAFT), /customfield_10042: Team is required/);
  });

  test(`${kind}: a key that is none comes into no query and no path`, async (t) => {
    const fake = await start(t, kind);
    const tracker = openTracker(fake);
    for (const key of ['', 'sec', 'SEC" OR project = "OPS', 'SEC/../OPS', 'SEC-1', 'S C'])
      await assert.rejects(
        tracker.find(key, MARKER, 0),
        (error) => error instanceof TrackerError && error.fault === 'invalid',
        key,
      );
    await assert.rejects(tracker.read({ key: '../myself', url: '', id: '../1' }), TrackerError);
    assert.equal(fake.requests.length, 0);
  });
}

test('the gateway is asked for the site once per run, before anything is written', async (t) => {
  const fake = await start(t, 'jira-gateway');
  const tracker = openTracker(fake);
  const ref = await tracker.create('SEC', DRAFT);
  await tracker.create('SEC', { ...DRAFT, marker: OTHER });
  assert.equal(ref.url, `${fake.webUrl}/browse/SEC-1`);
  assert.notEqual(new URL(fake.webUrl).origin, new URL(fake.url).origin);
  assert.deepEqual(
    fake.requests.map(({ act }) => act),
    ['server_info', 'create', 'create'],
  );
});

test('when the gateway does not tell its site, nothing is written', async (t) => {
  const fake = await start(t, 'jira-gateway');
  fake.faults.inject({ act: 'server_info' }, '502 after effect');
  const tracker = openTracker(fake);
  await assert.rejects(
    tracker.create('SEC', DRAFT),
    (error) => error instanceof TrackerError && error.happened === 'no',
  );
  assert.equal(fake.state.issues.length, 0);
  assert.equal((await tracker.create('SEC', DRAFT)).key, 'SEC-1');
});

for (const kind of ['jira-cloud', 'jira-datacenter'] as const) {
  test(`${kind}: links are made from the own address, without a call`, async (t) => {
    const fake = await start(t, kind, kind === 'jira-datacenter' ? { root: '/jira' } : {});
    const ref = await openTracker(fake).create('SEC', DRAFT);
    assert.equal(ref.url, `${fake.url}/browse/SEC-1`);
    assert.deepEqual(
      fake.requests.map(({ act }) => act),
      ['create'],
    );
  });
}

test('a scoped token at the address of the site is told to use the gateway', async (t) => {
  const fake = await start(t, 'jira-cloud');
  const told = await openTracker(fake, { token: 'other_form' }).test();
  assert.equal(told.works, false);
  assert.match(told.sentence, /AUTHENTICATED_FAILED/);
  assert.match(told.hints.join('\n'), /https:\/\/api\.atlassian\.com\/ex\/jira\/<cloudId>.*tenant_info/);
});

interface Told {
  readonly name: string;
  readonly kind?: 'jira-cloud' | 'jira-datacenter';
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body: string;
  readonly works?: boolean;
  readonly says: RegExp;
}

const TESTS: readonly Told[] = [
  {
    name: 'a project without the issue type',
    status: 200,
    body: '{"key":"SEC","issueTypes":[{"id":"1","name":"Bug"},{"id":"2","name":"Sub","subtask":true}]}',
    says: /has no issue type Task\n.*one of Bug$/m,
  },
  { name: 'an archived project', status: 200, body: '{"key":"SEC","archived":true}', says: /archived/ },
  {
    name: 'a project that can be used',
    status: 200,
    body: '{"key":"SEC","issueTypes":[{"id":"1","name":"Task"}]}',
    works: true,
    says: /Browse projects, Create issues, Add comments, Transition issues/,
  },
  {
    name: 'a call that was taken for one of nobody',
    kind: 'jira-datacenter',
    status: 200,
    headers: { 'x-ausername': 'anonymous' },
    body: '{"key":"SEC"}',
    says: /of nobody/,
  },
  {
    name: 'a captcha',
    kind: 'jira-datacenter',
    status: 403,
    headers: { 'x-authentication-denied-reason': 'CAPTCHA_CHALLENGE; login-url=https://x' },
    body: 'Basic Auth denied',
    says: /captcha/,
  },
  {
    name: 'a wrong personal access token',
    kind: 'jira-datacenter',
    status: 401,
    headers: { 'x-seraph-loginreason': 'AUTHENTICATED_FAILED' },
    body: '{"message":"Client must be authenticated to access this resource.","status-code":401}',
    says: /personal access token/,
  },
  {
    name: 'a hidden project',
    status: 404,
    body: '{"errorMessages":["No project could be found with key \'SEC\'."],"errors":{}}',
    says: /may not look/,
  },
  {
    name: 'an instance that is starting',
    kind: 'jira-datacenter',
    status: 503,
    body: '<?xml version="1.0"?><status>STARTING</status>',
    says: /503 Service Unavailable/,
  },
];

for (const { name, kind = 'jira-cloud', status, headers = {}, body, works = false, says } of TESTS) {
  test(`the test read tells ${name}`, async (t) => {
    const server = await startLoopback(t, (_seen, response) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(body);
    });
    const told = await openAt(kind, 'token', {
      settings: { apiBaseUrl: server.url, email: 'a@example.com' },
    }).test();
    assert.equal(told.works, works, told.sentence);
    assert.match([told.sentence, ...told.hints].join('\n'), says);
    assert.deepEqual(
      server.seen.map(({ url }) => url),
      [`/rest/api/${kind === 'jira-cloud' ? 3 : 2}/project/SEC`],
    );
    assert.equal(server.seen[0]?.headers['x-atlassian-token'], 'no-check');
  });
}

test('the gateway says in its own way that a scope is missing', async (t) => {
  const server = await startLoopback(t, (_seen, response) => {
    response.writeHead(401, { 'content-type': 'application/json' });
    response.end('{"code":401,"message":"Unauthorized; scope does not match"}');
  });
  const settings = { apiBaseUrl: `${server.url}/ex/jira/11223344-a1b2`, email: 'a@example.com' };
  const told = await openAt('jira-gateway', 'token', { settings }).test();
  assert.match(told.hints.join(), /read:jira-work and write:jira-work/);
});

test('a search that does not know the issue yet finds it later', async (t) => {
  const clock = { at: Date.UTC(2026, 9, 1), now: () => clock.at };
  const fake = await start(t, 'jira-cloud', { clock, lagMs: 120_000 });
  const tracker = openTracker(fake);
  const ref = await tracker.create('SEC', DRAFT);
  assert.equal(await tracker.find('SEC', MARKER, 0), null);
  clock.at += 120_000;
  assert.deepEqual(await tracker.find('SEC', MARKER, 0), ref);
});
