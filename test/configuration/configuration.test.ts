import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_DOCUMENTS, type Json, type Kind } from '../../src/configuration/index.ts';
import { IpoError } from '../../src/base/index.ts';
import { dataCenter, DOCUMENTS } from '../channels/documents.ts';
import { forEachEngine } from '../store/engines.ts';
import { openConfigurationWorld, policyOf, REQUEST, type ConfigurationWorld } from './world.ts';

const channelOf = ({ name, ...spec }: Readonly<Record<string, unknown>>) => ({
  ...{ apiVersion: 'ipo.dev/v1', kind: 'Channel', metadata: { name }, spec },
});
const { token: _token, ...hub } = DOCUMENTS.github;

const NOBODY = { accountId: null, name: null };
const ruleOf = (name: string, action = 'notify') => ({
  ...{ apiVersion: 'ipo.dev/v1', kind: 'RuntimeRule', metadata: { name } },
  spec: { match: { tags: ['shell'] }, action },
});
const stopOf = (name: string) => ({
  ...policyOf(name, { window: { count: 2, duration: '5m' }, match: { priority: 'warning' } }),
  kind: 'RuntimePolicy',
});

const changesOf = (imported: Awaited<ReturnType<ConfigurationWorld['configuration']['import']>>) =>
  imported.items.map(({ kind, name, change, outcome }) => `${kind} ${name} ${change} ${outcome}`);

async function fill({
  policies,
  runtimePolicies,
  rules,
  declarations,
  channels,
}: ConfigurationWorld): Promise<void> {
  await policies.create(policyOf('strict', { enforcement: 'Enforce', denyLatestTag: true }), null);
  await policies.create(policyOf('base'), null);
  await runtimePolicies.create(stopOf('shells'), null);
  for (const name of ['shells', 'backups'])
    await rules.add({ name, match: { tags: ['shell'] }, action: 'notify' }, null, NOBODY);
  await declarations.declare('We scan every image.', null, 'user:a');
  for (const document of [...Object.values(DOCUMENTS), dataCenter]) await channels.create(document, null);
}

forEachEngine('the configuration', (engine) => {
  test('is exported sorted, without times and secrets, and imported twice changes nothing', async (t) => {
    const from = await openConfigurationWorld(t, await engine.open(t));
    await fill(from);
    const { documents, left } = await from.configuration.export();
    const text = JSON.stringify(documents);
    assert.deepEqual(left, []);
    assert.ok(!/canary|enc:v1|_at"|At"|\d{4}-\d\d-\d\dT/.test(text), text);
    assert.deepEqual(
      documents.map(({ kind, metadata }) => [kind, (metadata as { name?: string } | undefined)?.name]),
      [
        ['Configuration', undefined],
        ['ImagePolicy', 'base'],
        ['ImagePolicy', 'strict'],
        ['RuntimePolicy', 'shells'],
        ...['board', 'chat', 'hook', 'hub', 'lab', 'mail', 'own board', 'teams'].map((name) => [
          'Channel',
          name,
        ]),
        ['RuntimeRule', 'shells'],
        ['RuntimeRule', 'backups'],
        ['Declaration', '5284991df77abdb2'],
      ],
    );
    const own = await from.configuration.import({ ...REQUEST, documents, prune: true });
    assert.deepEqual([own.changed, own.items.length], [0, 14]);

    const to = await openConfigurationWorld(t, await engine.open(t));
    const first = await to.configuration.import({ ...REQUEST, documents });
    assert.deepEqual([first.changed, first.items.every(({ outcome }) => outcome === 'applied')], [14, true]);
    assert.ok(
      first.items
        .filter(({ kind }) => kind === 'Channel')
        .every(({ notes }) => /disabled until/.test(notes[0] ?? '')),
    );
    assert.equal((await to.configuration.import({ ...REQUEST, documents })).changed, 0);
    const again = (await to.configuration.export()).documents;
    assert.deepEqual(
      again.map((document) => enabledAgain(document)),
      documents,
      'but for what waits for its secret',
    );
    assert.deepEqual(
      to.audited.map(({ action }) => action),
      [
        'policy_create',
        'policy_create',
        'runtime_policy_create',
        ...Array.from({ length: 8 }, () => 'channel_create'),
        ...['runtime_rule_create', 'runtime_rule_create', 'declaration_create'],
        'config_import',
      ],
    );
    assert.deepEqual(to.audited.at(-1)?.detail, { prune: false, created: 14, updated: 0, deleted: 0 });
  });

  test('shows its difference without writing, and imports only what was shown', async (t) => {
    const world = await openConfigurationWorld(t, await engine.open(t));
    await fill(world);
    const { documents } = await world.configuration.export();
    const changed = [
      ...documents.filter(({ metadata }) => (metadata as { name?: string } | undefined)?.name !== 'base'),
      policyOf('added'),
    ].map((document) => (nameOf(document) === 'strict' ? policyOf('strict') : document));
    const request = { ...REQUEST, documents: changed, prune: true };
    const seen = await world.configuration.import({ ...request, dryRun: true });
    assert.deepEqual(
      changesOf(seen).filter((line) => !line.includes('unchanged')),
      [
        'ImagePolicy strict update planned',
        'ImagePolicy added create planned',
        'ImagePolicy base delete planned',
      ],
    );
    assert.deepEqual((await world.configuration.export()).documents, documents, 'nothing was written');
    assert.deepEqual(world.audited, []);
    const kept = await world.configuration.import({ ...request, prune: false, dryRun: true });
    assert.equal(kept.changed, 2, 'without prune nothing is deleted');
    assert.notEqual(kept.difference, seen.difference);

    await world.policies.update('strict', policyOf('strict', { denyLatestTag: true }), 'any', null);
    await assert.rejects(world.configuration.import({ ...request, difference: seen.difference }), {
      code: 'precondition_failed',
    });
    const { difference } = await world.configuration.import({ ...request, dryRun: true });
    const done = await world.configuration.import({ ...request, difference });
    assert.deepEqual([done.changed, done.written?.name], [3, 'added']);
    const after = (await world.configuration.export()).documents.flatMap((one) => nameOf(one) ?? []);
    assert.deepEqual(after.slice(0, 2), ['added', 'strict']);
    assert.deepEqual((await world.policies.get('strict')).document['spec'], { enforcement: 'Audit' });
  });

  test('puts rules into the order of its documents, and leaves others behind the rule that they stand behind', async (t) => {
    const { configuration, rules, audited } = await openConfigurationWorld(t, await engine.open(t));
    const names = async () => (await rules.list()).items.map(({ rule }) => rule.name).join(' ');
    const bring = async (documents: readonly Json[], prune = false) => {
      const head = { apiVersion: 'ipo.dev/v1', kind: 'Configuration', spec: { complete: ['RuntimeRule'] } };
      const request = { ...REQUEST, documents: [head, ...documents], prune };
      const { items } = await configuration.import(request);
      assert.equal((await configuration.import(request)).changed, 0, 'twice changes nothing');
      return items.map(({ name, change }) => `${name} ${change}`);
    };
    assert.deepEqual(await bring(['a', 'b', 'c'].map((name) => ruleOf(name))), [
      'a create',
      'b create',
      'c create',
    ]);
    await rules.add({ name: 'x', match: {}, action: 'record' }, { after: 'a' }, NOBODY);
    assert.equal(await names(), 'a x b c');
    const [first] = (await rules.list()).items;
    assert.deepEqual(await bring([ruleOf('c'), ruleOf('new'), ruleOf('a')]), [
      'c update',
      'new create',
      'a update',
    ]);
    assert.equal(await names(), 'c new a x b');
    assert.equal((await rules.list()).items[2]?.id, first?.id, 'a rule that moves keeps its id');
    audited.length = 0;
    assert.deepEqual(await bring([ruleOf('c', 'allow'), ruleOf('a')], true), [
      'c update',
      'a unchanged',
      'new delete',
      'x delete',
      'b delete',
    ]);
    assert.equal(await names(), 'c a');
    assert.deepEqual(audited.map(({ action, target }) => `${action} ${target}`).slice(0, -1), [
      'runtime_rule_update c',
      'runtime_rule_delete new',
      'runtime_rule_delete x',
      'runtime_rule_delete b',
    ]);
    await assert.rejects(bring([ruleOf('d', 'block')]), (error: IpoError) => {
      assert.deepEqual(
        error.fields?.map(({ path }) => path),
        ['documents[1].spec.action'],
      );
      return /not supported since 1\.3\.1/.test(error.message);
    });
  });

  test('declares what is valid, ends what is pruned, and leaves out what has ended', async (t) => {
    const { configuration, declarations } = await openConfigurationWorld(t, await engine.open(t));
    const declared = (statement: string, validUntil?: string) => ({
      ...{ apiVersion: 'ipo.dev/v1', kind: 'Declaration', metadata: { name: statement } },
      spec: { statement, ...(validUntil !== undefined && { validUntil }) },
    });
    const documents = [
      declared('One.'),
      declared('Two.', '2027-01-01T00:00:00Z'),
      declared('Over.', '2020-01-01T00:00:00Z'),
    ];
    const made = await configuration.import({ ...REQUEST, documents });
    assert.deepEqual(changesOf(made), [
      'Declaration One. create applied',
      'Declaration Two. create applied',
      'Declaration Over. unchanged unchanged',
    ]);
    const exported = (await configuration.export()).documents;
    assert.equal(exported.length, 3);
    assert.equal((await configuration.import({ ...REQUEST, documents: exported, prune: true })).changed, 0);
    const fewer = exported.filter(({ spec }) => (spec as Json)['statement'] !== 'One.');
    assert.equal((await configuration.import({ ...REQUEST, documents: fewer, prune: true })).changed, 1);
    const kept = await declarations.list();
    assert.deepEqual(
      [kept.length, kept.find(({ statement }) => statement === 'One.')?.validUntil !== null],
      [2, true],
    );
    for (const spec of [
      {},
      { statement: ' ' },
      { statement: 'a', more: 1 },
      { statement: 'a', validUntil: 'soon' },
    ])
      await assert.rejects(configuration.import({ ...REQUEST, documents: [{ ...declared('a'), spec }] }), {
        code: 'invalid_request',
      });
  });

  test('is written whole or not at all', async (t) => {
    const failing: Kind = {
      ...{ kind: 'Failing', place: 'database', list: async () => ({ documents: [], left: [] }) },
      plan: async (bundled) =>
        bundled.map(({ name }) => ({
          ...{ name, change: 'create', before: null, after: null, notes: [] },
          apply: () => Promise.reject(new IpoError('conflict', 'somebody was quicker')),
        })),
    };
    const world = await openConfigurationWorld(t, await engine.open(t), [failing]);
    const documents = [policyOf('a'), channelOf(hub), { ...policyOf('z'), kind: 'Failing' }];
    await assert.rejects(world.configuration.import({ ...REQUEST, documents }), { code: 'conflict' });
    assert.equal((await world.configuration.export()).documents.length, 1);
  });

  test('tries the objects of the cluster first, and lists what was applied when one fails', async (t) => {
    const calls: string[] = [];
    let refuses = 'rehearse b';
    const act = (what: string) => {
      calls.push(what);
      if (what === refuses) throw new IpoError('unavailable', `the API server refuses ${what}`);
    };
    const objects: Kind = {
      ...{ kind: 'Thing', place: 'cluster', list: async () => ({ documents: [], left: [] }) },
      plan: async (bundled) =>
        bundled.map(({ name }) => ({
          ...{ name, change: 'create', before: null, after: null, notes: [] },
          rehearse: async () => act(`rehearse ${name}`),
          apply: async () => {
            act(`apply ${name}`);
            return { action: 'policy_create', target: name, detail: {} };
          },
        })),
    };
    const world = await openConfigurationWorld(t, await engine.open(t), [objects]);
    const documents = [
      ...['a', 'b', 'c'].map((name) => ({ ...policyOf(name), kind: 'Thing' })),
      policyOf('in the database'.replaceAll(' ', '-')),
    ];
    await assert.rejects(world.configuration.import({ ...REQUEST, documents }), { code: 'unavailable' });
    assert.deepEqual(
      [calls, (await world.policies.list({ limit: null, offset: 0 })).total],
      [['rehearse a', 'rehearse b'], 0],
    );
    refuses = 'apply b';
    calls.length = 0;
    const imported = await world.configuration.import({ ...REQUEST, documents });
    assert.deepEqual(calls, ['rehearse a', 'rehearse b', 'rehearse c', 'apply a', 'apply b']);
    assert.deepEqual(changesOf(imported), [
      'ImagePolicy in-the-database create applied',
      'Thing a create applied',
      'Thing b create not_applied',
      'Thing c create not_applied',
    ]);
    assert.match(imported.items[2]?.error ?? '', /refuses apply b/);
  });

  test('that is hostile is refused with the place of every fault, and writes nothing', async (t) => {
    const world = await openConfigurationWorld(t, await engine.open(t));
    await world.channels.create(DOCUMENTS.github, null);
    const before = await world.configuration.export();
    const head = { apiVersion: 'ipo.dev/v1', kind: 'Configuration', spec: { complete: ['Channel'] } };
    const cases: readonly (readonly [readonly unknown[], readonly string[]])[] = [
      [[], []],
      [[head], []],
      [
        [null, 3, 'x', [1]],
        ['documents[0]', 'documents[1]', 'documents[2]', 'documents[3]'],
      ],
      [[{ ...policyOf('a'), apiVersion: 'v1' }], ['documents[0].apiVersion']],
      [[{ ...policyOf('a'), kind: 'ImagePolcy' }], ['documents[0].kind']],
      [[{ ...policyOf('a'), kind: '__proto__' }], ['documents[0].kind']],
      [[{ ...policyOf('a'), metadata: { name: 7 } }], ['documents[0].metadata.name']],
      [[policyOf('../../etc/passwd')], ['documents[0].metadata.name']],
      [[policyOf('a'), policyOf('b'), policyOf('a')], ['documents[2].metadata.name']],
      [[policyOf('a', { sevrityThreshold: 'LOW' })], ['documents[0].spec.sevrityThreshold']],
      [[channelOf({ ...hub, dailyCap: 0 })], ['documents[0].spec.dailyCap']],
      [[channelOf(DOCUMENTS.github)], ['documents[0].spec.token']],
      [[channelOf({ ...hub, apiBaseUrl: 'https://github.example.org/api/v3' })], ['documents[0].spec.token']],
      [[{ ...channelOf(hub), more: 1 }], ['documents[0].more']],
      [[{ ...channelOf(hub), metadata: { name: 'hub', uid: 'x' } }], ['documents[0].metadata.uid']],
      [[{ ...channelOf(hub), spec: { ...channelOf(hub).spec, name: 'other' } }], ['documents[0].spec.name']],
      [[{ ...channelOf(hub), spec: null }], ['documents[0].spec']],
      [[head, head, policyOf('a')], ['documents[1].kind']],
      [[{ ...head, spec: { complete: ['Secret'] } }, policyOf('a')], ['documents[0].spec.complete[0]']],
      [[{ ...head, spec: { complete: [], more: 1 } }, policyOf('a')], ['documents[0].spec.more']],
    ];
    for (const [documents, paths] of cases) {
      await assert.rejects(world.configuration.import({ ...REQUEST, documents }), (error: IpoError) => {
        assert.equal(error.code, 'invalid_request', JSON.stringify(documents));
        assert.deepEqual(
          (error.fields ?? []).map(({ path }) => path),
          paths,
          JSON.stringify(documents),
        );
        assert.ok(!error.message.includes('canary'));
        return true;
      });
    }
    const many = Array.from({ length: MAX_DOCUMENTS }, () => ({ kind: 'x' }));
    await assert.rejects(world.configuration.import({ ...REQUEST, documents: many }), (error: IpoError) => {
      assert.deepEqual([error.fields?.length, error.fields?.at(-1)?.message], [101, 'and 4900 more']);
      return true;
    });
    const whole = { ...REQUEST, documents: [policyOf('a')], prune: true };
    await assert.rejects(world.configuration.import(whole), { code: 'invalid_request' });
    assert.deepEqual(await world.configuration.export(), before);
    assert.deepEqual(world.audited, []);
  });
});

function nameOf({ metadata }: Json): string | null {
  return (metadata as { name?: string } | undefined)?.name ?? null;
}

function enabledAgain(document: Json): Json {
  const { kind, spec } = document as { kind: string; spec: Json };
  return kind === 'Channel' ? { ...document, spec: { ...spec, enabled: true } } : document;
}
