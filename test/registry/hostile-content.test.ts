import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { startFakeRegistry } from './fake-registry.ts';
import { answer, bytes, DESCRIPTOR, GOOD } from './hostile-parts.ts';
import { blobOf, digestOf, OCI } from './images.ts';
import { ask, faultOf, openClient, referenceTo } from './open.ts';

suite('manifests that are none', () => {
  const image = { schemaVersion: 2, mediaType: OCI.manifest, config: DESCRIPTOR, layers: [] };
  const cases: readonly (readonly [string, unknown, string, string])[] = [
    ['no JSON', Buffer.from('{"schemaVersion":2'), OCI.manifest, 'unreadable'],
    ['no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), OCI.manifest, 'unreadable'],
    ['a list', [], OCI.manifest, 'unreadable'],
    ['null', null, OCI.manifest, 'unreadable'],
    ['a page', Buffer.from('<html>sign in</html>'), 'text/html', 'unreadable'],
    [
      "Docker's first schema",
      { schemaVersion: 1, name: 'x' },
      'application/vnd.docker.distribution.manifest.v1+prettyjws',
      'unsupported',
    ],
    [
      'another kind',
      { schemaVersion: 2, mediaType: 'application/vnd.oci.artifact.manifest.v1+json' },
      OCI.manifest,
      'unreadable',
    ],
    ['an unknown kind', { schemaVersion: 2 }, 'application/json', 'unsupported'],
    ['no schemaVersion', { ...image, schemaVersion: undefined }, OCI.manifest, 'unreadable'],
    ['an image and an index in one', { ...image, manifests: [] }, OCI.manifest, 'unreadable'],
    [
      'an index and an image in one',
      { schemaVersion: 2, manifests: [], layers: [] },
      OCI.index,
      'unreadable',
    ],
    ['another kind inside than outside', image, OCI.index, 'unreadable'],
    ['no config', { ...image, config: undefined }, OCI.manifest, 'unreadable'],
    ['layers that are no list', { ...image, layers: {} }, OCI.manifest, 'unreadable'],
    [
      'a digest that leads out of the path',
      { ...image, config: { ...DESCRIPTOR, digest: '../../x' } },
      OCI.manifest,
      'unreadable',
    ],
    ['a size that is none', { ...image, config: { ...DESCRIPTOR, size: 1e300 } }, OCI.manifest, 'unreadable'],
    ['a negative size', { ...image, config: { ...DESCRIPTOR, size: -1 } }, OCI.manifest, 'unreadable'],
    ['an annotation that is no text', { ...image, annotations: { a: 1 } }, OCI.manifest, 'unreadable'],
  ];
  for (const [name, value, type, wanted] of cases) {
    test(name, async (t) => {
      const fake = await startFakeRegistry(t);
      answer(fake, (response) =>
        bytes(response, Buffer.isBuffer(value) ? value : JSON.stringify(value), type),
      );
      const error = await faultOf(openClient(t).manifest(referenceTo(fake.host, 'a/b'), 'tag', ask));
      assert.equal(error.fault, wanted, error.message);
    });
  }

  test('names of JavaScript are annotations like others', async (t) => {
    const fake = await startFakeRegistry(t);
    const hostile = `{"annotations":{"__proto__":"a","constructor":"b"},${JSON.stringify(image).slice(1)}`;
    answer(fake, (response) => bytes(response, hostile));
    const { annotations } = await openClient(t).manifest(referenceTo(fake.host, 'a/b'), 'tag', ask);
    assert.deepEqual(Object.entries(annotations), [
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
    assert.equal(({} as Record<string, unknown>)['a'], undefined);
  });
});

suite('content that is not what its digest says', () => {
  test('a manifest by digest, and by tag with another digest beside it', async (t) => {
    const fake = await startFakeRegistry(t);
    const registry = openClient(t);
    answer(fake, (response) => bytes(response, GOOD.manifest.bytes));
    const other = `sha256:${'1'.repeat(64)}`;
    const swapped = await faultOf(registry.manifest(referenceTo(fake.host, 'a/b'), other, ask));
    assert.deepEqual(
      [swapped.fault, /does not match the digest/.test(swapped.message)],
      ['unreadable', true],
    );
    answer(fake, (response) => {
      response.setHeader('docker-content-digest', other);
      bytes(response, GOOD.manifest.bytes);
    });
    assert.equal(
      (await faultOf(registry.manifest(referenceTo(fake.host, 'a/b'), 'x', ask))).fault,
      'unreadable',
    );
  });

  test('sha512 is read and checked, an unknown algorithm is not read', async (t) => {
    const fake = await startFakeRegistry(t);
    answer(fake, (response) => bytes(response, GOOD.manifest.bytes));
    const registry = openClient(t);
    const sha512 = digestOf(GOOD.manifest.bytes, 'sha512');
    const reference = referenceTo(fake.host, `a/b@${sha512}`);
    assert.equal(await registry.digestOf(reference, ask), GOOD.manifest.digest);
    const wrong = sha512.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    assert.equal((await faultOf(registry.manifest(reference, wrong, ask))).fault, 'unreadable');
    for (const digest of ['blake3:abc', 'sha256:../../x', 'md5:d41d8cd98f00b204e9800998ecf8427e'])
      assert.equal((await faultOf(registry.manifest(reference, digest, ask))).fault, 'unsupported');
  });

  test('blobs: another content, more, less, packed, larger than wanted', async (t) => {
    const fake = await startFakeRegistry(t);
    const repository = referenceTo(fake.host, 'a/b');
    const blob = blobOf(Buffer.from('x'.repeat(1000)), OCI.layer);
    const read = (more: object = {}) =>
      openClient(t).blob(repository, { ...blob, ...more }, { ...ask, maxBytes: 2000 });
    for (const [content, wanted] of [
      ['y'.repeat(1000), 'unreadable'],
      ['x'.repeat(999), 'unreadable'],
      ['x'.repeat(1001), 'too_large'],
      ['x'.repeat(100_000), 'too_large'],
    ] as const) {
      answer(
        fake,
        (response) => void response.writeHead(200, { 'transfer-encoding': 'chunked' }).end(content),
      );
      assert.equal((await faultOf(read())).fault, wanted, `${content.length}`);
    }
    answer(
      fake,
      (response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(blob.bytes)),
    );
    assert.equal((await faultOf(read())).fault, 'unreadable');
    fake.since();
    assert.equal((await faultOf(read({ size: 2001 }))).fault, 'too_large');
    assert.equal(fake.since().length, 0);
  });

  test('a manifest without an end is cut off', async (t) => {
    const fake = await startFakeRegistry(t);
    answer(fake, (response) => {
      response.writeHead(200, { 'content-type': OCI.manifest });
      const part = Buffer.alloc(65_536, ' ');
      const more = (): void => {
        while (!response.destroyed && response.write(part));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    assert.equal(
      (await faultOf(openClient(t).manifest(referenceTo(fake.host, 'a/b'), 'x', ask))).fault,
      'too_large',
    );
  });
});
