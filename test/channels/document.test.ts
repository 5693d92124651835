import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IpoError } from '../../src/base/index.ts';
import {
  CHANNEL_EVENTS,
  CHANNEL_KINDS,
  hasEffect,
  isTrackerKind,
  receives,
  type ChannelKind,
} from '../../src/channels/index.ts';
import { openDocuments, readSettings } from '../../src/channels/document.ts';
import { dataCenter, DOCUMENTS, SECRETS } from './documents.ts';

const read = openDocuments({ testLoopback: false, allowedHosts: [] });

/** Every fault that a document is refused for, as `path: message`. */
function faults(document: unknown, by = read): readonly string[] {
  try {
    by(document);
    return [];
  } catch (error) {
    assert.ok(error instanceof IpoError && error.code === 'invalid_request');
    const told = error.fields ?? [];
    assert.ok(told.length > 0);
    // The sentence is the first fault.
    assert.ok(error.message.includes(told[0]?.message ?? '?'));
    for (const secret of SECRETS)
      assert.ok(!JSON.stringify([error.message, told, error.hint]).includes(secret));
    return told.map(({ path, message }) => `${path}: ${message}`);
  }
}

const tracked = { labels: [], dailyCap: 20, firstRunSummary: true } as const;

test('each kind is read with the defaults of the service', () => {
  const settings: Readonly<Record<ChannelKind, Readonly<Record<string, unknown>>>> = {
    github: {
      apiBaseUrl: 'https://api.github.com',
      defaultRepo: 'example/app',
      ...tracked,
      allowedTargets: [],
    },
    gitlab: {
      apiBaseUrl: 'https://gitlab.com/api/v4',
      defaultProject: 'group/sub/project',
      ...tracked,
      allowedTargets: [],
    },
    jira: {
      apiBaseUrl: 'https://example.atlassian.net',
      email: 'bot@example.com',
      projectKey: 'SEC',
      issueType: 'Task',
      ...tracked,
    },
    email: {
      host: 'mail.example.com',
      port: 587,
      security: 'starttls',
      username: 'ipo',
      password: DOCUMENTS.email.password,
      from: 'ipo@example.com',
      to: ['ops@example.com'],
    },
    slack: { webhookUrl: DOCUMENTS.slack.webhookUrl },
    teams: { webhookUrl: DOCUMENTS.teams.webhookUrl },
    webhook: { webhookUrl: DOCUMENTS.webhook.webhookUrl, format: 'cloudevents' },
  };
  for (const kind of CHANNEL_KINDS) {
    const document = read(DOCUMENTS[kind]);
    assert.deepEqual(document.settings, settings[kind], kind);
    assert.deepEqual([document.kind, document.enabled], [kind, true]);
    const entered = document.credentials.map(({ field, secret }) => [field, secret.reveal()]);
    const expected = {
      github: [['token', DOCUMENTS.github.token]],
      gitlab: [['token', DOCUMENTS.gitlab.token]],
      jira: [['apiToken', DOCUMENTS.jira.apiToken]],
    };
    assert.deepEqual(entered, isTrackerKind(kind) ? expected[kind] : [], kind);
  }
});

test('trackers.allowedHosts is about every address that a channel names', () => {
  const addresses = { github: 'apiBaseUrl', gitlab: 'apiBaseUrl', jira: 'apiBaseUrl' } as const;
  for (const kind of CHANNEL_KINDS) {
    if (kind === 'email') continue; // A mail server has no address of this form.
    const field = isTrackerKind(kind) ? addresses[kind] : 'webhookUrl';
    const written = (read(DOCUMENTS[kind]).settings as Readonly<Record<string, unknown>>)[field];
    const { hostname } = new URL(String(written));
    for (const [allowed, expected] of [
      [[hostname], []],
      [[`*.${hostname.split('.').slice(1).join('.')}`], []],
      [['elsewhere.example'], [`${field}: leads to ${hostname}, which trackers.allowedHosts does not allow`]],
    ] as const)
      assert.deepEqual(
        faults(DOCUMENTS[kind], openDocuments({ testLoopback: false, allowedHosts: allowed })),
        expected,
        kind,
      );
  }
});

test('a new channel subscribes to the events that it can do something with', () => {
  for (const kind of CHANNEL_KINDS) {
    assert.deepEqual(
      read(DOCUMENTS[kind]).subscriptions,
      isTrackerKind(kind)
        ? ['critical_finding', 'runtime_alert']
        : ['critical_finding', 'runtime_alert', 'nodes_over', 'nodes_enforced', 'ledger_broken'],
      kind,
    );
  }
});

test('a tracker takes a subscription to any event and does nothing on most', () => {
  for (const kind of CHANNEL_KINDS) {
    const { subscriptions } = read({ ...DOCUMENTS[kind], subscriptions: [...CHANNEL_EVENTS] });
    assert.deepEqual(subscriptions, CHANNEL_EVENTS);
    const acting = CHANNEL_EVENTS.filter((event) => receives({ kind, enabled: true, subscriptions }, event));
    assert.deepEqual(acting, isTrackerKind(kind) ? ['critical_finding', 'runtime_alert'] : CHANNEL_EVENTS);
    for (const event of CHANNEL_EVENTS) {
      assert.equal(receives({ kind, enabled: false, subscriptions }, event), false);
      assert.equal(receives({ kind, enabled: true, subscriptions: [] }, event), false);
      assert.equal(hasEffect(kind, event), acting.includes(event));
    }
  }
  assert.deepEqual(read({ ...DOCUMENTS.github, subscriptions: [] }).subscriptions, []);
  assert.deepEqual(
    read({ ...DOCUMENTS.slack, subscriptions: ['nodes_80', 'critical_finding', 'nodes_80'] }).subscriptions,
    ['critical_finding', 'nodes_80'],
  );
});

test('dailyCap is 1 to 500, and what is refused says what to do instead', () => {
  for (const dailyCap of [1, 20, 499, 500])
    assert.equal(read({ ...DOCUMENTS.github, dailyCap }).settings['dailyCap'], dailyCap);
  for (const dailyCap of [
    0,
    -1,
    501,
    1.5,
    1e9,
    Number.MAX_SAFE_INTEGER + 1,
    '20',
    null,
    true,
    [20],
    Infinity,
  ]) {
    for (const kind of ['github', 'gitlab', 'jira'] as const)
      assert.deepEqual(faults({ ...DOCUMENTS[kind], dailyCap }), [
        'dailyCap: dailyCap must be between 1 and 500; disable the channel to file nothing',
      ]);
  }
});

test('Jira has exactly one way to sign in', () => {
  const { email: _email, apiToken: _apiToken, ...cloud } = DOCUMENTS.jira;
  assert.deepEqual(
    read(dataCenter).credentials.map(({ field }) => field),
    ['bearerToken'],
  );
  const both = /exactly one way to sign in is needed/;
  for (const document of [
    { ...DOCUMENTS.jira, bearerToken: 'pat-123456' },
    { ...DOCUMENTS.jira, apiToken: null, bearerToken: 'pat-123456' },
    { ...dataCenter, email: 'a@example.com' },
    { ...dataCenter, apiToken: 'ATATT-1' },
  ])
    assert.match(faults(document).join(), both);
  assert.deepEqual(faults({ ...cloud, apiToken: 'ATATT-1' }), ['email: email is missing: apiToken needs it']);
  // Null is the same as left out.
  assert.deepEqual(read({ ...DOCUMENTS.jira, bearerToken: null }), read(DOCUMENTS.jira));
});

const WRONG: readonly (readonly [document: unknown, fault: RegExp])[] = [
  [null, /a channel is an object/],
  [[], /a channel is an object/],
  ['github', /a channel is an object/],
  [{}, /kind is missing; the kinds are github, gitlab, jira/],
  [
    { ...DOCUMENTS.github, kind: 'git-hub' },
    /kind is unknown \(did you mean "github"\?\); the kinds are github, /,
  ],
  [{ ...DOCUMENTS.github, kind: '__proto__' }, /kind is unknown; the kinds are github, /],
  [{ ...DOCUMENTS.github, kind: 'constructor' }, /kind is unknown; the kinds are github, /],
  [{ ...DOCUMENTS.github, name: undefined }, /name: is missing/],
  [{ ...DOCUMENTS.github, name: '   ' }, /name: is empty/],
  [
    { ...DOCUMENTS.github, name: 'a\u202eb' },
    /name: is not a valid name of a channel: it has characters that nobody can see/,
  ],
  [{ ...DOCUMENTS.github, name: 'a\nb' }, /nobody can see/],
  [{ ...DOCUMENTS.github, name: 'x'.repeat(101) }, /more than 100 characters/],
  [{ ...DOCUMENTS.github, enabled: 'yes' }, /enabled: must be true or false/],
  [{ ...DOCUMENTS.github, firstRunSummary: 1 }, /firstRunSummary: must be true or false/],
  [
    { ...DOCUMENTS.github, subscriptions: ['critical_findings'] },
    /subscriptions\[0\]: is not an event \(did you mean "critical_finding"\?\); the events are /,
  ],
  [
    { ...DOCUMENTS.github, subscriptions: ['nosuch'] },
    /subscriptions\[0\]: is not an event; the events are /,
  ],
  [{ ...DOCUMENTS.github, subscriptions: 'critical_finding' }, /subscriptions: must be a list of events/],
  [{ ...DOCUMENTS.github, dailycap: 5 }, /dailycap: unknown field "dailycap"; did you mean "dailyCap"\?/],
  [
    { ...DOCUMENTS.github, projectKey: 'SEC' },
    /projectKey: unknown field "projectKey": jira channels have it, and this is a channel of the kind github/,
  ],
  [{ ...DOCUMENTS.jira, allowedTargets: [] }, /allowedTargets: unknown field/],
  [{ ...DOCUMENTS.github, apiBaseUrl: undefined }, /apiBaseUrl: is missing/],
  [{ ...DOCUMENTS.github, apiBaseUrl: 5 }, /apiBaseUrl: must be an address/],
  [{ ...DOCUMENTS.github, apiBaseUrl: 'http://api.github.com' }, /apiBaseUrl: must begin with https/],
  [{ ...DOCUMENTS.github, token: '' }, /token: must be one line/],
  [{ ...DOCUMENTS.github, token: 'two words' }, /token: must be one line/],
  [{ ...DOCUMENTS.github, token: 'a\r\nHost: evil' }, /token: must be one line/],
  [{ ...DOCUMENTS.github, token: 'x'.repeat(4097) }, /token: must be one line of 1 to 4096/],
  [{ ...DOCUMENTS.github, token: { value: 'x' } }, /token: must be a text/],
  [{ ...DOCUMENTS.github, defaultRepo: undefined }, /defaultRepo: is missing/],
  ...['app', 'a/b/c', '../x', 'a/..', './b', 'a/b.git', 'a b/c', 'a/b?x', '/a/b', 'a/', 'ä/b', 'a%2fb/c'].map(
    (defaultRepo) =>
      [
        { ...DOCUMENTS.github, defaultRepo },
        /defaultRepo: is not a valid repository as owner\/name/,
      ] as const,
  ),
  ...['group', 'a/../b', 'a//b', '/a/b', 'a/b/', '0', '-5', '1e5', 'a b/c'].map(
    (defaultProject) =>
      [
        { ...DOCUMENTS.gitlab, defaultProject },
        /defaultProject: is not a valid project as its whole path or its number/,
      ] as const,
  ),
  [{ ...DOCUMENTS.gitlab, defaultProject: 1.5 }, /defaultProject: is not a valid project/],
  [{ ...DOCUMENTS.github, labels: 'security' }, /labels: must be a list of labels/],
  [{ ...DOCUMENTS.github, labels: ['x'.repeat(51)] }, /labels\[0\]: has more than 50 characters/],
  [{ ...DOCUMENTS.gitlab, labels: ['a,b'] }, /labels\[0\]: must not hold a comma/],
  [{ ...DOCUMENTS.jira, labels: ['a b'] }, /labels\[0\]: must not hold blanks/],
  [{ ...DOCUMENTS.github, labels: ['a', 'A'] }, /labels: has a label twice/],
  [
    { ...DOCUMENTS.github, labels: Array.from({ length: 21 }, (_, n) => `l${n}`) },
    /labels: must have at most 20 labels/,
  ],
  [{ ...DOCUMENTS.github, labels: [''] }, /labels\[0\]: is empty/],
  [{ ...DOCUMENTS.github, labels: ['a\u0000'] }, /labels\[0\]: is not a valid label/],
  [
    { ...DOCUMENTS.github, allowedTargets: ['a**/b'] },
    /allowedTargets\[0\]: must be the path of a repository/,
  ],
  [{ ...DOCUMENTS.github, allowedTargets: ['../b'] }, /allowedTargets\[0\]/],
  [{ ...DOCUMENTS.github, allowedTargets: ['a/[b]'] }, /allowedTargets\[0\]/],
  [{ ...DOCUMENTS.jira, projectKey: 'sec' }, /projectKey: is not a valid key of a project/],
  [{ ...DOCUMENTS.jira, projectKey: 'SEC" OR 1=1' }, /projectKey: is not a valid key/],
  [{ ...DOCUMENTS.jira, issueType: '' }, /issueType: is empty/],
  [{ ...DOCUMENTS.jira, doneTransitionId: 'Done' }, /doneTransitionId: is not a valid id of a transition/],
  [{ ...DOCUMENTS.jira, email: 'bot' }, /email: is not a valid e-mail address/],
  [{ ...DOCUMENTS.jira, email: 'a:b@example.com' }, /email: is not a valid e-mail address/],
  [{ ...DOCUMENTS.email, host: 'https://mail' }, /host: is not a valid host name/],
  [{ ...DOCUMENTS.email, port: 0 }, /port: must be between 1 and 65535/],
  [{ ...DOCUMENTS.email, security: 'ssl' }, /security: must be starttls, tls, or none on loopback/],
  [
    { ...DOCUMENTS.email, security: 'none' },
    /security: the value none is allowed only for a server on loopback/,
  ],
  [{ ...DOCUMENTS.webhook, secret: 'whsec_short' }, /secret: must be whsec_ and Base64 of 24 to 64 bytes/],
  [{ ...DOCUMENTS.webhook, format: 'plain' }, /format: must be cloudevents/],
  [{ ...DOCUMENTS.email, to: [] }, /to: is empty/],
  [{ ...DOCUMENTS.email, to: ['a@b.c>\r\nBcc: x@y.z'] }, /to\[0\]: is not a valid e-mail address/],
  [{ ...DOCUMENTS.email, to: ['ops@example.com', 'ops@example.'] }, /to\[1\]: is not a valid e-mail address/],
  ...[
    'a@example.com,b@example.com',
    'Ops, Team <ops@example.com>',
    'a@example.com b@example.com',
    '"a,b"@example.com',
  ].map(
    (address) => [{ ...DOCUMENTS.email, to: [address] }, /to\[0\]: is not a valid e-mail address/] as const,
  ),
  [
    { ...DOCUMENTS.email, to: Array.from({ length: 10_000 }, (_, n) => `ops${n}@example.com`) },
    /to: must have at most 100 addresses/,
  ],
  [{ ...DOCUMENTS.email, from: 'ipo@-example..com' }, /from: is not a valid e-mail address/],
  [{ ...DOCUMENTS.email, password: 'a\u0000b' }, /password: has control characters/],
  [{ ...DOCUMENTS.slack, webhookUrl: 'http://hooks.slack.com/x' }, /webhookUrl: must begin with https/],
  [{ ...DOCUMENTS.slack, webhookUrl: 'https://169.254.169.254/latest' }, /webhookUrl: must not lead to/],
  [{ ...DOCUMENTS.slack, token: 'x' }, /token: unknown field "token"/],
];

for (const [document, fault] of WRONG) {
  test(`refused: ${JSON.stringify(document)?.slice(0, 90)} ${fault.source.slice(0, 60)}`, () => {
    assert.match(faults(document).join('\n'), fault);
  });
}

test('every fault is told at once, each with its path', () => {
  const told = faults({ ...DOCUMENTS.github, dailyCap: 0, defaultRepo: 'x', labels: [1], more: 1 });
  assert.deepEqual(
    told.map((fault) => fault.split(':')[0]),
    ['defaultRepo', 'labels[0]', 'dailyCap', 'more'],
  );
});

test('numbers are read as the texts that the trackers speak of', () => {
  assert.equal(read({ ...DOCUMENTS.gitlab, defaultProject: 1234 }).settings['defaultProject'], '1234');
  assert.equal(read({ ...DOCUMENTS.jira, doneTransitionId: 31 }).settings['doneTransitionId'], '31');
  assert.equal(read({ ...DOCUMENTS.jira, doneTransitionId: null }).settings['doneTransitionId'], null);
});

test('stored settings of an earlier release are taken where they can be used, else said to be faulty', () => {
  const early = {
    apiBaseUrl: 'https://api.github.com',
    defaultRepo: 'example/app',
    color: 'blue',
    token: 'x y',
  };
  assert.deepEqual(readSettings('github', early), {
    settings: {
      apiBaseUrl: 'https://api.github.com',
      defaultRepo: 'example/app',
      ...tracked,
      allowedTargets: [],
    },
  });
  assert.deepEqual(readSettings('email', { to: ['a@b.c'], password: 'stored as before' }), {
    fault: 'host is missing',
  });
  assert.deepEqual(readSettings('slack', {}), { fault: 'webhookUrl is missing' });
  assert.deepEqual(readSettings('jira', { ...dataCenter, bearerToken: undefined }), {
    settings: {
      apiBaseUrl: 'https://example.com/jira',
      email: null,
      projectKey: 'OPS',
      issueType: 'Task',
      doneTransitionId: null,
      ...tracked,
    },
  });
  // What was written under testLoopback is read without it; whether it may be called is asked when it is called.
  assert.ok('settings' in readSettings('github', { ...early, apiBaseUrl: 'http://127.0.0.1:8080' }));
});
