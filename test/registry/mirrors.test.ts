import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import { fault, startFakeRegistry, type FakeRegistry } from './fake-registry.ts';
import { blobOf, descriptorOf, imageOf, OCI, push } from './images.ts';
import { ask, faultOf, keysOf, openClient, passwordOf, referenceTo } from './open.ts';

const GOOD = imageOf('web');
const SIGNATURE = imageOf('signature');
const { digest } = GOOD.manifest;
const sigTag = `${digest.replace(':', '-')}.sig`;

async function world(t: TestContext, mirrorsOnly = false) {
  const [mirror, upstream] = [await startFakeRegistry(t), await startFakeRegistry(t)];
  const mirrors = [{ host: mirror.host, prefix: 'proxy/hub' }];
  const open = (more = {}) =>
    openClient(t, { hosts: [{ host: upstream.host, mirrors, mirrorsOnly, plainHttp: true }], ...more });
  return { mirror, upstream, open, reference: referenceTo(upstream.host, 'shop/web:1') };
}

const down = (fake: FakeRegistry): void => {
  fake.answering = (_, response) => {
    fault(response, 503, 'UNAVAILABLE');
    return true;
  };
};

suite('mirrors', () => {
  test('a mirror is asked first, under its own path, and told for whom', async (t) => {
    const { mirror, upstream, open, reference } = await world(t);
    await push(mirror.url, 'proxy/hub/shop/web', { manifests: [{ content: GOOD.manifest, as: '1' }] });
    mirror.since();
    const keychain = keysOf(upstream.host, passwordOf('up', 'stream'));
    assert.equal(await open({ keychain }).digestOf(reference, ask), digest);
    assert.equal(upstream.asked.length, 0);
    const [asked] = mirror.since();
    assert.equal(asked?.url, `/v2/proxy/hub/shop/web/manifests/1?ns=${encodeURIComponent(upstream.host)}`);
    assert.equal(asked?.authorization, undefined, 'the credential of the registry is not the mirror’s');
  });

  test('what a mirror does not have, or cannot tell, the registry is asked for', async (t) => {
    const { mirror, upstream, open, reference } = await world(t);
    await push(upstream.url, 'shop/web', { manifests: [{ content: GOOD.manifest, as: '1' }] });
    assert.equal(await open().digestOf(reference, ask), digest);
    down(mirror);
    assert.equal(await open().digestOf(reference, ask), digest);
    mirror.answering = (_, response) => {
      response.writeHead(200, { 'content-type': OCI.manifest }).end(SIGNATURE.manifest.bytes);
      return true;
    };
    const found = await open().manifest(reference, digest, ask);
    assert.equal(found.digest, digest, 'a mirror that gives other content is not believed');
  });

  test('a mirror that could not be asked is passed over for a while', async (t) => {
    const { mirror, upstream, open, reference } = await world(t);
    await push(upstream.url, 'shop/web', { manifests: [{ content: GOOD.manifest, as: '1' }] });
    let now = 0;
    const registry = open({ monotonic: () => now });
    down(mirror);
    await registry.digestOf(reference, ask);
    mirror.since();
    await registry.manifest(reference, digest, ask);
    assert.equal(mirror.since().length, 0);
    now = 15_000;
    assert.equal(await registry.attached(reference, digest, 'att', ask), null);
    assert.equal(mirror.since().length, 1);
  });

  test('that nothing is attached is believed only of the registry itself', async (t) => {
    const { mirror, upstream, open, reference } = await world(t);
    await push(mirror.url, 'proxy/hub/shop/web', { manifests: [{ content: GOOD.manifest, as: '1' }] });
    const artifact = blobOf(
      {
        schemaVersion: 2,
        mediaType: OCI.manifest,
        config: descriptorOf(GOOD.manifest),
        layers: [],
        subject: descriptorOf(GOOD.manifest),
      },
      OCI.manifest,
    );
    await push(upstream.url, 'shop/web', {
      manifests: [{ content: SIGNATURE.manifest, as: sigTag }, { content: artifact }],
    });
    const registry = open();
    assert.equal((await registry.attached(reference, digest, 'sig', ask))?.digest, SIGNATURE.manifest.digest);
    assert.equal((await registry.referrers(reference, digest, ask)).descriptors[0]?.digest, artifact.digest);
    assert.equal(await registry.attached(reference, digest, 'att', ask), null);
    down(upstream);
    assert.equal((await faultOf(open().attached(reference, digest, 'sig', ask))).fault, 'unavailable');
    assert.equal((await faultOf(open().referrers(reference, digest, ask))).fault, 'unavailable');
  });

  test('where only the mirrors are asked, nobody else is, and what they all do not have is not there', async (t) => {
    const { mirror, upstream, open, reference } = await world(t, true);
    await push(upstream.url, 'shop/web', { manifests: [{ content: SIGNATURE.manifest, as: sigTag }] });
    upstream.since();
    assert.equal(await open().attached(reference, digest, 'sig', ask), null);
    assert.deepEqual((await open().referrers(reference, digest, ask)).descriptors, []);
    down(mirror);
    assert.equal((await faultOf(open().attached(reference, digest, 'sig', ask))).fault, 'unavailable');
    assert.equal(upstream.asked.length, 0 + upstream.asked.filter(({ method }) => method === 'PUT').length);
  });
});
