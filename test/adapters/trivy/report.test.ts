import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { parseTrivyReport, ReportError, type TrivyReport } from '../../../src/adapters/trivy/index.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const FOUND = {
  VulnerabilityID: 'CVE-2026-1',
  PkgName: 'openssl',
  InstalledVersion: '3.0.1',
  FixedVersion: '3.0.2',
  Severity: 'HIGH',
};
const PACKAGES = { Target: 'debian', Class: 'os-pkgs', Type: 'debian' };

function parse(report: object): TrivyReport {
  const whole = {
    SchemaVersion: 2,
    ArtifactName: 'web:1',
    ArtifactType: 'container_image',
    Results: [PACKAGES],
    ...report,
  };
  return parseTrivyReport(JSON.stringify(whole), 'report.json');
}

function refused(text: string): string {
  try {
    parseTrivyReport(text, 'report.json');
  } catch (error) {
    assert.ok(error instanceof ReportError, String(error));
    assert.equal(error.code, 'invalid_report');
    assert.equal(error.place?.file, 'report.json');
    return error.message;
  }
  return assert.fail('the report was read');
}

suite('findings', () => {
  test('as Trivy gives them, each one, with the fields that are used', () => {
    const { scan } = parse({
      Results: [
        { ...PACKAGES, Vulnerabilities: [FOUND, FOUND] },
        { Class: 'lang-pkgs', Vulnerabilities: [FOUND] },
      ],
    });
    assert.equal(scan.findings?.length, 3);
    assert.deepEqual(scan.findings[0], {
      cve: 'CVE-2026-1',
      severity: 'HIGH',
      rank: 3,
      package: 'openssl',
      installed: '3.0.1',
      purl: 'pkg:deb/debian/openssl',
      fixed: '3.0.2',
      knownExploited: null,
      triagedUntil: null,
      triagedUntilMs: -Infinity,
      foundAt: { target: 'debian', path: null, layer: null },
    });
  });

  test('keep what people read: title, rating, advisory, and where in the image the package is', () => {
    const Digest = `sha256:${'d'.repeat(64)}`;
    const entry = {
      ...FOUND,
      ...{ Title: 'openssl: overflow', PrimaryURL: 'https://avd.aquasec.com/nvd/cve-2026-1' },
      ...{ SeveritySource: 'ghsa', PkgPath: 'app/lib.jar', Layer: { Digest, DiffID: DIGEST } },
      CVSS: {
        nvd: { V2Vector: 'AV:N/AC:M/Au:N/C:N/I:P/A:N', V2Score: 4.3, V3Score: 3.7 },
        ghsa: { V40Vector: 'CVSS:4.0/AV:N/AC:L/AT:P/PR:N/UI:N/VC:L/VI:L/VA:N', V40Score: 6.3 },
      },
    };
    const of = (Vulnerability: object, Target: unknown = 'Java') =>
      parse({ Results: [{ ...PACKAGES, Target, Vulnerabilities: [Vulnerability] }] }).scan.findings?.[0];
    const { advisory, foundAt } = of(entry) ?? {};
    assert.deepEqual(advisory, {
      title: 'openssl: overflow',
      url: 'https://avd.aquasec.com/nvd/cve-2026-1',
      cvss: {
        ...{ version: '4.0', score: 6.3, source: 'ghsa' },
        vector: 'CVSS:4.0/AV:N/AC:L/AT:P/PR:N/UI:N/VC:L/VI:L/VA:N',
      },
    });
    assert.deepEqual(foundAt, { target: 'Java', path: 'app/lib.jar', layer: Digest });
    assert.equal(of({ ...entry, Layer: { DiffID: DIGEST } })?.foundAt?.layer, DIGEST);
    const odd = { Title: 7, PrimaryURL: [], CVSS: 'x', SeveritySource: {}, PkgPath: 1, Layer: null };
    const left = of({ ...FOUND, ...odd }, 9);
    assert.deepEqual([left?.advisory, left?.foundAt], [undefined, undefined], 'never a reason to refuse');
    // Deeper than can be walked.
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const text = JSON.stringify({ ...FOUND, SeveritySource: 'DEEP' }).replace('"DEEP"', deep);
    const results = JSON.stringify([{ ...PACKAGES, Vulnerabilities: ['DEEP'] }]).replace('"DEEP"', text);
    const { scan } = parseTrivyReport(
      `{"SchemaVersion":2,"ArtifactType":"container_image","Results":${results}}`,
      'deep.json',
    );
    assert.equal(scan.findings?.length, 1);
  });

  test('keep the package URL, or get one from the type of their result where an older Trivy wrote none', () => {
    const purls = (Type: string, ...found: readonly object[]) =>
      parse({ Results: [{ ...PACKAGES, Type, Vulnerabilities: found }] }).scan.findings?.map(
        ({ purl }) => purl,
      );
    const PURL = 'pkg:apk/alpine/musl@1.2.4-r4?arch=x86_64&distro=3.18.4';
    assert.deepEqual(purls('alpine', { ...FOUND, PkgIdentifier: { PURL } }), [PURL]);
    assert.deepEqual(purls('alpine', FOUND), ['pkg:apk/alpine/openssl']);
    assert.deepEqual(purls('gobinary', { ...FOUND, PkgName: 'golang.org/x/net' }), [
      'pkg:golang/golang.org/x/net',
    ]);
    assert.deepEqual(purls('jar', { ...FOUND, PkgName: 'org.acme:core' }), ['pkg:maven/org.acme/core']);
    assert.deepEqual(purls('node-pkg', { ...FOUND, PkgName: '@scope/name' }), ['pkg:npm/%40scope/name']);
    assert.deepEqual(purls('unheard-of', FOUND), [null]);
    assert.throws(() => purls('alpine', { ...FOUND, PkgIdentifier: { PURL: 7 } }), ReportError);
  });

  test('what an ignore file or a VEX document hid is a finding like the others', () => {
    const hidden = (Finding: unknown, Type: unknown = 'vulnerability'): object => ({
      Type,
      Status: 'not_affected',
      Statement: 'vulnerable_code_not_present',
      Source: 'OpenVEX',
      Finding,
    });
    const other = { ...FOUND, VulnerabilityID: 'CVE-2026-2' };
    const shown = { ...PACKAGES, Vulnerabilities: [FOUND] };
    const both = {
      ...shown,
      ExperimentalModifiedFindings: [hidden(other), hidden({ ID: 'DS001' }, 'misconfiguration')],
    };
    const cves = (results: object[]): readonly string[] | undefined =>
      parse({ Results: results }).scan.findings?.map(({ cve }) => cve);
    assert.deepEqual(cves([both]), ['CVE-2026-1', 'CVE-2026-2']);
    // An image of which all was hidden is not clean.
    assert.deepEqual(cves([{ ...PACKAGES, ExperimentalModifiedFindings: [hidden(FOUND)] }]), ['CVE-2026-1']);
    assert.deepEqual(cves([{ ExperimentalModifiedFindings: [hidden(FOUND)] }]), ['CVE-2026-1']);
    const secrets = { Class: 'secret', ExperimentalModifiedFindings: [hidden({ RuleID: 'aws' }, 'secret')] };
    assert.equal(cves([secrets]), undefined);
    for (const broken of [null, 5, {}, hidden(null), hidden({}), hidden({ ...FOUND, Severity: 'WORST' })])
      assert.match(
        refused(
          JSON.stringify({
            SchemaVersion: 2,
            Results: [{ ...PACKAGES, ExperimentalModifiedFindings: [broken] }],
          }),
        ),
        /^Results\.0\.ExperimentalModifiedFindings\.0\.Finding/,
      );
    assert.deepEqual(cves([{ ...PACKAGES, ExperimentalModifiedFindings: [hidden(FOUND, 5)] }]), [
      'CVE-2026-1',
    ]);
  });

  test('no fixed version, whether empty or absent, is null; no severity is UNKNOWN', () => {
    const { FixedVersion: _, Severity: __, ...bare } = FOUND;
    const { scan } = parse({
      Results: [{ Class: 'os-pkgs', Vulnerabilities: [{ ...FOUND, FixedVersion: '' }, bare] }],
    });
    assert.deepEqual(
      scan.findings?.map(({ fixed, severity }) => [fixed, severity]),
      [
        [null, 'HIGH'],
        [null, 'UNKNOWN'],
      ],
    );
  });

  const clean: readonly (readonly [string, object])[] = [
    ['packages without a vulnerability', { Results: [PACKAGES] }],
    ['an empty list of vulnerabilities', { Results: [{ ...PACKAGES, Vulnerabilities: [] }] }],
    [
      'a list that is null, beside secrets',
      {
        Results: [
          { Class: 'secret', Secrets: [] },
          { Class: 'lang-pkgs', Vulnerabilities: null },
        ],
      },
    ],
  ];
  for (const [name, report] of clean)
    test(`clean: ${name}`, () => assert.deepEqual(parse(report).scan.findings, []));

  const unknown: readonly (readonly [string, object])[] = [
    ['secrets alone', { Results: [{ Target: 'a', Class: 'secret', Secrets: [{}] }] }],
    ['misconfigurations alone', { Results: [{ Class: 'config', Misconfigurations: [{}] }] }],
    ['licences alone', { Results: [{ Class: 'license', Licenses: [{}] }] }],
    ['no result', { Results: [] }],
    ['results that are null', { Results: null }],
    ['results that are absent', { Results: undefined }],
  ];
  for (const [name, report] of unknown)
    test(`no clean scan: ${name}`, () => assert.equal(parse(report).scan.findings, null));
});

suite('what a report is of', () => {
  test('names and digests are normalised, and an empty one is none', () => {
    const report = parse({
      ArtifactName: 'nginx',
      Metadata: {
        RepoTags: ['nginx:1.27', ''],
        RepoDigests: [`nginx@${DIGEST}`, ''],
        Reference: 'nginx:1.27',
        ImageID: DIGEST,
      },
    });
    assert.deepEqual(report.names, ['docker.io/library/nginx:latest', 'docker.io/library/nginx:1.27']);
    assert.deepEqual(report.digests, [{ name: 'docker.io/library/nginx', digest: DIGEST }]);
    assert.equal(report.imageId, DIGEST);
  });

  test('a scan by digest tells the digest though the registry’s is not listed', () => {
    const report = parse({ ArtifactName: `ghcr.io/acme/web@${DIGEST}` });
    assert.deepEqual([report.names, report.digests], [[], [{ name: 'ghcr.io/acme/web', digest: DIGEST }]]);
  });

  test('a directory and an archive are the name of no image', () => {
    assert.deepEqual(parse({ ArtifactName: 'web', ArtifactType: 'filesystem' }).names, []);
    assert.deepEqual(parse({ ArtifactName: 'images/web.tar.gz' }).names, []);
  });

  test('what says of which image it is, is of an image, also where it was scanned by its bill of materials', () => {
    const metadata = { ImageID: DIGEST, RepoDigests: [`web@${DIGEST}`] };
    const of = (ArtifactType: string | undefined, Metadata: object | undefined) =>
      parse({ ArtifactType, Metadata }).type;
    for (const type of ['cyclonedx', 'spdx', '', undefined, 'container_image'])
      assert.equal(of(type, metadata), 'container_image', type);
    for (const type of ['cyclonedx', 'spdx', '', undefined, 'filesystem', 'repository', 'vm'])
      assert.equal(of(type, undefined), type ?? '', 'a cluster and a directory have no such metadata');
    for (const type of ['filesystem', 'repository', 'vm']) {
      const { names, digests, ...one } = parse({ ArtifactType: type, Metadata: metadata });
      assert.deepEqual([one.type, names, digests], [type, [], []]);
    }
  });

  test('operating system, scanner, time in UTC and source repository', () => {
    const { scan, source } = parse({
      CreatedAt: '2026-03-22T22:49:26.769363+03:00',
      Trivy: { Version: '0.72.0' },
      Metadata: {
        OS: { Family: 'alpine', Name: '3.10.9', EOSL: true },
        ImageConfig: {
          config: { Labels: { 'org.opencontainers.image.source': 'https://github.com/acme/web', other: 5 } },
        },
      },
    });
    assert.deepEqual(scan.os, { family: 'alpine', name: '3.10.9', eosl: true });
    assert.deepEqual(scan.scanner, { name: 'trivy', version: '0.72.0', dbUpdatedAt: null });
    assert.equal(scan.scannedAt, '2026-03-22T19:49:26.769363Z');
    assert.equal(source, 'https://github.com/acme/web');
  });

  test('when the database was made, as Trivy says it of its own or of its server’s', () => {
    const database = (UpdatedAt: unknown): object => ({ VulnerabilityDB: { Version: 2, UpdatedAt } });
    const told = (Trivy: object): unknown => parse({ Trivy }).scan.scanner;
    const made = (dbUpdatedAt: string | null): object => ({ name: 'trivy', version: '0.72.0', dbUpdatedAt });
    const Version = '0.72.0';
    const own = database('2026-08-01T02:00:00+02:00');
    assert.deepEqual(told({ Version, ...own }), made('2026-08-01T00:00:00Z'));
    const Server = { Version, ...database('2026-08-02T00:00:00Z') };
    assert.deepEqual(told({ Version, Server }), made('2026-08-02T00:00:00Z'));
    assert.deepEqual(told({ Version, Server, ...own }), made('2026-08-02T00:00:00Z'), 'which looked it up');
    for (const none of [{}, database('0001-01-01T00:00:00Z'), database(null), { VulnerabilityDB: null }])
      assert.deepEqual(told({ Version, ...none }), made(null));
    for (const wrong of [database('yesterday'), database(7), { VulnerabilityDB: 'new' }, { Server: 1 }])
      assert.deepEqual(told({ Version, ...wrong }), made(null), 'what is no time is not guessed');
  });

  test('what is not said is null', () => {
    const { scan, source } = parse({ CreatedAt: '0001-01-01T00:00:00Z' });
    assert.deepEqual([scan.os, scan.scannedAt, source], [null, null, null]);
  });
});

suite('what is not a report', () => {
  const cases: readonly (readonly [string, string, RegExp])[] = [
    ['nothing', '', /empty/],
    [
      'a report that was cut off',
      JSON.stringify({ SchemaVersion: 2, Results: [PACKAGES] }).slice(0, -5),
      /cut off/,
    ],
    ['one that was cut off after a comma', '{"SchemaVersion":2,', /cut off/],
    ['one that was cut off after a brace', '{"SchemaVersion":2,"Metadata":{"OS":{}', /cut off/],
    ['no JSON', 'alpine:3.10 (alpine 3.10.9)\nTotal: 1', /not JSON/],
    ['a text', '"x"', /not a report of Trivy/],
    ['null', 'null', /not a report of Trivy/],
    ['the list of schema version 1', '[{"Target":"a","Vulnerabilities":null}]', /schema version 1/],
    ['another list', '[1]', /^a list, not a report/],
    ['an object of schema version 1', '{"SchemaVersion":1,"Results":[]}', /schema version 1/],
    ['a schema version to come', '{"SchemaVersion":3}', /not known here/],
    ['no schema version', '{"Results":[]}', /SchemaVersion is missing/],
    ['the report of a cluster', '{"ClusterName":"kind","Resources":[]}', /whole cluster/],
    ['the report of a cluster, in summary', '{"ClusterName":"kind","Findings":[]}', /whole cluster/],
    [
      'an object of the operator of Trivy',
      '{"apiVersion":"aquasecurity.github.io/v1alpha1","kind":"VulnerabilityReport"}',
      /Kubernetes object/,
    ],
    ['a list of objects', '{"apiVersion":"v1","kind":"List","items":[]}', /Kubernetes object/],
    ['SARIF', '{"version":"2.1.0","runs":[]}', /SARIF/],
    ['CycloneDX', '{"bomFormat":"CycloneDX"}', /bill of materials/],
    ['SPDX', '{"spdxVersion":"SPDX-2.3"}', /bill of materials/],
    [
      'an unknown severity',
      JSON.stringify({
        SchemaVersion: 2,
        Results: [{ Class: 'os-pkgs', Vulnerabilities: [{ ...FOUND, Severity: 'BAD' }] }],
      }),
      /Results\.0\.Vulnerabilities\.0\.Severity/,
    ],
    [
      'a vulnerability without an id',
      '{"SchemaVersion":2,"Results":[{"Vulnerabilities":[{"VulnerabilityID":""}]}]}',
      /Results\.0\.Vulnerabilities\.0\.VulnerabilityID/,
    ],
    ['results that are no list', '{"SchemaVersion":2,"Results":{}}', /^Results is not/],
    [
      'a million faults',
      `{"SchemaVersion":2,"Results":[{"Vulnerabilities":[${'1,'.repeat(1_000_000)}1]}]}`,
      /Results\.0\.Vulnerabilities\.0 is not/,
    ],
    ['a time that is none', '{"SchemaVersion":2,"CreatedAt":"yesterday"}', /CreatedAt/],
    ['100,000 levels', `{"SchemaVersion":${'['.repeat(100_000)}`, /cut off|not JSON/],
  ];
  for (const [name, text, message] of cases) test(name, () => assert.match(refused(text), message));

  test('100,000 levels where nothing is read do no harm', () => {
    const text = `{"SchemaVersion":2,"More":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    assert.equal(parseTrivyReport(text, 'report.json').scan.findings, null);
  });
});
