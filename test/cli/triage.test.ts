import assert from 'node:assert/strict';
import { test } from 'node:test';
import { digestOf } from '../store/image-records.ts';
import { startCli } from './inventory.ts';

/** The service of these tests lives in 2026; `--for` counts from the clock of this machine. */
const UNTIL = ['--until', '2026-12-24T06:00:00Z'];

test('a decision is added, listed and ended', async (t) => {
  const { as, api } = await startCli(t);
  const added = await as(
    'deployer',
    'triage',
    'add',
    'acme/job',
    'cve-1',
    '--reason',
    'not started',
    ...UNTIL,
  );
  assert.equal(added.code, 0, added.err);
  const [, row = ''] = added.out.split('\n');
  assert.match(
    row,
    /^1 +active {2}CVE-1 {2}CRITICAL +ghcr\.io\/acme\/job:3 +2026-12-24 06:00 +a deployer +not started$/,
  );
  const list = await as('viewer', 'triage', 'list', '--image', 'acme/job', '--state', 'active');
  assert.match(list.out, /\n1 +active .*\n1 decision\n$/);
  const body = (await api.as('viewer').json('GET /triage')).text;
  assert.equal((await as('viewer', 'triage', 'list', '-o', 'json')).out, `${body}\n`);
  const ended = await as('deployer', 'triage', 'end', '1', '-o', 'json');
  assert.equal((JSON.parse(ended.out) as { state: string }).state, 'ended');
  const again = await as('deployer', 'triage', 'end', '1');
  assert.equal(again.code, 3);
  assert.match(again.err, /the triage decision 1 is over already/);
  assert.equal(
    (await as('viewer', 'triage', 'list', '--cve', 'Cve-1', '--state', 'active')).out,
    '0 decisions\n',
  );
  assert.deepEqual(
    (await api.audited()).map(([action]) => action),
    ['triage_create', 'triage_end'],
  );
});

test('what is wrong is said before anything is asked, or by the service', async (t) => {
  const { as, api } = await startCli(t);
  const image = digestOf(0xc3);
  for (const [args, code, message] of [
    [['add', image, 'CVE-1'], 2, /no reason is given/],
    [['add', image, 'CVE-1', '--reason', ' '], 2, /no reason is given/],
    [
      ['add', image, 'CVE-1', '--reason', 'r', '--until', 'friday'],
      2,
      /--until friday: this is not an RFC 3339 time/,
    ],
    [['add', image, 'CVE-1', '--reason', 'r', '--for', '0h'], 2, /--for 0h: this is not a duration above 0/],
    [['add', image, 'CVE-1', '--reason', 'r', '--for', '1h', ...UNTIL], 2, /cannot be used with/],
    [
      ['add', image, 'CVE-9', '--reason', 'r'],
      2,
      /CVE-9 is not among the findings of .*\n {2}`ipo images show sha256:[0-9a-f]{12}` lists its findings\.\n/,
    ],
    [
      ['add', image, 'CVE-1', '--reason', 'r', '--until', '2020-01-01T00:00:00Z'],
      2,
      /until must lie in the future/,
    ],
    [['end', 'one'], 2, /the number of a decision is a whole number/],
    [['end', '77'], 2, /there is no triage decision 77/],
    [['list', '--state', 'over'], 2, /state must be one of active, expired, ended/],
  ] as const) {
    const ran = await as('deployer', 'triage', ...args);
    assert.equal(ran.code, code, ran.err);
    assert.match(ran.err, message);
  }
  assert.equal((await as('viewer', 'triage', 'add', image, 'CVE-1', '--reason', 'r', ...UNTIL)).code, 3);
  assert.deepEqual(await api.audited(), []);
});

test('--for counts from now', async (t) => {
  const { as, api } = await startCli(t);
  api.settings.at = Date.now();
  const { out } = await as(
    'deployer',
    'triage',
    'add',
    digestOf(0xc3),
    'CVE-1',
    '--reason',
    'r',
    '--for',
    '36h',
    '-o',
    'json',
  );
  const { until } = JSON.parse(out) as { until: string };
  const hours = (Date.parse(until) - api.settings.at) / 3_600_000;
  assert.ok(hours >= 36 && hours < 37, until);
});
