import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { runtimeRuleRoutes } from '../../src/api/index.ts';
import { openRuntimeRules } from '../../src/runtime/index.ts';
import { openStore, runtimeRuleStore } from '../../src/store/index.ts';
import { startApi } from '../api/service.ts';
import { scratchDirectory } from '../app/running.ts';
import { ipo } from './fake-terminal.ts';

async function serve(t: TestContext) {
  const directory = scratchDirectory(t);
  const store = await openStore({ url: `sqlite:${join(directory, 'ipo.db')}` });
  t.after(() => store.close());
  const runtimeRules = openRuntimeRules(runtimeRuleStore(store), { now: () => Date.UTC(2026, 10, 26, 6) });
  const { url } = await startApi(
    t,
    runtimeRuleRoutes({
      runtimeRules,
      audit: { record: async () => {} },
      together: (act) => store.write(act),
    }),
  );
  const run = (...args: readonly string[]) =>
    ipo(['runtime', 'rule', ...args], {
      env: { IPO_SERVER: url, IPO_TOKEN: 'administrator-token', XDG_CONFIG_HOME: directory },
    });
  const file = (name: string, text: string): string => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
  const names = async (): Promise<readonly string[]> =>
    (await runtimeRules.list()).items.map(({ rule }) => rule.name);
  const get = async (name: string) => (await runtimeRules.get(name)).stored.rule;
  return { run, file, names, get };
}

test('a rule is added with its match, changed part by part, moved and deleted', async (t) => {
  const { run, names, get } = await serve(t);
  const added = await run(
    ...['add', 'shells', '--tags', 'shell,T1059', '--priority', 'warning', '--action', 'NOTIFY'],
    ...['--window', '3/10m', '--field', 'proc.name=sh|bash', 'user.name~^ro+t$', '--signed', 'false'],
  );
  assert.deepEqual([added.code, added.out], [0, 'shells added as number 1\n'], added.err);
  assert.deepEqual(await get('shells'), {
    ...{ name: 'shells', enabled: true, action: 'notify', window: { count: 3, duration: '10m' } },
    match: {
      ...{ tags: ['shell', 'T1059'], priority: 'Warning', signed: false },
      fields: [
        { name: 'proc.name', in: ['sh', 'bash'] },
        { name: 'user.name', matches: '^ro+t$' },
      ],
    },
  });
  assert.equal((await run('add', 'backup', '--action', 'allow', '--before', 'shells')).code, 0);
  const list = await run('list');
  assert.match(list.out, /1 +backup +allow +each event +every event/);
  assert.match(list.out, /2 +shells +notify +after 3 in 10m; at most one alert in 1h +tag shell or T1059/);
  const edited = await run('edit', 'shells', '--tags', '', '--window', '', '--throttle', '30m', '--disable');
  assert.equal(edited.out, 'shells updated\n');
  const { match, window, throttle, enabled } = await get('shells');
  assert.deepEqual(
    [Object.keys(match).toSorted(), window, throttle, enabled],
    [['fields', 'priority', 'signed'], undefined, '30m', false],
  );
  assert.equal((await run('edit', 'shells')).out, 'shells is unchanged\n');
  assert.equal((await run('edit', 'shells', '--rename', 'terminals')).out, 'terminals updated\n');
  assert.equal((await run('move', 'terminals', '--place', '1')).out, 'terminals is now number 1\n');
  assert.deepEqual(await names(), ['terminals', 'backup']);
  assert.equal((await run('move', 'terminals')).code, 2);
  assert.match((await run('delete', 'backup')).err, /needs confirmation/);
  assert.equal((await run('delete', 'backup', '--yes')).out, 'backup deleted\n');
  const gone = await run('show', 'backup');
  assert.deepEqual([gone.code, /ipo runtime rule list/.test(gone.err)], [1, true], gone.err);
});

test('what cannot be meant is refused before or by the service, with the place of the fault', async (t) => {
  const { run, names } = await serve(t);
  for (const [args, says] of [
    [['add', 'a', '--action', 'block'], /action "block" is not supported since 1\.3\.1/],
    [['add', 'a', '--window', 'often'], /--window often/],
    [['add', 'a', '--field', 'proc.name'], /--field proc\.name/],
    [['add', 'a', '--field', 'proc.name~('], /match\.fields\[0\]\.matches/],
    [['add', 'a', '--signed', 'maybe'], /--signed maybe/],
    [['add', 'a', '--priority', 'loud'], /--priority loud: choose one of Emergency, Alert, /],
    [['add', 'a', '--before', 'none'], /none/],
    [['apply', '--yes'], /no file given/],
  ] as const) {
    const { code, err } = await run(...args);
    assert.match(err, says);
    assert.ok(code === 1 || code === 2, `${code}: ${err}`);
  }
  assert.deepEqual(await names(), []);
});

test('files are exported and applied as one list: added, changed, moved and deleted rules are shown first', async (t) => {
  const { run, file, names } = await serve(t);
  for (const name of ['a', 'b', 'c']) await run('add', name, '--tags', name);
  const exported = await run('export');
  const rules = file('rules.yaml', exported.out);
  const same = await run('apply', '-f', rules, '--dry-run', '--exit-code');
  assert.deepEqual([same.code, same.out], [0, 'a is unchanged\nb is unchanged\nc is unchanged\n']);
  const next = file(
    'next.yaml',
    `apiVersion: ipo.dev/v1
kind: RuntimeRules
rules:
  - { name: new, match: { priority: critical }, action: notify, throttle: 60m }
  - { name: c, match: { tags: [c] }, action: record }
  - { name: a, match: { tags: [a, x] }, action: record }
`,
  );
  const dry = await run('apply', '-f', next, '--dry-run', '--exit-code', '-o', 'json');
  assert.equal(dry.code, 1);
  assert.deepEqual(
    JSON.parse(dry.out).items.map(({ name, outcome }: Record<string, string>) => [name, outcome]),
    [
      ['new', 'would_create'],
      ['c', 'would_move'],
      ['a', 'would_update'],
      ['b', 'would_delete'],
    ],
  );
  assert.deepEqual(await names(), ['a', 'b', 'c'], 'a dry run writes nothing');
  const done = await run('apply', '-f', next, '--yes');
  assert.deepEqual([done.code, done.out], [0, 'new created\nc moved\na updated\nb deleted\n']);
  assert.match(done.err, /a would be updated\n  match\.tags {2}\["a"\] → \["a","x"\]/);
  assert.deepEqual(await names(), ['new', 'c', 'a']);
  assert.equal((await run('apply', '-f', next, '--dry-run', '--exit-code')).code, 0);
  const twice = await run('apply', '-f', next, rules, '--yes');
  assert.deepEqual([twice.code, /the rule "a" is in .*next\.yaml too/.test(twice.err)], [2, true], twice.err);
});
