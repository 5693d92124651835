import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../src/base/index.ts';
import { forEachEngine } from '../store/engines.ts';
import { rowsOf } from '../store/image-records.ts';
import { checkPayloads } from './subscriber.ts';
import { AT, DIGEST, found, KINDS, openDesk, overCeiling } from './world.ts';

const MINUTE = 60_000;

forEachEngine('notifications', (engine) => {
  test('each kind is told once, in one message for all that happened', async (t) => {
    const desk = await openDesk(t, await engine.open(t));
    for (const kind of KINDS) await desk.channel(kind);
    await desk.happen([found('CVE-2026-1'), found('CVE-2026-2'), overCeiling()]);
    await desk.settle();
    for (const kind of KINDS) {
      const own = desk.side.taken.filter(({ path }) => path.includes(kind === 'email' ? 'mail' : kind));
      assert.equal(own.length, 1, kind);
      for (const word of ['CVE-2026-1', 'CVE-2026-2', 'eu'])
        assert.ok(own[0]?.body.includes(word), `${kind} names ${word}: ${own[0]?.body}`);
      const [delivery] = (await desk.list.list({ channelId: kind, state: null, limit: 9, offset: 0 })).items;
      assert.deepEqual(
        [delivery?.state, delivery?.message, delivery?.attempts, delivery?.lastError],
        ['sent', own[0]?.id, 1, null],
      );
      assert.deepEqual(delivery?.events, [
        { event: 'critical_finding', count: 2 },
        { event: 'nodes_over', count: 1 },
      ]);
    }
    assert.equal(desk.counted.get('svc_notifications_total slack critical_finding sent'), 2);
    assert.deepEqual(await rowsOf(desk.store, 'select * from outbox'), []);
  });

  test('a channel that is not subscribed, or is disabled, is told nothing', async (t) => {
    const desk = await openDesk(t, await engine.open(t));
    await desk.channel('slack', 'nodes', ['nodes_over']);
    await desk.happen([found('CVE-2026-1')]);
    assert.deepEqual(await desk.deliveries.waiting(), []);
  });

  test('at most one message a minute, with all of the minute in it, however much happened', async (t) => {
    const desk = await openDesk(t, await engine.open(t));
    await desk.channel('webhook');
    const every = 5000;
    let happened = 0;
    for (let at = 0; at < 3 * MINUTE; at += every) {
      desk.now = AT + at;
      const some = Array.from({ length: 100 }, (_, n) =>
        found(`CVE-2026-${at}-${n}`, `sha256:${String((happened + n) % 400).padStart(64, '0')}`),
      );
      await desk.happen(some);
      happened += some.length;
      await desk.run();
    }
    await desk.settle();
    const { taken } = desk.side;
    const told = taken.map(
      ({ body }) => (JSON.parse(body) as { data: { events: { count: number }[] } }).data,
    );
    assert.equal(
      told.reduce((sum, { events }) => sum + events.reduce((all, { count }) => all + count, 0), 0),
      happened,
    );
    assert.ok(taken.length <= 5, `${taken.length} messages in three minutes`);
    for (const { body } of taken) assert.ok(Buffer.byteLength(body) <= 20_000);
  });

  test('what a sick channel waits for is tried at 10 s, 1 m, 5 m, 30 m, 2 h, hourly, and given up after 24 h', async (t) => {
    const desk = await openDesk(t, await engine.open(t));
    await desk.channel('webhook');
    await desk.channel('slack', 'desk', ['channel_failed']);
    desk.side.fault = 'busy';
    await desk.happen([found('CVE-2026-1')]);
    const sick = async () =>
      (await desk.list.list({ channelId: 'webhook', state: null, limit: 1, offset: 0 })).items[0];
    await desk.run();
    const tries = [0];
    for (let message = await sick(); message?.state === 'waiting'; message = await sick()) {
      const { attempts, notBefore } = message;
      desk.now = notBefore - 1;
      await desk.run();
      assert.equal((await sick())?.attempts, attempts, 'a moment before it is due, nothing goes');
      desk.now = notBefore;
      await desk.run();
      tries.push((notBefore - AT) / 1000);
      assert.ok(tries.length < 50, 'it is given up');
    }
    assert.deepEqual(tries.slice(0, 7), [0, 10, 70, 370, 2170, 9370, 12970]);
    const { items } = await desk.list.list({ channelId: 'webhook', state: null, limit: 9, offset: 0 });
    assert.deepEqual(
      items.map(({ state }) => state),
      ['failed'],
    );
    assert.match(items[0]?.lastError ?? '', /503.*; given up after 24 hours$/);
    assert.ok((items[0]?.endedAt ?? 0) <= AT + DAY_MS, 'within 24 hours');
    assert.deepEqual(await checkPayloads(desk.store), ['channel_failed']);
    // Others are told that it failed.
    desk.side.fault = null;
    await desk.settle();
    assert.equal(desk.side.taken.length, 1);
    assert.match(desk.side.taken[0]?.body ?? '', /Messages to webhook failed/);
  });

  test('while a channel is away nothing overtakes, what happens is gathered, and no other channel waits', async (t) => {
    const desk = await openDesk(t, await engine.open(t));
    await desk.channel('webhook');
    await desk.channel('email');
    desk.side.fault = 'silent';
    await desk.happen([found('CVE-2026-1')]);
    await desk.run();
    for (let n = 2; n < 6; n += 1) {
      desk.now += MINUTE;
      await desk.happen([found(`CVE-2026-${n}`)]);
      await desk.run();
    }
    assert.equal(desk.side.taken.length, 0);
    desk.side.fault = null;
    desk.now += 5 * MINUTE;
    await desk.settle();
    const hooks = desk.side.taken.filter(({ path }) => path.includes('webhook')).map(({ body }) => body);
    assert.equal(hooks.length, 2);
    assert.ok(hooks[0]?.includes('CVE-2026-1') && !hooks[0].includes('CVE-2026-2'));
    for (let n = 2; n < 6; n += 1) assert.ok(hooks[1]?.includes(`CVE-2026-${n}`));
  });

  test('a chat that answers something else than ok was not told, and is tried again', async (t) => {
    const desk = await openDesk(t, await engine.open(t));
    await desk.channel('slack');
    const { messengers } = desk;
    let refuse = true;
    const sender = desk.sender({
      messengers: {
        open: async (channel, mayWrite) =>
          messengers.open(
            refuse && channel.kind === 'slack'
              ? {
                  ...channel,
                  settings: { webhookUrl: channel.settings.webhookUrl.replace('/slack/', '/teams/') },
                }
              : channel,
            mayWrite,
          ),
      },
    });
    await desk.happen([found('CVE-2026-1')]);
    await desk.run(sender); // 202 without ok: not Slack
    refuse = false;
    const [first] = (await desk.list.list({ channelId: 'slack', state: null, limit: 1, offset: 0 })).items;
    assert.equal(first?.state, 'waiting');
    assert.match(first.lastError ?? '', /Slack answers 202 with nothing instead of ok/);
  });

  test('what ended is told in the thread of what began, and the subject names both', async (t) => {
    const desk = await openDesk(t, await engine.open(t));
    await desk.channel('email');
    await desk.happen([found('CVE-2026-1')]);
    await desk.settle();
    const first = desk.side.taken[0]?.id ?? '';
    await desk.happen([
      {
        event: 'finding_resolved',
        subject: DIGEST,
        payload: { digest: DIGEST, cve: 'CVE-2026-1', reason: 'fixed' },
      },
    ]);
    await desk.settle();
    const mail = desk.side.taken[1]?.body ?? '';
    assert.match(mail, new RegExp(`^References: <${first}@example.com>`, 'im'));
    assert.match(mail, new RegExp(`^In-Reply-To: <${first}@example.com>`, 'im'));
    assert.match(mail, /^Auto-Submitted: auto-generated/im);
    assert.match(mail, /fixed/);
  });

  test('a muted channel is told after the mute, of all that happened in it', async (t) => {
    const desk = await openDesk(t, await engine.open(t));
    await desk.channel('webhook');
    const mute = {
      channelId: 'webhook',
      mutedAt: AT,
      until: AT + 6 * 60 * MINUTE,
      reason: 'a move',
      mutedBy: null,
    };
    await desk.mutes.mute(mute);
    await desk.happen([found('CVE-2026-1')]);
    desk.now = AT + MINUTE;
    await desk.happen([found('CVE-2026-2')]);
    await desk.run();
    assert.equal(desk.side.taken.length, 0);
    assert.deepEqual(await desk.mutes.current('webhook', desk.now), mute);
    desk.now = mute.until;
    assert.equal(await desk.mutes.current('webhook', desk.now), null, 'it ends by itself');
    await desk.settle();
    assert.equal(desk.side.taken.length, 1);
    assert.ok(['CVE-2026-1', 'CVE-2026-2'].every((cve) => desk.side.taken[0]?.body.includes(cve)));
    await desk.mutes.mute({ ...mute, mutedAt: desk.now, until: desk.now + MINUTE });
    assert.equal(await desk.mutes.unmute('webhook', desk.now + 1, 'user:1'), true);
    assert.equal(await desk.mutes.unmute('webhook', desk.now + 2, 'user:1'), false);
    assert.equal((await rowsOf(desk.store, 'select * from channel_mutes')).length, 2, 'mutes are kept');
  });

  test('what failed can be handed in again, with the same id, one or all since a time', async (t) => {
    const desk = await openDesk(t, await engine.open(t));
    await desk.channel('webhook');
    desk.side.fault = 'broken';
    await desk.happen([found('CVE-2026-1')]);
    await desk.settle(60 * MINUTE, 40);
    const [failed] = (await desk.list.list({ channelId: 'webhook', state: 'failed', limit: 9, offset: 0 }))
      .items;
    assert.ok(failed);
    desk.side.fault = null;
    assert.equal(await desk.list.resend('webhook', { messages: ['msg_none'] }, desk.now), 0);
    assert.equal(await desk.list.resend('webhook', { since: desk.now }, desk.now), 0);
    assert.equal(await desk.list.resend('webhook', { since: AT }, desk.now), 1);
    await desk.settle();
    assert.deepEqual(
      desk.side.taken.map(({ id }) => id),
      [failed.message],
    );
    assert.equal(
      await desk.list.resend('webhook', { messages: [failed.message] }, desk.now),
      1,
      'a sent one too',
    );
    await desk.settle();
    assert.deepEqual(
      desk.side.taken.map(({ id }) => id),
      [failed.message, failed.message],
    );
  });

  test('two channels that fail do not tell each other of it for ever', async (t) => {
    const desk = await openDesk(t, await engine.open(t));
    for (const id of ['one', 'two']) await desk.channel('slack', id, ['channel_failed', 'nodes_over']);
    const sender = desk.sender({
      messengers: {
        open: async () => ({
          send: async () => {
            const { SendError } = await import('../../src/notify/index.ts');
            throw new SendError('refused', 'the channel is archived');
          },
        }),
      },
    });
    await desk.happen([overCeiling()]);
    for (let n = 0; n < 20; n += 1, desk.now += 61_000) await desk.run(sender);
    assert.deepEqual(await desk.deliveries.waiting(), []);
    const made = (await rowsOf(desk.store, 'select * from deliveries')).length;
    assert.ok(made === 3 || made === 4, `${made} messages`);
  });

  test('an event of one throttle key is told once in its period', async (t) => {
    const desk = await openDesk(t, await engine.open(t));
    await desk.channel('webhook');
    const one = { ...overCeiling(), throttleKey: 'k' };
    await desk.happen([one], DAY_MS);
    desk.now += DAY_MS - 1;
    await desk.happen([one], DAY_MS);
    assert.deepEqual((await rowsOf(desk.store, 'select count from outbox'))[0]?.count, 1);
    desk.now += 1;
    await desk.happen([one], DAY_MS);
    assert.deepEqual((await rowsOf(desk.store, 'select count from outbox'))[0]?.count, 2);
  });

  test('old messages go, what waits stays', async (t) => {
    const desk = await openDesk(t, await engine.open(t));
    await desk.channel('webhook');
    await desk.happen([overCeiling()]);
    await desk.settle();
    desk.now += 60_000;
    desk.side.fault = 'busy';
    await desk.happen([overCeiling()]);
    await desk.run();
    assert.equal(await desk.deliveries.prune(desk.now + 1), false);
    assert.deepEqual(
      (await rowsOf(desk.store, 'select state from deliveries')).map(({ state }) => state),
      ['waiting'],
    );
    assert.deepEqual(await desk.deliveries.counts(AT), { oldest: desk.now, waiting: 1, failed: 0 });
  });
});
