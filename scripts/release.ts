import { execFileSync } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { sha256Hex } from '../src/base/index.ts';
import { sourceCommit } from './build/commit.ts';
import { ARCHITECTURES, readPins, type Architecture } from './image/pins.ts';
import { commitTime } from './image/source.ts';
import { packBinary } from './release/binary.ts';
import { packChart, toChartYaml, writeChartLayout, type ChartOf } from './release/chart.ts';
import { toFormula, type Download } from './release/formula.ts';
import { toKrew } from './release/krew.ts';
import { toProvenance } from './release/provenance.ts';
import { publishSteps } from './release/publish.ts';
import { toSbom } from './release/sbom.ts';

/** `npm run release`: makes everything that a release consists of, and publishes it if it is told to. The release workflow runs nothing else. */
const ROOT = resolve(import.meta.dirname, '..');
const USAGE = `Usage: npm run release -- --version VERSION [options]

Makes the npm package, the image, the standalone programs, the chart, the SBOM, the provenance, the Homebrew formula, the krew manifest and
SHA256SUMS. Run npm ci first.

  --version VERSION    version of the release, without a v
  --out FOLDER         where to write; it must be empty or absent (default: release)
  --arch LIST          processors of the image and the programs (default: amd64,arm64)
  --level N            how hard to compress, 1 to 9 (default: 9)
  --registry NAME      registry and path of image and chart, such as ghcr.io/acme
  --source URL         address of the sources (default: that of the workflow's repository)
  --download-url URL   where the files are downloaded (default: the release on GitHub of these sources; else the files' names)
  --public-key FILE    PEM file with the public half of the key that signs, which becomes a file of the release (with --publish: asked of cosign)
  --publish            push, sign and publish; needs --registry, --key, and oras, cosign and npm, signed in
  --key KEY            with --publish: key of the keyed signature, as cosign takes it
  --signing-config F   with --publish: services that log signatures, as cosign takes them
  --print              with --publish: print the commands and run none
`;

const { values } = parseArgs({
  options: {
    version: { type: 'string' },
    out: { type: 'string', default: 'release' },
    arch: { type: 'string', default: ARCHITECTURES.join(',') },
    level: { type: 'string', default: '9' },
    registry: { type: 'string' },
    source: { type: 'string' },
    'download-url': { type: 'string' },
    'public-key': { type: 'string' },
    publish: { type: 'boolean', default: false },
    key: { type: 'string' },
    'signing-config': { type: 'string' },
    print: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) process.stdout.write(USAGE);
else {
  const work = mkdtempSync(join(tmpdir(), 'ipo-release-'));
  try {
    await release(work);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function release(work: string): Promise<void> {
  const version = values.version ?? '';
  if (!/^\d+\.\d+\.\d+(?:-[0-9a-z.-]+)?$/.test(version))
    fail(`--version ${version}: such as 1.4.0 or 1.4.0-rc.1`);
  if (values.publish && (values.registry === undefined || values.key === undefined))
    fail('--publish needs --registry and --key');
  const out = resolve(ROOT, values.out);
  mkdirSync(out, { recursive: true });
  if (readdirSync(out).length > 0) fail(`${out} is not empty: a release must not mix with another`);

  const dist = join(work, 'dist');
  run('build.ts', '--out', dist, '--as-version', version);
  const digest = makeImage(join(out, 'image'), dist, version);
  const time = commitTime(ROOT);
  const created = new Date(time * 1000).toISOString().replace('.000Z', 'Z');
  const revision = sourceCommit(ROOT) ?? 'unknown';
  const pins = readPins();
  const architectures = ARCHITECTURES.filter((name) => values.arch.split(',').includes(name));
  const { source, download } = addresses(version);
  const write = (name: string, content: string | Buffer): Download => {
    writeFileSync(join(out, name), content);
    return { url: download === null ? name : `${download}/${name}`, sha256: sha256Hex(content) };
  };

  packNpm(out, dist, join(work, 'npm'), version);
  const npmName = `image-policy-operator-${version}.tgz`;
  const npm = write(npmName, readFileSync(join(out, npmName)));
  const linux: Record<Architecture, Download | null> = { amd64: null, arm64: null };
  for (const architecture of architectures)
    linux[architecture] = write(
      `ipo-${version}-linux-${architecture}.tar.gz`,
      await packBinary({
        ...{ root: ROOT, dist, architecture, time },
        pin: pins.node[architecture],
        level: Number(values.level),
        work: join(work, architecture),
      }),
    );
  const keyFingerprint = writeKey(out);
  const chartOf: ChartOf = {
    ...{ root: ROOT, version, digest, architectures, source, download, keyFingerprint, time },
    registry: values.registry ?? null,
  };
  const chart = await packChart(chartOf);
  write(`image-policy-operator-chart-${version}.tgz`, chart);
  const chartDigest = writeChartLayout(join(out, 'chart'), chart, {
    chartYaml: toChartYaml(chartOf),
    ...{ version, created },
  });
  copyFileSync(join(ROOT, 'charts/image-policy-operator/icon.svg'), join(out, 'icon.svg'));
  write('sbom.cdx.json', toSbom({ root: ROOT, dist, version, revision, created, pins, architectures }));
  write('provenance.json', toProvenance({ version, revision, created, pins, env: process.env }));
  write('ipo.rb', toFormula({ version, npm, linux }));
  write('ipo.yaml', toKrew({ version, linux }));
  write('image.digest', `${digest}\n`);
  write('chart.digest', `${chartDigest}\n`);
  const sums = readdirSync(out, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => `${sha256Hex(readFileSync(join(out, name)))}  ${name}\n`)
    .toSorted((a, b) => (a.slice(66) < b.slice(66) ? -1 : 1));
  write('SHA256SUMS', sums.join(''));
  process.stdout.write(sums.join(''));
  if (values.publish) publish(version, out, digest, chartDigest);
}

function publish(version: string, folder: string, digest: string, chartDigest: string): void {
  const steps = publishSteps({
    ...{ version, folder, digest, chartDigest },
    registry: values.registry ?? '',
    key: values.key ?? '',
    signingConfig: values['signing-config'] ?? null,
  });
  for (const [program = '', ...args] of steps) {
    process.stdout.write(`${[program, ...args].join(' ')}\n`);
    if (!values.print) execFileSync(program, args, { stdio: 'inherit' });
  }
}

/** Where the sources are and the files of the release will be, as far as that is known. */
function addresses(version: string): { source: string | null; download: string | null } {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env;
  const workflow = server === undefined || repository === undefined ? null : `${server}/${repository}`;
  const source = values.source ?? workflow;
  const standard = source === null ? null : `${source}/releases/download/v${version}`;
  return { source, download: values['download-url'] ?? standard };
}

/** Puts the public key into the release, and gives its fingerprint: the SHA-256 of its DER form. Null where no key is known. */
function writeKey(out: string): string | null {
  const pem = publicPart();
  if (pem === null) return null;
  const key = createPublicKey(pem);
  writeFileSync(join(out, 'ipo.pub'), key.export({ type: 'spki', format: 'pem' }));
  return sha256Hex(key.export({ type: 'spki', format: 'der' }));
}

/** The key that is given, else the public half of the one that will sign. */
function publicPart(): string | null {
  const { key, print, publish: isPublished, 'public-key': file } = values;
  if (file !== undefined) return readFileSync(file, 'utf8');
  if (!isPublished || print || key === undefined) return null;
  return execFileSync('cosign', ['public-key', '--key', key], { encoding: 'utf8' });
}

/** Runs another script of the project, and gives what it printed. */
function run(script: string, ...args: readonly string[]): string {
  return execFileSync(process.execPath, [join(ROOT, 'scripts', script), ...args], { encoding: 'utf8' });
}

/** Writes the image as `npm run image` does, and gives its digest. */
function makeImage(out: string, dist: string, version: string): string {
  const said = run(
    'image.ts',
    ...['--out', out, '--dist', dist, '--arch', values.arch, '--level', values.level],
    ...['--image-version', version, '--name', `image-policy-operator:${version}`],
  );
  const [, digest] = /^(sha256:[0-9a-f]{64}) /m.exec(said) ?? [];
  return digest ?? fail(said);
}

/** Packs the npm package from a copy, so that the version of the release is in it and the clone stays as it is. */
function packNpm(out: string, dist: string, copy: string, version: string): void {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<string, unknown> & {
    files: string[];
  };
  for (const path of manifest.files)
    cpSync(path === 'dist' ? dist : join(ROOT, path), join(copy, path), { recursive: true });
  // What is for working on the project: nothing of it is in the package.
  const { scripts: _, devDependencies: __, allowScripts: ___, ...kept } = manifest;
  writeFileSync(join(copy, 'package.json'), `${JSON.stringify({ ...kept, version }, null, 2)}\n`);
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', out], {
    cwd: copy,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

function fail(text: string): never {
  process.stderr.write(`${text}\n`);
  process.exit(2);
}
