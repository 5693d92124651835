import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, suite, test } from 'node:test';
import type { SeveralResult } from '../../src/whatif/index.ts';
import { ipo } from './fake-terminal.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const LEDGER = join(ROOT, 'fixtures/ledger/shop.ndjson.gz');
const read = (name: string) => readFileSync(join(ROOT, `fixtures/policies/${name}.yaml`), 'utf8');

suite('ipo whatif with several policies', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ipo-several-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const drafts = join(folder, 'policies');
  mkdirSync(drafts);
  writeFileSync(join(drafts, 'a.yaml'), read('tighten'));
  writeFileSync(join(drafts, 'b.yaml'), read('loosen').replace(/^ {2}name: .*$/m, '  name: loose'));
  const whatif = (...args: readonly string[]) => ipo(['whatif', ...args, '--ledger', LEDGER]);

  test('a directory and its files give one answer for each policy, each as by itself, and one together', async () => {
    const files = ['a.yaml', 'b.yaml'].map((name) => join(drafts, name));
    const [all, both, ...alone] = await Promise.all([
      whatif(drafts, '-o', 'json'),
      whatif(...files, '-o', 'json'),
      ...files.map((file) => whatif(file, '-o', 'json')),
    ]);
    assert.equal(all?.code, 0);
    assert.equal(all?.out, both?.out);
    const { items, total, together } = JSON.parse(all?.out ?? '') as SeveralResult & { total: number };
    assert.deepEqual(
      items.map((item) => `${JSON.stringify(item)}\n`),
      alone.map(({ out }) => out),
    );
    assert.equal(total, 2);
    assert.ok(together.would_deny >= Math.max(...items.map(({ would_deny }) => would_deny)));
  });

  test('each policy has a comment of its own with a marker of its own, and the table ends with the answer together', async () => {
    const { code, out } = await whatif(drafts, '-o', 'table', '-o', `markdown=${folder}/c-{policy}.md`);
    assert.equal(code, 0);
    const comments = readdirSync(folder).filter((name) => name.endsWith('.md'));
    assert.deepEqual(comments, ['c-cluster-baseline.md', 'c-loose.md']);
    for (const name of comments)
      assert.match(
        readFileSync(join(folder, name), 'utf8'),
        new RegExp(`^<!-- ipo-whatif -->\n<!-- ipo-whatif:${name.slice(2, -3)} -->\n`),
      );
    assert.match(out.trimEnd().split('\n').at(-1) ?? '', /^Together, the 2 policies would deny [\d,]+ of /);
  });

  test('--fail-on is held against each of them, and names the one that fails', async () => {
    const { code, err } = await whatif(drafts, '--fail-on', 'would_deny=10', '-o', 'json');
    assert.equal(code, 1);
    assert.equal(err, 'ipo: cluster-baseline: --fail-on would_deny=10 failed: 611 rows, the limit is 10\n');
  });

  test('what several policies cannot mean is wrong usage, and nothing is written', async () => {
    const before = readdirSync(folder);
    const [page, kept, source, twice] = await Promise.all([
      whatif(drafts, '-o', 'html=page.html'),
      ipo(['whatif', drafts, '--keep', '--server', 'http://127.0.0.1:1']),
      whatif(drafts, '--source', 'shop'),
      whatif(join(drafts, 'a.yaml'), join(ROOT, 'fixtures/policies/tighten.yaml')),
    ]);
    assert.deepEqual([page?.code, kept?.code, source?.code, twice?.code], [2, 2, 2, 2]);
    assert.match(
      page?.err ?? '',
      /Put \{policy\} into the name of the file: -o html=whatif-\{policy\}\.html/,
    );
    assert.match(kept?.err ?? '', /--keep takes one policy/);
    assert.match(
      twice?.err ?? '',
      /two policies are called "cluster-baseline": the other one is in .*a\.yaml\n {2}Give one of them, or rename one/,
    );
    assert.deepEqual(readdirSync(folder), before);
  });
});
