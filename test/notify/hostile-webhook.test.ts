import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { createPublicKey, verify } from 'node:crypto';
import { test } from 'node:test';
import { CloudEvent, HTTP } from 'cloudevents';
import { Webhook } from 'standardwebhooks';
import { openWebhook, signingKeyOf } from '../../src/adapters/messengers/index.ts';
import { Secret } from '../../src/base/index.ts';
import { forEachEngine } from '../store/engines.ts';
import { startLoopback } from '../adapters/transport/loopback.ts';
import { hostileContent, hostileMessages } from './hostile-messages.ts';
import { TEXTS } from './hostile-texts.ts';
import { lineOf } from './others.ts';
import { openDesk } from './world.ts';

const SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
const KEY = signingKeyOf(Buffer.alloc(32, 7));
const PUBLIC = createPublicKey({
  key: Buffer.concat([
    Buffer.from('302a300506032b6570032100', 'hex'),
    Buffer.from(KEY.publicKey.replace('whpk_', ''), 'base64'),
  ]),
  ...{ format: 'der', type: 'spki' },
});

/** What no attribute of a CloudEvent may hold (section 2.2 of its specification). */
const FORBIDDEN = /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/u;

/** What is wrong with a message as it came. */
function faultsOf(headers: IncomingHttpHeaders, body: string): string[] {
  const faults: string[] = [];
  if (Buffer.byteLength(body) > 20_000) faults.push(`${Buffer.byteLength(body)} bytes`);
  if (/\\ud[89a-f]/i.test(body)) faults.push('half a pair');
  const id = String(headers['webhook-id']);
  const timestamp = String(headers['webhook-timestamp']);
  const [, own = ''] = String(headers['webhook-signature']).split('v1a,');
  const signed = Buffer.from(`${id}.${timestamp}.${body}`);
  if (!verify(null, signed, PUBLIC, Buffer.from(own, 'base64'))) faults.push('the signature of the key');
  const event = HTTP.toEvent({ headers, body });
  if (!(event instanceof CloudEvent) || !event.validate()) return [...faults, 'no CloudEvent'];
  for (const [name, value] of Object.entries({ ...event, data: undefined }))
    if (typeof value === 'string' && (value === '' || FORBIDDEN.test(value)))
      faults.push(`attribute ${name}`);
  const { title, events } = event.data as { title: string; events: { count: number; more: number }[] };
  if (FORBIDDEN.test(title)) faults.push('title');
  if (events.some(({ count, more }) => count < 1 || more > 0)) faults.push('something is left out');
  return faults;
}

test('whatever stands in it, an event is one, is signed, and is at most 20,000 bytes', async (t) => {
  const server = await startLoopback(t, (_seen, response) => void response.writeHead(204).end());
  const now = Date.now();
  let later = now;
  const options = { url: `${server.url}/in`, secret: new Secret(SECRET), key: KEY, source: 'urn:ipo:test' };
  const webhook = openWebhook(
    { ...options, guard: () => true, clock: { now: () => now } },
    // Time passes for whoever sends less than 1,800 messages a day.
    lineOf(() => (later += 60_000)),
  );
  const bad: string[] = [];
  const reader = new Webhook(SECRET);
  // As the outbox gives them.
  const texts = TEXTS.slice(0, 500).map((text) => text.toWellFormed());
  for (const { name, message, events } of hostileMessages(texts, 1)) {
    if (events.length > 1) continue;
    await webhook.send(message);
    const { headers, body } = server.seen.at(-1) ?? assert.fail();
    reader.verify(body, headers as Record<string, string>);
    for (const fault of faultsOf(headers, body)) bad.push(`${fault} in ${name}`);
  }
  assert.deepEqual(bad.slice(0, 12), [], `${bad.length} in all`);
});

forEachEngine('texts from outside', (engine) => {
  test('go through the outbox, and none keeps a message from a channel', async (t) => {
    const desk = await openDesk(t, await engine.open(t));
    await desk.channel('webhook');
    const bad: string[] = [];
    const every = engine.name === 'sqlite' ? 6 : 24;
    for (const text of TEXTS.filter((_, at) => at % every === 0)) {
      const { sections } = hostileContent(['critical_finding', 'pod_stop_withheld', 'catalogue_stale'], text);
      await desk.happen(
        sections.flatMap(({ event, entries }) =>
          entries.flatMap(({ subject, items }) => items.map((payload) => ({ event, subject, payload }))),
        ),
      );
      const before = desk.side.taken.length;
      await desk.run();
      desk.now += 61_000;
      const name = JSON.stringify(text.slice(0, 60));
      if (desk.side.taken.length !== before + 1) bad.push(`${name} was not told`);
      const { headers, body } = desk.side.taken.at(-1) ?? assert.fail();
      for (const fault of faultsOf(headers, body)) bad.push(`${fault} in ${name}`);
    }
    assert.deepEqual(bad.slice(0, 12), [], `${bad.length} in all`);
  });
});
