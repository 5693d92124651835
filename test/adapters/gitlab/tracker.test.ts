import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TrackerError } from '../../../src/trackers/index.ts';
import { MARKERS, openAt, openTracker, paragraph, start } from '../tracker-parts.ts';
import { startLoopback } from '../transport/loopback.ts';

const [MARKER] = MARKERS;
const DRAFT = { title: 'x', body: [paragraph('y')], labels: ['security', 'with, comma'], marker: MARKER };

test('a project in nested groups is named by its whole path, encoded once, and by its number', async (t) => {
  const fake = await start(t, 'gitlab', { projects: [{ path: 'acme/platform/images/base' }] });
  const tracker = openTracker(fake);
  const byPath = await tracker.create('acme/platform/images/base', DRAFT);
  assert.equal(byPath.key, 'acme/platform/images/base#1');
  const create = fake.requests.findLast(({ act }) => act === 'create');
  assert.match(create?.path ?? '', /\/projects\/acme%2Fplatform%2Fimages%2Fbase\/issues$/);
  const byNumber = await tracker.create('100', { ...DRAFT, marker: MARKERS[1] });
  assert.equal(byNumber.key, '100#2');
  assert.equal(await tracker.close(byNumber, 'fixed'), 'closed');
  assert.deepEqual(await tracker.find('100', MARKERS[1], 0), byNumber);
  assert.deepEqual(await tracker.find('acme/platform/images/base', MARKER, 0), byPath);
  assert.deepEqual(fake.violations, []);
});

test('an instance under a relative root is called and linked there', async (t) => {
  const fake = await start(t, 'gitlab', { root: '/gitlab' });
  const tracker = openTracker(fake);
  const ref = await tracker.create('acme/shop', DRAFT);
  assert.match(ref.url, /^http:\/\/127\.0\.0\.1:\d+\/gitlab\/acme\/shop\/-\//);
  assert.deepEqual(await tracker.read(ref), { state: 'open' });
});

test('an issue that a person moved is followed to its copy', async (t) => {
  const fake = await start(t, 'gitlab');
  const tracker = openTracker(fake);
  const ref = await tracker.create('acme/shop', DRAFT);
  const [issue] = fake.state.issues;
  assert.ok(issue);
  const copy = fake.state.move(issue, 'acme/platform/images/base');
  const state = await tracker.read(ref);
  assert.equal(
    state.state,
    copy.movedTo === null ? (state.movedTo === undefined ? 'closed' : 'open') : 'open',
  );
  if (state.movedTo !== undefined) {
    assert.equal(state.movedTo.key, 'acme/platform/images/base#1');
    assert.equal(await tracker.close(state.movedTo, 'fixed'), 'closed');
    assert.equal(copy.state, 'closed');
  }
});

test('a renamed project stops a create, and an issue in it is read by the number that GitLab names', async (t) => {
  const fake = await start(t, 'gitlab');
  const tracker = openTracker(fake);
  const ref = await tracker.create('acme/shop', DRAFT);
  fake.state.rename('acme/shop', 'acme/store');
  await assert.rejects(
    tracker.create('acme/shop', { ...DRAFT, marker: MARKERS[1] }),
    (error) => error instanceof TrackerError && error.fault === 'moved' && error.happened === 'no',
  );
  assert.equal(fake.state.issues.length, 1);
  const state = await tracker.read(ref);
  assert.deepEqual([state.state, state.movedTo?.key], ['open', '100#1']);
  assert.equal((await tracker.test()).works, false);
});

test('a project that is none is never called', async (t) => {
  const fake = await start(t, 'gitlab');
  const tracker = openTracker(fake);
  for (const target of [
    '',
    'shop',
    '0',
    '-1',
    'a//b',
    'a/../b',
    './a/b',
    'a/b?x=1',
    'a/b#1',
    'a b/c',
    'a%2Fb/c',
    `${'g/'.repeat(30)}p`,
  ])
    await assert.rejects(
      tracker.create(target, DRAFT),
      (error) => error instanceof TrackerError && error.fault === 'invalid',
      target,
    );
  assert.equal(fake.requests.length, 0);
});

test('a note that held only commands is not a comment', async (t) => {
  const server = await startLoopback(t, (_seen, response) => {
    response.writeHead(202, { 'content-type': 'application/json' });
    response.end('{"commands_changes":{},"summary":["Closed this issue."]}');
  });
  const tracker = openAt('gitlab', 'glpat-x', { settings: { apiBaseUrl: `${server.url}/api/v4` } });
  await assert.rejects(
    tracker.comment({ key: 'acme/shop#1', url: '', id: '1' }, { body: [paragraph('x')], marker: MARKER }),
    (error) => error instanceof TrackerError && error.fault === 'unreadable' && error.happened === 'unknown',
  );
});

test('a description of a million characters is read when it comes by itself', async (t) => {
  const author = { id: 5, username: 'bot' };
  const issue = (id: number, description: string) => ({
    id,
    iid: id,
    web_url: `https://gitlab.example/acme/shop/-/issues/${id}`,
    state: 'opened',
    author,
    description,
    created_at: '2026-10-01T00:00:00.000Z',
  });
  const all = [issue(3, 'é'.repeat(900_000)), issue(2, `x\n\n<!-- ${MARKER} -->`), issue(1, 'first')];
  const server = await startLoopback(t, ({ url }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://x');
    const [size, page] = [Number(searchParams.get('per_page')), Number(searchParams.get('page'))];
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(pathname.endsWith('/user') ? author : all.slice((page - 1) * size, page * size)),
    );
  });
  const tracker = openAt('gitlab', 'glpat-x', { settings: { apiBaseUrl: `${server.url}/api/v4` } });
  assert.equal((await tracker.find('acme/shop', MARKER, 0))?.key, 'acme/shop#2');
});

const TESTS: readonly (readonly [string, number, string, boolean, RegExp])[] = [
  ['an archived project', 200, '{"path_with_namespace":"acme/shop","archived":true}', false, /archived/],
  [
    'a project without issues',
    200,
    '{"path_with_namespace":"acme/shop","issues_enabled":false}',
    false,
    /switched off/,
  ],
  [
    'a project whose issues are disabled',
    200,
    '{"path_with_namespace":"acme/shop","issues_access_level":"disabled"}',
    false,
    /switched off/,
  ],
  [
    'an account that is no member',
    200,
    '{"path_with_namespace":"acme/shop","permissions":{"project_access":null,"group_access":null}}',
    false,
    /not a member/,
  ],
  [
    'a guest',
    200,
    '{"path_with_namespace":"acme/shop","permissions":{"project_access":{"access_level":10},"group_access":null}}',
    false,
    /Guest/,
  ],
  [
    'a reporter by the group',
    200,
    '{"path_with_namespace":"acme/shop","permissions":{"project_access":null,"group_access":{"access_level":20}}}',
    true,
    /scope api/,
  ],
  [
    'a token without the scope',
    403,
    '{"error":"insufficient_scope","error_description":"The request requires higher privileges than provided by the access token.","scope":"api"}',
    false,
    /lacks the scope api/,
  ],
  [
    'a revoked token',
    401,
    '{"error":"invalid_token","error_description":"Token was revoked. You have to re-authorize from the user."}',
    false,
    /invalid_token: Token was revoked/,
  ],
  ['a project that is not there', 404, '{"message":"404 Project Not Found"}', false, /%2F/],
  ['a limit in plain text', 429, 'Retry later', false, /asks to call less often \(429: Retry later\)/],
];

for (const [name, status, body, works, sentence] of TESTS) {
  test(`the test read tells ${name}`, async (t) => {
    const server = await startLoopback(t, (_seen, response) => {
      response.writeHead(status, {
        'content-type': body.startsWith('{') ? 'application/json' : 'text/plain',
      });
      response.end(body);
    });
    const told = await openAt('gitlab', 'glpat-x', {
      settings: { apiBaseUrl: `${server.url}/api/v4` },
    }).test();
    assert.equal(told.works, works, told.sentence);
    assert.match([told.sentence, ...told.hints].join('\n'), sentence);
    assert.deepEqual(
      server.seen.map(({ url }) => url),
      ['/api/v4/projects/acme%2Fshop'],
    );
    assert.equal(server.seen[0]?.headers['private-token'], 'glpat-x');
  });
}

test('each shape of an error body is told in words', async (t) => {
  const bodies: readonly (readonly [string, RegExp])[] = [
    [
      '{"message":{"title":["can\'t be blank","is too long (maximum is 255 characters)"]}}',
      /title can't be blank, is too long/,
    ],
    [
      '{"message":{"error":"Your issue has been recognized as spam"},"needs_captcha_response":true}',
      /recognized as spam/,
    ],
    ['{"error":"title is missing"}', /title is missing/],
    ['{"message":"400 (Bad request) \\"title\\" not given"}', /not given/],
    ['[]', /400 Bad Request/],
    ['{"message":{"a":{"b":{"c":{"d":{"e":"deep"}}}}}}', /400: a b/],
  ];
  const left = bodies.map(([body]) => body);
  const server = await startLoopback(t, (_seen, response) => {
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end(left.shift());
  });
  for (const [, sentence] of bodies) {
    const tracker = openAt('gitlab', 'glpat-x', { settings: { apiBaseUrl: `${server.url}/api/v4` } });
    await assert.rejects(tracker.create('acme/shop', DRAFT), sentence);
  }
});
