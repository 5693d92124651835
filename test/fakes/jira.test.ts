import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { FakeClock, startFake, type Fake, type FakeOptions, type FakeKind } from '../../fakes/index.ts';
import { adf, speakTo, wordingOf, type Speak } from './client.ts';

async function jira(t: TestContext, kind: FakeKind, options: FakeOptions = {}): Promise<Fake> {
  const fake = await startFake(kind, { clock: new FakeClock(), ...options });
  t.after(() => fake.close());
  return fake;
}

const fields = (more: Readonly<Record<string, unknown>> = {}): unknown => ({
  fields: { project: { key: 'SEC' }, issuetype: { name: 'Task' }, summary: 'x', ...more },
});

test('the site takes classic tokens and refuses scoped ones with the reason in a header', async (t) => {
  const fake = await jira(t, 'jira-cloud');
  assert.equal((await speakTo(fake)('GET', '/rest/api/3/myself')).status, 200);
  const refused = await speakTo(fake, 'other_form')('GET', '/rest/api/3/project/SEC');
  assert.equal(refused.status, 401);
  assert.equal(refused.headers.get('x-seraph-loginreason'), 'AUTHENTICATED_FAILED');
  assert.equal(refused.text, 'Client must be authenticated to access this resource.');
  const tenant = await speakTo(fake, null)('GET', '/_edge/tenant_info');
  assert.match(String(tenant.json['cloudId']), /^[0-9a-f-]{36}$/);
});

test('the gateway takes only scoped tokens, has no /browse, and knows the site by serverInfo', async (t) => {
  const fake = await jira(t, 'jira-gateway');
  assert.match(fake.url, /\/ex\/jira\/[0-9a-f-]{36}$/);
  const info = await speakTo(fake, null)('GET', '/rest/api/3/serverInfo');
  assert.equal(info.json['baseUrl'], fake.webUrl);
  assert.notEqual(new URL(fake.url).origin, fake.webUrl);
  assert.equal(
    (await speakTo(fake, 'other_form')('GET', '/rest/api/3/myself')).text,
    '{"code":401,"message":"Unauthorized"}',
  );
  const scope = await speakTo(fake, 'reader')('POST', '/rest/api/3/issue', fields());
  assert.equal(scope.text, '{"code":401,"message":"Unauthorized; scope does not match"}');
  assert.equal((await speakTo(fake)('GET', '/browse/SEC-1')).status, 404);
  const site = await speakTo(fake)('GET', `${fake.webUrl}/rest/api/3/myself`);
  assert.equal(site.headers.get('x-seraph-loginreason'), 'AUTHENTICATED_FAILED');
  assert.equal((await speakTo(fake, 'other_form')('GET', `${fake.webUrl}/rest/api/3/myself`)).status, 200);
});

test('the search learns of an issue after the lag, by the clock of the test, and of a label taken away too', async (t) => {
  const clock = new FakeClock();
  const fake = await jira(t, 'jira-datacenter', { clock, lagMs: 180_000 });
  const speak = speakTo(fake);
  const { list, create } = wordingOf(fake);
  await speak('POST', ...create);
  const found = async (): Promise<unknown> => (await speak('GET', list)).json['total'];
  assert.equal(await found(), 0);
  clock.advance(179_999);
  assert.equal(await found(), 0);
  clock.advance(1);
  assert.equal(await found(), 1);
  fake.state.edit(fake.state.issues[0]!, { labels: [] });
  assert.equal(await found(), 1);
  clock.advance(180_000);
  assert.equal(await found(), 0);
  assert.equal((await speak('GET', '/rest/api/2/issue/SEC-1')).status, 200);
});

test('the cloud pages its search by a token and refuses one without a restriction', async (t) => {
  const fake = await jira(t, 'jira-cloud');
  const speak = speakTo(fake);
  for (let n = 0; n < 3; n += 1) fake.state.open({ project: 'SEC', title: `${n}` });
  const first = await speak('POST', '/rest/api/3/search/jql', {
    jql: 'project = SEC',
    maxResults: 2,
    fields: ['summary'],
  });
  assert.deepEqual([first.json['isLast'], (first.json['issues'] as unknown[]).length], [false, 2]);
  const next = { jql: 'project = SEC', maxResults: 2, nextPageToken: first.json['nextPageToken'] };
  const second = await speak('POST', '/rest/api/3/search/jql', next);
  assert.deepEqual([second.json['isLast'], (second.json['issues'] as unknown[]).length], [true, 1]);
  assert.deepEqual(fake.violations, []);
  const all = await speak('POST', '/rest/api/3/search/jql', { jql: 'ORDER BY created' });
  assert.match(all.text, /Unbounded JQL queries are not allowed here/);
  assert.equal((await speak('GET', '/rest/api/3/search?jql=project%20%3D%20SEC')).status, 410);
  assert.equal(fake.violations.length, 2);
});

for (const [what, more, said] of [
  [
    'a description that is a plain text',
    { description: 'x' },
    /Operation value must be an Atlassian Document/,
  ],
  ['a document that is none', { description: { version: 1, type: 'doc' } }, /INVALID_INPUT/],
  ['a summary of two lines', { summary: 'a\nb' }, /contains newline characters/],
  ['a summary of 256 characters', { summary: 'x'.repeat(256) }, /Summary can't exceed 255 characters/],
  ['a label with a space', { labels: ['a b'] }, /contains spaces which is invalid/],
  ['a type that is none', { issuetype: { name: 'Nothing' } }, /Specify a valid issue type/],
  ['a field that is none', { teams: 'x' }, /Field 'teams' cannot be set/],
  ['a project that is none', { project: { key: 'NONE' } }, /valid project is required/],
  ['a text that is too long', { description: adf('x'.repeat(32_768)) }, /CONTENT_LIMIT_EXCEEDED/],
] as const) {
  test(`a create with ${what} is refused in Jira's words`, async (t) => {
    const fake = await jira(t, 'jira-cloud');
    const reply = await speakTo(fake)('POST', '/rest/api/3/issue', fields(more));
    assert.equal(reply.status, 400);
    assert.match(reply.text, said);
    assert.equal(fake.state.issues.length, 0);
  });
}

test('a field that the project demands is named, and told in advance', async (t) => {
  const fake = await jira(t, 'jira-cloud', {
    projects: [{ path: 'SEC', requiredFields: { customfield_10042: 'Team' } }],
  });
  const speak = speakTo(fake);
  const refused = await speak('POST', '/rest/api/3/issue', fields());
  assert.deepEqual(refused.json['errors'], { customfield_10042: 'Team is required.' });
  const told = await speak('GET', '/rest/api/3/issue/createmeta/SEC/issuetypes/10001');
  assert.match(told.text, /"fieldId":"customfield_10042","required":true/);
});

test('a transition that the state no longer offers is refused, and one that asks for a field too', async (t) => {
  const fake = await jira(t, 'jira-datacenter');
  const speak: Speak = speakTo(fake);
  await speak('POST', '/rest/api/2/issue', fields());
  const done = ['POST', '/rest/api/2/issue/SEC-1/transitions', { transition: { id: '31' } }] as const;
  fake.state.project('SEC').requiredOnDone = ['resolution'];
  assert.deepEqual((await speak(...done)).json['errors'], { resolution: 'resolution is required.' });
  fake.state.project('SEC').requiredOnDone = [];
  assert.equal((await speak(...done)).status, 204);
  assert.match((await speak(...done)).text, /not valid for the current state of this issue \(SEC-1\)/);
  assert.equal(fake.state.history.filter(({ act }) => act === 'close').length, 1);
});

test('a moved issue answers to its old key with the new one, and its id stays', async (t) => {
  const fake = await jira(t, 'jira-cloud');
  const issue = fake.state.open({ project: 'SEC', title: 'x' });
  fake.state.move(issue, 'OPS');
  const speak = speakTo(fake);
  for (const key of ['SEC-1', 'OPS-1', String(issue.id)]) {
    assert.equal((await speak('GET', `/rest/api/3/issue/${key}`)).json['key'], 'OPS-1');
  }
  fake.tokens.good.access['OPS'] = 'none';
  assert.equal((await speak('GET', '/rest/api/3/issue/SEC-1')).status, 404);
});

test('Data Center takes a bearer, texts, and no forged request of a browser', async (t) => {
  const fake = await jira(t, 'jira-datacenter', { root: '/jira' });
  assert.match(fake.url, /\/jira$/);
  const made = await speakTo(fake)('POST', '/rest/api/2/issue', fields({ description: adf('x') }));
  assert.deepEqual(made.json['errors'], { description: 'Operation value must be a string' });
  const browser = speakTo(fake, 'good', { 'user-agent': 'Mozilla/5.0' });
  assert.equal((await browser('POST', '/rest/api/2/issue', fields())).text, 'XSRF check failed');
  const checked = speakTo(fake, 'good', { 'user-agent': 'Mozilla/5.0', 'x-atlassian-token': 'no-check' });
  assert.equal((await checked('POST', '/rest/api/2/issue', fields())).status, 201);
  const basic = speakTo(fake, null, { authorization: 'Basic eDp5' });
  assert.equal((await basic('GET', '/rest/api/2/myself')).status, 401);
});

test('who may not create, comment or close is refused, and learns of it by its permissions', async (t) => {
  const fake = await jira(t, 'jira-datacenter');
  fake.state.open({ project: 'SEC', title: 'x' });
  const reader = speakTo(fake, 'reader');
  assert.match((await reader('POST', '/rest/api/2/issue', fields())).text, /permission to create issues/);
  assert.match(
    (await reader('POST', '/rest/api/2/issue/SEC-1/comment', { body: 'x' })).text,
    /permission to comment/,
  );
  const reporter = speakTo(fake, 'reporter');
  assert.deepEqual((await reporter('GET', '/rest/api/2/issue/SEC-1/transitions')).json['transitions'], []);
  const rights = (await reporter('GET', '/rest/api/2/mypermissions?projectKey=SEC')).json['permissions'];
  const have = Object.entries(rights as Record<string, { havePermission: boolean }>).map(([name, one]) => [
    name,
    one.havePermission,
  ]);
  assert.deepEqual(have, [
    ['BROWSE_PROJECTS', true],
    ['CREATE_ISSUES', true],
    ['ADD_COMMENTS', true],
    ['TRANSITION_ISSUES', false],
  ]);
});
