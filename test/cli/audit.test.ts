import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { serve } from '../accounts/api.ts';
import { openShell } from '../accounts/cli.ts';
import { PASSWORD } from '../accounts/open.ts';

const DAY = 86_400_000;

async function open(t: TestContext) {
  const served = await serve(t, { https: false });
  const shell = openShell(t);
  const id = await served.add('ada@example.com', 'viewer', 'Ada');
  const now = served.clock.at;
  const actor = { accountId: id, name: 'Ada' };
  for (const [days, target] of [
    [40, 'old'],
    [2, '=cmd|calc'],
    [1, 'shop\u001b[31m'],
  ] as const) {
    served.clock.at = now - days * DAY;
    await served.audit.record({
      actor,
      action: 'policy_update',
      target,
      path: 'PUT /api/v1/policies/shop',
      detail: { revision: 'abc', n: 1 },
    });
  }
  served.clock.at = now;
  await shell.ipo(['login', served.url, '--email', 'ada@example.com', '--password-stdin'], {
    stdin: PASSWORD,
  });
  return { ...served, ...shell, id };
}

suite('ipo audit', () => {
  test('shows the last month as a table, newest first, and nothing that speaks to the terminal', async (t) => {
    const { ipo } = await open(t);
    const { code, out, err } = await ipo(['audit']);
    assert.deepEqual([code, err], [0, '']);
    assert.deepEqual(
      out
        .trimEnd()
        .split('\n')
        .map((line) => line.trim().split(/ {2,}/)),
      [
        ['time (UTC)', 'who', 'action', 'target', 'more'],
        ['2026-10-01 12:00', 'Ada', 'sign_in', '–', 'by=password'],
        ['2026-10-01 12:00', '–', 'account_create', 'ada@example.com', 'role=viewer invited=false'],
        ['2026-09-30 12:00', 'Ada', 'policy_update', 'shop\\u001b[31m', 'revision=abc n=1'],
        ['2026-09-29 12:00', 'Ada', 'policy_update', '=cmd|calc', 'revision=abc n=1'],
      ],
    );
  });

  test('is narrowed and paged; a day is meant whole', async (t) => {
    const { ipo, id } = await open(t);
    const count = async (...args: string[]) =>
      JSON.parse((await ipo(['audit', ...args, '-o', 'json'])).out).total;
    assert.equal(await count('--from', '2026-01-01'), 5);
    assert.equal(await count('--from', '2026-09-29', '--to', '2026-09-29'), 1);
    assert.equal(await count('--from', '2026-09-29T12:00:00Z', '--to', '2026-09-30T12:00:00Z'), 2);
    assert.equal(await count('--action', 'policy_update'), 2);
    assert.equal(await count('--actor', id), 3);
    assert.equal(await count('--target', '=cmd|calc'), 1);
    const page = await ipo(['audit', '--limit', '1', '--offset', '1']);
    assert.match(page.out, /account_create/);
    assert.equal(page.err, 'ipo: 2 older entries not shown; see --offset and --limit\n');
    assert.match((await ipo(['audit', '-o', 'yaml', '--limit', '1'])).out, /^items:\n {2}- id: /);
  });

  test('is exported as CSV, to stdout or a file', async (t) => {
    const { env, ipo } = await open(t);
    const { out } = await ipo(['audit', '-o', 'csv', '--from', '2026-01-01', '--action', 'policy_update']);
    const lines = out.trimEnd().split('\r\n');
    assert.equal(lines.length, 4);
    assert.match(lines[2] ?? '', /"'=cmd\|calc"/);
    const file = join(env['HOME'] ?? '', 'audit.csv');
    const both = await ipo([
      'audit',
      '-o',
      `csv=${file}`,
      '-o',
      'json',
      '--from',
      '2026-01-01',
      '--action',
      'policy_update',
      '-q',
    ]);
    assert.deepEqual([both.code, JSON.parse(both.out).total], [0, 3]);
    assert.equal(readFileSync(file, 'utf8'), out);
  });

  for (const [what, args, said] of [
    [
      'a time that is none',
      ['--from', 'yesterday'],
      /--from yesterday: this is not a valid time\n.*2026-11-20/,
    ],
    ['an action that is none', ['--action', 'policy_updat'], /did you mean policy_update/],
    ['a page of a CSV', ['-o', 'csv', '--limit', '1'], /CSV holds the whole period/],
    [
      'a period that ends before it starts',
      ['--from', '2026-10-01', '--to', '2026-09-01'],
      /from is later than to/,
    ],
    ['too large a page', ['--limit', '10001'], /from 1 to 10000/],
  ] as const)
    test(`${what} is refused`, async (t) => {
      const { ipo } = await open(t);
      const ran = await ipo(['audit', ...args]);
      assert.equal(ran.code, 2, ran.err);
      assert.match(ran.err, said);
    });
});
