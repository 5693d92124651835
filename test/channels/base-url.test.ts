import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jiraForm, readBaseUrl, type ChannelRules, type TrackerKind } from '../../src/channels/index.ts';
import { isForbiddenAddress } from '../../src/channels/forbidden-address.ts';
import { hostileUrls } from './hostile-urls.ts';

const STRICT: ChannelRules = { testLoopback: false, allowedHosts: [] };
const LOOSE: ChannelRules = { testLoopback: true, allowedHosts: [] };

type Form = 'github' | 'gitlab' | 'cloud' | 'data center';

function read(form: Form, text: string, rules = STRICT) {
  const kind: TrackerKind = form === 'github' || form === 'gitlab' ? form : 'jira';
  return readBaseUrl(text, { kind, hasEmail: form === 'cloud' }, rules);
}

const CLOUD_ID = '11223344-a1b2-3b33-c444-def123456789';

const ACCEPTED: readonly (readonly [form: Form, written: string, read?: string])[] = [
  ['github', 'https://api.github.com'],
  ['github', 'https://api.github.com/', 'https://api.github.com'],
  ['github', 'HTTPS://API.GitHub.com', 'https://api.github.com'],
  ['github', 'https://api.octocorp.ghe.com'],
  ['github', 'https://github.example.com/api/v3'],
  ['github', 'https://github.example.com:8443/api/v3/', 'https://github.example.com:8443/api/v3'],
  ['github', 'https://10.1.2.3/api/v3'],
  ['github', 'https://192.168.1.9/api/v3'],
  ['github', 'https://[fd12:3456::1]/api/v3'],
  ['gitlab', 'https://gitlab.com/api/v4'],
  ['gitlab', 'https://example.com/gitlab/api/v4/', 'https://example.com/gitlab/api/v4'],
  ['gitlab', 'https://gitlab.svc.cluster.local/api/v4'],
  ['cloud', 'https://example.atlassian.net'],
  ['cloud', 'https://example.atlassian.net/', 'https://example.atlassian.net'],
  ['cloud', `https://api.atlassian.com/ex/jira/${CLOUD_ID}`],
  ['data center', 'https://jira.example.com'],
  ['data center', 'https://example.com/jira'],
  ['data center', 'https://example.com/tools/jira-9.x/', 'https://example.com/tools/jira-9.x'],
];

for (const [form, written, expected = written] of ACCEPTED) {
  test(`${form} takes ${written}`, () => {
    assert.deepEqual(read(form, written), { value: expected });
    assert.deepEqual(read(form, expected), { value: expected }, 'what was read reads the same');
  });
}

const REFUSED: readonly (readonly [form: Form, written: string, why: RegExp])[] = [
  ['github', 'https://github.com', /must be the address of the API, such as https:\/\/api\.github\.com/],
  ['github', 'https://www.github.com/api/v3', /such as https:\/\/api\.github\.com/],
  ['github', 'https://octocorp.ghe.com', /such as https:\/\/api\.octocorp\.ghe\.com/],
  ['github', 'https://api.github.com/api/v3', /must be https:\/\/api\.github\.com without a path/],
  ['github', 'https://github.example.com', /with \/api\/v3 at its end/],
  ['github', 'https://github.example.com/api/v3x', /with \/api\/v3 at its end/],
  ['gitlab', 'https://gitlab.com', /must end with \/api\/v4/],
  ['gitlab', 'https://gitlab.com/api/v3', /must end with \/api\/v4/],
  ['cloud', 'https://api.atlassian.com', /on the gateway; GET <site>\/_edge\/tenant_info tells the cloudId/],
  ['cloud', 'https://api.atlassian.com/ex/jira', /on the gateway/],
  ['cloud', `https://api.atlassian.com/ex/confluence/${CLOUD_ID}`, /on the gateway/],
  ['cloud', `https://api.atlassian.com/ex/jira/${CLOUD_ID}/rest/api/3`, /on the gateway/],
  ['cloud', 'https://example.atlassian.net/rest/api/3', /without a path; with a Data Center use bearerToken/],
  ['cloud', 'https://example.com/jira', /with a Data Center use bearerToken/],
  ['data center', 'https://example.atlassian.net', /takes email and apiToken instead of bearerToken/],
  ['data center', `https://api.atlassian.com/ex/jira/${CLOUD_ID}`, /takes email and apiToken/],
  ['data center', 'https://jira.example.com/rest/api/2', /must end before \/rest/],
  ['github', 'the one at work', /^must be an address such as https:/],
  ['github', 'https://gïthub.example.com/api/v3', /only ASCII letters/],
];

for (const [form, written, why] of REFUSED) {
  test(`${form} refuses ${written} and says what is needed`, () => {
    const said = read(form, written);
    assert.ok('fault' in said);
    assert.match(said.fault, why);
  });
}

const PATHS: readonly (readonly [Form, string])[] = [
  ['github', '/api/v3'],
  ['gitlab', '/api/v4'],
  ['cloud', ''],
  ['cloud', `/ex/jira/${CLOUD_ID}`],
  ['data center', ''],
  ['data center', '/jira'],
];

for (const [form, path] of PATHS) {
  test(`${form} refuses each of more than 300 hostile addresses (path "${path}")`, () => {
    const forms = hostileUrls(path);
    assert.ok(forms.length > 300, String(forms.length));
    const taken = forms.filter((text) => 'value' in read(form, text));
    assert.deepEqual(taken, []);
    // The address itself is never repeated: it may hold a password.
    for (const text of forms) {
      const said = read(form, text);
      if ('fault' in said) assert.doesNotMatch(said.fault, /user:pw|token@/);
    }
  });
}

test('testLoopback lets this machine in, over plain HTTP too, and nothing else', () => {
  assert.deepEqual(read('github', 'http://127.0.0.1:4711', LOOSE), { value: 'http://127.0.0.1:4711' });
  assert.deepEqual(read('github', 'http://localhost:4711/api/v3', LOOSE), {
    value: 'http://localhost:4711/api/v3',
  });
  assert.deepEqual(read('cloud', `https://[::1]:4711/ex/jira/${CLOUD_ID}`, LOOSE), {
    value: `https://[::1]:4711/ex/jira/${CLOUD_ID}`,
  });
  for (const text of [
    'http://example.com/api/v3',
    'http://10.0.0.1/api/v3',
    'https://169.254.169.254/api/v3',
    'http://169.254.169.254/api/v3',
    'https://[fe80::1]/api/v3',
    'https://0.0.0.0/api/v3',
    'http://0x7f.1/api/v3',
    'http://user:pw@127.0.0.1/api/v3',
  ])
    assert.ok('fault' in read('github', text, LOOSE), text);
  assert.ok('fault' in read('github', 'http://127.0.0.1:4711'));
});

test('allowedHosts changes nothing for the named hosts', () => {
  const rules: ChannelRules = { testLoopback: false, allowedHosts: ['api.github.com', '*.Example.com'] };
  for (const text of [
    'https://api.github.com',
    'https://git.example.com/api/v3',
    'https://a.b.example.com/api/v3',
  ])
    assert.ok('value' in read('github', text, rules), text);
  for (const text of [
    'https://example.com/api/v3',
    'https://evilexample.com/api/v3',
    'https://api.github.com.evil.com/api/v3',
    'https://api.other.ghe.com',
  ]) {
    const said = read('github', text, rules);
    assert.ok('fault' in said && /allowedHosts/.test(said.fault), text);
  }
});

test('the form of a Jira address says where links come from', () => {
  const gateway = `https://api.atlassian.com/ex/jira/${CLOUD_ID}`;
  assert.equal(jiraForm({ apiBaseUrl: gateway, email: 'a@example.com' }), 'gateway');
  assert.equal(jiraForm({ apiBaseUrl: 'https://example.atlassian.net', email: 'a@example.com' }), 'site');
  assert.equal(jiraForm({ apiBaseUrl: 'https://example.com/jira', email: null }), 'data_center');
});

test('addresses that no call may go to are known in each of their forms, and private ones are not among them', () => {
  for (const address of [
    ...['0.0.0.0', '127.0.0.1', '127.255.0.1', '169.254.169.254', '192.0.0.8', '224.0.0.1', '240.0.0.1'],
    ...['::', '::1', '::ffff:127.0.0.1', '::ffff:a9fe:a9fe', '::7f00:1', '64:ff9b::7f00:1', '2002:7f00:1::'],
    ...['fe80::1', 'fe80::1%eth0', 'ff02::1', 'fd00:ec2::254', '2001::1', '::ffff:0:127.0.0.1'],
  ])
    assert.equal(isForbiddenAddress(address), true, address);
  for (const address of [
    ...['10.0.0.1', '172.16.0.1', '192.168.0.1', '100.64.0.1', '8.8.8.8', '126.255.255.255', '128.0.0.1'],
    ...['169.253.255.255', '169.255.0.0', '223.255.255.255', '1.0.0.0', '192.0.1.1'],
    ...[
      '2606:4700::1111',
      'fd12::1',
      '::ffff:8.8.8.8',
      '::ffff:10.0.0.1',
      '64:ff9b::808:808',
      '2002:808:808::',
    ],
    ...['example.com', '', '1.2.3'],
  ])
    assert.equal(isForbiddenAddress(address), false, address);
});
