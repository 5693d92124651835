import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { fault, startFakeRegistry, type FakeRegistry } from './fake-registry.ts';
import { imageOf, push } from './images.ts';
import { ask, basic, faultOf, keysOf, openClient, passwordOf, referenceTo } from './open.ts';
import { pushedWorld } from './pushed-world.ts';

suite('authentication with passwords, and several credentials', () => {
  const askFor = (fake: FakeRegistry, user: string, password: string): void => {
    fake.answering = ({ authorization, method }, response) => {
      if (authorization === basic(user, password)) return false;
      response.setHeader('www-authenticate', 'Basic realm="registry"');
      fault(response, 401, 'UNAUTHORIZED', method);
      return true;
    };
  };

  test('basic, once asked for, is sent along', async (t) => {
    const { fake } = await pushedWorld(t);
    askFor(fake, 'me', 'x');
    const registry = openClient(t, { keychain: keysOf(fake.host, passwordOf('me', 'x')) });
    const reference = referenceTo(fake.host, 'shop/web:1');
    const { image } = await registry.platformImage(reference, null, ask);
    await registry.config(reference, image, ask);
    assert.equal(fake.since().filter(({ authorization }) => authorization === undefined).length, 1);
    assert.equal((await faultOf(openClient(t).digestOf(reference, ask))).fault, 'denied');
  });

  test('each credential is tried, and the one that works is tried first from then on', async (t) => {
    const { fake } = await pushedWorld(t);
    askFor(fake, 'c', '3');
    const keychain = keysOf(fake.host, passwordOf('a', '1'), passwordOf('b', '2'), passwordOf('c', '3'));
    const registry = openClient(t, { keychain });
    const reference = referenceTo(fake.host, 'shop/web:1');
    await registry.digestOf(reference, ask);
    fake.since();
    assert.equal(
      await registry.attached(reference, await registry.digestOf(reference, ask), 'sig', ask),
      null,
    );
    assert.deepEqual(
      new Set(fake.since().map(({ authorization }) => authorization)),
      new Set([basic('c', '3')]),
    );
  });

  test('what one account is told is not there, another may see; what all are denied is not absent', async (t) => {
    const { fake } = await pushedWorld(t);
    fake.answering = ({ authorization, method }, response) => {
      if (authorization === basic('b', '2')) return false;
      if (authorization === undefined) response.setHeader('www-authenticate', 'Basic realm="registry"');
      fault(response, authorization === undefined ? 401 : 404, 'NAME_UNKNOWN', method);
      return true;
    };
    const reference = referenceTo(fake.host, 'shop/web:1');
    const registry = openClient(t, {
      keychain: keysOf(fake.host, passwordOf('a', '1'), passwordOf('b', '2')),
    });
    assert.match(await registry.digestOf(reference, ask), /^sha256:/);
    const alone = openClient(t, { keychain: keysOf(fake.host, passwordOf('a', '1')) });
    assert.equal((await faultOf(alone.digestOf(reference, ask))).fault, 'absent');
  });

  test('nothing attached, as one account is told, is not believed while another may see more', async (t) => {
    const { fake, made } = await pushedWorld(t);
    const subject = {
      mediaType: made.manifest.mediaType,
      digest: made.manifest.digest,
      size: made.manifest.size,
    };
    const artifact = imageOf('artifact', { more: { subject } });
    await push(fake.url, 'shop/web', { manifests: [{ content: artifact.manifest }] });
    fake.answering = ({ authorization, method }, response) => {
      if (authorization === basic('b', '2')) return false;
      if (authorization === undefined) response.setHeader('www-authenticate', 'Basic realm="registry"');
      fault(response, authorization === undefined ? 401 : 404, 'NAME_UNKNOWN', method);
      return true;
    };
    const registry = openClient(t, {
      keychain: keysOf(fake.host, passwordOf('a', '1'), passwordOf('b', '2')),
    });
    const found = await registry.referrers(referenceTo(fake.host, 'shop/web'), made.manifest.digest, ask);
    assert.deepEqual(
      found.descriptors.map(({ digest }) => digest),
      [artifact.manifest.digest],
    );
  });

  test('what one account read is not told to another', async (t) => {
    const { fake } = await pushedWorld(t);
    askFor(fake, 'me', 'x');
    const registry = openClient(t, { keychain: keysOf(fake.host, passwordOf('me', 'x')) });
    const reference = referenceTo(fake.host, 'shop/web:1');
    const digest = await registry.digestOf(reference, ask);
    await registry.manifest(reference, digest, ask);
    const stranger = { ...ask, keychain: keysOf(fake.host, passwordOf('you', 'y')) };
    assert.equal((await faultOf(registry.manifest(reference, digest, stranger))).fault, 'denied');
    assert.equal(
      (await faultOf(registry.manifest(reference, digest, { ...ask, keychain: keysOf('other') }))).fault,
      'denied',
    );
  });

  test('content elsewhere is fetched without the credential', async (t) => {
    const { fake, made } = await pushedWorld(t);
    const store = await startFakeRegistry(t);
    const [config] = made.blobs;
    store.answering = (_, response) => {
      response.writeHead(200).end(config?.bytes);
      return true;
    };
    askFor(fake, 'me', 'x');
    const before = fake.answering;
    fake.answering = (asked, response) => {
      if (before?.(asked, response) === true) return true;
      if (!asked.url.includes('/blobs/')) return false;
      response.writeHead(307, { location: `${store.url}/bucket?signature=s` }).end();
      return true;
    };
    const registry = openClient(t, { keychain: keysOf(fake.host, passwordOf('me', 'x')) });
    const reference = referenceTo(fake.host, 'shop/web:1');
    const { image } = await registry.platformImage(reference, null, ask);
    await registry.config(reference, image, ask);
    assert.deepEqual(
      store.asked.map(({ url, authorization }) => [url, authorization]),
      [['/bucket?signature=s', undefined]],
    );
  });
});
