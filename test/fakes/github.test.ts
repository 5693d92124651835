import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { FakeClock, startFake, VENDOR_LIMITS, type Fake, type FakeOptions } from '../../fakes/index.ts';
import { speakTo } from './client.ts';

const ISSUES = '/repos/acme/shop/issues';

async function github(t: TestContext, options: FakeOptions = {}): Promise<Fake> {
  const fake = await startFake('github', { clock: new FakeClock(), ...options });
  t.after(() => fake.close());
  return fake;
}

test('labels of one without push access are dropped, and the issue is made all the same', async (t) => {
  const fake = await github(t);
  const made = await speakTo(fake, 'reporter')('POST', ISSUES, { title: 'x', labels: ['security'] });
  assert.equal(made.status, 201);
  assert.deepEqual(made.json['labels'], []);
  const labelled = await speakTo(fake)('POST', ISSUES, { title: 'x', labels: ['security'] });
  assert.equal((labelled.json['labels'] as { name: string }[])[0]?.name, 'security');
});

test('who may only read is refused with the permission that is missing; a stranger finds nothing', async (t) => {
  const fake = await github(t);
  const refused = await speakTo(fake, 'reader')('POST', ISSUES, { title: 'x' });
  assert.deepEqual(
    [refused.status, refused.json['message']],
    [403, 'Resource not accessible by personal access token'],
  );
  assert.equal(refused.headers.get('x-accepted-github-permissions'), 'issues=write');
  assert.equal((await speakTo(fake, 'stranger')('POST', ISSUES, { title: 'x' })).status, 404);
  assert.equal((await speakTo(fake, 'stranger')('GET', '/repos/acme/shop')).status, 404);
  assert.equal((await speakTo(fake, 'expired')('GET', '/user')).json['message'], 'Bad credentials');
  assert.equal((await speakTo(fake, null)('GET', '/user')).json['message'], 'Requires authentication');
});

test('a renamed repository answers 301 to a read and 307 to a create, and its number leads on', async (t) => {
  const fake = await github(t);
  fake.state.open({ project: 'acme/shop', title: 'x' });
  fake.state.rename('acme/shop', 'acme/store');
  const speak = speakTo(fake);
  const read = await speak('GET', `${ISSUES}/1`);
  assert.equal(read.status, 301);
  assert.equal(read.headers.get('location'), `${fake.url}/repositories/100/issues/1`);
  const made = await speak('POST', ISSUES, { title: 'x' });
  assert.deepEqual([made.status, made.json['message']], [307, 'Moved Permanently']);
  assert.equal(fake.state.issues.length, 1);
  const there = await speak('GET', read.headers.get('location') ?? '');
  assert.equal(there.json['html_url'], `${fake.webUrl}/acme/store/issues/1`);
});

test('a transferred issue leads to its new place, a deleted one is gone', async (t) => {
  const fake = await github(t);
  const [first, second] = ['a', 'b'].map((title) => fake.state.open({ project: 'acme/shop', title }));
  fake.state.move(first!, 'acme/payments');
  fake.state.remove(second!);
  const speak = speakTo(fake);
  const moved = await speak('GET', `${ISSUES}/1`);
  assert.deepEqual(
    [moved.status, moved.headers.get('location')],
    [301, `${fake.url}/repositories/101/issues/1`],
  );
  const gone = await speak('GET', `${ISSUES}/2`);
  assert.deepEqual([gone.status, gone.json['message']], [410, 'This issue was deleted']);
});

test('a locked issue takes comments of those who may write, and of nobody else', async (t) => {
  const fake = await github(t);
  fake.state.lock(fake.state.open({ project: 'acme/shop', title: 'x' }));
  const comment = [`${ISSUES}/1/comments`, { body: 'hello' }] as const;
  const refused = await speakTo(fake, 'reporter')('POST', ...comment);
  assert.deepEqual(
    [refused.status, refused.json['message']],
    [403, 'Unable to create comment because issue is locked.'],
  );
  assert.equal((await speakTo(fake)('POST', ...comment)).status, 201);
});

test('issues that are off answer 410, an archive 403, both before anything is made', async (t) => {
  const fake = await github(t);
  const project = fake.state.project('acme/shop');
  project.issuesEnabled = false;
  const off = await speakTo(fake)('POST', ISSUES, { title: 'x' });
  assert.deepEqual([off.status, off.json['message']], [410, 'Issues has been disabled in this repository.']);
  project.issuesEnabled = true;
  project.archived = true;
  const archived = await speakTo(fake)('POST', ISSUES, { title: 'x' });
  assert.deepEqual(
    [archived.status, archived.json['message']],
    [403, 'Repository was archived so is read-only.'],
  );
  assert.equal(fake.state.issues.length, 0);
});

test('a title of 256 characters and a body of 65,536 pass, one more of either does not', async (t) => {
  const fake = await github(t);
  const speak = speakTo(fake);
  const body = 'x'.repeat(65_536);
  assert.equal((await speak('POST', ISSUES, { title: '𝒳'.repeat(256), body })).status, 201);
  const title = await speak('POST', ISSUES, { title: 'x'.repeat(257) });
  assert.match(title.text, /title is too long \(maximum is 256 characters\)/);
  const long = await speak('POST', ISSUES, { title: 'x', body: `${body}x` });
  assert.match(long.text, /body is too long \(maximum is 65536 characters\)/);
});

test('lists are cut into pages that lead on, newest first, with pull requests among the issues', async (t) => {
  const fake = await github(t);
  for (let n = 1; n <= 5; n += 1)
    fake.state.open({ project: 'acme/shop', title: `${n}`, pullRequest: n === 2 });
  const first = await speakTo(fake)('GET', `${ISSUES}?per_page=2&state=all`);
  assert.deepEqual(
    first.json.map((one) => one['title']),
    ['5', '4'],
  );
  const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
  const second = await speakTo(fake)('GET', next);
  assert.deepEqual(
    second.json.map((one) => one['pull_request'] !== undefined),
    [false, true],
  );
  assert.match(second.headers.get('link') ?? '', /rel="last"/);
});

test('the limits of the vendor hold where they are asked for: the 81st create of a minute is refused', async (t) => {
  const clock = new FakeClock();
  const fake = await github(t, { clock, limits: VENDOR_LIMITS.github });
  const speak = speakTo(fake);
  for (let n = 0; n < 80; n += 1) assert.equal((await speak('POST', ISSUES, { title: 'x' })).status, 201);
  const refused = await speak('POST', ISSUES, { title: 'x' });
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [403, '60']);
  assert.match(refused.text, /secondary rate limit/);
  assert.equal((await speak('GET', '/user')).headers.get('x-ratelimit-used'), '82');
  clock.advance(60_000);
  assert.equal((await speak('POST', ISSUES, { title: 'x' })).status, 201);
});

test('what our code must never send is recorded: unknown members, paths and parameters, a token in the address', async (t) => {
  const fake = await github(t);
  const speak = speakTo(fake);
  await speak('POST', ISSUES, { title: 'x', marker: 'm' });
  await speak('GET', `${ISSUES}?q=x&token=y`);
  await speak('GET', '/search/issues?q=x');
  await speak('DELETE', `${ISSUES}/1`);
  assert.deepEqual(fake.violations, [
    'POST /repos/acme/shop/issues: unknown field marker',
    'GET /repos/acme/shop/issues: a token in the address',
    'GET /repos/acme/shop/issues: unknown parameter q',
    'GET /repos/acme/shop/issues: unknown parameter token',
    'GET /search/issues: the tracker has no such call, or our service must not make it',
    'DELETE /repos/acme/shop/issues/1: the tracker has no such call, or our service must not make it',
  ]);
});

test('GitHub Enterprise lives beneath /api/v3, says its version and shows no limits', async (t) => {
  const fake = await startFake('github-enterprise', { clock: new FakeClock() });
  t.after(() => fake.close());
  assert.match(fake.url, /\/api\/v3$/);
  const reply = await speakTo(fake)('GET', '/repos/acme/none');
  assert.deepEqual([reply.status, reply.json['status']], [404, undefined]);
  assert.equal(reply.headers.get('x-github-enterprise-version'), '3.19.0');
  assert.equal(reply.headers.get('x-ratelimit-limit'), null);
});
