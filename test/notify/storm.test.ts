import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeEvents } from '../../src/store/outbox/index.ts';
import { counted, TORTURE } from '../runs.ts';
import { counting } from '../store/cut-writes.ts';
import { forEachEngine } from '../store/engines.ts';
import { rowsOf } from '../store/image-records.ts';
import { found, KINDS, openDesk } from './world.ts';

/** Events of one incident in a minute; a twentieth of them in the test command. */
const EVENTS = TORTURE ? 100_000 : 5_000;
const BATCH = 100;
const MINUTE = 60_000;
/** Images that they are about: more than are told apart. */
const IMAGES = EVENTS / 10;
/** What the outbox may grow to, in bytes of text. */
const MOST = 20 * 1_000_000;

forEachEngine('a storm of events', (engine) => {
  test('of one incident in a minute is one message a minute and channel, which count all of them', async (t) => {
    const desk = await openDesk(t, await engine.open(t));
    for (const kind of KINDS) await desk.channel(kind);
    const started = desk.now;
    const before = await storedBytes();
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
      // No message claims more images than there are.
      for (const { title } of own) {
        const [, many = NaN] = / in (?:more than )?(\d+) images/.exec(title) ?? [];
        assert.ok(Number(many) <= IMAGES, title);
      }
    }
    const grown = (await storedBytes()) - before;
    assert.ok(most <= MOST, `${most} bytes`);
    assert.ok(grown <= MOST, `the database grew by ${grown} bytes`);
    counted(t, { events: EVENTS, 'bytes of text': most, 'bytes grown': grown });

    // With the indexes, and with what was deleted and not given back.
    async function storedBytes(): Promise<number> {
      const [row] = await rowsOf(
        desk.store,
        engine.name === 'sqlite'
          ? 'select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()'
          : "select pg_total_relation_size('outbox') + pg_total_relation_size('deliveries') + pg_total_relation_size('delivery_threads') as bytes",
      );
      return Number(row?.['bytes']);
    }

    async function outboxBytes(): Promise<number> {
      const [row] = await rowsOf(
        desk.store,
        'select (select coalesce(sum(length(items) + length(subject)), 0) from outbox) + (select coalesce(sum(length(content)), 0) from deliveries) as bytes',
      );
      return Number(row?.['bytes']);
    }
  });

  test('about images with long names of packages is no more than 20 MB for four channels', async (t) => {
    const desk = await openDesk(t, await engine.open(t));
    for (const kind of KINDS) await desk.channel(kind);
    for (let image = 0; image < 300; image += 1) {
      const { payload, ...rest } = found('CVE-2026-1', `sha256:${String(image).padStart(64, '0')}`);
      const long = { ...payload, package: '漢'.repeat(5000), fixed: '\u0001'.repeat(500) };
      await desk.happen(Array.from({ length: 40 }, () => ({ ...rest, payload: long })));
    }
    const [row] = await rowsOf(
      desk.store,
      `select sum(length(${engine.name === 'sqlite' ? 'cast(items as blob)' : "convert_to(items, 'UTF8')"})) as bytes, sum(count) as events from outbox`,
    );
    assert.equal(Number(row?.['events']), 300 * 40 * KINDS.length);
    assert.ok(Number(row?.['bytes']) <= MOST, String(row?.['bytes']));
    counted(t, { 'bytes of long text': Number(row?.['bytes']) });
    await desk.settle();
    assert.equal(desk.side.taken.length, KINDS.length);
  });

  test('subjects are told apart up to 200, those that wait go on being counted apart, and the rest is said to be more', async (t) => {
    const desk = await openDesk(t, await engine.open(t));
    await desk.channel('webhook');
    const of = (from: number, until: number) =>
      Array.from({ length: until - from }, (_, n) =>
        found('CVE-2026-1', `sha256:${String(from + n).padStart(64, '0')}`),
      );
    const told = async () => {
      await desk.settle();
      const { data } = JSON.parse(desk.side.taken.at(-1)?.body ?? '') as {
        data: { title: string; events: Record<string, unknown>[] };
      };
      const { count, subjects, subjects_at_least: atLeast } = data.events[0] ?? {};
      return [data.title, count, subjects, atLeast];
    };
    for (const part of [of(0, 150), of(0, 200), of(0, 10)]) await desk.happen(part);
    assert.deepEqual(await told(), ['360 critical findings found in 200 images', 360, 200, undefined]);
    for (const part of [of(0, 199), of(150, 260)]) await desk.happen(part);
    if (engine.name === 'sqlite') {
      const written: number[] = [];
      await counting(desk.store, written).write((transaction) =>
        writeEvents(transaction, of(200, 260), { at: desk.now }),
      );
      assert.deepEqual(written, [1], 'what is counted together is one row');
    } else await desk.happen(of(200, 260));
    await desk.happen(of(0, 200));
    assert.deepEqual(await told(), ['569 critical findings found in more than 200 images', 569, 200, true]);
    const [{ content }] = (await rowsOf(desk.store, 'select content from deliveries order by id desc')) as [
      { content: string },
    ];
    assert.doesNotMatch(content, /"subject":""/);
  });
});
