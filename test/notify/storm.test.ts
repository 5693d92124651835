import assert from 'node:assert/strict';
import { test } from 'node:test';
import { counted, TORTURE } from '../runs.ts';
import { forEachEngine } from '../store/engines.ts';
import { rowsOf } from '../store/image-records.ts';
import { found, KINDS, openDesk } from './world.ts';

/** "100,000 events of one incident in a minute"; a twentieth of them in the test command. */
const EVENTS = TORTURE ? 100_000 : 5_000;
const BATCH = 100;
const MINUTE = 60_000;
/** "outbox ≤ 20 MB", in bytes of text. */
const MOST = 20 * 1_000_000;

forEachEngine('a storm of events', (engine) => {
  test('of one incident in a minute is one message a minute and channel, which count all of them', async (t) => {
    const desk = await openDesk(t, await engine.open(t));
    for (const kind of KINDS) await desk.channel(kind);
    const started = desk.now;
    let most = 0;
    for (let done = 0; done < EVENTS; done += BATCH) {
      // Each image has ten findings, and every batch other images.
      await desk.happen(
        Array.from({ length: BATCH }, (_, at) => {
          const n = done + at;
          return found(
            `CVE-2026-${n}`,
            `sha256:${Math.floor(n / 10)
              .toString(16)
              .padStart(64, '0')}`,
          );
        }),
      );
      desk.now = started + Math.floor((MINUTE * (done + BATCH)) / EVENTS);
      if (done % (EVENTS / 10) === 0) {
        await desk.run();
        most = Math.max(most, await outboxBytes());
      }
    }
    await desk.settle();
    const { items } = await desk.list.list({ channelId: null, state: null, limit: 1000, offset: 0 });
    for (const kind of KINDS) {
      const own = items.filter((item) => item.kind === kind).toSorted((a, b) => a.createdAt - b.createdAt);
      const told = own.flatMap(({ events }) => events).reduce((sum, { count }) => sum + count, 0);
      assert.equal(told, EVENTS, kind);
      for (const [at, { createdAt }] of own.entries())
        if (at > 0) assert.ok(createdAt - (own[at - 1]?.createdAt ?? 0) >= MINUTE, `${kind}: ${createdAt}`);
      assert.ok(own.length <= 3, `${kind}: ${own.length} messages`);
      assert.ok(own.every(({ state }) => state === 'sent'));
    }
    assert.ok(most <= MOST, `${most} bytes`);
    counted(t, { events: EVENTS, bytes: most });

    async function outboxBytes(): Promise<number> {
      const [row] = await rowsOf(
        desk.store,
        'select (select coalesce(sum(length(items) + length(subject)), 0) from outbox) + (select coalesce(sum(length(content)), 0) from deliveries) as bytes',
      );
      return Number(row?.['bytes']);
    }
  });
});
