import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { TrackerError, type IssueTracker } from '../../../src/trackers/index.ts';
import { MARKERS, openAt, paragraph } from '../tracker-parts.ts';
import { CANARY, startLoopback, type Loopback } from './loopback.ts';

const CODES = [301, 302, 303, 307, 308] as const;
const EMAIL = 'bot@example.com';

/** The ways to show who calls, each at the provider and the form of its address that have it. */
const AUTHS = [
  {
    name: 'GitHub with a bearer token',
    kind: 'github',
    base: '/api/v3',
    key: 'acme/shop#1',
    target: 'acme/shop',
  },
  {
    name: 'GitLab with a private token',
    kind: 'gitlab',
    base: '/api/v4',
    key: 'acme/shop#1',
    target: 'acme/shop',
  },
  { name: 'Jira Cloud with Basic', kind: 'jira-cloud', base: '', key: 'SEC-1', target: 'SEC' },
  {
    name: 'Jira Cloud at the gateway with Basic',
    kind: 'jira-gateway',
    base: '/ex/jira/11223344-a1b2-4b3c-8d4e-5f6a7b8c9d0e',
    key: 'SEC-1',
    target: 'SEC',
  },
  {
    name: 'Jira Data Center with a bearer token',
    kind: 'jira-datacenter',
    base: '/jira',
    key: 'SEC-1',
    target: 'SEC',
  },
] as const;

interface Places {
  readonly own: Loopback;
  readonly other: Loopback;
  /** Says where the channel's server sends whoever calls. */
  lead(to: string): void;
}

/** A server that sends every call elsewhere, and another that would welcome it. */
async function startPlaces(t: TestContext, code: number): Promise<Places> {
  let place = '';
  const other = await startLoopback(t, (_seen, response) => response.writeHead(200).end('[]'));
  const own = await startLoopback(t, ({ url }, response) => {
    // The own account is known, so that the calls behind it are made too.
    if (isSelf(url)) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"id":1,"login":"bot","accountId":"bot","name":"bot"}');
      return;
    }
    response.writeHead(code, { location: place });
    response.end(`moved to ${place}`);
  });
  const lead = (to: string): void => {
    place = to;
  };
  return { own, other, lead };
}

function isSelf(url: string): boolean {
  return /\/(?:user|myself)$/.test(url);
}

const CALLS: readonly (readonly [
  string,
  (tracker: IssueTracker, ref: { key: string; url: string; id: string }, target: string) => Promise<unknown>,
])[] = [
  [
    'create',
    async (tracker, _ref, target) =>
      tracker.create(target, {
        title: 'secret-title',
        body: [paragraph('secret-body')],
        labels: [],
        marker: MARKERS[0],
      }),
  ],
  ['find', async (tracker, _ref, target) => tracker.find(target, MARKERS[0], 0)],
  ['read', async (tracker, ref) => tracker.read(ref)],
  ['commentMarkers', async (tracker, ref) => tracker.commentMarkers(ref, 0)],
  [
    'comment',
    async (tracker, ref) => tracker.comment(ref, { body: [paragraph('secret-body')], marker: MARKERS[1] }),
  ],
  ['close', async (tracker, ref) => tracker.close(ref, 'fixed')],
];

for (const { name, kind, base, key, target } of AUTHS) {
  for (const code of CODES) {
    test(`${name}: no call that is answered with ${code} goes on to another place, with or without its credential`, async (t) => {
      const { own, other, lead } = await startPlaces(t, code);
      const ways = [
        ['another origin', `${other.url}${base}/projects/1/issues/1`],
        ['the same origin', `${own.url}/elsewhere?token=${CANARY}`],
        ['the same origin, under the base', `${own.url}${base}/somewhere/else`],
        ['another origin without a scheme', `//127.0.0.1:${other.port}${base}/x`],
        ['another origin with our user', `http://user:pw@127.0.0.1:${other.port}/`],
      ] as const;
      for (const [way, to] of ways) {
        for (const [call, make] of CALLS) {
          const tracker = openAt(kind, CANARY, {
            settings: { apiBaseUrl: `${own.url}${base}`, email: EMAIL },
          });
          lead(to);
          const before = own.seen.length;
          await assert.rejects(make(tracker, { key, url: '', id: '7' }, target), (error) => {
            assert.ok(error instanceof TrackerError, `${way}, ${call}: ${String(error)}`);
            assert.deepEqual([error.fault, error.happened], ['moved', 'no'], `${way}, ${call}`);
            assert.ok(!error.message.includes(CANARY), error.message);
            return true;
          });
          const sent = own.seen.slice(before).filter(({ url }) => !isSelf(url));
          assert.equal(sent.length, 1, `${way}, ${call}: ${sent.map(({ url }) => url).join(' ')}`);
        }
      }
      assert.deepEqual([other.connections(), other.seen.length], [0, 0]);
    });
  }
}
