import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { parseKevCatalogue } from '../../../src/adapters/feeds/index.ts';
import { parseTrivyReport } from '../../../src/adapters/trivy/index.ts';

const DATA = new URL('../../../../shared/data/', import.meta.url);
const skip = existsSync(new URL('trivy/INDEX.json', DATA)) ? false : 'the shared data is not here';

/** What `trivy/INDEX.json` says of a report. */
interface Expected {
  readonly artifact: string;
  readonly artifactType: string;
  readonly os: { readonly Family: string; readonly Name: string; readonly EOSL?: boolean } | null;
  readonly repoDigest: string | null;
  readonly imageID: string | null;
  readonly sourceLabel: string | null;
  readonly findings: number;
  readonly bySeverity: Readonly<Record<string, number>>;
  readonly distinctIds: number;
  readonly distinctCritical: number;
  readonly kev: readonly string[];
  readonly resultTypes: readonly string[];
  readonly created: string;
  readonly trivyVersion: string | null;
}

function read(path: string): string {
  return readFileSync(new URL(path, DATA), 'utf8');
}

suite('every real report parses, and its counts are those of the index', { skip }, () => {
  if (skip) return;
  const index = JSON.parse(read('trivy/INDEX.json')) as Readonly<Record<string, Expected>>;
  const kev = parseKevCatalogue(read('kev/known_exploited_vulnerabilities.json'), 'kev.json');

  test('the index names every report', () => {
    const there = readdirSync(new URL('trivy/', DATA), { recursive: true })
      .map(String)
      .filter((name) => name.endsWith('.json') && name !== 'INDEX.json');
    assert.deepEqual(there.toSorted(), Object.keys(index).toSorted());
    assert.equal(kev.size, 1662);
  });

  for (const [path, expected] of Object.entries(index)) {
    test(path, () => {
      const report = parseTrivyReport(read(`trivy/${path}`), path);
      const findings = report.scan.findings ?? [];
      const bySeverity: Record<string, number> = {};
      for (const { severity } of findings) bySeverity[severity] = (bySeverity[severity] ?? 0) + 1;
      const ids = (critical: boolean): Set<string> =>
        new Set(
          findings.filter(({ severity }) => !critical || severity === 'CRITICAL').map(({ cve }) => cve),
        );

      assert.equal(report.artifact, expected.artifact);
      assert.equal(report.type, expected.artifactType);
      assert.equal(findings.length, expected.findings);
      assert.deepEqual(bySeverity, { ...expected.bySeverity });
      assert.equal(ids(false).size, expected.distinctIds);
      assert.equal(ids(true).size, expected.distinctCritical);
      assert.deepEqual(
        [...ids(false)].filter((id) => kev.has(id)),
        expected.kev,
      );
      assert.deepEqual(
        report.scan.os,
        expected.os && {
          family: expected.os.Family,
          name: expected.os.Name,
          eosl: expected.os.EOSL ?? false,
        },
      );
      assert.equal(report.source, expected.sourceLabel);
      assert.equal(report.imageId, expected.imageID);
      assert.equal(report.scan.scanner?.version, expected.trivyVersion ?? '');
      const [name, digest] = (expected.repoDigest ?? '').split('@');
      assert.deepEqual(
        report.digests.map((one) => one.digest),
        digest === undefined ? [] : [digest],
      );
      assert.ok(report.digests.every((one) => one.name.endsWith(name ?? '')));
      assert.ok((report.scan.scannedAt ?? '').startsWith(expected.created));
      // A report without packages is no clean scan.
      const packages = expected.resultTypes.some((type) => /^(os|lang)-pkgs\//.test(type));
      assert.equal(report.scan.findings !== null, packages);
    });
  }
});
