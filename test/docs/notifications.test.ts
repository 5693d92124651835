import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { CHANNEL_EVENTS } from '../../src/channels/index.ts';
import { EVENT_PAYLOADS, withEventGuide } from '../../src/notify/index.ts';

const DOCUMENT = readFileSync(new URL('../../docs/notifications.md', import.meta.url), 'utf8');

test('docs/notifications.md tells each event as the service words it (node scripts/events.ts)', () => {
  assert.equal(withEventGuide(DOCUMENT), DOCUMENT);
  for (const event of CHANNEL_EVENTS) assert.ok(DOCUMENT.includes(`### ${event}\n`), event);
});

test('the sample of each event is what its schema says, and every field of it is described', () => {
  for (const event of CHANNEL_EVENTS) {
    const { schema, sample } = EVENT_PAYLOADS[event];
    schema.strict().parse(sample.payload);
    for (const [name, field] of Object.entries(schema.shape))
      assert.ok((field as { readonly description?: string }).description, `${event}.${name}`);
  }
});
