import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { parseGrypeReport } from '../../src/adapters/grype/index.ts';
import { readKevCatalogue } from '../../src/adapters/feeds/kev-catalogue.ts';
import { readReleaseData } from '../../src/adapters/feeds/release-data.ts';
import { readJson } from '../../src/adapters/registry/manifest.ts';
import { parseTrustRoot } from '../../src/adapters/sigstore/trust-root.ts';
import { parseScanReports } from '../../src/adapters/trivy/index.ts';
import { readManifestDocuments } from '../../src/manifests/manifest-text.ts';
import { isIpoError } from '../../src/base/index.ts';
import { namesDigest } from '../../src/facts/payload.ts';
import { readExport } from '../../src/ledger/index.ts';
import { parseStatement } from '../../src/supply-chain/index.ts';
import { readVex, toVexDocument } from '../../src/vex/index.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;

/** The JSON of a value in which the text of one field is written twice, the first time with another value. */
function twice(value: unknown, field: string): string {
  const text = JSON.stringify(value);
  assert.equal(text.split(`"${field}":`).length, 2, `${field} stands once in ${text}`);
  return text.replace(`"${field}":`, `"${field}":null,"${field}":`);
}

suite('a key that stands twice is refused where it decides', () => {
  const header = {
    ...{ type: 'header', format: 'ipo.ledger/1', exported_at: '2026-11-01T00:00:00Z', cluster: 'a' },
    ...{ cold_image_policy: 'AllowAndScan', rows: 2, images: 1, from: null, to: null },
  };
  const policy = {
    type: 'policy',
    name: 'p',
    revision: 'r',
    current: true,
    document: { kind: 'ImagePolicy' },
  };
  const scan = {
    findings: [{ cve: 'CVE-2026-1', severity: 'HIGH', package: 'a', installed: '1', fixed: null }],
  };
  const image = { type: 'image', digest: DIGEST, names: [], scan };
  const row = (id: number) => ({
    ...{ type: 'row', id, kind: 'review', time: '2026-11-01T00:00:00Z', review_uid: 'u', cluster: 'a' },
    ...{ namespace: 'shop', pod: 'web', pod_uid: 'w', container: 'web', image: 'ghcr.io/a/b:1' },
    ...{ digest: DIGEST, allowed: true, review_allowed: true, reason: '', label: null, policy: null },
  });
  const read = async (...lines: readonly string[]): Promise<string> => {
    const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
    try {
      const opened = await readExport(
        (async function* () {
          yield bytes;
        })(),
        'a.ndjson',
      );
      for await (const _ of opened.rows());
      return 'read';
    } catch (error) {
      assert.ok(isIpoError(error), String(error));
      return `${error.place?.file}:${error.place?.line} ${error.message}`;
    }
  };
  const whole = [header, policy, image, row(2), row(1)].map((value) => JSON.stringify(value));

  test('in each line of an export, with its line and its path', async () => {
    assert.equal(await read(...whole), 'read');
    const at = (line: number, text: string) => read(...whole.with(line - 1, text));
    for (const [line, value, field, path] of [
      [1, header, 'cold_image_policy', 'cold_image_policy'],
      [2, policy, 'kind', 'document.kind'],
      [3, image, 'severity', 'scan.findings[0].severity'],
      [4, row(2), 'allowed', 'allowed'],
      [5, row(1), 'allowed', 'allowed'],
    ] as const) {
      const said = await at(line, twice(value, field));
      assert.match(said, new RegExp(`^a\\.ndjson:${line} `));
      assert.ok(said.includes(`the field "${path}" is written twice`), said);
    }
  });

  test('in a row like one that was read before: the recognised shape hides none', async () => {
    const rows = Array.from({ length: 50 }, (_, i) => JSON.stringify(row(50 - i)));
    const long = [JSON.stringify({ ...header, rows: 50 }), whole[1] ?? '', whole[2] ?? '', ...rows];
    assert.equal(await read(...long), 'read');
    for (const field of ['pod', 'image', 'allowed', 'time', 'cluster'] as const)
      assert.match(
        await read(...long.with(40, twice(row(13), field))),
        new RegExp(`^a\\.ndjson:41 .*the field "${field}" is written twice`),
      );
    const escaped = JSON.stringify(row(13)).replace('"allowed":', '"\\u0061llowed":false,"allowed":');
    assert.match(await read(...long.with(40, escaped)), /^a\.ndjson:41 .*"allowed" is written twice/);
  });

  const said = (act: () => unknown): string => {
    try {
      act();
      return 'read';
    } catch (error) {
      assert.ok(isIpoError(error), String(error));
      return error.message;
    }
  };
  const trivy = {
    ...{ SchemaVersion: 2, ArtifactName: 'a', ArtifactType: 'container_image' },
    Results: [
      {
        Class: 'os-pkgs',
        Type: 'alpine',
        Vulnerabilities: [{ VulnerabilityID: 'CVE-2026-1', Severity: 'HIGH' }],
      },
    ],
  };
  const grype = { matches: [], descriptor: { name: 'grype', version: '1' }, distro: { name: 'alpine' } };
  const kev = { count: 1, vulnerabilities: [{ cveID: 'CVE-2026-0001', dueDate: '2026-01-01' }] };
  const releases = { debian: [{ releaseCycle: '12', eol: '2028-06-30' }] };
  const readers: readonly (readonly [
    name: string,
    read: (text: string) => unknown,
    value: object,
    field: string,
  ])[] = [
    ['a report of Trivy', (text) => parseScanReports(text, 'f'), trivy, 'Severity'],
    ['a report of Grype', (text) => parseGrypeReport(text, 'f'), grype, 'matches'],
    ['a catalogue of known exploited vulnerabilities', (text) => readKevCatalogue(text, 'f'), kev, 'cveID'],
    ['release data', (text) => readReleaseData(text, 'f'), releases, 'eol'],
  ];
  for (const [name, reader, value, field] of readers)
    test(`in ${name}`, () => {
      assert.equal(
        said(() => reader(JSON.stringify(value))),
        'read',
      );
      assert.match(
        said(() => reader(twice(value, field))),
        new RegExp(`the field ".*${field}" is written twice`),
      );
    });
  test('in a trust root', () => {
    const root = twice(
      { mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1' },
      'mediaType',
    );
    assert.match(
      said(() => parseTrustRoot(Buffer.from(root), 'f')),
      /the field "mediaType" is written twice/,
    );
  });
  test('in a VEX document, bare or as the text of an early statement', () => {
    const vex = {
      '@context': 'https://openvex.dev/ns',
      statements: [{ vulnerability: 'CVE-2026-1', status: 'fixed' }],
    };
    assert.ok('statements' in readVex(Buffer.from(JSON.stringify(vex))));
    assert.deepEqual(readVex(Buffer.from(twice(vex, 'status'))), {
      fault: 'cannot be read: the field "statements[0].status" is written twice',
    });
    assert.ok('statements' in toVexDocument({ Data: JSON.stringify(vex) }));
    assert.ok('fault' in toVexDocument({ Data: twice(vex, 'status') }));
  });
  test('in what is signed: a payload names nothing, a statement is none', () => {
    const simple = { critical: { image: { 'docker-manifest-digest': DIGEST } } };
    assert.ok(namesDigest(Buffer.from(JSON.stringify(simple)), DIGEST));
    assert.ok(!namesDigest(Buffer.from(twice(simple, 'docker-manifest-digest')), DIGEST));
    const statement = {
      ...{ _type: 'https://in-toto.io/Statement/v1', predicateType: 'p', predicate: {} },
      subject: [{ name: 'a', digest: { sha256: 'a'.repeat(64) } }],
    };
    assert.ok(parseStatement(Buffer.from(JSON.stringify(statement))) !== null);
    assert.equal(parseStatement(Buffer.from(twice(statement, 'predicateType'))), null);
  });
  test('in a manifest of a registry, and in one of Kubernetes', () => {
    const manifest = { schemaVersion: 2, config: { digest: DIGEST } };
    assert.ok(readJson(Buffer.from(JSON.stringify(manifest))) !== null);
    assert.equal(readJson(Buffer.from(twice(manifest, 'digest'))), null);
    const pod = { apiVersion: 'v1', kind: 'Pod', spec: { containers: [{ name: 'a', image: 'b' }] } };
    assert.equal([...readManifestDocuments(JSON.stringify(pod), 'f')].length, 1);
    assert.notEqual(
      said(() => [...readManifestDocuments(twice(pod, 'image'), 'f')]),
      'read',
    );
  });
});
