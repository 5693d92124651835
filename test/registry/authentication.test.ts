import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Secret, sha256Hex } from '../../src/base/index.ts';
import { startFakeRegistry } from './fake-registry.ts';
import { ask, basic, faultOf, keysOf, openClient, passwordOf, referenceTo } from './open.ts';
import { pushedWorld } from './pushed-world.ts';
import { withTokens } from './token-service.ts';

suite('authentication with tokens', () => {
  test('an anonymous token, asked for once for all that is read of a repository', async (t) => {
    const { fake, made } = await pushedWorld(t);
    const tokens = withTokens(fake, { account: null });
    const registry = openClient(t);
    const reference = referenceTo(fake.host, 'shop/web:1');
    const { image } = await registry.platformImage(reference, null, ask);
    await registry.config(reference, image, ask);
    assert.equal(image.digest, made.manifest.digest);
    assert.equal(tokens.given, 1);
    const [first] = tokens.asked;
    assert.deepEqual(
      [first?.authorization, first?.url],
      [undefined, '/token?service=fake&scope=repository%3Ashop%2Fweb%3Apull'],
    );
  });

  test('a password is shown to the token service, never to the registry', async (t) => {
    const { fake } = await pushedWorld(t);
    const tokens = withTokens(fake, { account: ['me', 'pass:word'] });
    const registry = openClient(t, { keychain: keysOf(fake.host, passwordOf('me', 'pass:word')) });
    await registry.platformImage(referenceTo(fake.host, 'shop/web:1'), null, ask);
    assert.deepEqual(
      tokens.asked.map(({ authorization }) => authorization),
      [basic('me', 'pass:word')],
    );
    const others = fake.asked.filter(({ url }) => url.startsWith('/v2/'));
    assert.ok(others.every(({ authorization = 'Bearer' }) => authorization.startsWith('Bearer')));
  });

  test('never more than the right to read is asked for, whatever the registry says', async (t) => {
    for (const [scope, wanted] of [
      ['repository:shop/web:pull,push,delete', 'repository:shop/web:pull'],
      ['repository:other/name:*', 'repository:other/name:pull'],
      ['repository(plugin):shop/web:pull,push', 'repository:shop/web:pull'],
      ['registry:catalog:*', 'repository:shop/web:pull'],
      ['repository:shop/web:pull repository:all:push', 'repository:shop/web:pull'],
      ['aws', 'aws'],
      ['', 'repository:shop/web:pull'],
    ] as const) {
      const { fake } = await pushedWorld(t);
      const tokens = withTokens(fake, { account: null, scope });
      await openClient(t).platformImage(referenceTo(fake.host, 'shop/web:1'), null, ask);
      assert.equal(new URL(tokens.asked[0]?.url ?? '', fake.url).searchParams.get('scope'), wanted, scope);
    }
  });

  test('the right to write is asked for only where a file is kept', async (t) => {
    const { fake } = await pushedWorld(t);
    const tokens = withTokens(fake, { account: ['me', 'x'] });
    const keychain = keysOf(fake.host, passwordOf('me', 'x'));
    const { artifacts } = openClient(t, { keychain });
    const empty = { path: '/dev/null', size: 0, sha256: sha256Hex('') };
    const artifact = { type: 'a/b', layerType: 'a/b', title: 'x', createdAt: '', file: empty };
    const repository = { host: fake.host, path: 'shop/web' };
    await artifacts.push(repository, 'kept', artifact, ask.signal);
    await artifacts.pull(repository, 'kept', 'a/b', ask.signal);
    await artifacts.remove(repository, 'kept', ask.signal);
    const scopes = tokens.asked.map(({ url }) => new URL(url, fake.url).searchParams.get('scope'));
    assert.deepEqual(
      scopes,
      ['pull,push', 'pull', 'delete'].map((of) => `repository:shop/web:${of}`),
    );
  });

  test('a refresh token is changed for an access token; a given access token is sent as it is', async (t) => {
    const { fake } = await pushedWorld(t);
    const tokens = withTokens(fake, { account: ['me', 'x'] });
    const refresh = openClient(t, {
      keychain: keysOf(fake.host, { kind: 'identity_token', token: new Secret('refresh-me') }),
    });
    await refresh.platformImage(referenceTo(fake.host, 'shop/web:1'), null, ask);
    const [asked] = tokens.asked;
    assert.deepEqual(Object.fromEntries(new URLSearchParams(asked?.body)), {
      ...{ grant_type: 'refresh_token', client_id: 'ipo', service: 'fake' },
      ...{ scope: 'repository:shop/web:pull', refresh_token: 'refresh-me' },
    });
    assert.equal(asked?.url, '/token', 'a secret stands in no address');
    const given = openClient(t, {
      keychain: keysOf(fake.host, { kind: 'access_token', token: new Secret('token-1') }),
    });
    await given.platformImage(referenceTo(fake.host, 'shop/web:1'), null, ask);
    assert.equal(tokens.asked.length, 1);
  });

  test('a token is renewed before its end, and when it ended early', async (t) => {
    const { fake } = await pushedWorld(t);
    const tokens = withTokens(fake, { account: null, expiresIn: 100 });
    let now = 0;
    const registry = openClient(t, { monotonic: () => now });
    const read = async (): Promise<void> =>
      void (await registry.digestOf(referenceTo(fake.host, 'shop/web:1'), ask));
    await read();
    assert.deepEqual([tokens.given, fake.since().length], [1, 3]);
    now += 60_000;
    await read();
    assert.deepEqual([tokens.given, fake.since().length], [1, 1]);
    now += 31_000;
    await read();
    assert.deepEqual([tokens.given, fake.since().length], [2, 2], 'the token, and no useless call before it');
    tokens.valid = 3;
    now += 31_000;
    await read();
    assert.deepEqual(
      [tokens.given, fake.since().length],
      [3, 4],
      'the old token, none, the new token, and with it',
    );
  });

  test('a credential that is not taken is denied, and shows in no sentence', async (t) => {
    const { fake } = await pushedWorld(t);
    withTokens(fake, { account: ['me', 'right'] });
    const registry = openClient(t, { keychain: keysOf(fake.host, passwordOf('me', 'canary-wrong')) });
    const error = await faultOf(registry.digestOf(referenceTo(fake.host, 'shop/web:1'), ask));
    assert.equal(error.fault, 'denied');
    assert.doesNotMatch(`${error.message} ${error.hint} ${JSON.stringify(error)}`, /canary|Y2FuYX/);
  });

  test('a credential goes only to the domain of its registry', async (t) => {
    const { fake } = await pushedWorld(t);
    const other = await startFakeRegistry(t);
    const tokens = withTokens(fake, {
      account: ['me', 'x'],
      realm: `http://localhost:${other.host.split(':')[1]}/token`,
    });
    const registry = openClient(t, { keychain: keysOf(fake.host, passwordOf('me', 'x')) });
    const error = await faultOf(registry.digestOf(referenceTo(fake.host, 'shop/web:1'), ask));
    assert.equal(error.fault, 'credentials');
    assert.match(error.message, /asks for its credential/);
    assert.deepEqual([other.asked.length, tokens.given], [0, 0]);
  });

  test('realms that are none, and odd challenges, are answered with a fault', async (t) => {
    const { fake } = await pushedWorld(t);
    for (const header of [
      'Bearer realm="file:///etc/passwd"',
      'Bearer realm="http://user:pw@127.0.0.1/token"',
      'Bearer realm=""',
      'Bearer',
      'Negotiate',
      'Basic realm="x"',
      '"""',
      `Bearer realm="${'a'.repeat(20_000)}`,
    ]) {
      fake.answering = (_, response) => {
        response.writeHead(401, { 'www-authenticate': header }).end();
        return true;
      };
      const error = await faultOf(openClient(t).digestOf(referenceTo(fake.host, 'shop/web:1'), ask));
      assert.ok(['denied', 'unreadable'].includes(error.fault), `${header.slice(0, 60)}: ${error.fault}`);
    }
  });

  test('token services that answer oddly', async (t) => {
    for (const [status, body, wanted] of [
      [200, '{}', 'unreadable'],
      [200, 'null', 'unreadable'],
      [200, '<html>', 'unreadable'],
      [200, '{"token":"a\\r\\nhost: evil"}', 'unreadable'],
      [200, '{"token":["a"]}', 'unreadable'],
      [200, `{"token":"${'a'.repeat(300_000)}"}`, 'too_large'],
      [302, '', 'unreadable'],
      [403, '{}', 'denied'],
      [429, '{}', 'rate_limited'],
      [503, '', 'unavailable'],
    ] as const) {
      const { fake } = await pushedWorld(t);
      withTokens(fake, { account: null });
      const before = fake.answering;
      fake.answering = (asked, response) => {
        if (!asked.url.startsWith('/token')) return before?.(asked, response) ?? false;
        response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end(body);
        return true;
      };
      const error = await faultOf(openClient(t).digestOf(referenceTo(fake.host, 'shop/web:1'), ask));
      assert.equal(error.fault, wanted, `${status} ${body.slice(0, 40)}`);
    }
  });
});
