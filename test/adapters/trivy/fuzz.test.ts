import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { parseKevCatalogue, readReleaseData } from '../../../src/adapters/feeds/index.ts';
import { parseScanReports } from '../../../src/adapters/trivy/index.ts';
import { IpoError } from '../../../src/base/index.ts';
import { RELEASE_PRODUCTS } from '../../../src/catalogues/index.ts';
import { parseReference } from '../../../src/image/index.ts';
import { findTargets } from '../../../src/scan/plan-import.ts';
import { mutatedRuns, mutations, withinTime } from '../../mutations.ts';

/** What others write and this program reads, mutated: no crash, no hang, and nothing that hides what stands in it. */
const DIGEST = `sha256:${'a'.repeat(64)}`;
const found = {
  PkgName: 'openssl',
  InstalledVersion: '1',
  FixedVersion: '2',
  Severity: 'CRITICAL',
  Title: 't',
};
const REPORT = {
  SchemaVersion: 2,
  CreatedAt: '2026-11-20T10:00:00.5Z',
  ArtifactName: 'ghcr.io/acme/web:1',
  ArtifactType: 'container_image',
  Metadata: {
    OS: { Family: 'debian', Name: '10.1', EOSL: true },
    ImageID: DIGEST,
    RepoTags: ['ghcr.io/acme/web:1'],
    RepoDigests: [`ghcr.io/acme/web@${DIGEST}`],
    ImageConfig: { config: { Labels: { 'org.opencontainers.image.source': 'https://github.com/acme/web' } } },
  },
  Results: [
    {
      Target: 'debian',
      Class: 'os-pkgs',
      Vulnerabilities: [
        { VulnerabilityID: 'CVE-2026-1', ...found },
        { VulnerabilityID: 'CVE-2026-2', ...found },
      ],
      ExperimentalModifiedFindings: [
        { Type: 'vulnerability', Status: 'ignored', Finding: { VulnerabilityID: 'CVE-2026-3', ...found } },
      ],
    },
    { Target: 'app', Class: 'lang-pkgs', Vulnerabilities: null },
    { Target: 'key', Class: 'secret', Secrets: [{ RuleID: 'aws' }] },
  ],
};
const OPERATOR = {
  apiVersion: 'aquasecurity.github.io/v1alpha1',
  kind: 'VulnerabilityReport',
  report: {
    updateTimestamp: '2026-11-20T10:00:00Z',
    scanner: { version: '0.72.0' },
    registry: { server: 'ghcr.io' },
    artifact: { repository: 'acme/web', digest: DIGEST, tag: '1' },
    os: { family: 'debian', name: '10.1' },
    vulnerabilities: [
      { vulnerabilityID: 'CVE-2026-1', resource: 'openssl', installedVersion: '1', severity: 'LOW' },
    ],
  },
};

type Loose = Readonly<Record<string, unknown>>;
const objectOf = (value: unknown): Loose =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Loose) : {};
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);

/** The ids that stand in a report, by a second reader that is as plain as can be. */
function idsIn(text: string): string[] {
  const whole = objectOf(JSON.parse(text));
  if (whole.kind === 'VulnerabilityReport')
    return listOf(objectOf(whole.report).vulnerabilities).map((one) => String(objectOf(one).vulnerabilityID));
  return listOf(whole.Results).flatMap((result) => {
    const { Vulnerabilities: shown, ExperimentalModifiedFindings: modified } = objectOf(result);
    const hidden = listOf(modified).flatMap((entry) => {
      const { Type: type, Finding: finding } = objectOf(entry);
      return typeof type === 'string' && !['', 'vulnerability'].includes(type) ? [] : [finding];
    });
    return [...listOf(shown), ...hidden].map((one) => String(objectOf(one).VulnerabilityID));
  });
}

/** Gives what was read, and undefined for what was refused in our own words. */
function refusable<T>(read: () => T): T | undefined {
  try {
    return withinTime(read);
  } catch (error) {
    if (!(error instanceof IpoError)) throw error;
    assert.ok(error.message.length < 1000);
    return undefined;
  }
}

suite('mutated', () => {
  for (const [name, base, count] of [
    ['reports of Trivy', REPORT, 40_000],
    ['reports of trivy-operator', OPERATOR, 20_000],
  ] as const)
    test(`${name} are refused, or say all that stands in them`, () => {
      let read = 0;
      for (const text of mutations(base, mutatedRuns(count))) {
        const reports = refusable(() => parseScanReports(text, 'f'));
        if (reports === undefined) continue;
        read += 1;
        const findings = reports.flatMap(({ scan }) => scan.findings ?? []);
        const ids = reports.length === 1 ? idsIn(text) : [];
        assert.deepEqual(
          findings.map(({ cve }) => cve),
          ids,
          text,
        );
        for (const { scan } of reports) {
          // Clean is what a scan for vulnerabilities left alone, never what was not looked for.
          if (scan.findings?.length === 0) assert.match(text, /os-pkgs|lang-pkgs|Vulnerabilities|amily|ame/);
          for (const { rank } of scan.findings ?? []) assert.ok(rank >= 0 && rank <= 4);
        }
        for (const report of reports) refusable(() => findTargets(report, {}, Date.UTC(2026, 10, 22)));
      }
      assert.ok(read > count / 20, `only ${read} were read`);
    });

  test('catalogues of known exploited vulnerabilities are refused, or hold every CVE that stands in them', () => {
    const base = {
      catalogVersion: '2026.08.07',
      count: 3,
      vulnerabilities: ['CVE-2021-44228', 'CVE-2026-0001', 'cve-2024-3094'].map((cveID) => ({
        cveID,
        dateAdded: '2021-12-10',
        dueDate: '2021-12-24',
      })),
    };
    for (const text of mutations(base, mutatedRuns(10_000))) {
      const cves = refusable(() => parseKevCatalogue(text, 'f'));
      if (cves === undefined) continue;
      const ids = listOf(objectOf(JSON.parse(text)).vulnerabilities).map((one) =>
        String(objectOf(one).cveID),
      );
      assert.deepEqual(
        [...cves].toSorted(),
        [...new Set(ids.map((id) => id.toUpperCase()))].toSorted(),
        text,
      );
    }
  });

  test('release data is refused, or holds every release that stands in it', () => {
    const base = {
      debian: [
        { releaseCycle: '12', eol: '2026-07-11', eoes: '2028-06-30' },
        { releaseCycle: '10', eol: true, eoes: false },
      ],
      ubuntu: [{ cycle: '22.04', eol: '2027-04-01', extendedSupport: '2032-04-09' }],
      nginx: [{ cycle: '1.2', eol: false }],
    };
    for (const text of mutations(base, mutatedRuns(10_000))) {
      const data = refusable(() => readReleaseData(text, 'f'));
      if (data === undefined) continue;
      const standing = new Set(
        Object.entries(objectOf(JSON.parse(text)))
          .filter(([product]) => RELEASE_PRODUCTS.has(product))
          .flatMap(([product, releases]) =>
            listOf(releases).map(
              (one) =>
                `${product} ${String(objectOf(one).releaseCycle ?? objectOf(one).cycle ?? objectOf(one).name)}`,
            ),
          ),
      );
      const read = data.releases.map(({ product, release }) => `${product} ${release}`);
      if (!('result' in objectOf(JSON.parse(text)))) assert.deepEqual(new Set(read), standing, text);
    }
  });

  test('references are refused, or read the same once more', () => {
    const bases = [
      `ghcr.io/acme/web:1@${DIGEST}`,
      'nginx',
      'localhost:5000/a/b_c-d.e:latest',
      '[::1]:80/x@sha512:ab',
    ];
    const each = mutatedRuns(20_000) / bases.length;
    let read = 0;
    for (const base of bases)
      for (const text of mutations(base, each)) {
        const reference = withinTime(() => parseReference(text));
        if ('fault' in reference) continue;
        const { name, tag, digest } = reference;
        // A host that is one by its capitals alone is no host in lower case.
        if (!/^(localhost|[^/]*[.:][^/]*)\//.test(name)) continue;
        read += 1;
        const again = parseReference(
          `${name}${tag === null ? '' : `:${tag}`}${digest === null ? '' : `@${digest}`}`,
        );
        assert.ok(!('fault' in again), text);
        assert.deepEqual([again.name, again.tag, again.digest], [name, tag, digest], text);
      }
    assert.ok(read > 1000, `only ${read} were read`);
  });
});
