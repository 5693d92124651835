import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, suite, test } from 'node:test';
import { parse } from 'yaml';
import { sha256Hex } from '../../src/base/index.ts';
import { readLayout } from './layout.ts';
import { testProgram } from './release-program.ts';
import { testSigned } from './release-signed.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const VERSION = '9.8.7-rc.1';
const folder = mkdtempSync(join(tmpdir(), 'ipo-release-test-'));
const out = join(folder, 'release');
const arch = process.arch === 'arm64' ? 'arm64' : 'amd64';
const SOURCE = 'https://git.example.com/acme/ipo';
const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
after(() => rmSync(folder, { recursive: true, force: true }));

function release(...args: string[]): ReturnType<typeof spawnSync> & { stdout: string; stderr: string } {
  return spawnSync(process.execPath, [join(ROOT, 'scripts/release.ts'), ...args], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '', HOME: folder, SOURCE_DATE_EPOCH: '1790000000' },
  });
}

/** Why no release can be made here; false where one was. */
function withoutRelease(): string | false {
  if (process.platform !== 'linux' || !existsSync('/usr/bin/dpkg-deb'))
    return 'the image is made of packages of Debian';
  writeFileSync(join(folder, 'ipo.pub'), keys.publicKey.export({ type: 'spki', format: 'pem' }));
  const made = release(
    ...['--version', VERSION, '--out', out, '--arch', arch, '--level', '1'],
    ...['--source', SOURCE, '--registry', 'registry.example.com/acme'],
    ...['--public-key', join(folder, 'ipo.pub')],
  );
  if (made.status === 0) return false;
  if (/apt-get|cannot download/.test(made.stderr))
    return 'the pinned packages of Debian cannot be downloaded here';
  throw new Error(made.stderr);
}

const PROGRAM = `ipo-${VERSION}-linux-${arch}.tar.gz`;
const file = (name: string): string => readFileSync(join(out, name), 'utf8');
const inside = (archive: string, path: string): string =>
  execFileSync('tar', ['-xzOf', join(out, archive), path], { encoding: 'utf8' });

suite('a release', { skip: withoutRelease() }, () => {
  test('has a sum for each file', () => {
    const checked = spawnSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], {
      cwd: out,
      encoding: 'utf8',
    });
    assert.equal(checked.status, 0, checked.stdout);
    for (const name of ['image.tar', 'sbom.cdx.json', 'provenance.json', 'ipo.rb', 'ipo.yaml', PROGRAM])
      assert.match(checked.stdout, new RegExp(`^${name}: OK$`, 'm'));
  });

  test('has a package of its version, with the programs and nothing for working on the project', () => {
    const manifest = JSON.parse(
      inside(`image-policy-operator-${VERSION}.tgz`, 'package/package.json'),
    ) as Record<string, unknown>;
    assert.equal(manifest['version'], VERSION);
    for (const left of ['scripts', 'devDependencies', 'allowScripts']) assert.ok(!(left in manifest), left);
    const listed = execFileSync('tar', ['-tzf', join(out, `image-policy-operator-${VERSION}.tgz`)], {
      encoding: 'utf8',
    });
    assert.doesNotMatch(listed, /\.ts$|\/test\//m);
    assert.match(listed, /package\/dist\/THIRD-PARTY\.txt/);
  });

  test('has its version in the programs, which the clone has not', () => {
    const text = inside(`image-policy-operator-${VERSION}.tgz`, 'package/dist/main.cjs');
    assert.ok(text.includes(VERSION));
  });

  test('has a chart that installs the image by its digest', () => {
    const chart = `image-policy-operator-chart-${VERSION}.tgz`;
    const listed = parse(inside(chart, 'image-policy-operator/Chart.yaml'));
    const note = (name: string) => parse(listed.annotations[`artifacthub.io/${name}`]);
    assert.deepEqual([listed.version, listed.appVersion], [VERSION, VERSION]);
    const download = `${SOURCE}/releases/download/v${VERSION}`;
    assert.deepEqual([listed.sources, listed.icon], [[SOURCE], `${download}/icon.svg`]);
    assert.deepEqual(note('signKey'), {
      fingerprint: sha256Hex(createPublicKey(file('ipo.pub')).export({ type: 'spki', format: 'der' })),
      url: `${download}/ipo.pub`,
    });
    const image = `registry.example.com/acme/image-policy-operator@${file('image.digest').trim()}`;
    assert.deepEqual(
      note('images').map((one: { image: string }) => one.image),
      [image],
    );
    assert.equal(note('prerelease'), true);
    assert.ok(note('changes').length > 0);
    const layout = JSON.parse(file('chart/index.json')) as { manifests: { digest: string }[] };
    assert.equal(layout.manifests[0]?.digest, file('chart.digest').trim());
    assert.match(
      inside(chart, 'image-policy-operator/values.yaml'),
      /^ {2}registry: "registry\.example\.com\/acme"$/m,
    );
    const digest = file('image.digest').trim();
    for (const name of ['values.yaml', 'files/defaults.yaml'])
      assert.ok(inside(chart, `image-policy-operator/${name}`).includes(`  digest: "${digest}"`), name);
    const [amd64] = readLayout(join(out, 'image'));
    assert.equal(amd64?.config.config.Labels['org.opencontainers.image.version'], VERSION);
    const index = JSON.parse(file('image/index.json')) as { manifests: { digest: string }[] };
    assert.equal(index.manifests[0]?.digest, digest);
  });

  test('has an SBOM of everything in the image', () => {
    const sbom = JSON.parse(file('sbom.cdx.json')) as {
      specVersion: string;
      serialNumber: string;
      components: { 'bom-ref': string; purl: string; licenses?: { expression: string }[] }[];
      dependencies: { dependsOn: string[] }[];
    };
    assert.equal(sbom.specVersion, '1.6');
    assert.match(
      sbom.serialNumber,
      /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    const refs = sbom.components.map((component) => component['bom-ref']);
    assert.equal(new Set(refs).size, refs.length);
    assert.deepEqual(sbom.dependencies[0]?.dependsOn, refs);
    for (const start of [
      'pkg:deb/debian/libc6@',
      'pkg:generic/node@24.',
      'pkg:npm/better-sqlite3@',
      'pkg:npm/zod@',
      'pkg:npm/%40octokit/',
    ])
      assert.ok(
        refs.some((ref) => ref.startsWith(start)),
        start,
      );
    for (const { purl, licenses } of sbom.components)
      if (purl.startsWith('pkg:npm/')) assert.ok((licenses?.[0]?.expression ?? '') !== '', purl);
  });

  test('has a provenance', () => {
    const { buildDefinition } = JSON.parse(file('provenance.json')) as {
      buildDefinition: {
        externalParameters: { version: string };
        resolvedDependencies: { digest: object }[];
      };
    };
    assert.equal(buildDefinition.externalParameters.version, VERSION);
    assert.ok(buildDefinition.resolvedDependencies.length > 10);
  });

  test('has a formula and a krew manifest that download what the release has', () => {
    const sum = (name: string): string => sha256Hex(readFileSync(join(out, name)));
    const url = `${SOURCE}/releases/download/v${VERSION}/${PROGRAM}`;
    const formula = file('ipo.rb');
    for (const text of [url, sum(PROGRAM), sum(`image-policy-operator-${VERSION}.tgz`)])
      assert.ok(formula.includes(`"${text}"`), text);
    if (spawnSync('ruby', ['--version']).status === 0)
      assert.equal(spawnSync('ruby', ['-c', join(out, 'ipo.rb')]).status, 0);
    const { metadata, spec } = parse(file('ipo.yaml'));
    assert.deepEqual([metadata.name, spec.version], ['ipo', `v${VERSION}`]);
    assert.deepEqual(spec.platforms, [
      {
        selector: { matchLabels: { os: 'linux', arch } },
        uri: url,
        sha256: sum(PROGRAM),
        files: ['ipo', 'LICENSE', 'LICENSE-NODE', 'THIRD-PARTY.txt'].map((from) => ({ from, to: '.' })),
        bin: 'ipo',
      },
    ]);
    const packed = execFileSync('tar', ['-tzf', join(out, PROGRAM)], { encoding: 'utf8' }).split('\n');
    for (const name of ['ipo', 'LICENSE', 'LICENSE-NODE', 'THIRD-PARTY.txt', 'man/ipo.1'])
      assert.ok(packed.includes(name), name);
  });

  testProgram({ folder, out, archive: PROGRAM, version: VERSION });
  testSigned({ folder, out, archive: PROGRAM, version: VERSION, privateKey: keys.privateKey });

  test('does not mix with what is there', () => {
    const again = release('--version', VERSION, '--out', out);
    assert.equal(again.status, 2);
    assert.match(again.stderr, /is not empty/);
  });
});

test('a release needs a version, and what is published a registry and a key', () => {
  assert.match(release('--version', 'v1').stderr, /such as 1\.4\.0/);
  assert.match(release('--version', '1.0.0', '--publish').stderr, /needs --registry and --key/);
});

test('the workflow makes a release by the one command', () => {
  const workflow = readFileSync(join(ROOT, '.github/workflows/release.yml'), 'utf8');
  assert.equal(workflow.match(/npm run/g)?.length, 1);
  assert.match(workflow, /npm run release -- --version "\$\{GITHUB_REF_NAME#v\}" --publish/);
});
