import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { asksNobody } from '../../src/app/running/offline.ts';
import { makeCertificate } from '../app/certificate.ts';
import { freePort, Reviewing, statusOf } from '../daemon/parts.ts';
import { readLayout, unpack, type Header, type Image } from './layout.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const USER = 65532;
const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'ipo-image-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Where the image's own packages are kept for the next run. */
const CACHE = join(ROOT, 'node_modules/.cache/image');

function makeImage(out: string, env: Record<string, string> = {}, args: string[] = []): Promise<unknown> {
  return run(
    process.execPath,
    [join(ROOT, 'scripts/image.ts'), '--out', join(folder, out), '--level', '1', ...args],
    {
      env: {
        PATH: process.env['PATH'] ?? '',
        IPO_IMAGE_CACHE: CACHE,
        SOURCE_DATE_EPOCH: '1790000000',
        ...env,
      },
    },
  );
}

/** Why there can be no image here; false where there can. */
async function withoutImage(): Promise<string | false> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'the image is unpacked and run by root on Linux';
  for (const program of ['apt-get', 'dpkg-deb', 'unshare', 'chroot', 'openssl'])
    if (!['/usr/bin', '/usr/sbin', '/bin', '/sbin'].some((path) => existsSync(join(path, program))))
      return `${program} is not at hand`;
  if (!existsSync(join(ROOT, 'dist/main.cjs'))) return 'dist/ is not built: npm run build';
  try {
    await makeImage('first');
    return false;
  } catch (error) {
    const text = String((error as { stderr?: string }).stderr ?? error);
    // Debian's mirrors drop a version once there is a newer one, and a machine may have no mirror at all.
    if (/apt-get|cannot download/.test(text))
      return 'the pinned packages of Debian cannot be downloaded here';
    throw error;
  }
}

const skip = await withoutImage();

suite('the image', { skip }, () => {
  let image: Image;
  let headers: Header[];
  const root = join(folder, 'root');
  before(async () => {
    const [only, ...others] = readLayout(join(folder, 'first'));
    assert.ok(only !== undefined && others.length === 0);
    image = only;
    headers = await unpack(image, root);
  });

  test('has the same bytes when it is made again, with another clock, umask, zone and language', async () => {
    const before = process.umask(0o077);
    try {
      await makeImage('second', { TZ: 'Pacific/Kiritimati', LC_ALL: 'C' });
    } finally {
      process.umask(before);
    }
    assert.deepEqual(readFileSync(join(folder, 'second.tar')), readFileSync(join(folder, 'first.tar')));
  });

  test('is at most 75 MB, compressed as little as can be', () => {
    const size = image.layers.reduce((sum, layer) => sum + layer.size, 0);
    assert.ok(size < 75e6, `${size} bytes`);
  });

  test('says what it is, and runs without rights, without a shell', () => {
    const { config } = image.config;
    assert.equal(config['User'], '65532:65532');
    assert.deepEqual(config['Entrypoint'], [
      '/usr/local/bin/node',
      '--max-semi-space-size=16',
      '--heap-growing-percent=40',
      '/app/daemon/ipod.cjs',
    ]);
    assert.equal(config.Labels['org.opencontainers.image.title'], 'image-policy-operator');
    assert.equal(config.Labels['org.opencontainers.image.licenses'], 'Apache-2.0');
    assert.match(config.Labels['org.opencontainers.image.created'] ?? '', /^2026-09-21T/);
    const programs = headers.filter(({ path, type }) => type === 'file' && /(?:^|\/)s?bin\//.test(path));
    assert.deepEqual(
      programs.map(({ path }) => path).filter((path) => !path.startsWith('app/')),
      ['usr/bin/chrt', 'usr/local/bin/node', 'usr/local/bin/ipo', 'usr/local/bin/ipod'],
    );
  });

  test('has no file that its user may write, and none with more rights than its caller', () => {
    const writable = headers.filter(
      ({ mode, uid, type }) =>
        type !== 'symlink' && (uid === USER || (mode & 0o022) !== 0 || (mode & 0o6000) !== 0),
    );
    assert.deepEqual(
      writable.map(({ path }) => path),
      ['var/lib/ipo/'],
    );
    assert.ok(headers.every(({ time }) => time === 1790000000));
  });

  test('tells scanners its system and its packages', () => {
    assert.match(readFileSync(join(root, 'usr/lib/os-release'), 'utf8'), /^ID=debian$/m);
    for (const name of ['libc6', 'libstdc++6', 'ca-certificates', 'tzdata'])
      assert.match(
        readFileSync(join(root, 'var/lib/dpkg/status.d', name), 'utf8'),
        new RegExp(`^Package: ${name.replaceAll('+', '\\+')}$`, 'm'),
      );
    const authorities = readFileSync(join(root, 'etc/ssl/certs/ca-certificates.crt'), 'utf8');
    assert.ok(authorities.split('-----BEGIN CERTIFICATE-----').length > 100);
  });

  test('has the licence of everything that is in it', () => {
    const paths = new Set(headers.map(({ path }) => path));
    for (const path of ['app/LICENSE', 'usr/share/doc/node/LICENSE', 'usr/share/doc/libc6/copyright'])
      assert.ok(paths.has(path), path);
  });

  test('runs as its user on a read-only root: probes, a review, and a stop', async () => {
    const data = join(folder, 'data');
    mkdirSync(data);
    for (const name of ['dev', 'proc']) mkdirSync(join(root, name), { recursive: true });
    const { cert, key } = makeCertificate(data, 'webhook');
    for (const path of [data, cert, key]) chownSync(path, USER, USER);
    chmodSync(data, 0o700);
    const [port, api] = [await freePort(), await freePort()];
    const child = spawn('unshare', ['--mount', 'sh', '-euc', ENTER, 'sh', root, data, ...entrypoint(image)], {
      env: {
        ...Object.fromEntries((image.config.config['Env'] as string[]).map((line) => line.split(/=(.*)/s))),
        ...asksNobody(),
        PATH: '/usr/local/bin:/usr/bin:/usr/sbin:/bin:/sbin',
        IPO_LISTEN: `127.0.0.1:${api}`,
        IPO_WEBHOOK_LISTEN: `127.0.0.1:${port}`,
        IPO_WEBHOOK_CERTIFICATES_SOURCE: 'files',
        IPO_WEBHOOK_CERTIFICATES_CERT_FILE: '/var/lib/ipo/webhook.crt',
        IPO_WEBHOOK_CERTIFICATES_KEY_FILE: '/var/lib/ipo/webhook.key',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let log = '';
    for (const out of [child.stdout, child.stderr])
      out.on('data', (text: Buffer) => (log += text.toString()));
    const ended = new Promise((done) => child.once('close', done));
    try {
      for (let tries = 0; (await statusOf(port, '/readyz')) !== 200; tries += 1) {
        assert.ok(tries < 300 && child.exitCode === null, log);
        await sleep(200);
      }
      assert.equal(await statusOf(port, '/livez'), 200);
      const reviewing = new Reviewing(port, 1);
      await reviewing.answered(3);
      await reviewing.end();
      const health = await fetch(`http://127.0.0.1:${api}/healthz`);
      assert.equal(health.status, 200);
    } finally {
      child.kill('SIGTERM');
    }
    assert.equal(await ended, 0, log);
    assert.ok(existsSync(join(data, 'ipo.db')), log);
  });

  test('has ipo on its PATH', async () => {
    const { stdout } = await run(
      'chroot',
      ['--userspec=65532:65532', root, '/usr/local/bin/ipo', 'version'],
      {
        env: { PATH: '/usr/local/bin:/usr/bin:/usr/sbin:/bin:/sbin' },
      },
    );
    assert.match(stdout, /Node\.js/);
  });

  test('has the program that lets background work go behind the webhook', async () => {
    const words = [
      '--userspec=65532:65532',
      root,
      '/usr/bin/chrt',
      '--idle',
      '0',
      '/usr/bin/chrt',
      '--pid',
      '0',
    ];
    const { stdout } = await run('chroot', words);
    assert.match(stdout, /policy: SCHED_IDLE$/m);
  });

  test('takes Trivy as a layer of its own, if it is the pinned program', async () => {
    const trivy = join(folder, 'trivy');
    execFileSync('sh', ['-c', `printf '#!/bin/true\\n' > ${trivy}`]);
    const digest = execFileSync('sha256sum', [trivy], { encoding: 'utf8' }).slice(0, 64);
    await makeImage('scanner', {}, ['--trivy', trivy, '--trivy-sha256', digest]);
    const [withTrivy] = readLayout(join(folder, 'scanner'));
    assert.equal(withTrivy?.layers.length, image.layers.length + 1);
    assert.deepEqual(
      withTrivy?.config.rootfs.diff_ids.slice(0, image.layers.length),
      image.config.rootfs.diff_ids,
    );
    await assert.rejects(
      makeImage('other', {}, ['--trivy', trivy, '--trivy-sha256', '0'.repeat(64)]),
      /SHA-256 is/,
    );
    assert.ok(!existsSync(join(folder, 'other')));
  });
});

/** A mount namespace of its own: the image read-only, the volume in its place, and what every container runtime mounts. */
const ENTER = `root=$1 data=$2; shift 2
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount --rbind /dev "$root/dev"
mount --rbind /proc "$root/proc"
mount --bind "$data" "$root/var/lib/ipo"
exec chroot --userspec=${USER}:${USER} "$root" "$@"`;

function entrypoint(image: Image): string[] {
  return image.config.config['Entrypoint'] as string[];
}
