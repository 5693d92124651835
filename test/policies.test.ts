import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ipo } from './cli/fake-terminal.ts';

const FOLDER = join(import.meta.dirname, '../policies');
const NAMES = ['air-gapped', 'baseline', 'developer', 'regulated', 'signed-images'];
/** Of the newest 5,000 admissions of the shop: what each would deny of those that were allowed. */
const SHOP = 'fixtures/ledger/shop.ndjson.gz';

test('the library is linted, tested, and each policy has a page', async () => {
  const lint = await ipo(['policy', 'lint', FOLDER]);
  assert.equal(lint.code, 0, lint.out);
  const tested = await ipo(['policy', 'test', FOLDER]);
  assert.equal(tested.code, 0, tested.out);
  const files = readdirSync(FOLDER).filter((file) => /^[^.]+\.yaml$/.test(file));
  assert.deepEqual(
    files.toSorted(),
    NAMES.map((name) => `${name}.yaml`),
  );
  for (const name of NAMES) {
    assert.ok(existsSync(join(FOLDER, `${name}.md`)), name);
    const { out } = await ipo(['policy', 'test', join(FOLDER, `${name}.test.yaml`), '--coverage']);
    assert.match(out, /Each gate denied an image in some case/, name);
  }
});

test('the library is replayed over the fixture: each decides every row, and the stricter deny more', async () => {
  const denied: Record<string, number> = {};
  for (const name of NAMES) {
    const { code, out, err } = await ipo(['whatif', join(FOLDER, `${name}.yaml`), '-l', SHOP, '-o', 'json']);
    assert.equal(code, 0, err);
    const answer = JSON.parse(out);
    assert.equal(answer.evaluated, 5000, name);
    denied[name] = answer.would_deny;
  }
  const { baseline = 0, developer = 0, regulated = 0 } = denied;
  assert.ok(developer <= baseline && baseline <= regulated, JSON.stringify(denied));
});
