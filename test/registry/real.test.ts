import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { dockerKeychain } from '../../src/adapters/registry/index.ts';
import { makeCertificate, withoutOpenssl } from '../app/certificate.ts';
import { startFakeRegistry } from './fake-registry.ts';
import { imageOf, push } from './images.ts';
import { ask, basic, faultOf, openClient, referenceTo } from './open.ts';
import { programOf, skipReal, startRealRegistry } from './real-registry.ts';

const run = promisify(execFile);
const COSIGN = programOf('cosign', 'COSIGN_BIN');
const skipCosign =
  skipReal === false ? COSIGN === null && 'cosign is neither on the PATH nor named by COSIGN_BIN' : skipReal;

/** Of the password `canary-pass`, by bcrypt. */
const HASH = '$2b$04$PaW9VGXPIlH.SO5PukXjhODjzVD3sq8vBE0QG2V.jsWl64v9/.wKq';

function directory(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'ipo-real-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

suite('a registry with a password and its own authority', () => {
  test('docker-registry with both', { skip: skipReal === false ? withoutOpenssl : skipReal }, async (t) => {
    const home = directory(t);
    const made = makeCertificate(home, 'registry');
    const tls = { cert: readFileSync(made.cert, 'utf8'), key: readFileSync(made.key, 'utf8') };
    const real = await startRealRegistry(t, { htpasswd: { user: 'me', hash: HASH }, tls });
    const reference = referenceTo(real.host, 'shop/web:1');

    const strange = await faultOf(openClient(t).digestOf(reference, ask));
    assert.deepEqual([strange.fault, /speaks TLS/.test(strange.message)], ['refused', true]);
    const hosts = [{ host: real.host, plainHttp: false }];
    const untrusted = await faultOf(openClient(t, { hosts }).digestOf(reference, ask));
    assert.deepEqual(
      [untrusted.fault, /no trusted authority/.test(untrusted.message)],
      ['unavailable', true],
    );

    const trusting = [{ host: real.host, plainHttp: false, ca: tls.cert }];
    assert.equal(
      (await faultOf(openClient(t, { hosts: trusting }).digestOf(reference, ask))).fault,
      'denied',
    );
    mkdirSync(join(home, '.docker'));
    const config = (password: string): void =>
      writeFileSync(
        join(home, '.docker', 'config.json'),
        JSON.stringify({
          auths: { [real.host]: { auth: Buffer.from(`me:${password}`).toString('base64') } },
        }),
      );
    config('wrong');
    const keychain = dockerKeychain({}, home);
    const registry = openClient(t, { hosts, ca: tls.cert, keychain });
    assert.equal((await faultOf(registry.digestOf(reference, ask))).fault, 'denied');
    config('canary-pass');
    assert.equal((await faultOf(registry.digestOf(reference, ask))).fault, 'absent');
  });

  test(
    'a registry that leads from https down to plain HTTP is not followed',
    { skip: withoutOpenssl },
    async (t) => {
      const made = makeCertificate(directory(t), 'registry');
      const [cert, key] = [readFileSync(made.cert, 'utf8'), readFileSync(made.key, 'utf8')];
      const plain = await startFakeRegistry(t);
      const fake = await startFakeRegistry(t, { cert, key });
      fake.answering = (_, response) => {
        response.writeHead(307, { location: `${plain.url}/x` }).end();
        return true;
      };
      const registry = openClient(t, { hosts: [{ host: fake.host, plainHttp: false, ca: cert }] });
      const error = await faultOf(registry.manifest(referenceTo(fake.host, 'a/b'), '1', ask));
      assert.deepEqual([error.fault, plain.asked.length], ['refused', 0], error.message);
    },
  );

  test('docker-registry with a password, over plain HTTP', { skip: skipReal }, async (t) => {
    const real = await startRealRegistry(t, { htpasswd: { user: 'me', hash: HASH } });
    const { manifest, blobs } = imageOf('web', { labels: { a: 'b' } });
    const authorization = basic('me', 'canary-pass');
    await push(real.url, 'shop/web', { blobs, manifests: [{ content: manifest, as: '1' }], authorization });
    const home = directory(t);
    writeFileSync(
      join(home, 'config.json'),
      JSON.stringify({ auths: { [real.host]: { username: 'me', password: 'canary-pass' } } }),
    );
    const registry = openClient(t, { keychain: dockerKeychain({ DOCKER_CONFIG: home }, '') });
    const reference = referenceTo(real.host, 'shop/web:1');
    const { image } = await registry.platformImage(reference, null, ask);
    assert.deepEqual((await registry.config(reference, image, ask)).labels, { a: 'b' });
  });
});

suite('what cosign leaves in a registry', { skip: skipCosign }, () => {
  test('signatures and attestations, by tag and as bundles', async (t) => {
    const real = await startRealRegistry(t);
    const home = directory(t);
    const { manifest, blobs } = imageOf('signed');
    await push(real.url, 'shop/signed', { blobs, manifests: [{ content: manifest, as: '1' }] });
    const env = { ...process.env, HOME: home, COSIGN_PASSWORD: '', DOCKER_CONFIG: home };
    const cosign = (...args: string[]) => run(COSIGN ?? '', args, { cwd: home, env, timeout: 60_000 });
    await cosign('generate-key-pair');
    writeFileSync(join(home, 'predicate.json'), '{"made":"here"}');
    const target = `${real.host}/shop/signed@${manifest.digest}`;
    const own = [
      '--key',
      'cosign.key',
      '--yes',
      '--allow-insecure-registry',
      '--tlog-upload=false',
      '--use-signing-config=false',
    ];
    await cosign('sign', ...own, '--new-bundle-format=false', target);
    await cosign(
      'attest',
      ...own,
      '--new-bundle-format=false',
      '--type',
      'custom',
      '--predicate',
      'predicate.json',
      target,
    );
    await cosign('sign', ...own, '--new-bundle-format=true', target);

    const registry = openClient(t);
    const reference = referenceTo(real.host, 'shop/signed:1');
    const sig = await registry.attached(reference, manifest.digest, 'sig', ask);
    const [layer] = sig?.layers ?? [];
    assert.match(layer?.annotations['dev.cosignproject.cosign/signature'] ?? '', /^[A-Za-z0-9+/]+=*$/);
    const payload = await registry.blob(reference, layer ?? assert.fail(), { ...ask, maxBytes: 65_536 });
    const said = JSON.parse(Buffer.from(payload).toString('utf8')) as {
      critical: { image: Record<string, string> };
    };
    assert.equal(said.critical.image['docker-manifest-digest'], manifest.digest);
    assert.ok((await registry.attached(reference, manifest.digest, 'att', ask)) !== null);
    assert.equal(await registry.attached(reference, manifest.digest, 'sbom', ask), null);
    const { source, descriptors } = await registry.referrers(reference, manifest.digest, ask);
    assert.deepEqual([source, descriptors.length], ['tag', 1]);
    const bundle = await registry.manifest(reference, descriptors[0]?.digest ?? '', ask);
    assert.equal(bundle.subject?.digest, manifest.digest);
  });
});
