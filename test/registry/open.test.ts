import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { clusterPullSecrets } from '../../src/adapters/kubernetes/pull-secrets.ts';
import { openServiceRegistry } from '../../src/app/scanning/registry.ts';
import { parseMirror, parseReference, parseRegistryHost } from '../../src/image/index.ts';
import { Hosts, isTokenHost } from '../../src/adapters/registry/hosts.ts';
import { makeCertificate, withoutOpenssl } from '../app/certificate.ts';
import { startFakeRegistry } from './fake-registry.ts';
import { imageOf, push } from './images.ts';
import { ask, openClient, passwordOf } from './open.ts';

const SILENT = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

suite('hosts and mirrors as they are written', () => {
  test('hosts', () => {
    for (const [text, wanted] of [
      ['docker.io', 'docker.io'],
      ['index.docker.io', 'docker.io'],
      ['Registry.Example:5000', 'registry.example:5000'],
      ['localhost', 'localhost'],
      ['[::1]:5000', '[::1]:5000'],
      ['registry', null],
      ['registry.example/path', null],
      ['https://registry.example', null],
      ['', null],
      ['/', null],
      ['a b.example', null],
      ['registry.example:x', null],
    ] as const)
      assert.equal(parseRegistryHost(text), wanted, text);
  });

  test('mirrors', () => {
    assert.deepEqual(parseMirror('mirror.example:5000'), { host: 'mirror.example:5000', prefix: '' });
    assert.deepEqual(parseMirror('mirror.example/proxy/hub/'), {
      host: 'mirror.example',
      prefix: 'proxy/hub',
    });
    for (const text of [
      'mirror',
      'mirror.example/UP',
      'mirror.example/../x',
      'https://mirror.example',
      'mirror.example/a:b',
      'm.example/a@b',
    ])
      assert.equal(parseMirror(text), null, text);
  });

  test('where a repository is asked for', () => {
    const mirrors = [{ host: 'mirror.example', prefix: 'hub' }];
    const hosts = new Hosts(
      [
        { host: 'docker.io', mirrors, tokenHosts: ['t'] },
        { host: 'plain.example:80', plainHttp: true },
      ],
      false,
    );
    const placesOf = (host: string): string[] =>
      hosts
        .endpointsOf({ host, path: 'a/b' })
        .map(({ origin, path, mirrorOf }) => `${origin.origin}/${path} ${mirrorOf}`);
    assert.deepEqual(placesOf('docker.io'), [
      'https://mirror.example/hub/a/b docker.io',
      'https://registry-1.docker.io/a/b null',
    ]);
    assert.deepEqual(placesOf('plain.example:80'), ['http://plain.example/a/b null']);
    assert.deepEqual(placesOf('localhost:5000'), ['https://localhost:5000/a/b null']);
    assert.deepEqual(
      hosts.reachOf('registry-1.docker.io').tokenHosts,
      ['t'],
      'Docker Hub by the name of its API',
    );
    assert.equal(hosts.reachOf('plain.example').plainHttp, true, 'as an address has it, without its port');
    const laptop = new Hosts([], true);
    assert.deepEqual(laptop.reachOf('k3d.localhost:5000').plainHttp, true);
    assert.deepEqual(laptop.reachOf('localhost.example:5000').plainHttp, false);
    assert.equal(hosts.reachOf('localhost:5000').loopback, false);
  });

  test('hosts of token services', () => {
    for (const [realm, registry, fits] of [
      ['https://auth.docker.io/token', 'https://registry-1.docker.io', true],
      ['https://gitlab.com/jwt/auth', 'https://registry.gitlab.com', true],
      ['https://gitlab.example.com/jwt/auth', 'https://registry.example.com', true],
      ['https://ghcr.io/token', 'https://ghcr.io', true],
      ['https://ghcr.io:8443/token', 'https://ghcr.io', true],
      ['https://auth.quay.io/token', 'https://quay.io', true],
      ['https://evil.io/token', 'https://ghcr.io', false],
      ['https://evilghcr.io/token', 'https://ghcr.io', false],
      ['https://evil-example.com/token', 'https://registry.example.com', false],
      ['https://io/token', 'https://ghcr.io', false],
      ['https://10.0.0.2/token', 'https://10.0.0.1', false],
      ['https://10.0.0.1/token', 'https://10.0.0.1', true],
      ['https://[::2]/token', 'https://[::1]', false],
      ['https://tokens.other.example/x', 'https://registry.example.com', true],
    ] as const)
      assert.equal(
        isTokenHost(new URL(realm), { origin: new URL(registry) }, ['tokens.other.example']),
        fits,
        realm,
      );
  });
});

suite('registries as a service asks them', () => {
  const settings = { hosts: [], tags: 'resolve' as const };

  test('the credentials of a pod go before those of the service', async (t) => {
    const fake = await startFakeRegistry(t);
    const made = imageOf('web');
    await push(fake.url, 'shop/web', { blobs: made.blobs, manifests: [{ content: made.manifest, as: '1' }] });
    const folder = mkdtempSync(join(tmpdir(), 'ipo-registries-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const dockerConfigFile = join(folder, 'config.json');
    const config = (user: string): string =>
      JSON.stringify({ auths: { [fake.host]: { username: user, password: 'p' } } });
    writeFileSync(dockerConfigFile, config('service'));
    const data = { '.dockerconfigjson': Buffer.from(config('pod')).toString('base64') };
    const api = { find: async <T>() => ({ type: 'kubernetes.io/dockerconfigjson', data }) as T };
    const opened = await openServiceRegistry({
      settings: {
        ...settings,
        dockerConfigFile,
        podSecrets: true,
        hosts: [{ host: fake.host, plainHttp: true, mirrors: [], mirrorsOnly: false, tokenHosts: [] }],
        platform: 'linux/amd64',
      },
      version: '1.2.3',
      pullSecrets: clusterPullSecrets({ api, monotonic: () => 0 }),
      ...{ clock: { now: () => 0 }, log: SILENT, count: { add: () => undefined } },
    });
    t.after(() => opened.close());
    const repository = { host: fake.host, path: 'shop/web' };
    const keychain = await opened.keychainOf({ namespace: 'shop', pullSecrets: ['s'], serviceAccount: null });
    const names = (await keychain.credentialsFor(repository)).map((one) => 'username' in one && one.username);
    assert.deepEqual(names, ['pod', 'service']);
    const digest = await opened.lookup?.digestOf(`${fake.host}/shop/web:1`, ask.signal);
    assert.equal(digest?.digest, made.manifest.digest);
    const off = await openServiceRegistry({
      ...{ settings: { ...settings, tags: 'ignore' }, version: '1', pullSecrets: null },
      ...{ clock: { now: () => 0 }, log: SILENT, count: { add: () => undefined } },
    });
    assert.equal(off.lookup, null);
    await off.close();
  });

  test('authorities that are none are refused at the start', { skip: withoutOpenssl }, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'ipo-ca-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const { cert, key } = makeCertificate(folder, 'ca');
    const [good, bad] = [readFileSync(cert, 'utf8'), readFileSync(key, 'utf8')];
    openClient(t, { ca: good + good });
    for (const ca of ['', 'x', bad, good + bad, good.replace('MII', 'AAA')])
      assert.throws(() => openClient(t, { ca }), { fault: 'refused' });
    assert.throws(() => openClient(t, { hosts: [{ host: 'a.example', ca: 'x' }] }), { fault: 'refused' });
  });

  test('a secret shows in no log line', () => {
    assert.doesNotMatch(JSON.stringify(passwordOf('me', 'canary')), /canary/);
    assert.ok('name' in parseReference('a.example/b'));
  });
});
