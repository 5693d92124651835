import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, suite, test } from 'node:test';
import { ipo } from './fake-terminal.ts';

const root = mkdtempSync(join(tmpdir(), 'ipo-directories-'));
after(() => rmSync(root, { recursive: true, force: true }));

const policy = (name: string, spec: string): string =>
  `apiVersion: ipo.dev/v1\nkind: ImagePolicy\nmetadata:\n  name: ${name}\nspec:\n  ${spec}\n`;
const pod = (name: string, image: string): string =>
  `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}}\nspec: {containers: [{name: c, image: "${image}"}]}\n`;

/** Writes files below the root; gives the directory's path. */
function tree(name: string, files: Readonly<Record<string, string>>): string {
  const directory = join(root, name);
  mkdirSync(directory, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  return directory;
}

suite('a directory stands for the files in it', () => {
  const policies = tree('policies', {
    'b.yaml': policy('web', 'denyLatestTag: true'),
    'a/deep.yml': policy('shop', 'severityThreshold: HIGH'),
    'c.json': JSON.stringify({
      apiVersion: 'ipo.dev/v1',
      kind: 'ImagePolicy',
      metadata: { name: 'all' },
      spec: { denyLatestTag: true },
    }),
    'README.md': '# no policy',
    '.git/config.yaml': 'no: policy',
    '.hidden.yaml': 'no: policy',
  });
  symlinkSync(policies, join(policies, 'loop'));
  symlinkSync(join(policies, 'b.yaml'), join(policies, 'z.yaml'));

  test('lint takes the YAML and JSON files below it, hidden ones and loops left out', async () => {
    const { out } = await ipo(['policy', 'lint', policies, '--fail-on', 'error', '-o', 'json']);
    const { policies: found } = JSON.parse(out) as { policies: { file: string; name: string }[] };
    assert.deepEqual(
      found.map(({ file, name }) => [file.slice(policies.length + 1), name]),
      [
        ['a/deep.yml', 'shop'],
        ['b.yaml', 'web'],
        ['c.json', 'all'],
        ['z.yaml', 'web'],
      ],
    );
  });

  test('a file that is named beside its directory is read once', async () => {
    const args = ['policy', 'lint', join(policies, 'b.yaml'), policies, join(policies, 'a'), '-o', 'json'];
    const { policies: found } = JSON.parse((await ipo(args)).out) as { policies: unknown[] };
    assert.equal(found.length, 4);
  });

  test('fmt checks the files of a directory, and writes them', async () => {
    const ugly = tree('ugly', {
      'a.yaml': policy('a', 'denyLatestTag:   true'),
      'b.yaml': policy('b', 'denyLatestTag: true'),
    });
    const checked = await ipo(['policy', 'fmt', '--check', ugly]);
    assert.deepEqual([checked.code, checked.out], [1, `${join(ugly, 'a.yaml')}\n`]);
    assert.equal((await ipo(['policy', 'fmt', '--write', ugly])).code, 0);
    assert.equal((await ipo(['policy', 'fmt', '--check', ugly])).code, 0);
  });

  test('check decides the manifests of a directory under the policies of another', async () => {
    const rules = tree('rules', {
      'latest.yaml': policy('web', 'enforcement: Enforce\n  denyLatestTag: true'),
    });
    const manifests = tree('manifests', {
      'good.yaml': pod('good', 'registry.example/shop/web:1.4'),
      'nested/bad.yaml': pod('bad', 'registry.example/shop/web:latest'),
    });
    const args = ['check', '-p', rules, '-f', manifests, '--registry', 'never', '-o', 'json'];
    const { code, out, err } = await ipo(args);
    assert.equal(code, 1, err);
    assert.match(out, /nested\/bad\.yaml/);
    assert.match(out, /good\.yaml/);
    tree('manifests', { 'values.yaml': 'replicas: 3\n' });
    const other = await ipo(args);
    assert.equal(other.code, 2);
    assert.match(
      other.err,
      /manifests\/values\.yaml:1:1: document 1: apiVersion is missing/,
      'nothing is passed over',
    );
  });

  test('a directory without any such file says what is looked for', async () => {
    const empty = tree('empty', { 'notes.txt': 'nothing' });
    for (const args of [
      ['policy', 'lint', empty],
      ['policy', 'fmt', '--check', empty],
      ['check', '-p', empty, 'nginx:1'],
    ]) {
      const { code, err } = await ipo(args);
      assert.equal(code, 2, err);
      assert.match(
        err,
        /the directory contains no policy file\n {2}Files must end in \.yaml, \.yml, \.json\./,
      );
    }
  });
});
