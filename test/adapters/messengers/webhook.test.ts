import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { test } from 'node:test';
import { CloudEvent, HTTP } from 'cloudevents';
import { Webhook } from 'standardwebhooks';
import {
  openSlack,
  openTeams,
  openWebhook,
  signingKeyOf,
  toCloudEvent,
} from '../../../src/adapters/messengers/index.ts';
import { Secret } from '../../../src/base/index.ts';
import { CHANNEL_EVENTS } from '../../../src/channels/index.ts';
import { composeMessage, SendError, toSections } from '../../../src/notify/index.ts';
import { contentOf, EVERY, messageOf } from '../../notify/messages.ts';
import { lineOf } from '../../notify/others.ts';
import { startLoopback } from '../transport/loopback.ts';

const SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
const KEY = signingKeyOf(Buffer.alloc(32, 7));

test('what is sent verifies by the libraries of those who made the formats', async (t) => {
  const server = await startLoopback(t, (_seen, response) => void response.writeHead(204).end());
  const now = Date.now();
  const webhook = openWebhook(
    {
      ...{
        url: `${server.url}/in?token=canary`,
        secret: new Secret(SECRET),
        key: KEY,
        source: 'urn:ipo:test',
      },
      ...{ guard: () => true, clock: { now: () => now } },
    },
    lineOf(
      () => now,
      () => 2000,
    ),
  );
  for (const [event, message] of EVERY) {
    assert.equal(await webhook.send(message), '204 accepted');
    const { headers, body, url } = server.seen.at(-1) ?? assert.fail();
    assert.equal(url, '/in?token=canary');
    assert.doesNotThrow(() => new Webhook(SECRET).verify(body, headers as Record<string, string>));
    const [, own = ''] = String(headers['webhook-signature']).split(' v1a,');
    const der = Buffer.concat([
      Buffer.from('302a300506032b6570032100', 'hex'),
      Buffer.from(KEY.publicKey.replace('whpk_', ''), 'base64'),
    ]);
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
    const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
    assert.ok(verify(null, Buffer.from(signed), key, Buffer.from(own, 'base64')), event);
    const read = HTTP.toEvent({ headers, body });
    assert.ok(read instanceof CloudEvent);
    assert.ok(read.validate());
    assert.deepEqual([read.id, read.source, read.type], [message.id, 'urn:ipo:test', `ipo.${event}`]);
  }
});

test('a webhook without a secret is signed only by the key', async (t) => {
  const server = await startLoopback(t, (_seen, response) => void response.writeHead(200).end());
  const clock = { now: () => 1_800_000_000_000 };
  const options = {
    url: `${server.url}/`,
    secret: null,
    key: KEY,
    source: 'urn:ipo:test',
    guard: () => true,
    clock,
  };
  await openWebhook(
    options,
    lineOf(clock.now, () => 2000),
  ).send(messageOf('nodes_over'));
  assert.match(String(server.seen[0]?.headers['webhook-signature']), /^v1a,[A-Za-z0-9+/=]+$/);
  assert.equal(server.seen[0]?.headers['webhook-timestamp'], '1800000000');
});

test('a message of any size is at most 20,000 bytes, and counts what it left out', () => {
  const digest = (n: number): string => `sha256:${String(n).padStart(64, '0')}`;
  const entries = Array.from({ length: 200 }, (_, n) => ({
    ...{ event: 'critical_finding' as const, subject: digest(n), count: 400, firstAt: 1, lastAt: 2 },
    items: Array.from({ length: 20 }, (_, m) => ({
      digest: digest(n),
      cve: `CVE-${n}-${m}`,
      package: 'x'.repeat(400),
    })),
  }));
  const message = composeMessage(
    { sections: toSections(entries), places: {} },
    { id: 'msg_a', at: 1, references: [] },
  );
  const body = toCloudEvent(message, 'urn:ipo:test');
  assert.ok(Buffer.byteLength(body) <= 20_000, String(Buffer.byteLength(body)));
  const { data } = JSON.parse(body) as {
    data: { events: { count: number; subjects: number; more: number; entries: unknown[] }[] };
  };
  const [told] = data.events;
  assert.deepEqual([told?.count, told?.subjects], [80_000, 200]);
  assert.equal(told?.more, 200 - (told?.entries.length ?? 0));
});

test('several events are one digest', () => {
  const message = messageOf('nodes_over', 'critical_finding');
  const read = JSON.parse(toCloudEvent(message, 'urn:ipo:test')) as {
    type: string;
    data: { events: { event: string }[] };
  };
  assert.equal(read.type, 'ipo.digest');
  assert.deepEqual(read.data.events.map(({ event }) => event).toSorted(), ['critical_finding', 'nodes_over']);
  assert.match(message.title, /\(and 1 more event\)$/);
  assert.ok(contentOf(CHANNEL_EVENTS).sections.length === CHANNEL_EVENTS.length);
});

const ANSWERS: readonly (readonly [
  kind: 'slack' | 'teams' | 'webhook',
  status: number,
  text: string,
  expected: string,
])[] = [
  ['slack', 200, 'ok', 'sent'],
  ['slack', 200, 'invalid_payload', 'refused'],
  ['slack', 200, 'no_text', 'refused'],
  ['slack', 200, '<html>sign in</html>', 'later'],
  ['slack', 400, 'invalid_payload', 'refused'],
  ['slack', 404, 'channel_not_found', 'refused'],
  ['slack', 410, 'channel_is_archived', 'refused'],
  ['slack', 429, '', 'later'],
  ['slack', 500, 'rollup_error', 'later'],
  ['teams', 202, '', 'sent'],
  ['teams', 200, '1', 'sent'],
  ['teams', 200, 'Webhook message delivery failed with error: endpoint returned HTTP error 429', 'later'],
  ['teams', 200, 'Webhook message delivery failed with error: endpoint returned HTTP error 403', 'refused'],
  ['teams', 413, 'too large', 'refused'],
  ['webhook', 302, '', 'refused'],
  ['webhook', 401, '', 'refused'],
  ['webhook', 408, '', 'later'],
  ['webhook', 410, '', 'refused'],
  ['webhook', 413, '', 'refused'],
  ['webhook', 503, '', 'later'],
];

for (const [kind, status, text, expected] of ANSWERS)
  test(`${kind} that answers ${status} ${text} is ${expected}`, async (t) => {
    const server = await startLoopback(
      t,
      (_seen, response) =>
        void response
          .writeHead(status, { 'retry-after': '9', location: 'http://127.0.0.1:9/elsewhere' })
          .end(text),
    );
    const url = `${server.url}/services/canary-path`;
    const line = lineOf(
      () => 1,
      () => 2000,
    );
    const messenger =
      kind === 'slack'
        ? openSlack(url, () => true, line)
        : kind === 'teams'
          ? openTeams(url, () => true, line)
          : openWebhook(
              { url, secret: null, key: KEY, source: 'urn:x', guard: () => true, clock: { now: () => 1 } },
              line,
            );
    const outcome = await messenger.send(messageOf('nodes_over')).then(
      () => 'sent',
      (error: unknown) => {
        assert.ok(error instanceof SendError, String(error));
        assert.ok(!error.message.includes('canary-path'), error.message);
        if (status === 429) assert.equal(error.quietMs, 9000);
        return error.fault;
      },
    );
    assert.equal(outcome, expected);
    assert.equal(server.seen.length, 1, 'one try, and no redirect');
  });

test('a host that trackers.allowedHosts leaves out is not called, though the channel was saved before', async (t) => {
  const server = await startLoopback(t, (_seen, response) => void response.end('ok'));
  const line = lineOf(
    () => 0,
    () => 2000,
  );
  const sent = (allowedHosts: readonly string[]): Promise<unknown> =>
    openSlack(`${server.url}/services/T/B/canary`, () => true, { ...line, allowedHosts }).send(
      messageOf('nodes_over'),
    );
  await assert.rejects(sent(['hooks.slack.com']), (error) => {
    assert.ok(error instanceof SendError);
    assert.equal(error.fault, 'refused');
    assert.match(error.message, /leads to 127\.0\.0\.1, which trackers\.allowedHosts does not allow/);
    assert.ok(!error.message.includes('canary'));
    return true;
  });
  assert.equal(server.seen.length, 0);
  await sent(['127.0.0.1']);
  await sent([]);
  assert.equal(server.seen.length, 2);
});
