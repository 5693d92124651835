import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { ipo } from './fake-terminal.ts';

const folder = mkdtempSync(join(tmpdir(), 'ipo-advice-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const SHOP = 'fixtures/ledger/shop.ndjson.gz';

suite('ipo whatif matrix', () => {
  test('tries each value by itself, what costs nothing first, in every format', async () => {
    const { code, out } = await ipo(['whatif', 'matrix', '--ledger', SHOP, '-o', 'json']);
    assert.equal(code, 0);
    const body = JSON.parse(out);
    assert.equal(body.total, body.items.length);
    assert.deepEqual(body.items[0].would_deny, { rows: 0, workloads: 0, images: 0 });
    const costs = body.items.filter((item: { current: boolean }) => !item.current).map(cost);
    assert.deepEqual(
      costs,
      costs.toSorted((a: number, b: number) => a - b),
    );
    for (const format of ['table', 'markdown', 'html']) {
      const ran = await ipo(['whatif', 'matrix', '-l', SHOP, '-o', format]);
      assert.match(ran.out, /severityThreshold/);
      assert.match(ran.out, /3,929/);
      if (format === 'table') assert.doesNotMatch(ran.out, /would allow|\(now\)/);
    }
  });

  test('with a base it counts what each value changes of that policy', async () => {
    const base = 'fixtures/policies/tighten.yaml';
    const body = JSON.parse((await ipo(['whatif', 'matrix', '-l', SHOP, '--base', base, '-o', 'json'])).out);
    assert.equal(body.base, 'cluster-baseline');
    assert.ok(body.items.some(({ would_allow }: { would_allow: { rows: number } }) => would_allow.rows > 0));
    assert.equal((await ipo(['whatif', 'matrix', '-o', 'json'])).code, 2);
    assert.equal((await ipo(['whatif', 'matrix', '-l', SHOP, '--source', 'x'])).code, 2);
    assert.equal((await ipo(['whatif', 'matrix', '-l', SHOP, '--days', '91'])).code, 2);
  });
});

suite('ipo policy suggest', () => {
  test('prints a policy that lints and whose own what-if denies nothing', async () => {
    const { code, out, err } = await ipo(['policy', 'suggest', '--ledger', SHOP, '--name', 'shop']);
    assert.equal(code, 0, err);
    assert.match(err, /linted and replayed: shop denies 0 of 5,835 admissions/);
    const draft = join(folder, 'shop.yaml');
    writeFileSync(draft, out);
    assert.equal((await ipo(['policy', 'lint', draft])).code, 0);
    const whatIf = await ipo(
      ['whatif', '-', '-l', SHOP, '--days', '90', '--limit', '0', '--fail-on', 'would_deny', '-o', 'json'],
      { stdin: out },
    );
    assert.equal(whatIf.code, 0, whatIf.err);
  });

  test('takes a tolerance, a base and a field to explain', async () => {
    const base = 'fixtures/policies/tighten.yaml';
    const { out } = await ipo([
      'policy',
      'suggest',
      '-l',
      SHOP,
      '--tolerate',
      '1%',
      '--base',
      base,
      '-o',
      'json',
    ]);
    const body = JSON.parse(out);
    assert.equal(body.tolerated, 58);
    assert.ok(body.would_deny <= 58);
    assert.ok(
      body.plan.every(({ when }: { when: string }) => when === 'after_fixing' || when === 'audit_first'),
    );
    const explained = await ipo(['policy', 'suggest', '-l', SHOP, '--explain', 'digestEnforcement']);
    assert.match(explained.out, /require would deny 118 admissions[^]*name it by digest/);
    assert.match(
      (await ipo(['policy', 'suggest', '-l', SHOP, '--explain', 'severityTreshold'])).err,
      /Did you mean "severityThreshold"/,
    );
    for (const wrong of [
      ['--tolerate', '-1'],
      ['--tolerate', '101%'],
      ['--tolerate', '1.5'],
      ['--name', 'A b'],
    ])
      assert.equal((await ipo(['policy', 'suggest', '-l', SHOP, ...wrong])).code, 2, wrong.join(' '));
    const empty = await ipo(['policy', 'suggest', '-l', SHOP, '--as-of', '2020-01-01T00:00:00Z']);
    assert.equal(empty.code, 2);
    assert.match(empty.err, /no admission/);
  });
});

function cost({
  would_deny,
  undecided,
}: {
  would_deny: { rows: number };
  undecided: { rows: number };
}): number {
  return would_deny.rows + undecided.rows;
}
