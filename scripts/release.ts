import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { sha256Hex } from '../src/base/index.ts';
import { sourceCommit } from './build/commit.ts';
import { ARCHITECTURES, readPins } from './image/pins.ts';
import { commitTime } from './image/source.ts';
import { packChart } from './release/chart.ts';
import { toFormula } from './release/formula.ts';
import { toProvenance } from './release/provenance.ts';
import { publishSteps } from './release/publish.ts';
import { toSbom } from './release/sbom.ts';

/** `npm run release`: makes everything that a release consists of, and publishes it if it is told to. The release workflow runs nothing else. */
const ROOT = resolve(import.meta.dirname, '..');
const USAGE = `Usage: npm run release -- --version VERSION [options]

Makes the npm package, the image, the chart, the SBOM, the provenance, the Homebrew formula and SHA256SUMS. Run npm ci and npm run build first.

  --version VERSION    version of the release, without a v
  --out FOLDER         where to write; it must be empty or absent (default: release)
  --arch LIST          processors of the image (default: amd64,arm64)
  --level N            how hard to compress the image, 1 to 9 (default: 9)
  --npm-url URL        address of the npm package in the Homebrew formula (default: the file's name)
  --publish            push, sign and publish; needs oras, cosign, helm and npm, signed in
  --registry NAME      with --publish: registry and path for image and chart, such as ghcr.io/acme
  --key KEY            with --publish: key of the keyed signature, as cosign takes it
  --print              with --publish: print the commands and run none
`;

const { values } = parseArgs({
  options: {
    version: { type: 'string' },
    out: { type: 'string', default: 'release' },
    arch: { type: 'string', default: ARCHITECTURES.join(',') },
    level: { type: 'string', default: '9' },
    'npm-url': { type: 'string' },
    publish: { type: 'boolean', default: false },
    registry: { type: 'string' },
    key: { type: 'string' },
    print: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) process.stdout.write(USAGE);
else await release();

async function release(): Promise<void> {
  const version = values.version ?? '';
  if (!/^\d+\.\d+\.\d+(?:-[0-9a-z.-]+)?$/.test(version))
    fail(`--version ${version}: such as 1.4.0 or 1.4.0-rc.1`);
  if (values.publish && (values.registry === undefined || values.key === undefined))
    fail('--publish needs --registry and --key');
  const out = resolve(ROOT, values.out);
  mkdirSync(out, { recursive: true });
  if (readdirSync(out).length > 0) fail(`${out} is not empty: a release must not mix with another`);

  const digest = makeImage(join(out, 'image'), version);
  const time = commitTime(ROOT);
  const created = new Date(time * 1000).toISOString().replace('.000Z', 'Z');
  const revision = sourceCommit(ROOT) ?? 'unknown';
  const pins = readPins();
  const architectures = ARCHITECTURES.filter((name) => values.arch.split(',').includes(name));
  const write = (name: string, content: string | Buffer): void => writeFileSync(join(out, name), content);
  packNpm(out, version);
  write(`image-policy-operator-chart-${version}.tgz`, await packChart(ROOT, version, digest, time));
  write('sbom.cdx.json', toSbom({ root: ROOT, version, revision, created, pins, architectures }));
  write('provenance.json', toProvenance({ version, revision, created, pins, env: process.env }));
  const npm = `image-policy-operator-${version}.tgz`;
  write(
    'ipo.rb',
    toFormula({ version, url: values['npm-url'] ?? npm, sha256: sha256Hex(readFileSync(join(out, npm))) }),
  );
  write('image.digest', `${digest}\n`);
  const sums = readdirSync(out, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => `${sha256Hex(readFileSync(join(out, name)))}  ${name}\n`)
    .toSorted((a, b) => (a.slice(66) < b.slice(66) ? -1 : 1));
  write('SHA256SUMS', sums.join(''));
  process.stdout.write(sums.join(''));
  if (!values.publish) return;
  for (const [program = '', ...args] of publishSteps({
    version,
    registry: values.registry ?? '',
    digest,
    folder: out,
    key: values.key ?? '',
  })) {
    process.stdout.write(`${[program, ...args].join(' ')}\n`);
    if (!values.print) execFileSync(program, args, { stdio: 'inherit' });
  }
}

/** Writes the image as `npm run image` does, and gives its digest. */
function makeImage(out: string, version: string): string {
  const args = ['--out', out, '--arch', values.arch, '--level', values.level, '--image-version', version];
  const said = execFileSync(
    process.execPath,
    [join(ROOT, 'scripts/image.ts'), ...args, '--name', `image-policy-operator:${version}`],
    { encoding: 'utf8' },
  );
  const [, digest] = /^(sha256:[0-9a-f]{64}) /m.exec(said) ?? [];
  return digest ?? fail(said);
}

/** Packs the npm package from a copy, so that the version of the release is in it and the clone stays as it is. */
function packNpm(out: string, version: string): void {
  const copy = mkdtempSync(join(tmpdir(), 'ipo-release-'));
  try {
    const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<
      string,
      unknown
    > & {
      files: string[];
    };
    for (const path of manifest.files) cpSync(join(ROOT, path), join(copy, path), { recursive: true });
    // What is for working on the project: nothing of it is in the package.
    const { scripts: _, devDependencies: __, allowScripts: ___, ...kept } = manifest;
    writeFileSync(join(copy, 'package.json'), `${JSON.stringify({ ...kept, version }, null, 2)}\n`);
    execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', out], {
      cwd: copy,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function fail(text: string): never {
  process.stderr.write(`${text}\n`);
  process.exit(2);
}
