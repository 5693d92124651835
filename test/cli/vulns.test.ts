import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCli } from './inventory.ts';

test('ipo vulns lists one line for each CVE, and JSON is the answer of the service', async (t) => {
  const { as, api } = await startCli(t);
  const { code, out } = await as('viewer', 'vulns');
  assert.equal(code, 0);
  assert.deepEqual(
    out
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/)),
    [
      ['severity', 'CVE', 'images', 'triaged', 'KEV', 'packages', 'fixed in'],
      ['CRITICAL', 'CVE-1', '1', 'yes', 'openssl', '1.1'],
      ['LOW', 'CVE-2', '1', '?', 'openssl', '–'],
      ['2 vulnerabilities'],
    ],
  );
  const body = (await api.as('viewer').json('GET /vulnerabilities')).text;
  assert.equal((await as('viewer', 'vulns', '-o', 'json')).out, `${body}\n`);
  assert.match((await as('viewer', 'vulns', '-o', 'markdown')).out, /\| `CRITICAL` \| `CVE-1` \| 1 \|/);
});

test('its flags narrow in the service, which says what a wrong one should be', async (t) => {
  const { as } = await startCli(t);
  const cves = async (...flags: string[]): Promise<string[]> => {
    const { out, err } = await as('viewer', 'vulns', '-o', 'json', ...flags);
    assert.equal(err, '');
    return (JSON.parse(out) as { items: { cve: string }[] }).items.map(({ cve }) => cve);
  };
  assert.deepEqual(await cves('--severity', 'low,high'), ['CVE-2']);
  assert.deepEqual(await cves('--known-exploited', 'true', '--fixable', 'true'), ['CVE-1']);
  assert.deepEqual(await cves('--image', 'ghcr.io/acme/job:3', '--sort', 'cve'), ['CVE-1', 'CVE-2']);
  assert.deepEqual(await cves('--image', 'job'), ['CVE-1', 'CVE-2']);
  const unknown = await as('viewer', 'vulns', '--image', 'nowhere');
  assert.deepEqual([unknown.code, unknown.out], [1, '']);
  assert.match(unknown.err, /no known image matches nowhere/);
  assert.deepEqual(await cves('-n', 'ci', '--search', 'SSL', '--limit', '1', '--offset', '1'), ['CVE-2']);
  assert.deepEqual(await cves('-n', 'shop'), []);
  assert.deepEqual(await cves('--triaged', 'true'), []);
  assert.match(
    (await as('viewer', 'vulns', '--limit', '1')).out,
    /\n2 vulnerabilities; 1 not shown, see --limit and --offset\n$/,
  );
  for (const [flags, message] of [
    [['--severity', 'awful'], /severity must be one or more of UNKNOWN, LOW, .*, separated by commas/],
    [['--fixable', 'yes'], /must be true or false/],
    [['--sort', 'age'], /--sort age: choose one of severity, cve, images, known_exploited/],
  ] as const) {
    const { code, err } = await as('viewer', 'vulns', ...flags);
    assert.equal(code, 2);
    assert.match(err, message);
  }
});
