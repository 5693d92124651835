import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { startFakeRegistry } from './fake-registry.ts';
import { answer, bytes, DESCRIPTOR, GOOD } from './hostile-parts.ts';
import { descriptorOf, indexOf, OCI, push } from './images.ts';
import { ask, faultOf, openClient, referenceTo } from './open.ts';

suite('referrers of hostile and odd registries', () => {
  const list = (manifests: readonly object[]): Buffer => indexOf(manifests).bytes;
  const one = (i: number): object => ({
    ...DESCRIPTOR,
    digest: `sha256:${i.toString(16).padStart(64, '0')}`,
  });
  const { digest } = GOOD.manifest;

  test('pages are followed on the same host, each once, to an end', async (t) => {
    const fake = await startFakeRegistry(t);
    answer(fake, (response, { url }) => {
      const page = Number(new URL(url, fake.url).searchParams.get('page') ?? 0);
      if (page < 2) response.setHeader('link', `</v2/a/b/referrers/${digest}?page=${page + 1}>; rel="next"`);
      bytes(response, list([one(page), one(page + 1)]), OCI.index);
    });
    const found = await openClient(t).referrers(referenceTo(fake.host, 'a/b'), digest, ask);
    assert.deepEqual([found.source, found.descriptors.length, found.complete], ['api', 4, true]);
  });

  test('pages without an end, and more than are read, are not taken for all', async (t) => {
    const fake = await startFakeRegistry(t);
    let pages = 0;
    answer(fake, (response) => {
      pages += 1;
      response.setHeader('link', `<?page=${pages}>; rel="next"`.replace('<', `</v2/a/b/referrers/${digest}`));
      bytes(response, list([one(pages)]), OCI.index);
    });
    const endless = await openClient(t).referrers(referenceTo(fake.host, 'a/b'), digest, ask);
    assert.deepEqual([pages, endless.descriptors.length, endless.complete], [20, 20, false]);
    answer(fake, (response) =>
      bytes(response, list(Array.from({ length: 1001 }, (_, i) => one(i))), OCI.index),
    );
    const many = await openClient(t).referrers(referenceTo(fake.host, 'a/b'), digest, ask);
    assert.deepEqual([many.descriptors.length, many.complete], [1000, false]);
    answer(fake, (response) =>
      bytes(response, list(Array.from({ length: 1000 }, (_, i) => one(i))), OCI.index),
    );
    assert.equal((await openClient(t).referrers(referenceTo(fake.host, 'a/b'), digest, ask)).complete, true);
  });

  test('a next page elsewhere is not asked for', async (t) => {
    const fake = await startFakeRegistry(t);
    const other = await startFakeRegistry(t);
    for (const link of [
      `${other.url}/v2/a/b/referrers/${digest}`,
      `/v2/a/other/referrers/${digest}`,
      '/v2/a/b/referrers/../../x',
    ]) {
      answer(fake, (response) => {
        response.setHeader('link', `<${link}>; rel="next"`);
        bytes(response, list([]), OCI.index);
      });
      const error = await faultOf(openClient(t).referrers(referenceTo(fake.host, 'a/b'), digest, ask));
      assert.equal(error.fault, 'unreadable', link);
    }
    assert.equal(other.asked.length, 0);
  });

  test('registries without the API, whatever they answer for it', async (t) => {
    for (const [status, headers, body] of [
      [404, { 'content-type': 'text/plain' }, '404 page not found'],
      [303, { location: 'https://git.example/-/v2/packages' }, ''],
      [400, {}, '{}'],
      [405, {}, ''],
      [406, {}, ''],
      [501, {}, ''],
      [200, { 'content-type': 'text/html' }, '<html>'],
    ] as const) {
      const fake = await startFakeRegistry(t);
      const index = indexOf([one(1)]);
      await push(fake.url, 'a/b', { manifests: [{ content: index, as: digest.replace(':', '-') }] });
      fake.answering = ({ url }, response) => {
        if (!url.includes('/referrers/')) return false;
        response.writeHead(status, headers).end(body);
        return true;
      };
      const found = await openClient(t).referrers(referenceTo(fake.host, 'a/b'), digest, ask);
      assert.deepEqual([found.source, found.descriptors.length], ['tag', 1], `${status}`);
    }
  });

  test('a registry that has the API and a fault is not asked by tag', async (t) => {
    for (const [status, wanted] of [
      [500, 'unavailable'],
      [403, 'denied'],
      [429, 'rate_limited'],
    ] as const) {
      const fake = await startFakeRegistry(t);
      answer(fake, (response) => void response.writeHead(status).end());
      const error = await faultOf(openClient(t).referrers(referenceTo(fake.host, 'a/b'), digest, ask));
      assert.deepEqual([error.fault, fake.asked.length], [wanted, 1]);
    }
  });

  test('a registry that takes the tag for the digest has no referrers, and nothing attached', async (t) => {
    const fake = await startFakeRegistry(t);
    fake.referrers = false;
    const index = indexOf([DESCRIPTOR]);
    answer(fake, (response, { url }) => {
      if (url.includes('/referrers/')) response.writeHead(404).end();
      else bytes(response, index.bytes, OCI.index);
    });
    const registry = openClient(t);
    const found = await registry.referrers(referenceTo(fake.host, 'a/b'), index.digest, ask);
    assert.deepEqual(found, { source: 'none', descriptors: [], complete: true });
    assert.equal(await registry.attached(referenceTo(fake.host, 'a/b'), index.digest, 'sig', ask), null);
  });

  test('indexes inside each other end', async (t) => {
    const fake = await startFakeRegistry(t);
    let inner = GOOD.manifest;
    const platform = { os: 'linux', architecture: 'amd64' };
    await push(fake.url, 'a/b', { manifests: [{ content: inner }] });
    for (let depth = 1; depth <= 4; depth += 1) {
      inner = indexOf([descriptorOf(inner, { platform })]);
      await push(fake.url, 'a/b', { manifests: [{ content: inner, as: `d${depth}` }] });
    }
    const registry = openClient(t);
    const three = await registry.platformImage(referenceTo(fake.host, 'a/b:d3'), null, ask);
    assert.equal(three.image.digest, GOOD.manifest.digest);
    assert.equal(
      (await faultOf(registry.platformImage(referenceTo(fake.host, 'a/b:d4'), null, ask))).fault,
      'unsupported',
    );
  });
});
