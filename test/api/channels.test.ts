import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { channelSchema, writtenChannelSchema } from '../../src/api/contract/channels.ts';
import { CHANNEL_KINDS, DataKey } from '../../src/channels/index.ts';
import { dataCenter, DOCUMENTS, SECRETS } from '../channels/documents.ts';
import { openWorld, type Answer, type World } from '../channels/world.ts';
import { forEachEngine } from '../store/engines.ts';

const idOf = ({ body }: Answer): string => String(body['id']);
const etagOf = ({ headers }: Answer): string => headers.get('etag') ?? '';
const documentOf = ({ body }: Answer): Record<string, unknown> => body['document'] as Record<string, unknown>;
const secretsOf = ({ body }: Answer): unknown => body['secrets'];
const DAILY = 'dailyCap must be between 1 and 500; disable the channel to file nothing';
const WITHOUT_KEY = 'tracker credentials cannot be stored: DATA_KEY is not set';

async function made(world: World, body: unknown): Promise<Answer> {
  const answer = await world.call('POST', '/channels', { body });
  assert.equal(answer.status, 201, answer.text);
  return answer;
}

forEachEngine('the routes of channels', (engine) => {
  test('a channel of every kind is created, read, updated and deleted, and no answer has its secret', async (t) => {
    const world = await openWorld(t, await engine.open(t));
    const texts: string[] = [];
    for (const document of [...CHANNEL_KINDS.map((kind) => DOCUMENTS[kind]), dataCenter]) {
      const created = await made(world, document);
      writtenChannelSchema.parse(created.body);
      const id = idOf(created);
      assert.match(id, /^[a-z2-7]{16}$/);
      assert.equal(created.headers.get('location'), `/api/v1/channels/${id}`);
      assert.equal(created.body['changed'], true);
      const read = await world.call('GET', `/channels/${id}`, { role: 'viewer' });
      channelSchema.parse(read.body);
      const { changed: _changed, warnings: _warnings, ...same } = created.body;
      assert.deepEqual([read.status, read.body, etagOf(read)], [200, same, etagOf(created)]);
      // What was read can be written back, and changes nothing.
      const again = await world.call('PUT', `/channels/${id}`, {
        body: documentOf(read),
        match: etagOf(read),
      });
      assert.deepEqual([again.status, again.body['changed'], etagOf(again)], [200, false, etagOf(read)]);
      const renamed = { ...documentOf(read), name: `${document.name} 2`, enabled: false };
      const updated = await world.call('PUT', `/channels/${id}`, { body: renamed, match: etagOf(read) });
      assert.deepEqual([updated.status, updated.body['changed'], documentOf(updated)], [200, true, renamed]);
      assert.notEqual(etagOf(updated), etagOf(read));
      assert.deepEqual(secretsOf(updated), secretsOf(read), 'a secret that is left out stays');
      assert.equal((secretsOf(read) as { state: string }[])[0]?.state, 'set');
      const stale = await world.call('PUT', `/channels/${id}`, { body: renamed, match: etagOf(read) });
      assert.deepEqual([stale.status, stale.body['code']], [412, 'precondition_failed']);
      texts.push(created.text, read.text, again.text, updated.text);
    }
    const listed = await world.call('GET', '/channels', { role: 'viewer' });
    assert.deepEqual(
      [listed.body['total'], listed.body.items.map(({ kind }) => kind)],
      [8, [...CHANNEL_KINDS, 'jira']],
    );
    const page = await world.call('GET', '/channels?limit=2&offset=1');
    assert.deepEqual([page.body['total'], page.body.items.map(({ kind }) => kind)], [8, ['gitlab', 'jira']]);
    for (const item of listed.body.items) {
      const path = `/channels/${String(item['id'])}`;
      assert.equal((await world.call('DELETE', path)).status, 428);
      assert.equal((await world.call('DELETE', path, { match: '"1"' })).status, 412);
      assert.equal((await world.call('DELETE', path, { match: '"2"' })).status, 204);
      assert.equal((await world.call('GET', path)).status, 404);
      assert.equal((await world.call('DELETE', path, { match: '*' })).status, 404);
    }
    texts.push(listed.text, JSON.stringify(world.audited), JSON.stringify([world.log, world.served.log]));
    for (const secret of SECRETS) {
      assert.ok(!texts.join().includes(JSON.stringify(secret).slice(1, -1)), secret);
      assert.ok(
        world.guarded.some((told) => told.reveal() === secret),
        'the log knows it',
      );
    }
    const actions = world.audited.map(({ action }) => action);
    assert.deepEqual(
      ['channel_create', 'channel_update', 'channel_delete'].map(
        (action) => actions.filter((one) => one === action).length,
      ),
      [8, 8, 8],
    );
    assert.deepEqual(world.audited[0], {
      actor: { accountId: 'administratoraaa', name: 'a administrator' },
      action: 'channel_create',
      target: String(listed.body.items[0]?.['id']),
      path: 'POST /api/v1/channels',
      detail: { kind: 'github', name: 'hub', enabled: true },
    });
  });

  test('a channel whose labels lead anywhere on a public host is written with a warning', async (t) => {
    const world = await openWorld(t, await engine.open(t));
    const created = await made(world, DOCUMENTS.github);
    const warnings = [
      'the label of an image can send its issues to any repository of github.com, since allowedTargets is empty; set allowedTargets: [example/*]',
    ];
    assert.deepEqual(created.body['warnings'], warnings);
    const path = `/channels/${idOf(created)}`;
    const put = (allowedTargets: readonly string[]) =>
      world.call('PUT', path, { body: { ...documentOf(created), allowedTargets }, match: '*' });
    const unchanged = await put([]);
    assert.deepEqual([unchanged.body['changed'], unchanged.body['warnings']], [false, warnings]);
    assert.match(String((await put(['example/*', '**/app'])).body['warnings']), /has \*\*\/app; set/);
    const narrow = await put(['example/*']);
    assert.deepEqual([narrow.status, narrow.body['warnings']], [200, []]);
    writtenChannelSchema.parse(narrow.body);
    assert.deepEqual((await made(world, DOCUMENTS.jira)).body['warnings'], []);
    const planned = await world.channels.plan({ ...documentOf(created), name: 'brought in' });
    assert.deepEqual([planned.change, planned.waits, planned.warnings], ['create', true, warnings]);
    const another = await world.channels.plan({ ...documentOf(narrow), name: 'narrow' });
    assert.deepEqual([another.change, another.waits, another.warnings], ['create', true, []]);
    assert.equal((await world.channels.plan(documentOf(narrow))).change, 'unchanged');
  });

  test('what is refused says so with every field, and stores nothing', async (t) => {
    const world = await openWorld(t, await engine.open(t));
    for (const dailyCap of [0, 501, 1.5, '20']) {
      const { status, body } = await world.call('POST', '/channels', {
        body: { ...DOCUMENTS.github, dailyCap },
      });
      assert.deepEqual([status, body['code'], body['detail']], [400, 'invalid_request', DAILY]);
      assert.deepEqual(body['errors'], [{ path: 'dailyCap', message: DAILY }]);
    }
    const { body } = await world.call('POST', '/channels', {
      body: { ...DOCUMENTS.jira, bearerToken: 'canary-both', apiBaseUrl: 'https://example.com/x', more: 1 },
    });
    assert.ok((body['errors'] as unknown[]).length >= 1);
    assert.equal((await world.call('POST', '/channels', { body: [] })).status, 400);
    assert.equal((await world.call('POST', '/channels')).status, 400);
    assert.equal((await world.call('GET', '/channels')).body['total'], 0);
    assert.deepEqual(world.audited, []);
    await made(world, DOCUMENTS.github);
    const taken = await world.call('POST', '/channels', { body: { ...DOCUMENTS.gitlab, name: 'hub' } });
    assert.deepEqual([taken.status, taken.body['detail']], [409, 'a channel named hub already exists']);
    const other = await made(world, DOCUMENTS.gitlab);
    const path = `/channels/${idOf(other)}`;
    const renamed = await world.call('PUT', path, {
      body: { ...documentOf(other), name: 'hub' },
      match: '*',
    });
    assert.equal(renamed.status, 409);
    const kind = await world.call('PUT', path, { body: { ...DOCUMENTS.github, name: 'lab' }, match: '*' });
    assert.match(String(kind.body['detail']), /is of the kind gitlab, which cannot change to github/);
    assert.equal((await world.call('PUT', path, { body: documentOf(other) })).status, 428);
    assert.equal(
      (await world.call('PUT', '/channels/nothing', { body: documentOf(other), match: '*' })).status,
      404,
    );
  });

  test('of writers at once each wins that writes over whatever stands, and one that names what it read', async (t) => {
    const world = await openWorld(t, await engine.open(t));
    const created = await made(world, DOCUMENTS.github);
    const path = `/channels/${idOf(created)}`;
    const put = (dailyCap: number, match: string): Promise<Answer> =>
      world.call('PUT', path, { body: { ...documentOf(created), dailyCap }, match });
    const careful = await Promise.all([1, 2, 3, 4].map((cap) => put(cap, etagOf(created))));
    assert.deepEqual(
      careful.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 412, 412, 412],
    );
    const careless = await Promise.all([11, 12, 13, 14].map((cap) => put(cap, '*')));
    assert.deepEqual(
      careless.map(({ status }) => status),
      [200, 200, 200, 200],
    );
    assert.equal(new Set(careless.map(etagOf)).size, 4);
  });

  test('without DATA_KEY saving or updating a tracker channel is refused, and every other kind is saved', async (t) => {
    const store = await engine.open(t);
    const key = DataKey.parse(randomBytes(32).toString('base64'));
    const before = await openWorld(t, store, key);
    const there = await made(before, DOCUMENTS.github);
    const world = await openWorld(t, store, null);
    assert.deepEqual(
      world.log.lines.map(({ level, message }) => [level, message]),
      [['warn', WITHOUT_KEY]],
      'it is logged once when the service starts',
    );
    for (const document of [
      DOCUMENTS.gitlab,
      DOCUMENTS.jira,
      dataCenter,
      { ...DOCUMENTS.gitlab, enabled: false },
    ]) {
      const { status, body } = await world.call('POST', '/channels', { body: document });
      assert.deepEqual([status, body['code'], body['detail']], [503, 'key_missing', WITHOUT_KEY]);
    }
    const path = `/channels/${idOf(there)}`;
    for (const change of [{ dailyCap: 5 }, { token: 'canary-new-token' }, {}]) {
      const body = { ...documentOf(there), ...change };
      assert.equal((await world.call('PUT', path, { body, match: '*' })).body['detail'], WITHOUT_KEY);
    }
    assert.deepEqual(secretsOf(await world.call('GET', path)), [{ field: 'token', state: 'unreadable' }]);
    await made(world, DOCUMENTS.slack);
    assert.equal((await world.call('DELETE', path, { match: '*' })).status, 204);
    assert.equal(world.log.lines.length, 1);
  });

  test('a changed origin of apiBaseUrl asks for the credential again', async (t) => {
    const world = await openWorld(t, await engine.open(t));
    const enterprise = { ...DOCUMENTS.github, apiBaseUrl: 'https://git.example.com/api/v3' };
    const created = await made(world, enterprise);
    const path = `/channels/${idOf(created)}`;
    const moved = (apiBaseUrl: string, more: object = {}): Promise<Answer> =>
      world.call('PUT', path, { body: { ...documentOf(created), apiBaseUrl, ...more }, match: '*' });
    for (const apiBaseUrl of [
      'https://git.example.org/api/v3',
      'https://git.example.com:8443/api/v3',
      'https://api.github.com',
    ]) {
      const { status, body } = await moved(apiBaseUrl, { enabled: false });
      assert.deepEqual(
        [status, body['detail']],
        [400, 'token must be entered again, since apiBaseUrl leads to another host now'],
      );
    }
    assert.equal(
      (await moved('https://git.example.com/root/api/v3')).status,
      200,
      'a path is not another host',
    );
    assert.equal((await moved('https://git.example.org/api/v3', { token: 'canary-9-new' })).status, 200);
    assert.equal((await moved('https://git.example.com/api/v3')).status, 400, 'nor back');
    world.found = { works: true, sentence: 'fine', hints: [] };
    await world.call('POST', `${path}/test`);
    assert.deepEqual(
      world.tested.map(({ channel, credential }) => [channel.settings.apiBaseUrl, credential]),
      [['https://git.example.org/api/v3', 'canary-9-new']],
    );
  });

  test('another way to sign in to Jira needs its own credential, and the one before is deleted', async (t) => {
    const store = await engine.open(t);
    const world = await openWorld(t, store);
    const created = await made(world, { ...DOCUMENTS.jira, apiBaseUrl: 'https://jira.example.com' });
    const path = `/channels/${idOf(created)}`;
    const { email: _email, ...bearer } = documentOf(created);
    const without = await world.call('PUT', path, { body: bearer, match: '*' });
    assert.match(String(without.body['detail']), /bearerToken is missing/);
    const changed = await world.call('PUT', path, {
      body: { ...bearer, bearerToken: 'canary-pat' },
      match: '*',
    });
    assert.deepEqual(secretsOf(changed), [{ field: 'bearerToken', state: 'set' }]);
    const rows = await store.read.selectFrom('channel_credentials').select(['field', 'value']).execute();
    assert.deepEqual(
      rows.map(({ field, value }) => [field, value.startsWith('enc:v1:')]),
      [['bearerToken', true]],
    );
    const back = await world.call('PUT', path, { body: { ...bearer, email: 'a@example.com' }, match: '*' });
    assert.match(String(back.body['detail']), /apiToken is missing/);
  });

  test('an enabled tracker channel needs its credential, a disabled one may wait for it', async (t) => {
    const world = await openWorld(t, await engine.open(t));
    const { token: _token, ...bare } = DOCUMENTS.github;
    const refused = await world.call('POST', '/channels', { body: bare });
    assert.deepEqual(
      [refused.status, refused.body['detail']],
      [400, 'token is missing, without which an enabled channel cannot file'],
    );
    const waiting = await made(world, { ...bare, enabled: false });
    assert.deepEqual(secretsOf(waiting), [{ field: 'token', state: 'missing' }]);
    const path = `/channels/${idOf(waiting)}`;
    const enabled = { ...documentOf(waiting), enabled: true };
    assert.equal((await world.call('PUT', path, { body: enabled, match: '*' })).status, 400);
    assert.equal(
      (await world.call('PUT', path, { body: { ...enabled, token: 'canary-10' }, match: '*' })).status,
      200,
    );
    assert.equal(
      (await world.call('PUT', path, { body: { ...enabled, enabled: false }, match: '*' })).status,
      200,
    );
    assert.equal(
      (await world.call('PUT', path, { body: enabled, match: '*' })).status,
      200,
      'the token stayed',
    );
    for (const kind of ['slack', 'teams', 'webhook'] as const) {
      const { webhookUrl: _webhookUrl, ...hook } = DOCUMENTS[kind];
      assert.equal(
        (await world.call('POST', '/channels', { body: hook })).body['detail'],
        'webhookUrl is missing',
      );
    }
  });

  test('a password does not go to another mail server than the one it was given for', async (t) => {
    const store = await engine.open(t);
    const world = await openWorld(t, store);
    const created = await made(world, DOCUMENTS.email);
    const path = `/channels/${idOf(created)}`;
    const put = (more: object): Promise<Answer> =>
      world.call('PUT', path, { body: { ...documentOf(created), ...more }, match: '*' });
    assert.match(
      String((await put({ host: 'other.example.com' })).body['detail']),
      /password must be entered again, since host changed/,
    );
    assert.match(
      String((await put({ port: 25, security: 'tls' })).body['detail']),
      /since port and security changed/,
    );
    assert.equal((await put({ to: ['new@example.com'] })).status, 200);
    const [row] = await store.read.selectFrom('channels').select('settings').execute();
    assert.equal(JSON.parse(row?.settings ?? '').password, DOCUMENTS.email.password, 'stored as before');
    const taken = await put({ host: 'other.example.com', password: null });
    assert.deepEqual(secretsOf(taken), [{ field: 'password', state: 'missing' }]);
  });

  test('the test reads once with the stored credential, writes nothing, and stands in the audit log', async (t) => {
    const store = await engine.open(t);
    const world = await openWorld(t, store);
    const created = await made(world, DOCUMENTS.github);
    const path = `/channels/${idOf(created)}/test`;
    const works = await world.call('POST', path);
    assert.deepEqual(works.body as unknown, {
      works: true,
      status: 'works',
      limited_until: null,
      detail: 'the repository can be read',
      hints: [],
      wrote: false,
    });
    assert.equal(world.tested.length, 1);
    world.found = { works: false, sentence: 'the token is refused', hints: ['Make another'] };
    assert.deepEqual((await world.call('POST', path)).body['works'], false);
    assert.deepEqual(
      world.audited.slice(1).map(({ action, target, detail }) => [action, target, detail]),
      [true, false].map((found) => [
        'channel_test',
        idOf(created),
        { kind: 'github', name: 'hub', works: found },
      ]),
    );
    const other = await openWorld(t, store);
    const unreadable = await other.call('POST', path);
    assert.deepEqual(
      [unreadable.body['works'], unreadable.body['detail']],
      [false, 'the stored token cannot be read'],
    );
    assert.equal(other.tested.length, 0, 'what does not open is sent nowhere');
    // "each tracker channel needs its token entered again, which re-seals it."
    const entered = { ...documentOf(created), token: 'canary-11' };
    await other.call('PUT', `/channels/${idOf(created)}`, { body: entered, match: '*' });
    assert.equal((await other.call('POST', path)).body['works'], true);
    assert.equal(other.tested[0]?.credential, 'canary-11');
    await store.write((transaction) => transaction.deleteFrom('channel_credentials').execute());
    assert.equal((await other.call('POST', path)).body['detail'], 'no token is stored');
    const chat = await made(world, DOCUMENTS.slack);
    const refused = await world.call('POST', `/channels/${idOf(chat)}/test`);
    assert.deepEqual([refused.status, refused.body['detail']], [200, 'a test message was taken']);
    assert.equal((await world.call('POST', '/channels/nothing/test')).status, 404);
  });

  test('a box of another channel or field does not open where it was copied to', async (t) => {
    const store = await engine.open(t);
    const world = await openWorld(t, store);
    const first = await made(world, DOCUMENTS.github);
    const second = await made(world, DOCUMENTS.gitlab);
    const [box] = await store.read
      .selectFrom('channel_credentials')
      .select('value')
      .where('channel_id', '=', idOf(first))
      .execute();
    await store.write((transaction) =>
      transaction
        .updateTable('channel_credentials')
        .set({ value: box?.value ?? '' })
        .where('channel_id', '=', idOf(second))
        .execute(),
    );
    const tested = await world.call('POST', `/channels/${idOf(second)}/test`);
    assert.equal(tested.body['detail'], 'the stored token cannot be read');
    assert.deepEqual(world.tested, []);
  });

  test('a tracker subscribes to any event, and is told which of them it does nothing on', async (t) => {
    const world = await openWorld(t, await engine.open(t));
    const subscriptions = ['critical_finding', 'nodes_80', 'runtime_alert', 'nodes_over'];
    const hub = await made(world, { ...DOCUMENTS.github, subscriptions });
    assert.deepEqual(hub.body['subscriptions'], [
      'critical_finding',
      'runtime_alert',
      'nodes_80',
      'nodes_over',
    ]);
    assert.deepEqual(hub.body['without_effect'], ['nodes_80', 'nodes_over']);
    assert.deepEqual((await made(world, { ...DOCUMENTS.slack, subscriptions })).body['without_effect'], []);
  });

  test('open issues of a deleted channel are adopted by another of its kind', async (t) => {
    const store = await engine.open(t);
    const world = await openWorld(t, store);
    const old = idOf(await made(world, DOCUMENTS.github));
    const [other, lab, chat] = [
      await made(world, { ...DOCUMENTS.github, name: 'other' }),
      await made(world, DOCUMENTS.gitlab),
      await made(world, DOCUMENTS.slack),
    ].map(idOf);
    for (const [n, issue] of [
      'https://github.com/example/app/issues/1',
      'https://git.example.com/a/b/issues/1',
    ].entries())
      await store.write((transaction) =>
        transaction
          .insertInto('tracking')
          .values({
            kind: 'finding',
            digest: `sha256:${n}`,
            cve: 'CVE-2026-1',
            generation: 1,
            channel_id: old,
            channel_kind: 'github',
            clusters: '[]',
            issue_url: issue,
            summary: 0,
            state: 'open',
            attempts: 0,
            claimed_at: 1,
            issue_left_open: 0,
          })
          .execute(),
      );
    const adopt = (
      by: string | undefined,
      channel: unknown = old,
      role: 'administrator' | 'deployer' = 'administrator',
    ) => world.call('POST', `/channels/${by}/adopt`, { body: { channel }, role });
    assert.equal((await adopt(other)).status, 409, 'it is there and closes its own');
    await world.call('DELETE', `/channels/${old}`, { match: '*' });
    assert.equal((await adopt(other, old, 'deployer')).status, 403);
    assert.equal((await adopt(lab)).status, 409);
    assert.equal((await adopt(chat)).status, 400);
    assert.equal((await adopt('nothing')).status, 404);
    assert.equal((await adopt(other, 'never')).status, 404);
    assert.equal((await adopt(other, '<script>')).status, 400);
    const adopted = await adopt(other);
    assert.deepEqual([adopted.status, adopted.body as unknown], [200, { adopted: 1, left: 1 }]);
    const rows = await store.read
      .selectFrom('tracking')
      .select(['channel_id', 'closed_via'])
      .orderBy('id')
      .execute();
    assert.deepEqual(rows, [
      { channel_id: old, closed_via: other },
      { channel_id: old, closed_via: null },
    ]);
    assert.deepEqual(world.audited.at(-1), {
      actor: { accountId: 'administratoraaa', name: 'a administrator' },
      action: 'channel_adopt',
      target: other,
      path: `POST /api/v1/channels/${other}/adopt`,
      detail: { channel: old, adopted: 1, left: 1 },
    });
  });

  test('many issues are adopted in pieces, each with its audit entry', async (t) => {
    const store = await engine.open(t);
    const world = await openWorld(t, store);
    const other = idOf(await made(world, DOCUMENTS.github));
    const rows = Array.from({ length: 1200 }, (_, n) => ({
      ...{ kind: 'finding', digest: `sha256:${n}`, cve: 'CVE-2026-1', generation: 1, channel_id: 'gone' },
      ...{ channel_kind: 'github', clusters: '[]', summary: 0, state: 'open', attempts: 0, claimed_at: 1 },
      issue_url: `https://${n % 3 === 0 ? 'git.example.com' : 'github.com'}/example/app/issues/${n}`,
      issue_left_open: 0,
    }));
    for (let from = 0; from < rows.length; from += 100)
      await store.write((transaction) =>
        transaction
          .insertInto('tracking')
          .values(rows.slice(from, from + 100))
          .execute(),
      );
    const before = world.audited.length;
    const { body } = await world.call('POST', `/channels/${other}/adopt`, { body: { channel: 'gone' } });
    assert.deepEqual(body as unknown, { adopted: 800, left: 400 });
    const pieces = world.audited
      .slice(before)
      .map(({ detail }) => detail as { adopted: number; left: number });
    assert.deepEqual(
      pieces.map(({ adopted, left }) => adopted + left),
      [500, 500, 200],
    );
    const sum = pieces.reduce((all, { adopted }) => all + adopted, 0);
    const taken = await store.read
      .selectFrom('tracking')
      .select('id')
      .where('closed_via', '=', other)
      .execute();
    assert.deepEqual([sum, taken.length], [800, 800]);
  });

  test('viewers read; nobody but an administrator writes or tests', async (t) => {
    const world = await openWorld(t, await engine.open(t));
    const id = idOf(await made(world, DOCUMENTS.github));
    for (const role of ['viewer', 'deployer'] as const) {
      assert.equal((await world.call('GET', '/channels', { role })).status, 200);
      assert.equal((await world.call('GET', `/channels/${id}`, { role })).status, 200);
      for (const [method, path] of [
        ['POST', '/channels'],
        ['PUT', `/channels/${id}`],
        ['DELETE', `/channels/${id}`],
        ['POST', `/channels/${id}/adopt`],
        ['POST', `/channels/${id}/test`],
      ] as const)
        assert.equal(
          (await world.call(method, path, { role, body: {}, match: '*' })).status,
          403,
          `${role} ${path}`,
        );
    }
    assert.deepEqual(world.tested, []);
  });

  test('no channel is written whose audit entry is not', async (t) => {
    const world = await openWorld(t, await engine.open(t));
    const there = await made(world, DOCUMENTS.github);
    world.audits = false;
    assert.equal((await world.call('POST', '/channels', { body: DOCUMENTS.gitlab })).status, 500);
    const path = `/channels/${idOf(there)}`;
    const renamed = { ...documentOf(there), name: 'other', token: 'canary-12' };
    assert.equal((await world.call('PUT', path, { body: renamed, match: '*' })).status, 500);
    assert.equal((await world.call('DELETE', path, { match: '*' })).status, 500);
    const { body } = await world.call('GET', '/channels');
    assert.deepEqual(
      body.items.map(({ name }) => name),
      ['hub'],
    );
    world.audits = true;
    await world.call('POST', `${path}/test`);
    assert.equal(world.tested[0]?.credential, DOCUMENTS.github.token);
  });
});
