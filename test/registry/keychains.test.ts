import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import fc from 'fast-check';
import { chainKeychains, dockerKeychain, fileKeychain, NO_KEYS } from '../../src/adapters/registry/index.ts';
import { credentialsIn, helperFor, readDockerConfig } from '../../src/adapters/registry/docker-config.ts';
import { RegistryError, type Credential } from '../../src/image/index.ts';
import { runs } from '../runs.ts';
import { faultOf, keysOf, passwordOf } from './open.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const auth = (user: string): object => ({ auth: base64(`${user}:pw:with:colons`) });

function directory(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'ipo-docker-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const shown = (credentials: readonly Credential[]): string[] =>
  credentials.map((one) =>
    one.kind === 'password'
      ? `${one.username}/${one.password.reveal()}`
      : `${one.kind}/${one.token.reveal()}`,
  );

const within = (config: unknown, host: string, path = 'team/app'): string[] =>
  shown(
    credentialsIn(
      readDockerConfig(Buffer.from(JSON.stringify(config)), 'the file', 'docker_config'),
      { host, path },
      'the file',
    ),
  );

suite('docker configs', () => {
  test('each form of a credential', () => {
    const auths = {
      'a.example': auth('me'),
      'b.example': { username: 'me', password: 'p' },
      'c.example': { auth: base64('<token>:'), identitytoken: 'refresh' },
      'd.example': { registrytoken: 'access' },
      'e.example': { username: '<token>', password: 'refresh' },
      'f.example': {},
      'g.example': { auth: base64('me:pw') },
      'h.example': { auth: base64('me:pw\0\0') },
    };
    const expected = {
      ...{
        'a.example': ['me/pw:with:colons'],
        'b.example': ['me/p'],
        'c.example': ['identity_token/refresh'],
      },
      ...{ 'd.example': ['access_token/access'], 'e.example': ['identity_token/refresh'], 'f.example': [] },
      ...{ 'g.example': ['me/pw'], 'h.example': ['me/pw'], 'z.example': [] },
    };
    for (const [host, wanted] of Object.entries(expected))
      assert.deepEqual(within({ auths }, host), wanted, host);
  });

  test('keys as Docker, Podman and Kubernetes write them', () => {
    for (const [key, host, fits] of [
      ['https://index.docker.io/v1/', 'docker.io', true],
      ['index.docker.io', 'docker.io', true],
      ['docker.io', 'docker.io', true],
      ['registry-1.docker.io', 'docker.io', true],
      ['https://a.example', 'a.example', true],
      ['http://a.example/v2/', 'a.example', true],
      ['A.EXAMPLE', 'a.example', true],
      ['a.example/', 'a.example', true],
      ['a.example/team', 'a.example', true],
      ['a.example/team/app', 'a.example', true],
      ['a.example/tea', 'a.example', false],
      ['a.example/team/app/x', 'a.example', false],
      ['a.example:443', 'a.example', false],
      ['a.example', 'a.example:443', false],
      ['a.example:5000', 'a.example:5000', true],
      ['*.example', 'a.example', true],
      ['*.example', 'a.b.example', false],
      ['*.*.example', 'a.b.example', true],
      ['*', 'a.example', false],
      ['*.example:5000', 'a.example', false],
      ['*.example:5000', 'a.example:5000', true],
      ['a*e.b*.example', 'apple.bear.example', true],
      ['a*a.example', 'a.example', false],
      ['a.example.evil', 'a.example', false],
      ['evil-a.example', 'a.example', false],
      ['', 'a.example', false],
    ] as const)
      assert.equal(within({ auths: { [key]: auth('me') } }, host).length, fits ? 1 : 0, `${key} for ${host}`);
  });

  test('the most specific first', () => {
    const auths = {
      '*.example': auth('star'),
      'a.example': auth('host'),
      'a.example/team': auth('team'),
      'a.example/team/app': auth('app'),
    };
    const users = within({ auths }, 'a.example').map((one) => one.split('/')[0]);
    assert.deepEqual(users, ['app', 'team', 'host', 'star']);
  });

  test('without helpers none is run, and the sentence says so where the credential is theirs', () => {
    const fault = (config: object, host: string): string | null => {
      try {
        within(config, host);
        return null;
      } catch (error) {
        assert.ok(error instanceof RegistryError && error.fault === 'credentials' && error.elseAnonymous);
        return error.message;
      }
    };
    const store = { auths: { 'a.example': {}, 'b.example': auth('me') }, credsStore: 'desktop' };
    assert.match(
      fault(store, 'a.example') ?? '',
      /^the file leaves the credential for a\.example to docker-credential-desktop, and the service runs no such program$/,
    );
    assert.equal(fault(store, 'b.example'), null);
    assert.equal(fault(store, 'c.example'), null, 'nothing of it is there');
    assert.match(fault({ credHelpers: { 'gcr.io': 'gcloud' } }, 'gcr.io') ?? '', /docker-credential-gcloud/);
    assert.equal(fault({ credHelpers: { 'gcr.io': 'gcloud' } }, 'ghcr.io'), null);
    assert.match(
      fault({ credHelpers: { 'gcr.io': '../\u001b[31m' } }, 'gcr.io') ?? '',
      /docker-credential-…/,
    );
  });

  test('a helper is chosen as docker does, and Docker Hub has the name that its config gives it', () => {
    const hub = 'https://index.docker.io/v1/';
    for (const [config, host, helper, server] of [
      [{ credsStore: 'all' }, 'a.example', 'all', 'a.example'],
      [{ credsStore: 'all' }, 'docker.io', 'all', hub],
      [{ credsStore: 'all', credHelpers: { 'a.example': 'a' } }, 'a.example', 'a', 'a.example'],
      [{ credsStore: 'all', credHelpers: { 'a.example': 'a' } }, 'a.example:443', 'all', 'a.example:443'],
      [{ credsStore: 'all', credHelpers: { 'a.example': '' } }, 'a.example', null, null],
      [{ credHelpers: { [hub]: 'hub', 'docker.io': 'podman' } }, 'docker.io', 'hub', hub],
      [{ credHelpers: { 'docker.io': 'podman' } }, 'docker.io', 'podman', 'docker.io'],
      [{ credHelpers: { 'index.docker.io': 'x' } }, 'docker.io', 'x', 'index.docker.io'],
      [{ credHelpers: { 'localhost:5000': 'x' } }, 'localhost:5000', 'x', 'localhost:5000'],
      [{ credHelpers: { 'b.example': 'b' } }, 'a.example', null, null],
      [{ credHelpers: { 'a.example': 1 }, credsStore: ['x'] }, 'a.example', null, null],
      [{ credHelpers: 'x', auths: {} }, 'a.example', null, null],
    ] as const) {
      const read = readDockerConfig(Buffer.from(JSON.stringify(config)), 'f', 'docker_config');
      const expected = helper === null ? null : { helper, server };
      assert.deepEqual(helperFor(read, { host }), expected, JSON.stringify(config));
    }
    const old = readDockerConfig(Buffer.from('{"credsStore":{"auth":""}}'), 'f', 'dockercfg');
    assert.equal(helperFor(old, { host: 'a.example' }), null, 'the older form names none');
  });

  test('an unusable entry does not spoil another', () => {
    const auths = {
      'a.example': { auth: '***' },
      'b.example': auth('me'),
      'c.example': 'x',
      'd.example': { auth: base64('nocolon') },
    };
    assert.deepEqual(within({ auths }, 'b.example'), ['me/pw:with:colons']);
    for (const host of ['a.example', 'c.example', 'd.example'])
      assert.throws(() => within({ auths }, host), { fault: 'credentials' });
  });

  test('what is none is refused, and whatever it is, nothing else happens', () => {
    for (const text of ['', 'x', '[]', 'null', '{"auths":[]}', '{"auths":1}', '\ufffe'])
      assert.throws(
        () => readDockerConfig(Buffer.from(text), 'f', 'docker_config'),
        { fault: 'credentials' },
        text,
      );
    const many = { auths: Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`h${i}`, {}])) };
    assert.throws(() => within(many, 'a'), { fault: 'credentials' });
    fc.assert(
      fc.property(fc.json(), fc.string(), fc.boolean(), (text, host, old) => {
        try {
          const config = readDockerConfig(Buffer.from(text), 'f', old ? 'dockercfg' : 'docker_config');
          credentialsIn(config, { host, path: 'a/b' }, 'f');
        } catch (error) {
          assert.ok(error instanceof RegistryError && error.fault === 'credentials', String(error));
        }
      }),
      { numRuns: runs(5000) },
    );
    const hostile = `${'*a'.repeat(100)}.example`;
    const began = process.cpuUsage().user;
    within({ auths: { [hostile]: auth('me') } }, `${'a'.repeat(200)}.example`);
    assert.ok(process.cpuUsage().user - began < 1_000_000);
  });
});

suite('keychains', () => {
  const repository = { host: 'a.example', path: 'x' };

  test('the file of Docker, else that of Podman', async (t) => {
    const home = directory(t);
    const podman = join(home, 'auth.json');
    writeFileSync(podman, JSON.stringify({ auths: { 'a.example': auth('podman') } }));
    const users = async (env: Record<string, string>, at = home): Promise<string[]> =>
      shown(await dockerKeychain(env, at).credentialsFor(repository)).map((one) => one.split('/')[0] ?? '');
    assert.deepEqual(await users({}), []);
    assert.deepEqual(await users({ REGISTRY_AUTH_FILE: podman }), ['podman']);
    mkdirSync(join(home, 'containers'));
    writeFileSync(
      join(home, 'containers', 'auth.json'),
      JSON.stringify({ auths: { 'a.example': auth('xdg') } }),
    );
    assert.deepEqual(await users({ XDG_RUNTIME_DIR: home }), ['xdg']);
    mkdirSync(join(home, '.docker'));
    writeFileSync(
      join(home, '.docker', 'config.json'),
      JSON.stringify({ auths: { 'a.example': auth('docker') } }),
    );
    assert.deepEqual(await users({ REGISTRY_AUTH_FILE: podman }), ['docker']);
    writeFileSync(join(home, 'config.json'), JSON.stringify({ auths: { 'a.example': auth('given') } }));
    assert.deepEqual(await users({ DOCKER_CONFIG: home }), ['given']);
    assert.deepEqual(await users({}, ''), []);
  });

  test('a file is read again when it is replaced, and refused when it cannot be read', async (t) => {
    const path = join(directory(t), 'config.json');
    const keychain = fileKeychain(path, { required: true });
    assert.equal((await faultOf(keychain.credentialsFor(repository))).fault, 'credentials');
    writeFileSync(path, JSON.stringify({ auths: { 'a.example': auth('one') } }));
    assert.deepEqual(shown(await keychain.credentialsFor(repository)), ['one/pw:with:colons']);
    writeFileSync(`${path}.new`, JSON.stringify({ auths: { 'a.example': auth('two') } }));
    renameSync(`${path}.new`, path);
    assert.deepEqual(shown(await keychain.credentialsFor(repository)), ['two/pw:with:colons']);
    writeFileSync(path, '{"auths":');
    assert.equal((await faultOf(keychain.credentialsFor(repository))).fault, 'credentials');
    writeFileSync(path, ' '.repeat(1_048_577));
    assert.match((await faultOf(keychain.credentialsFor(repository))).message, /larger than 1 MiB/);
    rmSync(path);
    execFileSync('mkfifo', [path]);
    assert.match((await faultOf(keychain.credentialsFor(repository))).message, /is not a file/);
  });

  test('a chain gives what all know; one that cannot be read counts where no other knows anything', async () => {
    const broken = { credentialsFor: () => Promise.reject(new RegistryError('credentials', 'broken')) };
    const me = keysOf('a.example', passwordOf('me', 'pw'));
    const you = keysOf('a.example', passwordOf('you', 'pw'));
    assert.deepEqual(shown(await chainKeychains(me, broken, you).credentialsFor(repository)), [
      'me/pw',
      'you/pw',
    ]);
    assert.equal(
      (await faultOf(chainKeychains(broken, NO_KEYS).credentialsFor(repository))).message,
      'broken',
    );
    const defect = { credentialsFor: () => Promise.reject(new TypeError('defect')) };
    await assert.rejects(chainKeychains(me, defect).credentialsFor(repository), TypeError);
  });
});
