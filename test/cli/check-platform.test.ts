import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { CheckDocument } from '../../src/checks/index.ts';
import { ipo } from './fake-terminal.ts';

const directory = mkdtempSync(join(tmpdir(), 'ipo-check-platform-'));
after(() => rmSync(directory, { recursive: true, force: true }));

function file(name: string, lines: readonly object[]): string {
  const path = join(directory, name);
  writeFileSync(path, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
  return path;
}

const INDEX = `sha256:${'a'.repeat(64)}`;
const IMAGE = `ghcr.io/acme/web@${INDEX}`;
const AT = '2026-11-19T06:00:00Z';
const policy = file('policy.json', [
  {
    ...{ apiVersion: 'ipo.dev/v1', kind: 'ImagePolicy', metadata: { name: 'shop' } },
    spec: { enforcement: 'Enforce', severityThreshold: 'CRITICAL', admissionTiming: 'DenyUntilScanned' },
  },
]);
const platformOf = (platform: string, scanned = true): object => ({
  ...{ platform, digest: `sha256:${'c'.repeat(64)}`, scanned, scanned_at: scanned ? AT : null, os: null },
});

/** An index whose image for arm64 alone has a critical finding. */
function ledgerOf(name: string, platforms: readonly object[] | null): string {
  const finding = {
    ...{ cve: 'CVE-2026-1', severity: 'CRITICAL', package: 'openssl', installed: '1', fixed: '2' },
    ...{ known_exploited: false, triaged_until: null },
    ...(platforms !== null && { platforms: ['linux/arm64'] }),
  };
  const scanner = { name: 'trivy', version: '1', db_updated_at: null };
  const scan = { scanned_at: AT, scanner, os: null, findings: [finding], ...(platforms && { platforms }) };
  const proofs = { signatures: [], attestations: [], provenance: [], vex: [] };
  return file(name, [
    {
      ...{ type: 'header', format: 'ipo.ledger/1', exported_at: '2026-11-20T06:00:00Z', cluster: null },
      ...{ rows: 0, images: 1 },
    },
    { type: 'image', digest: INDEX, names: ['ghcr.io/acme/web:1'], scan, ...proofs },
  ]);
}

const index = ledgerOf('index.ndjson', [
  platformOf('linux/amd64'),
  platformOf('linux/arm64'),
  platformOf('linux/s390x', false),
]);

async function check(...args: readonly string[]) {
  const { code, out, err } = await ipo(['check', '-o', 'json', '-p', policy, ...args]);
  const document = JSON.parse(out) as CheckDocument;
  const { label, platform, warnings } = document.results[0] ?? assert.fail('no result');
  return { code, label, platform, warnings, err };
}

test('an index is judged by the scan of the platform that is asked for, without one by the worst of all', async () => {
  const scanned = ledgerOf('scanned.ndjson', [platformOf('linux/amd64'), platformOf('linux/arm64')]);
  const seen = async (...flags: readonly string[]) => {
    const { code, label, platform, warnings } = await check('-l', scanned, ...flags, IMAGE);
    assert.deepEqual(warnings, []);
    return [code, label, platform];
  };
  assert.deepEqual(await seen(), [1, 'threshold', null]);
  assert.deepEqual(await seen('--platform', 'linux/arm64'), [1, 'threshold', 'linux/arm64']);
  assert.deepEqual(await seen('--platform', 'linux/amd64'), [0, null, 'linux/amd64']);
  // As the tools of the field write it, and as a node of it picks its image.
  assert.deepEqual(await seen('--platform', 'linux/x86_64'), [0, null, 'linux/amd64']);
  assert.deepEqual(await seen('--platform', 'linux/arm64/v9', '--strict'), [1, 'threshold', 'linux/arm64']);
  assert.deepEqual(await seen('--platform', 'linux/amd64', '--strict'), [0, null, 'linux/amd64']);
});

test('a platform that was not scanned keeps no other from an answer', async () => {
  assert.equal((await check('-l', index, IMAGE)).label, 'unscanned');
  assert.deepEqual((await check('-l', index, '--platform', 'linux/amd64', IMAGE)).code, 0);
});

test('an image that lacks the platform, or its scan, says so, and is judged by the worst', async () => {
  const lacks = await check('-l', index, '--platform', 'linux/riscv64', IMAGE);
  assert.deepEqual(
    [lacks.code, lacks.label, lacks.platform, lacks.warnings],
    [
      ...[1, 'unscanned', null],
      [
        'no image for linux/riscv64 is known behind this reference: judged by the worst of linux/amd64, linux/arm64',
      ],
    ],
  );
  const waits = await check('-l', index, '--platform', 'linux/s390x', IMAGE);
  assert.deepEqual(
    [waits.code, waits.warnings],
    [1, ['its image for linux/s390x is not scanned: judged by the worst of linux/amd64, linux/arm64']],
  );
  const table = await ipo(['check', '-p', policy, '-l', index, '--platform', 'windows/amd64', IMAGE]);
  assert.match(
    table.out.replaceAll(/\s+/g, ' '),
    /no image for windows\/amd64 is known behind this reference/,
  );
});

test('what is admitted without the platform is inconclusive under --strict', async () => {
  const one = ledgerOf('one.ndjson', [platformOf('linux/amd64')]);
  const report = reportOf('clean.json', 'amd64', []);
  for (const flags of [
    ['-t', report],
    ['-l', one, '-t', report],
  ]) {
    const args = [...flags, '--platform', 'linux/arm64', IMAGE];
    const loose = await check('--offline', ...args);
    assert.deepEqual([loose.code, loose.label], [0, null], loose.err);
    const strict = await check('--offline', '--strict', ...args);
    assert.equal(strict.code, 5);
    assert.match(strict.err, /--strict: one image has no scan for the platform that was asked for/);
  }
});

test('an image that is scanned as a whole is judged by that scan, whatever the platform', async () => {
  const whole = ledgerOf('whole.ndjson', null);
  const { code, label, platform, warnings } = await check('-l', whole, '--platform', 'linux/amd64', IMAGE);
  assert.deepEqual([code, label, platform, warnings], [1, 'threshold', null, []]);
});

test('of reports on several platforms the one of the platform counts, and none goes before the recorded scan of it', async () => {
  const clean = reportOf('amd64.json', 'amd64', []);
  const bad = reportOf('arm64.json', 'arm64', ['CVE-2026-9']);
  const both = ['-t', clean, '-t', bad, '--offline'];
  const amd = await check(...both, '--platform', 'linux/amd64', IMAGE);
  assert.equal(amd.code, 0);
  assert.doesNotMatch(amd.err, /not one of the checked images/);
  const arm = await check('-t', bad, '-t', clean, '--offline', '--platform', 'linux/arm64', IMAGE);
  assert.deepEqual([arm.code, arm.label, arm.platform], [1, 'threshold', 'linux/arm64']);
  // The report is of amd64, which says nothing of arm64.
  const recorded = await check('-l', index, '-t', clean, '--platform', 'linux/arm64', IMAGE);
  assert.deepEqual([recorded.code, recorded.label, recorded.platform], [1, 'threshold', 'linux/arm64']);
  assert.doesNotMatch(recorded.err, /not one of the checked images/);
});

for (const bad of ['arm64', '', 'linux/', '/arm64', 'linux/arm/v7/x', 'linux amd64', 'unknown/unknown']) {
  test(`--platform ${JSON.stringify(bad)} is wrong usage`, async () => {
    const { code, err } = await ipo(['check', '-p', policy, '--platform', bad, IMAGE]);
    assert.equal(code, 2);
    assert.ok(err.includes(`--platform ${bad || '""'}: not a valid platform`), err);
    assert.match(err, /Write it as OS\/ARCH or OS\/ARCH\/VARIANT, such as linux\/arm64/);
  });
}

function reportOf(name: string, architecture: string, cves: readonly string[]): string {
  return file(name, [
    {
      ...{ SchemaVersion: 2, CreatedAt: AT, ArtifactName: 'ghcr.io/acme/web:1' },
      ArtifactType: 'container_image',
      Metadata: {
        RepoDigests: [`ghcr.io/acme/web@${INDEX}`],
        ImageConfig: { architecture, os: 'linux' },
      },
      Results: [
        {
          Class: 'os-pkgs',
          Vulnerabilities: cves.map((cve) => ({
            ...{ VulnerabilityID: cve, PkgName: 'zlib', InstalledVersion: '1', Severity: 'CRITICAL' },
          })),
        },
      ],
    },
  ]);
}
