import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { RELEASES } from '../../src/releases/index.ts';
import { makeRelease } from '../store/releases.ts';
import { ipo } from './fake-terminal.ts';

function scratch(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'ipo-release-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('list shows every release; show, one with what to do; notes, those of a range', async () => {
  const list = JSON.parse((await ipo(['release', 'list', '-o', 'json'])).out) as {
    items: { version: string }[];
    total: number;
  };
  assert.deepEqual(
    list.items.map(({ version }) => version),
    RELEASES.map(({ version }) => version),
  );
  assert.equal(list.total, RELEASES.length);
  assert.match((await ipo(['release', 'list'])).out, /1\.3\.7 +2026-10-15 +0033–0035 +must be upgraded/);
  const shown = (await ipo(['release', 'show', 'v1.2.0'])).out;
  assert.match(shown, /Chart values no longer read\n- integrations\.detector\.existingSecret/);
  const notes = (await ipo(['release', 'notes', '1.3.5..1.3.7'])).out;
  assert.deepEqual(
    [...notes.matchAll(/^## (\S+)/gm)].map(([, version]) => version),
    ['1.3.7', '1.3.6'],
  );
  assert.match((await ipo(['release', 'notes', '1.3.6..'])).out, /^## 1\.3\.7 /);
  assert.match((await ipo(['release', 'notes', '1.3.7..1.3.7'])).out, /No release lies in this range/);
});

test('an unknown version exits 1 with the one that was meant; a range that is none exits 2', async () => {
  const unknown = await ipo(['release', 'show', '1.3.70']);
  assert.equal(unknown.code, 1);
  assert.match(unknown.err, /Did you mean 1\.3\.7\?/);
  for (const range of ['1.3.7', '..1.3.7', '1.3.7..1.3.1', '1..2..3'])
    assert.equal((await ipo(['release', 'notes', range])).code, 2, range);
  assert.equal((await ipo(['upgrade', 'plan', '--from', '9.9.9'])).code, 1);
});

test('a plan names values of the file, the backup and the command; a way back is a restore and exits 1', async (t) => {
  const folder = scratch(t);
  const values = join(folder, 'values.yaml');
  writeFileSync(values, 'image: {tag: 0.3.1}\nintegrations:\n  detector: {existingSecret: token}\n');
  const args = ['upgrade', 'plan', '--from', '1.1.1', '--to', '1.3.7', '-f', values];
  const plan = await ipo([...args, '--registry', 'registry.example']);
  assert.equal(plan.code, 0, plan.err);
  assert.match(
    plan.out,
    /Values of your file to change\n {2}integrations\.detector\.existingSecret: take it out/,
  );
  assert.match(plan.out, /0021, 0022.*0035/s);
  const template = readFileSync('charts/image-policy-operator/templates/statefulset.yaml', 'utf8');
  const [, settings = ''] = /"--config" "([^"]+)"/.exec(template) ?? [];
  assert.ok(
    plan.out.includes(
      `kubectl exec --namespace image-policy-operator statefulset/image-policy-operator -- ipo backup create --config ${settings} --out /var/lib/ipo/before-1.3.7.ipobackup`,
    ),
    'in the pod, with the configuration that the chart mounts there, into its volume',
  );
  assert.match(
    plan.out,
    /helm upgrade image-policy-operator oci:\/\/registry\.example\/charts\/image-policy-operator --version 1\.3\.7 --namespace image-policy-operator -f \S+ --wait/,
  );
  assert.match(
    (await ipo([...args, '-o', 'markdown'])).out,
    /^### Steps\n\n```sh\nkubectl exec \S.* -- ipo backup create/m,
  );
  const back = await ipo(['upgrade', 'plan', '--from', '1.3.7', '--to', '1.3.0']);
  assert.equal(back.code, 1);
  assert.match(back.out, /restore a backup/);
  assert.equal((await ipo(['upgrade', 'plan', '--from', '1.3.7'])).code, 0);
  for (const [text, why] of [
    ['a: [', /values\.yaml:1:4: the \[ here is never closed\n {2}Add the missing \]/],
    ['- 1', /holds no chart values/],
  ] as const) {
    writeFileSync(values, text);
    const { code, err } = await ipo(args);
    assert.equal(code, 2, text);
    assert.match(err, why);
  }
  assert.equal((await ipo(['upgrade', 'plan'])).code, 2);
});

test('a database that is not there is an error of its own, unlike an empty one', async (t) => {
  const file = join(scratch(t), 'none.db');
  for (const from of [[], ['--from', '1.3.0']]) {
    const { code, err } = await ipo(['upgrade', 'plan', '--database', `sqlite:${file}`, ...from]);
    assert.equal(code, 3, err);
    assert.match(err, /none\.db does not exist\n  Check the address/);
  }
  writeFileSync(file, '');
  const empty = await ipo(['upgrade', 'plan', '--database', `sqlite:${file}`]);
  assert.deepEqual([empty.code, /is empty, so/.test(empty.err)], [2, true], empty.err);
});

test('a database tells its release, the migrations that are due, and the documents that change', async (t) => {
  const url = `sqlite:${join(scratch(t), 'ipo.db')}`;
  await makeRelease(url, '1.3.0');
  const plan = JSON.parse((await ipo(['upgrade', 'plan', '--database', url, '-o', 'json'])).out) as {
    from: string;
    migrations: { number: number; name: string }[];
    documents: { document: string; state: string }[];
  };
  assert.equal(plan.from, '1.3.0');
  assert.equal(plan.migrations[0]?.name, '0026-audit-paging');
  assert.ok(plan.migrations.some(({ number }) => number === 35));
  assert.ok(
    plan.documents.some(
      ({ document, state }) => state === 'changed' && /^(policy|runtime rule) /.test(document),
    ),
  );
  assert.deepEqual(
    plan.documents.filter(({ state }) => state === 'refused').map(({ document }) => document),
    ['policy strange'],
  );
  assert.equal((await ipo(['upgrade', 'plan', '--database', url])).code, 1);
  const near = JSON.parse(
    (await ipo(['upgrade', 'plan', '--database', url, '--to', '1.3.3', '-o', 'json'])).out,
  ) as typeof plan;
  assert.deepEqual([near.migrations[0]?.number, near.migrations.at(-1)?.number], [26, 32]);
});

test('channels whose host the values leave out are named with what to do, without their addresses', async (t) => {
  const folder = scratch(t);
  const url = `sqlite:${join(folder, 'ipo.db')}`;
  await makeRelease(url, '1.3.0');
  const values = join(folder, 'values.yaml');
  const channels = async (text: string): Promise<readonly string[]> => {
    writeFileSync(values, text);
    const { out } = await ipo(['upgrade', 'plan', '--database', url, '-f', values, '-o', 'json']);
    const { documents } = JSON.parse(out) as {
      documents: { document: string; state: string; note: string }[];
    };
    return documents
      .filter(({ document }) => document.startsWith('channel '))
      .map(({ document, state, note }) => `${document} ${state}: ${note}`);
  };
  assert.deepEqual(await channels('trackers: {allowedHosts: [hooks.example.com, "*.example.org"]}\n'), [
    'channel channel hub refused: its address leads to api.github.com, which trackers.allowedHosts does not allow; add the host to trackers.allowedHosts, or edit the channel',
  ]);
  for (const allowed of ['[api.github.com]', '["*.github.com"]', '[]', 'null', 'a'])
    assert.deepEqual(await channels(`trackers: {allowedHosts: ${allowed}}\n`), [], allowed);
  assert.deepEqual(await channels('trackers:\n'), []);
});
