import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AT, DIGEST, trackingRow } from '../trackers/findings.ts';
import { factLines } from '../../bin/terminal/fact-lines.ts';
import { openPaint } from '../../bin/terminal/paint.ts';
import { serveTracking } from './served-tracking.ts';

test('rows are listed with how each ended, in the words of the row', async (t) => {
  const served = await serveTracking(t);
  const channelId = served.channel.id;
  served.rows.push(
    trackingRow({ channelId }),
    trackingRow({
      id: 2,
      channelId,
      cve: 'CVE-2026-1002',
      state: 'closed',
      reason: 'image_retired',
      closedAt: AT + 1,
    }),
    trackingRow({
      id: 3,
      channelId,
      cve: 'CVE-2026-1003',
      state: 'closed',
      reason: 'fixed',
      closedAt: AT,
      returnedAt: AT,
    }),
    trackingRow({ id: 4, channelId, cve: 'CVE-2026-1004', issue: null, openedAt: null }),
  );
  const { code, out, err } = await served.as('viewer', 'tracking', 'list');
  assert.equal(code, 0, err);
  const lines = out.trimEnd().split('\n');
  assert.match(
    lines[1] ?? '',
    /^1 +open +CVE-2026-1001 +ghcr\.io\/acme\/web:1\.4 +acme\/web#7 +2026-11-20 06:00 +–$/,
  );
  assert.match(lines[2] ?? '', /^2 +image_retired +CVE-2026-1002 /);
  assert.match(lines[3] ?? '', /^3 +fixed, returned +/);
  assert.match(lines[4] ?? '', /^4 +claimed +CVE-2026-1004 .* – +– +–$/);
  assert.equal(lines.at(-1), '4 rows');
  const page = await served.as('viewer', 'tracking', 'list', '--limit', '1', '-o', 'json');
  assert.equal((JSON.parse(page.out) as { items: unknown[] }).items.length, 1);
});

test('a runtime alert is a row with its rule in the place of a CVE', async (t) => {
  const served = await serveTracking(t);
  const alert = { kind: 'runtime', cve: 'Terminal shell in container', severity: 'Notice' } as const;
  const channelId = served.channel.id;
  served.rows.push(trackingRow({ channelId }), trackingRow({ id: 2, channelId, ...alert, lastEventAt: AT }));
  const { out } = await served.as('viewer', 'tracking', 'list');
  assert.match(out, /^id +state +CVE or rule +image /i);
  assert.match(out, /^2 +open +Terminal shell in container +ghcr/m);
  const shown = await served.as('viewer', 'tracking', 'show', '2');
  assert.match(shown.out, /^rule +Terminal shell in container$/m);
  assert.match(shown.out, /^priority +Notice$/m);
  assert.match(shown.out, /^last event +2026-11-20 06:00 UTC$/m);
  assert.doesNotMatch(shown.out, /^CVE/m);
});

test('where rows have several channels, or one that is gone, the list names them', async (t) => {
  const served = await serveTracking(t);
  served.rows.push(
    trackingRow({ channelId: served.channel.id }),
    trackingRow({ id: 2, channelId: 'deletedchannelid' }),
    trackingRow({ id: 3, channelId: 'deletedchannelid', closedVia: served.channel.id }),
  );
  const { out } = await served.as('viewer', 'tracking', 'list');
  const [, first, second, third] = out.split('\n');
  assert.match(first ?? '', / acme\/web#7 +hub +2026-11-20 06:00/);
  assert.match(second ?? '', / acme\/web#7 +deletedchannelid \(deleted\) +2026-11-20 06:00/);
  assert.match(third ?? '', / acme\/web#7 +hub +2026-11-20 06:00/);
  const shown = await served.as('viewer', 'tracking', 'show', '3');
  assert.match(shown.out, /^channel +deletedchannelid \(deleted\), github\nadopted by +hub$/m);
  served.rows.length = 0;
  const none = await served.as('viewer', 'tracking', 'list', '--channel', 'hob');
  assert.deepEqual(
    [none.code, /no channel has the name hob; give a deleted one by its ID/.test(none.err)],
    [0, true],
  );
});

test('what is known of a row is wrapped to the terminal and never cut', async (t) => {
  const served = await serveTracking(t);
  const lastError = `api.github.com answers 422: ${'label is too long, '.repeat(20)}end`;
  served.rows.push(trackingRow({ lastError }));
  const { out } = await served.as('viewer', 'tracking', 'show', '1', '-o', 'json');
  assert.equal((JSON.parse(out) as { last_error: string }).last_error, lastError);
  const facts = [{ name: 'last error', value: lastError }];
  const narrow = factLines(await openPaint({ color: false, columns: 60 }), facts);
  assert.ok(narrow.length > 5 && narrow.every((line) => line.length <= 60));
  assert.equal(narrow.map((line) => line.slice(12)).join(' '), lastError);
  const whole = factLines(await openPaint({ color: false, columns: 60, whole: true }), facts);
  assert.deepEqual(whole, [`last error  ${lastError}`]);
});

test('flags narrow the list, and a channel is named by its name or its id', async (t) => {
  const served = await serveTracking(t);
  const args = [
    '--state',
    'closed',
    '--reason',
    'fixed',
    '--image',
    'web',
    '--cve',
    'CVE-1',
    '--kind',
    'runtime',
    '--rule',
    'Terminal shell in container',
    '--returned',
    '--failed',
  ];
  await served.as('viewer', 'tracking', 'list', ...args, '--channel', 'hub');
  assert.deepEqual(served.filters.at(-1), {
    state: 'closed',
    reason: 'fixed',
    image: 'web',
    cve: 'CVE-1',
    kind: 'runtime',
    rule: 'Terminal shell in container',
    returned: true,
    failed: true,
    channelId: served.channel.id,
  });
  await served.as('viewer', 'tracking', 'list', '--channel', 'deletedchannelid');
  assert.equal(served.filters.at(-1)?.channelId, 'deletedchannelid');
  for (const [flag, value] of [
    ['--state', 'done'],
    ['--reason', 'bored'],
    ['--kind', 'alert'],
  ] as const)
    assert.equal((await served.as('viewer', 'tracking', 'list', flag, value)).code, 2, value);
});

test('a row is shown with all that is known of it', async (t) => {
  const served = await serveTracking(t);
  served.rows.push(
    trackingRow({
      withheld: 'the newest scan no longer reports it, but',
      lastError: 'api.github.com\u001b[2J refused',
      issueLeftOpen: true,
      supersededBy: `sha256:${'cd'.repeat(32)}`,
      successorHasCve: false,
    }),
  );
  const { out, code } = await served.as('viewer', 'tracking', 'show', '1');
  assert.equal(code, 0);
  for (const line of [
    /issue +acme\/web#7\n/,
    /link +https:\/\/github\.com\/acme\/web\/issues\/7\n/,
    /withheld +the newest scan/,
    /it has the CVE +no\n/,
    /left open +the channel has no doneTransitionId/,
    /last error +api\.github\.com\\u001b\[2J refused/,
  ])
    assert.match(out, line);
  assert.equal((await served.as('viewer', 'tracking', 'show', '9')).code, 1);
  assert.equal((await served.as('viewer', 'tracking', 'show', 'one')).code, 2);
});

test('a finding that came back is filed again by a deployer, and nobody below', async (t) => {
  const served = await serveTracking(t);
  served.rows.push(
    trackingRow({ state: 'closed', reason: 'fixed', closedAt: AT, returnedAt: AT }),
    trackingRow({ id: 2 }),
    trackingRow({ id: 3, channelId: 'gone' }),
  );
  assert.equal((await served.as('viewer', 'tracking', 'reopen', '1')).code, 3);
  const { code, out, err } = await served.as('deployer', 'tracking', 'reopen', '1');
  assert.equal(code, 0, err);
  assert.match(out, /filed again +1 time$/m);
  assert.match(err, /row 1: it is open again/);
  assert.match(
    (await served.as('deployer', 'tracking', 'reopen', '2')).err,
    /the finding of row 2 has not come back/,
  );
  assert.match((await served.as('deployer', 'tracking', 'reopen', '3')).err, /channel of row 3 was deleted/);
  assert.deepEqual(
    served.audited.map(({ action, target, detail }) => [action, target, detail?.['generation']]),
    [['tracking_reopen', DIGEST, 2]],
  );
});

test('a person confirms that a finding is fixed where a scan is not enough', async (t) => {
  const served = await serveTracking(t);
  served.rows.push(trackingRow({ withheld: 'the newest scan no longer reports it' }), trackingRow({ id: 2 }));
  const { code, err } = await served.as('deployer', 'tracking', 'confirm', '1');
  assert.equal(code, 0, err);
  assert.match(err, /the next sweep closes it as fixed/);
  assert.match(
    (await served.as('deployer', 'tracking', 'confirm', '2')).err,
    /row 2 does not wait for a confirmation/,
  );
  assert.deepEqual(
    served.audited.map(({ action }) => action),
    ['tracking_confirm'],
  );
});
