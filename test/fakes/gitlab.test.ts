import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { FakeClock, startFake, type Fake, type FakeOptions } from '../../fakes/index.ts';
import { speakTo } from './client.ts';

const SHOP = '/projects/acme%2Fshop';

async function gitlab(t: TestContext, options: FakeOptions = {}): Promise<Fake> {
  const fake = await startFake('gitlab', { clock: new FakeClock(), ...options });
  t.after(() => fake.close());
  return fake;
}

test('a project answers to its number and to its whole path, encoded once', async (t) => {
  const fake = await gitlab(t);
  const speak = speakTo(fake);
  for (const id of ['101', 'acme%2Fplatform%2Fimages%2Fbase']) {
    assert.equal(
      (await speak('GET', `/projects/${id}`)).json['path_with_namespace'],
      'acme/platform/images/base',
    );
  }
  assert.deepEqual(fake.violations, []);
  assert.equal((await speak('GET', '/projects/acme/shop')).text, '{"error":"404 Not Found"}');
  assert.equal((await speak('GET', '/projects/acme%252Fshop')).text, '{"message":"404 Project Not Found"}');
  assert.equal(fake.violations.length, 2);
});

test('a line that begins with a quick action is run with the token of its sender, and is seen as active', async (t) => {
  const fake = await gitlab(t);
  const speak = speakTo(fake);
  const made = await speak('POST', `${SHOP}/issues`, {
    title: 'x',
    description: 'text\n/close\n/label ~pwned\n',
  });
  assert.deepEqual(
    [made.json['state'], made.json['labels'], made.json['description']],
    ['closed', ['pwned'], 'text'],
  );
  const only = await speak('POST', `${SHOP}/issues/1/notes`, { body: '/reopen' });
  assert.equal(only.status, 202);
  assert.equal(fake.state.issues[0]?.comments.filter(({ system }) => !system).length, 0);
  assert.equal(fake.state.issues[0]?.state, 'open');
  assert.deepEqual(
    fake.active().map(({ kind }) => kind),
    ['quick_action', 'quick_action', 'quick_action'],
  );
  const inert = await speak('POST', `${SHOP}/issues`, { title: 'x', description: '```\n/close\n```' });
  assert.equal(inert.json['state'], 'opened');
});

test('a moved project leads a read on and refuses everything else', async (t) => {
  const fake = await gitlab(t);
  fake.state.rename('acme/shop', 'acme/store');
  const speak = speakTo(fake);
  const read = await speak('GET', `${SHOP}/issues`);
  assert.deepEqual([read.status, read.headers.get('location')], [301, `${fake.url}/projects/100/issues`]);
  const made = await speak('POST', `${SHOP}/issues`, { title: 'x' });
  assert.deepEqual(
    [made.status, made.json['message']],
    [405, 'Non GET methods are not allowed for moved projects'],
  );
});

test('a moved issue is closed and points to its copy', async (t) => {
  const fake = await gitlab(t);
  const issue = fake.state.open({ project: 'acme/shop', title: 'x', by: 'ipo-bot' });
  const copy = fake.state.move(issue, 'acme/platform/images/base');
  const speak = speakTo(fake);
  const left = await speak('GET', `${SHOP}/issues/1`);
  assert.deepEqual([left.json['state'], left.json['moved_to_id']], ['closed', copy.id]);
  const mine = await speak('GET', '/issues?scope=created_by_me&state=all');
  assert.deepEqual(
    mine.json.map((one) => Number(one['id'])).toSorted((a, b) => a - b),
    [issue.id, copy.id],
  );
});

test('every shape of refusal that GitLab has comes in its own shape', async (t) => {
  const fake = await gitlab(t);
  const create = ['POST', `${SHOP}/issues`] as const;
  assert.equal((await speakTo(fake)(...create, {})).text, '{"error":"title is missing"}');
  assert.equal(
    (await speakTo(fake)(...create, { title: ' ' })).text,
    `{"message":{"title":["can't be blank"]}}`,
  );
  assert.match(
    (await speakTo(fake)(...create, { title: 'x'.repeat(256) })).text,
    /is too long \(maximum is 255 characters\)/,
  );
  const scope = await speakTo(fake, 'reader')(...create, { title: 'x' });
  assert.deepEqual(
    [scope.status, scope.json['error'], scope.json['scope']],
    [403, 'insufficient_scope', 'api'],
  );
  assert.equal(
    (await speakTo(fake, 'stranger')(...create, { title: 'x' })).text,
    '{"message":"404 Project Not Found"}',
  );
  assert.equal((await speakTo(fake, 'expired')('GET', '/user')).json['error'], 'invalid_token');
  assert.equal((await speakTo(fake, null)('GET', '/user')).text, '{"message":"401 Unauthorized"}');
  fake.faults.inject({ act: 'self' }, '429 with Retry-After');
  const limited = await speakTo(fake)('GET', '/user');
  assert.deepEqual(
    [limited.status, limited.text, limited.headers.get('retry-after')],
    [429, 'Retry later\n', '60'],
  );
});

test('a guest opens issues without labels and closes only its own', async (t) => {
  const fake = await gitlab(t);
  const guest = speakTo(fake, 'reporter');
  const made = await guest('POST', `${SHOP}/issues`, { title: 'x', labels: 'a,b' });
  assert.deepEqual(made.json['labels'], []);
  fake.state.open({ project: 'acme/shop', title: 'of a person' });
  assert.equal((await guest('PUT', `${SHOP}/issues/1`, { state_event: 'close' })).status, 200);
  assert.equal((await guest('PUT', `${SHOP}/issues/2`, { state_event: 'close' })).status, 403);
});

test('closing writes a note of the system, which is listed with the others', async (t) => {
  const fake = await gitlab(t);
  const speak = speakTo(fake);
  await speak('POST', `${SHOP}/issues`, { title: 'x' });
  await speak('POST', `${SHOP}/issues/1/notes`, { body: 'It is gone' });
  await speak('PUT', `${SHOP}/issues/1`, { state_event: 'close' });
  const notes = await speak('GET', `${SHOP}/issues/1/notes?sort=asc`);
  assert.deepEqual(
    notes.json.map((one) => [one['body'], one['system']]),
    [
      ['It is gone', false],
      ['closed', true],
    ],
  );
  assert.equal(notes.headers.get('x-total'), '2');
});

test('an instance under a relative root has its API and its pages beneath it', async (t) => {
  const fake = await gitlab(t, { root: '/gitlab' });
  assert.match(fake.url, /\/gitlab\/api\/v4$/);
  const made = await speakTo(fake)('POST', `${SHOP}/issues`, { title: 'x' });
  assert.equal(made.json['web_url'], `${new URL(fake.url).origin}/gitlab/acme/shop/-/issues/1`);
});
