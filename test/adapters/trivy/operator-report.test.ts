import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { parseScanReports, readScanReports } from '../../../src/adapters/trivy/index.ts';
import { countBySeverity } from '../../../src/findings/index.ts';

const DATA = new URL('../../../../shared/data/trivy-operator/', import.meta.url);
const skip = existsSync(DATA) ? false : 'the shared data is not here';
const DIGEST = `sha256:${'a'.repeat(64)}`;

function report(change: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    apiVersion: 'aquasecurity.github.io/v1alpha1',
    kind: 'VulnerabilityReport',
    report: {
      updateTimestamp: '2024-01-23T13:43:55Z',
      scanner: { name: 'Trivy', vendor: 'Aqua Security', version: '0.48.3' },
      registry: { server: 'index.docker.io' },
      artifact: { repository: 'library/ubuntu', digest: DIGEST, tag: '20.04' },
      os: { family: 'ubuntu', name: '20.04', eosl: true },
      vulnerabilities: [
        {
          vulnerabilityID: 'CVE-1',
          resource: 'openssl',
          installedVersion: '1.0',
          fixedVersion: '',
          severity: 'HIGH',
        },
      ],
      ...change,
    },
  };
}

suite('reports of trivy-operator', () => {
  test('an object gives what a decision needs', () => {
    const [one] = readScanReports(report(), 'f.json');
    assert.deepEqual(one?.names, ['docker.io/library/ubuntu:20.04']);
    assert.deepEqual(one?.digests, [{ name: 'docker.io/library/ubuntu', digest: DIGEST }]);
    assert.deepEqual(one?.scan.os, { family: 'ubuntu', name: '20.04', eosl: true });
    assert.equal(one?.scan.scannedAt, '2024-01-23T13:43:55Z');
    assert.deepEqual(
      one?.scan.findings?.map(({ cve, severity, fixed }) => [cve, severity, fixed]),
      [['CVE-1', 'HIGH', null]],
    );
  });

  test('without a finding and without a system nothing shows that packages were looked at, so it does not count as clean', () => {
    const findings = (change: Record<string, unknown>): unknown =>
      readScanReports(report(change), 'f.json')[0]?.scan.findings;
    assert.deepEqual(findings({ vulnerabilities: [] }), []);
    assert.equal(findings({ vulnerabilities: [], os: {} }), null);
    assert.equal(findings({ vulnerabilities: null, os: undefined }), null);
  });

  test('a list of objects is read whole, or refused with the one that is none', () => {
    const list = { kind: 'List', apiVersion: 'v1', items: [report(), report()] };
    assert.equal(parseScanReports(JSON.stringify(list), 'f.json').length, 2);
    assert.throws(() => readScanReports({ ...list, items: [report(), { kind: 'Pod' }] }, 'f.json'), {
      code: 'invalid_report',
      message: 'items.1 is not a VulnerabilityReport of trivy-operator',
    });
  });

  for (const [what, change, message] of [
    [
      'a severity that is none',
      { vulnerabilities: [{ vulnerabilityID: 'CVE-1', severity: 'AWFUL' }] },
      /vulnerabilities\.0\.severity is not one of/,
    ],
    [
      'an entry without an id',
      { vulnerabilities: [{ severity: 'LOW' }] },
      /vulnerabilities\.0\.vulnerabilityID is not/,
    ],
    ['no artifact', { artifact: null }, /report\.artifact is not/],
    ['an artifact that names no image', { artifact: { repository: 'UPPER CASE' } }, /names no image/],
    ['a time that is none', { updateTimestamp: 'yesterday' }, /updateTimestamp is not an RFC 3339 time/],
    ['no findings list at all', { vulnerabilities: 7 }, /report\.vulnerabilities is not/],
  ] as const)
    test(`${what} is refused`, () => {
      assert.throws(
        () => readScanReports(report(change), 'f.json'),
        (error: Error & { code?: string }) => {
          assert.equal(error.code, 'invalid_report');
          assert.match(error.message, message);
          return true;
        },
      );
    });

  for (const [file, counts] of [
    ['vulnerabilityreport_single_vuln.json', [1, 0, 0, 0]],
    ['vulnerabilityreport_many.json', [2, 3, 25, 11]],
    ['vulnerabilityreport_extended.json', [0, 0, 5, 0]],
  ] as const)
    test(`the counts of ${file} are those of its summary`, { skip }, () => {
      const [one] = parseScanReports(readFileSync(new URL(file, DATA), 'utf8'), file);
      const { critical, high, medium, low } = countBySeverity(one?.scan.findings ?? []);
      assert.deepEqual([critical, high, medium, low], counts);
    });

  test('a real object without findings and without a system does not count as clean', { skip }, () => {
    const file = 'vulnerabilityreport_no_vuln.json';
    assert.equal(parseScanReports(readFileSync(new URL(file, DATA), 'utf8'), file)[0]?.scan.findings, null);
  });
});
