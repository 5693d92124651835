import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChannelKind, ChannelWrite } from '../../src/channels/index.ts';
import { channelStore } from '../../src/store/channels/channels.ts';
import { forEachEngine } from './engines.ts';

const SETTINGS: Readonly<Partial<Record<ChannelKind, Readonly<Record<string, unknown>>>>> = {
  github: {
    apiBaseUrl: 'https://api.github.com',
    defaultRepo: 'example/app',
    labels: ['größe "x"'],
    dailyCap: 7,
    firstRunSummary: false,
    allowedTargets: [],
  },
  slack: { webhookUrl: 'https://hooks.example.com/a' },
};

const write = (name: string, more: Partial<ChannelWrite> = {}): ChannelWrite => ({
  kind: 'github',
  name,
  enabled: true,
  subscriptions: ['critical_finding', 'nodes_80'],
  settings: SETTINGS[more.kind ?? 'github'] ?? {},
  credential: null,
  at: 1000,
  by: 'user:a',
  ...more,
});
const WHOLE = { limit: null, offset: 0 } as const;
const box = (text: string) => ({ field: 'token', box: `enc:v1:${text}` }) as const;

forEachEngine('channels', (engine) => {
  test('a channel is read back as it was written, and listed in order of creation', async (t) => {
    const store = channelStore(await engine.open(t));
    const made = await store.create('b', write('one', { credential: box('1') }));
    assert.ok(typeof made === 'object' && made.kind === 'github' && made.settings !== null);
    assert.deepEqual(made, {
      id: 'b',
      kind: 'github',
      name: 'one',
      enabled: true,
      subscriptions: ['critical_finding', 'nodes_80'],
      settings: SETTINGS.github,
      fault: null,
      createdAt: 1000,
      place: 1,
      version: '1',
      updatedAt: 1000,
      updatedBy: 'user:a',
      firstRunAt: null,
      notBefore: null,
      capWarnedAt: null,
      lastError: null,
      lastErrorAt: null,
    });
    assert.deepEqual(await store.get('b'), made);
    assert.equal(await store.get('x'), null);
    await store.create('a', write('two', { kind: 'slack', enabled: false }));
    const { items, total } = await store.list(WHOLE);
    assert.deepEqual(
      [items.map(({ id, place }) => [id, place]), total],
      [
        [
          ['b', 1],
          ['a', 2],
        ],
        2,
      ],
    );
    const page = await store.list({ limit: 1, offset: 1 });
    assert.deepEqual([page.items.map(({ id }) => id), page.total], [['a'], 2]);
    assert.deepEqual(await store.credentials(null), [{ channelId: 'b', field: 'token', value: 'enc:v1:1' }]);
    assert.deepEqual(await store.credentials('a'), []);
  });

  test('a name is taken once, also by writers at once', async (t) => {
    const store = channelStore(await engine.open(t));
    const made = await Promise.all(['a', 'b', 'c', 'd'].map((id) => store.create(id, write('same'))));
    assert.equal(made.filter((one) => one === 'taken').length, 3);
    const others = await Promise.all(['e', 'f', 'g', 'h'].map((id) => store.create(id, write(`name ${id}`))));
    assert.ok(others.every((one) => typeof one === 'object'));
    const { items } = await store.list(WHOLE);
    assert.deepEqual(
      items.map(({ place }) => place),
      [1, 2, 3, 4, 5],
    );
    assert.equal(await store.replace('e', write('same'), 'any'), 'taken');
    assert.ok(
      typeof (await store.replace('e', write('name e', { at: 5 }), 'any')) === 'object',
      'its own name',
    );
  });

  test('an update needs the version that stands, and gives it another', async (t) => {
    const store = channelStore(await engine.open(t));
    await store.create('a', write('one', { credential: box('1') }));
    assert.equal(await store.replace('x', write('two'), 'any'), 'missing');
    assert.equal(await store.replace('a', write('two'), ['7']), 'mismatch');
    assert.equal(await store.replace('a', write('two'), []), 'mismatch');
    const next = await store.replace(
      'a',
      write('two', { at: 2000, by: null, credential: { field: 'token', box: null } }),
      ['9', '1'],
    );
    assert.ok(typeof next === 'object');
    assert.deepEqual(
      [next.name, next.version, next.createdAt, next.updatedAt, next.updatedBy, next.place],
      ['two', '2', 1000, 2000, null, 1],
    );
    assert.deepEqual(await store.credentials('a'), [{ channelId: 'a', field: 'token', value: 'enc:v1:1' }]);
    const both = await Promise.all([
      store.replace('a', write('three'), ['2']),
      store.replace('a', write('four'), ['2']),
    ]);
    assert.equal(both.filter((one) => one === 'mismatch').length, 1, 'one of two writers at once');
  });

  test('after a write a channel has the one credential that it named', async (t) => {
    const store = channelStore(await engine.open(t));
    const values = async (): Promise<unknown> =>
      (await store.credentials('a')).map(({ field, value }) => `${field} ${value}`);
    await store.create('a', write('one', { credential: { field: 'apiToken', box: 'enc:v1:1' } }));
    await store.replace('a', write('one', { credential: { field: 'bearerToken', box: 'enc:v1:2' } }), 'any');
    assert.deepEqual(await values(), ['bearerToken enc:v1:2']);
    await store.replace('a', write('one', { credential: { field: 'bearerToken', box: 'enc:v1:3' } }), 'any');
    assert.deepEqual(await values(), ['bearerToken enc:v1:3']);
    await store.replace('a', write('one', { credential: { field: 'apiToken', box: null } }), 'any');
    assert.deepEqual(await values(), []);
  });

  test('deleting takes the credential along and leaves the rows that name the channel', async (t) => {
    const opened = await engine.open(t);
    const store = channelStore(opened);
    await store.create('a', write('one', { credential: box('1') }));
    await opened.write((transaction) =>
      transaction
        .insertInto('tracking')
        .values({
          kind: 'finding',
          digest: 'sha256:1',
          cve: 'CVE-2026-1',
          generation: 1,
          channel_id: 'a',
          channel_kind: 'github',
          clusters: '[]',
          summary: 0,
          state: 'open',
          attempts: 0,
          claimed_at: 1,
          issue_left_open: 0,
        })
        .execute(),
    );
    assert.equal(await store.remove('x', 'any'), 'missing');
    assert.equal(await store.remove('a', ['2']), 'mismatch');
    const gone = await store.remove('a', ['1']);
    assert.equal(typeof gone === 'object' && gone.name, 'one');
    assert.deepEqual([await store.get('a'), await store.credentials(null)], [null, []]);
    const rows = await opened.read.selectFrom('tracking').select(['channel_id', 'state']).execute();
    assert.deepEqual(rows, [{ channel_id: 'a', state: 'open' }]);
    await store.create('b', write('one'));
    assert.deepEqual(
      (await store.list(WHOLE)).items.map(({ id }) => id),
      ['b'],
    );
  });

  test('what using a channel leaves behind does not change the channel', async (t) => {
    const store = channelStore(await engine.open(t));
    const before = await store.create('a', write('one'));
    assert.ok(typeof before === 'object');
    await store.setState('a', { firstRunAt: 5, lastError: 'refused', lastErrorAt: 6 });
    await store.setState('a', { notBefore: 7, capWarnedAt: 8 });
    await store.setState('a', {});
    await store.setState('x', { firstRunAt: 1 });
    assert.deepEqual(await store.get('a'), {
      ...before,
      firstRunAt: 5,
      notBefore: 7,
      capWarnedAt: 8,
      lastError: 'refused',
      lastErrorAt: 6,
    });
    await store.setState('a', { lastError: null, lastErrorAt: null, notBefore: null });
    const after = await store.replace('a', write('two'), ['1']);
    assert.ok(typeof after === 'object');
    assert.deepEqual(
      [after.firstRunAt, after.capWarnedAt, after.lastError],
      [5, 8, null],
      'a write keeps it',
    );
  });

  test('a box takes the place of the value that was read, and of no other', async (t) => {
    const store = channelStore(await engine.open(t));
    await store.create('a', write('one', { credential: { field: 'token', box: 'plain' } }));
    const plain = { channelId: 'a', field: 'token', value: 'plain' } as const;
    assert.equal(await store.seal({ ...plain, value: 'other' }, 'enc:v1:1'), false);
    assert.equal(await store.seal({ ...plain, field: 'apiToken' }, 'enc:v1:1'), false);
    assert.equal(await store.seal(plain, 'enc:v1:1'), true);
    assert.equal(await store.seal(plain, 'enc:v1:2'), false);
    assert.deepEqual(await store.credentials('a'), [{ ...plain, value: 'enc:v1:1' }]);
    assert.equal((await store.get('a'))?.version, '1');
  });

  test('a channel whose stored settings cannot be used is listed with what is wrong', async (t) => {
    const opened = await engine.open(t);
    const store = channelStore(opened);
    for (const [id, kind, settings, subscriptions] of [
      [
        'a',
        'email',
        '{"to":["ops@example.com"],"password":"stored as before"}',
        '["critical_finding","gone"]',
      ],
      ['b', 'github', 'no JSON', '{}'],
      ['c', 'pager', '{}', '[]'],
    ] as const)
      await opened.write((transaction) =>
        transaction
          .insertInto('channels')
          .values({
            id,
            kind,
            name: id,
            enabled: 1,
            settings,
            subscriptions,
            created_at: 1,
            place: id.charCodeAt(0),
            version: 1,
            updated_at: 1,
          })
          .execute(),
      );
    const { items, total } = await store.list(WHOLE);
    assert.equal(total, 2, 'a kind that is none is left out');
    assert.deepEqual(
      items.map(({ id, settings, fault, subscriptions }) => [id, settings, fault, subscriptions]),
      [
        ['a', null, 'host is missing', ['critical_finding']],
        ['b', null, 'apiBaseUrl is missing', []],
      ],
    );
    assert.equal(await store.get('c'), null);
  });
});
