import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { test } from 'node:test';
import { toDocument, type Channels } from '../../src/channels/index.ts';
import { Redactor, openLog } from '../../src/telemetry/index.ts';
import { engineOf, runText, tableNames } from '../../src/store/sql/dialect.ts';
import type { Store } from '../../src/store/index.ts';
import { forEachEngine } from '../store/engines.ts';
import { dataCenter, DOCUMENTS, SECRETS } from './documents.ts';
import { openWorld } from './world.ts';

const ALL = [...Object.values(DOCUMENTS), dataCenter];
const TRACKERS = [DOCUMENTS.github, DOCUMENTS.gitlab, DOCUMENTS.jira, dataCenter];
const CREDENTIALS = [
  DOCUMENTS.github.token,
  DOCUMENTS.gitlab.token,
  DOCUMENTS.jira.apiToken,
  dataCenter.bearerToken,
];

/** Every form in which a secret could stand somewhere. */
function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
  ];
}

function holdsNone(text: string, secrets: readonly string[], where: string): void {
  for (const secret of secrets)
    for (const form of formsOf(secret)) assert.ok(!text.includes(form), `${secret} stands in ${where}`);
}

/** Every text of every table. */
async function contents({ read }: Store): Promise<ReadonlyMap<string, string>> {
  const tables = new Map<string, string>();
  for (const name of await tableNames(read))
    tables.set(name, JSON.stringify(await runText(read, `select * from "${name}"`, [])));
  return tables;
}

async function all(channels: Channels): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return (await channels.list({ limit: null, offset: 0 })).items.map(({ channel }) => toDocument(channel));
}

forEachEngine('no secret of a channel leaves it', (engine) => {
  test('credentials of trackers stand in no text of the database, and no secret in an answer, a bundle or a log', async (t) => {
    const store = await engine.open(t);
    const world = await openWorld(t, store);
    const texts: string[] = [];
    for (const document of ALL) texts.push((await world.call('POST', '/channels', { body: document })).text);
    const { body, text } = await world.call('GET', '/channels');
    texts.push(text);
    for (const { id, document } of body.items as { id: string; document: object }[]) {
      const path = `/channels/${id}`;
      for (const change of [
        { dailyCap: 0 },
        { name: '' },
        { more: 1 },
        { apiBaseUrl: 'https://x.example.org/api/v4' },
        {},
      ])
        texts.push((await world.call('PUT', path, { body: { ...document, ...change }, match: '*' })).text);
      texts.push((await world.call('POST', `${path}/test`)).text, (await world.call('GET', path)).text);
    }
    // Each secret in each wrong place that a person may put it into.
    for (const document of [DOCUMENTS.github, DOCUMENTS.email, DOCUMENTS.slack])
      for (const secret of SECRETS)
        for (const field of [
          'kind',
          'enabled',
          'subscriptions',
          'dailyCap',
          'apiBaseUrl',
          'webhookUrl',
          'port',
        ]) {
          const wrong = { ...document, [field]: field === 'webhookUrl' ? `http://${secret}` : secret };
          const answer = await world.call('POST', '/channels', { body: wrong });
          if (answer.status !== 201) texts.push(answer.text);
        }
    const bundle = await world.channels.export();
    texts.push(
      JSON.stringify(bundle),
      inspect(await world.channels.list({ limit: null, offset: 0 }), { depth: 2 }),
    );
    texts.push(JSON.stringify(world.audited));
    holdsNone(texts.join('\n'), SECRETS, 'an answer, the audit log or a bundle');
    assert.ok(!texts.join('\n').includes('enc:v1:'), 'nor does a box');
    holdsNone(JSON.stringify([world.log.lines, world.served.log.lines]), SECRETS, 'a log');
    const tables = await contents(store);
    for (const [name, held] of tables)
      holdsNone(held, CREDENTIALS, `the table ${name} of ${engineOf(store.read)}`);
    // Addresses of chats are stored unencrypted: the search does find what is there.
    assert.ok(tables.get('channels')?.includes('canary5'));
    assert.equal(tables.get('channel_credentials')?.match(/enc:v1:/g)?.length, 4);
  });

  test('a log that is told the secrets shows none of them, whatever is logged', async (t) => {
    const store = await engine.open(t);
    const world = await openWorld(t, store);
    for (const document of ALL) await world.channels.create(document, null);
    const redactor = new Redactor();
    for (const secret of world.guarded) redactor.add(secret);
    let written = '';
    const log = openLog({
      level: 'debug',
      format: 'json',
      redactor,
      write: (line) => void (written += line),
    });
    for (const secret of SECRETS)
      for (const form of formsOf(secret))
        log.error(`a call with ${form} failed`, { form, error: new Error(form) });
    assert.ok(written.length > 1000);
    holdsNone(written, SECRETS, 'the log');
  });

  test('what is exported has every channel without its secret, and arrives disabled until it is entered', async (t) => {
    const from = await openWorld(t, await engine.open(t));
    for (const document of ALL) await from.channels.create(document, null);
    const silent = { ...DOCUMENTS.email, name: 'open relay', username: undefined, password: undefined };
    await from.channels.create(silent, null);
    const bundle = JSON.parse(JSON.stringify(await from.channels.export())) as Record<string, unknown>[];
    assert.equal(bundle.length, ALL.length + 1);
    const to = await openWorld(t, await engine.open(t));
    const hub = await to.channels.create({ ...DOCUMENTS.github, dailyCap: 3 }, null);
    const importOnce = async () => {
      const changes: string[] = [];
      for (const document of bundle) {
        const planned = await to.channels.plan(document);
        changes.push(planned.change);
        if (planned.change !== 'unchanged') await planned.apply('user:importer');
      }
      return changes;
    };
    assert.deepEqual(await importOnce(), ['update', ...ALL.map(() => 'create')]);
    assert.deepEqual(await importOnce(), ['unchanged', ...ALL.map(() => 'unchanged')]);
    const arrived = await all(to.channels);
    assert.deepEqual(
      arrived,
      bundle.map((document) => ({
        ...document,
        enabled: document['name'] === 'hub' || document['name'] === 'open relay',
      })),
    );
    const { items } = await to.channels.list({ limit: null, offset: 0 });
    assert.deepEqual(
      [items[0]?.channel.id, items[0]?.secrets[0]?.state],
      [hub.channel.id, 'set'],
      'it keeps its id and its credential',
    );
    for (const { channel, secrets } of items.slice(1, -1)) {
      assert.deepEqual(
        [channel.enabled, secrets.map(({ state }) => state)],
        [false, channel.name === 'hook' ? ['missing', 'missing'] : ['missing']],
        channel.name,
      );
      const document = ALL.find(({ name }) => name === channel.name);
      assert.ok(document);
      const enabled = { ...toDocument(channel), enabled: true };
      if (TRACKERS.some(({ name }) => name === channel.name))
        await assert.rejects(to.channels.update(channel.id, enabled, 'any', null), {
          code: 'invalid_request',
        });
      const entered = await to.channels.update(channel.id, { ...enabled, ...document }, 'any', null);
      assert.deepEqual([entered.channel.enabled, entered.secrets[0]?.state], [true, 'set']);
    }
    assert.deepEqual(
      await importOnce(),
      bundle.map(() => 'unchanged'),
    );
  });

  test('a channel of a bundle may hold no secret, and does not take one to another host', async (t) => {
    const world = await openWorld(t, await engine.open(t));
    const { token: _token, ...hub } = DOCUMENTS.github;
    for (const [document, path] of [
      [{ ...hub, dailyCap: 0 }, 'dailyCap'],
      [DOCUMENTS.gitlab, 'token'],
      [DOCUMENTS.slack, 'webhookUrl'],
      [DOCUMENTS.email, 'password'],
      [null, ''],
    ] as const) {
      await assert.rejects(world.channels.plan(document), (error: { fields?: { path: string }[] }) => {
        assert.equal(error.fields?.[0]?.path, path);
        holdsNone(inspect(error), SECRETS, 'the error');
        return true;
      });
    }
    assert.deepEqual(await all(world.channels), []);
    await world.channels.create(DOCUMENTS.github, null);
    for (const [change, path] of [
      [{ apiBaseUrl: 'https://github.example.org/api/v3' }, 'token'],
      [
        {
          kind: 'gitlab',
          defaultRepo: undefined,
          defaultProject: 'a/b',
          apiBaseUrl: 'https://gitlab.com/api/v4',
        },
        'kind',
      ],
    ] as const)
      await assert.rejects(
        world.channels.plan(JSON.parse(JSON.stringify({ ...hub, ...change }))),
        (error: { fields?: { path: string }[] }) => error.fields?.[0]?.path === path,
      );
  });
});
