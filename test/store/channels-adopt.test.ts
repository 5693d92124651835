import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChannelWrite, TrackerChannel } from '../../src/channels/index.ts';
import { adoptionStore } from '../../src/store/channels/adopt.ts';
import { channelStore } from '../../src/store/channels/channels.ts';
import type { Store } from '../../src/store/index.ts';
import { forEachEngine } from './engines.ts';

const channel = (name: string): ChannelWrite => ({
  kind: 'github',
  name,
  enabled: true,
  subscriptions: ['critical_finding'],
  settings: { apiBaseUrl: 'https://api.github.com', defaultRepo: 'example/app' },
  credential: null,
  at: 1,
  by: null,
});

let count = 0;

async function row(
  store: Store,
  channelId: string,
  issueUrl: string | null,
  more: { readonly state?: string; readonly via?: string; readonly kind?: string } = {},
): Promise<void> {
  count += 1;
  await store.write((transaction) =>
    transaction
      .insertInto('tracking')
      .values({
        kind: 'finding',
        digest: `sha256:${count}`,
        cve: 'CVE-2026-1',
        generation: 1,
        channel_id: channelId,
        channel_kind: more.kind ?? 'github',
        closed_via: more.via ?? null,
        clusters: '[]',
        issue_url: issueUrl,
        summary: 0,
        state: more.state ?? 'open',
        reason: more.state === 'closed' ? 'fixed' : null,
        attempts: 0,
        claimed_at: 1,
        issue_left_open: 0,
      })
      .execute(),
  );
}

async function owners({ read }: Store): Promise<readonly string[]> {
  const rows = await read.selectFrom('tracking').select(['channel_id', 'closed_via']).orderBy('id').execute();
  return rows.map(({ channel_id, closed_via }) => `${channel_id} ${closed_via ?? '–'}`);
}

async function make(store: Store, ...ids: readonly string[]): Promise<readonly TrackerChannel[]> {
  const channels: TrackerChannel[] = [];
  for (const id of ids) channels.push((await channelStore(store).create(id, channel(id))) as TrackerChannel);
  return channels;
}

forEachEngine('adopting the rows of a deleted channel', (engine) => {
  test('open rows on the same host are closed by another channel from then on; the id stays on them', async (t) => {
    const store = await engine.open(t);
    const [by] = await make(store, 'new');
    assert.ok(by);
    await row(store, 'old', 'https://github.com/example/app/issues/1');
    await row(store, 'old', 'https://GitHub.com/example/app/issues/2');
    await row(store, 'old', null);
    await row(store, 'old', 'https://github.com.evil.com/example/app/issues/1');
    await row(store, 'old', 'https://evil.com/github.com/issues/1');
    await row(store, 'old', 'https://github.com/example/app/issues/3', { state: 'closed' });
    await row(store, 'other', 'https://github.com/example/app/issues/4');
    assert.deepEqual(await adoptionStore(store).adopt('old', by, 'github.com'), { adopted: 3, left: 2 });
    const after = ['old new', 'old new', 'old new', 'old –', 'old –', 'old –', 'other –'];
    assert.deepEqual(await owners(store), after);
    // Again, what was left alone is; the others have a channel that closes them.
    assert.deepEqual(await adoptionStore(store).adopt('old', by, 'github.com'), { adopted: 0, left: 2 });
    assert.deepEqual(await owners(store), after);
  });

  test('where the host cannot be told every row is adopted', async (t) => {
    const store = await engine.open(t);
    const [by] = await make(store, 'new');
    assert.ok(by);
    await row(store, 'old', 'https://anything.example.com/browse/SEC-1');
    assert.deepEqual(await adoptionStore(store).adopt('old', by, null), { adopted: 1, left: 0 });
  });

  test('rows of another kind are nobody else\u2019s, and a channel without open rows has nothing to adopt', async (t) => {
    const store = await engine.open(t);
    const [by] = await make(store, 'new');
    assert.ok(by);
    await row(store, 'old', 'https://github.com/x', { kind: 'gitlab' });
    await row(store, 'done', 'https://github.com/x', { state: 'closed' });
    const { adopt } = adoptionStore(store);
    assert.equal(await adopt('old', by, 'github.com'), 'other_kind');
    assert.equal(await adopt('done', by, 'github.com'), 'none');
    assert.equal(await adopt('never', by, 'github.com'), 'none');
    assert.deepEqual(await owners(store), ['old –', 'done –']);
  });

  test('rows whose adopter was deleted in its turn can be adopted again, by either name', async (t) => {
    const store = await engine.open(t);
    const [, third] = await make(store, 'second', 'third');
    assert.ok(third);
    const url = 'https://github.com/example/app/issues/1';
    await row(store, 'first', url, { via: 'second' });
    const { adopt } = adoptionStore(store);
    assert.equal(await adopt('first', third, 'github.com'), 'none', 'the second is there and closes it');
    await channelStore(store).remove('second', 'any');
    assert.deepEqual(await adopt('second', third, 'github.com'), { adopted: 1, left: 0 });
    assert.deepEqual(await owners(store), ['first third']);
    await row(store, 'first', url, { via: 'second' });
    assert.deepEqual(await adopt('first', third, 'github.com'), { adopted: 1, left: 0 });
    assert.deepEqual(await owners(store), ['first third', 'first third']);
  });
});
