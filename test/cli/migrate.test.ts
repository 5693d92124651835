import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { MIGRATIONS as ALL } from '../../src/store/migrations/index.ts';
import { ipo } from './fake-terminal.ts';

const MIGRATIONS = ALL.length;

function scratch(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'ipo-migrate-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

interface Answer {
  readonly exists: boolean;
  readonly current_release: string | null;
  readonly newest_release: string;
  readonly due: number;
  readonly applied?: readonly string[];
  readonly migrations: readonly {
    readonly number: number;
    readonly state: string;
    readonly applied_at: string | null;
  }[];
}

test('a plan shows every step and makes nothing; a run applies them; a second one finds nothing to do', async (t) => {
  const file = join(scratch(t), 'ipo.db');
  const database = ['--database', `sqlite:${file}`];
  const planned = await ipo(['migrate', '--plan', ...database]);
  assert.equal(planned.code, 0);
  assert.match(planned.out, /0031 +1\.3\.1 +Runtime blocks removed.* due/);
  assert.match(
    planned.err,
    new RegExp(`${MIGRATIONS} migrations are due, from nothing to release 1\\.3\\.7`),
  );
  assert.equal(existsSync(file), false);

  const done = await ipo(['migrate', ...database, '-o', 'json', '-o', `yaml=${file}.yaml`]);
  assert.equal(done.code, 0);
  const answer = JSON.parse(done.out) as Answer;
  assert.deepEqual([answer.exists, answer.current_release, answer.due], [true, '1.3.7', 0]);
  assert.equal(answer.applied?.length, MIGRATIONS);
  assert.ok(answer.migrations.every(({ state, applied_at }) => state === 'applied' && applied_at !== null));
  assert.match(readFileSync(`${file}.yaml`, 'utf8'), /^newest_release: "?1\.3\.7"?$/m);
  assert.match(done.err, /0009-tamper-evident-ledger applied\n/);

  const again = await ipo(['migrate'], { env: { IPO_DATABASE: `sqlite:${file}` } });
  assert.deepEqual([again.code, again.out, again.err], [0, '', 'ipo: up to date: release 1.3.7\n']);
  const plan = await ipo(['migrate', '--plan', '-o', 'json'], {
    env: { IPO_DATABASE_URL: `sqlite:${file}` },
  });
  assert.equal((JSON.parse(plan.out) as Answer).due, 0);
});

test('a database that is not named, or named with its password, is wrong usage', async () => {
  assert.equal((await ipo(['migrate'])).code, 2);
  for (const url of [
    'postgres://u:hunter2@127.0.0.1:1/db',
    'postgres://127.0.0.1:1/db?user=u&password=hunter2',
  ]) {
    const { code, err } = await ipo(['migrate', '--database', url]);
    assert.equal(code, 2);
    assert.match(err, /PGPASSWORD/);
    assert.doesNotMatch(err, /hunter2/);
  }
});

test('a server that is not there is told with what to do, and without the password', async () => {
  const env = { IPO_DATABASE: 'postgres://u:hunter2@127.0.0.1:1/db' };
  for (const plan of [[], ['--plan']]) {
    const { code, out, err } = await ipo(['migrate', ...plan, '--verbose'], { env });
    assert.deepEqual([code, out], [3, '']);
    assert.match(err, /127\.0\.0\.1:1\/db cannot be reached/);
    assert.doesNotMatch(err, /hunter2/);
  }
});
