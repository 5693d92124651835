import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
  assert.match(again.err, /the triage decision 1 has ended already/);
  assert.equal(
    (await as('viewer', 'triage', 'list', '--cve', 'Cve-1', '--state', 'active')).out,
    '0 decisions\n',
  );
  assert.deepEqual(
    (await api.audited()).map(([action]) => action),
    ['triage_create', 'triage_end'],
  );
});

test('an image without packages is admitted under DenyUntilScanned by a triage of the image', async (t) => {
  const { as, folder } = await startCli(t);
  const spec = { enforcement: 'Enforce', admissionTiming: 'DenyUntilScanned' };
  const path = join(folder, 'waits.json');
  writeFileSync(
    path,
    JSON.stringify({ apiVersion: 'ipo.dev/v1', kind: 'ImagePolicy', metadata: { name: 'waits' }, spec }),
  );
  const report = join(folder, 'empty.json');
  const image = `ghcr.io/acme/web@${digestOf(0xa1)}`;
  writeFileSync(
    report,
    JSON.stringify({
      SchemaVersion: 2,
      ArtifactName: image,
      ArtifactType: 'container_image',
      Metadata: { RepoDigests: [image] },
      Results: [],
    }),
  );
  const check = async (time: string, ...args: string[]) =>
    (await as('viewer', 'check', '-p', path, '--registry', 'never', '--as-of', time, ...args, image)).code;
  const now = '2026-11-20T06:00:00Z';
  assert.deepEqual([await check(now), await check(now, '-t', report)], [1, 1]);
  const add = ['triage', 'add', digestOf(0xa1), '--no-packages', '--reason', 'built from scratch', ...UNTIL];
  const added = await as('deployer', ...add);
  assert.equal(added.code, 0, added.err);
  assert.match(
    added.out,
    /\n1 +active {2}\(no packages\) +– +ghcr\.io\/acme\/web:1 .* built from scratch\n$/,
  );
  assert.deepEqual([await check(now), await check(now, '-t', report)], [0, 0]);
  assert.equal(await check('2026-12-24T06:00:00Z'), 1, 'one that ends exactly then has expired');
  const shown = await as('viewer', 'images', 'show', digestOf(0xa1));
  assert.match(
    shown.out,
    /no packages: decided by a deployer until 2026-12-24 06:00 UTC: built from scratch\n/,
  );
  const scanned = await as(
    'deployer',
    'triage',
    'add',
    digestOf(0xc3),
    '--no-packages',
    '--reason',
    'r',
    ...UNTIL,
  );
  assert.equal(scanned.code, 2);
  assert.match(scanned.err, /has a completed scan, so that packages were found in it/);
  for (const [args, said] of [
    [[digestOf(0xa1), '--reason', 'r'], /no CVE given/],
    [
      [digestOf(0xa1), 'CVE-1', '--no-packages', '--reason', 'r'],
      /a CVE and --no-packages exclude each other/,
    ],
  ] as const) {
    const wrong = await as('deployer', 'triage', 'add', ...args);
    assert.equal(wrong.code, 2);
    assert.match(wrong.err, said);
  }
});

test('what is wrong is said before anything is asked, or by the service', async (t) => {
  const { as, api } = await startCli(t);
  const image = digestOf(0xc3);
  for (const [args, code, message] of [
    [['add', image, 'CVE-1'], 2, /no reason given/],
    [['add', image, 'CVE-1', '--reason', ' '], 2, /no reason given/],
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
    [['end', 'one'], 2, /the number of a decision must be a whole number/],
    [['end', '77'], 1, /no triage decision has the number 77/],
    [['list', '--state', 'over'], 2, /--state over: choose one of active, expired, ended/],
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
