import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { DAY_MS } from '../../src/base/index.ts';
import { nextTry, TRIES_END } from '../../src/notify/schedule.ts';
import { SendError, type Messengers } from '../../src/notify/index.ts';
import { channelStore } from '../../src/store/index.ts';
import { run } from '../../src/store/sql/run.ts';
import { forEachEngine } from '../store/engines.ts';
import { rowsOf } from '../store/image-records.ts';
import { AT, DIGEST, found, openDesk, overCeiling } from './world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Messengers of which each refuses what names a CVE, or breaks. */
function picky(
  cve: string,
  fault: () => unknown,
): { readonly messengers: Messengers; readonly sent: string[] } {
  const sent: string[] = [];
  const messengers: Messengers = {
    open: async () => ({
      send: async (message) => {
        if (JSON.stringify(message.content).includes(cve)) throw fault();
        sent.push(message.title);
        return '200 accepted';
      },
    }),
  };
  return { messengers, sent };
}

test('a quiet that the other side asks for is obeyed for six hours, and never ends the tries by itself', () => {
  assert.equal(nextTry(1, AT, AT, 30 * DAY_MS), AT + 6 * HOUR);
  assert.equal(nextTry(1, AT, AT, 90_000), AT + 90_000);
  assert.equal(nextTry(1, AT, AT, 1), AT + 10_000);
  assert.equal(nextTry(9, AT, AT + TRIES_END - HOUR + 1, null), null);
});

forEachEngine('upkeep of notifications', (engine) => {
  test('a message that is refused for itself is failed at once, and the next goes', async (t) => {
    const desk = await openDesk(t, await engine.open(t));
    await desk.channel('slack');
    const { messengers, sent } = picky('CVE-2026-1', () => new SendError('refused', 'invalid_payload'));
    const sender = desk.sender({ messengers });
    await desk.happen([found('CVE-2026-1')]);
    await desk.run(sender);
    await desk.happen([found('CVE-2026-2')]);
    desk.now += MINUTE;
    await desk.run(sender);
    const { items } = await desk.list.list({ channelId: 'slack', state: null, limit: 9, offset: 0 });
    assert.deepEqual(
      items.map(({ state, attempts }) => [state, attempts]),
      [
        ['sent', 1],
        ['failed', 1],
      ],
    );
    assert.equal(sent.length, 1);
  });

  test('a message that the service itself fails to write is given up like any other, and the next goes', async (t) => {
    const desk = await openDesk(t, await engine.open(t));
    await desk.channel('webhook');
    const { messengers, sent } = picky('CVE-2026-1', () => new TypeError('a bug of ours'));
    const sender = desk.sender({ messengers });
    await desk.happen([found('CVE-2026-1')]);
    await desk.run(sender);
    await desk.happen([found('CVE-2026-2')]);
    for (let hours = 0; hours < 27; hours += 1, desk.now += HOUR) await desk.run(sender);
    const { items } = await desk.list.list({ channelId: 'webhook', state: null, limit: 9, offset: 0 });
    assert.deepEqual(
      items.map(({ state }) => state),
      ['sent', 'failed'],
    );
    assert.match(items[1]?.lastError ?? '', /could not be written.*; given up after 24 hours/);
    assert.equal(sent.length, 1);
    assert.ok(desk.log.lines.some(({ level }) => level === 'error'));
  });

  test('a message that was given up after a day counts as failed from then on for a day', async (t) => {
    const desk = await openDesk(t, await engine.open(t));
    await desk.channel('webhook');
    desk.side.fault = 'busy';
    await desk.happen([found('CVE-2026-1')]);
    await desk.settle(HOUR, 40);
    const [failed] = (await desk.list.list({ channelId: null, state: 'failed', limit: 9, offset: 0 })).items;
    const endedAt = failed?.endedAt ?? 0;
    assert.ok(endedAt > AT + 22 * HOUR);
    assert.equal((await desk.deliveries.counts(endedAt + HOUR)).failed, 1);
    assert.equal((await desk.deliveries.counts(endedAt + HOUR, 'webhook')).failed, 1);
    assert.equal((await desk.deliveries.counts(endedAt + DAY_MS + 1)).failed, 0);
  });

  test('what waits for a disabled or muted channel does not count in the health, and still counts on the channel', async (t) => {
    const desk = await openDesk(t, await engine.open(t));
    await desk.channel('webhook');
    await desk.channel('slack');
    await desk.happen([overCeiling()]);
    assert.deepEqual(await desk.deliveries.counts(AT), { oldest: AT, waiting: 2, failed: 0 });
    await desk.enable('webhook', false);
    await desk.mutes.mute({
      channelId: 'slack',
      mutedAt: AT,
      until: AT + HOUR,
      reason: 'a move',
      mutedBy: null,
    });
    assert.deepEqual(await desk.deliveries.counts(AT), { oldest: null, waiting: 0, failed: 0 });
    assert.deepEqual(await desk.deliveries.counts(AT, 'slack'), { oldest: AT, waiting: 1, failed: 0 });
    assert.deepEqual(await desk.deliveries.counts(AT + HOUR), { oldest: AT, waiting: 1, failed: 0 });
    assert.deepEqual(await desk.deliveries.waiting(), ['slack']);
    // Enabled again it is told; what nobody wanted for 90 days goes.
    await desk.enable('webhook', true);
    desk.now += HOUR;
    await desk.settle();
    assert.equal(desk.side.taken.length, 2);
    await desk.enable('webhook', false);
    await desk.enable('webhook', true);
    desk.side.fault = 'busy';
    await desk.happen([overCeiling()]);
    await desk.run();
    await desk.happen([overCeiling()]);
    await desk.enable('webhook', false);
    await desk.deliveries.prune(desk.now + 1);
    for (const table of ['outbox', 'deliveries']) {
      const kept = await rowsOf(desk.store, `select distinct channel_id from ${table}`);
      assert.deepEqual(kept, [{ channel_id: 'slack' }], table);
    }
  });

  test('the thread of a finding that stands is kept, so that its end is told there, and goes 90 days later', async (t) => {
    const desk = await openDesk(t, await engine.open(t));
    await desk.channel('email');
    await desk.happen([found('CVE-2026-1'), overCeiling()]);
    await desk.settle();
    const [first] = await rowsOf(desk.store, 'select message from delivery_threads');
    await desk.store.write(async (transaction) => {
      await run(transaction, sql`insert into history_images (id, digest) values (1, ${DIGEST})`);
      await run(
        transaction,
        sql`insert into finding_history (image, cve, first_seen_at, rank, worst, package)
          values (1, 'CVE-2026-1', ${AT}, 4, 4, 'openssl')`,
      );
    });
    desk.now += 200 * DAY_MS;
    await desk.deliveries.prune(desk.now - 90 * DAY_MS);
    const threads = 'select subject from delivery_threads';
    assert.deepEqual(await rowsOf(desk.store, threads), [{ subject: DIGEST }]);
    await desk.store.write((transaction) =>
      run(transaction, sql`update finding_history set ended_at = ${desk.now}`),
    );
    await desk.deliveries.prune(desk.now - 90 * DAY_MS);
    await desk.happen([{ ...found('CVE-2026-1'), event: 'finding_resolved' }]);
    await desk.settle();
    assert.deepEqual(await rowsOf(desk.store, 'select refs from deliveries'), [
      { refs: JSON.stringify([first?.['message']]) },
    ]);
    desk.now += 91 * DAY_MS;
    await desk.deliveries.prune(desk.now - 90 * DAY_MS);
    assert.deepEqual(await rowsOf(desk.store, threads), []);
  });

  test('what waits for a channel goes with it', async (t) => {
    const desk = await openDesk(t, await engine.open(t));
    await desk.channel('webhook');
    await desk.happen([overCeiling()]);
    await desk.settle();
    desk.side.fault = 'busy';
    await desk.happen([overCeiling()]);
    await desk.run();
    await desk.happen([overCeiling()]);
    await channelStore(desk.store).remove('webhook', 'any');
    assert.deepEqual(await rowsOf(desk.store, 'select id from outbox'), []);
    assert.deepEqual(await rowsOf(desk.store, 'select subject from delivery_threads'), []);
    assert.deepEqual(await rowsOf(desk.store, 'select state from deliveries'), [{ state: 'sent' }]);
    assert.deepEqual(await desk.deliveries.counts(desk.now), { oldest: null, waiting: 0, failed: 0 });
  });

  test('a channel that was changed while a message waited is said as it is', async (t) => {
    const desk = await openDesk(t, await engine.open(t));
    await desk.channel('email');
    desk.side.fault = 'busy';
    await desk.happen([overCeiling()]);
    await desk.run();
    desk.side.fault = null;
    await desk.rewrite('email', { to: ['night@example.com'] });
    desk.now += MINUTE;
    await desk.run();
    const [sent] = (await desk.list.list({ channelId: 'email', state: 'sent', limit: 9, offset: 0 })).items;
    assert.equal(sent?.target, 'night@example.com');
  });

  test('what nobody is subscribed to starts no throttle', async (t) => {
    const desk = await openDesk(t, await engine.open(t));
    const one = { ...overCeiling(), throttleKey: 'k' };
    assert.deepEqual(await desk.happen([one], DAY_MS), []);
    await desk.channel('webhook');
    assert.deepEqual(await desk.happen([one], DAY_MS), [one]);
    assert.deepEqual(await desk.happen([one], DAY_MS), []);
  });
});
