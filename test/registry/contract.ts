import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import type { OpenRegistry } from '../../src/adapters/registry/index.ts';
import { sha256Hex } from '../../src/base/index.ts';
import { isAbsent, RegistryError, type Platform } from '../../src/image/index.ts';
import { ask, faultOf, openClient, referenceTo } from './open.ts';
import {
  blobOf,
  descriptorOf,
  DOCKER,
  imageOf,
  indexOf,
  OCI,
  push,
  type Ending,
  type Pushed,
} from './images.ts';

/** Target is a registry that the contract is held against. */
export interface Target {
  readonly host: string;
  readonly url: string;
}

const LINUX = { os: 'linux', architecture: 'arm64', variant: null, osVersion: null } satisfies Platform;
const ARM = { os: 'linux', architecture: 'arm', variant: 'v6' };

/** registryContract holds a registry and our client of it to what the port says. */
export function registryContract(
  name: string,
  open: (t: Ending) => Promise<Target>,
  skip: string | false,
): void {
  suite(name, { skip }, () => {
    let target: Promise<Target> | undefined;
    const ends: (() => void | Promise<void>)[] = [];
    const ending: Ending = { after: (end) => void ends.push(end) };
    const client = (): OpenRegistry => openClient(ending);
    const world = async (): Promise<Target & { registry: OpenRegistry }> => {
      const { host, url } = await (target ??= open(ending));
      return { host, url, registry: client() };
    };
    after(async () => {
      for (const end of ends) await end();
    });

    test('an image: its tag, its manifest, its labels', async () => {
      const { host, url, registry } = await world();
      const labels = { 'org.opencontainers.image.source': 'https://git.example/shop/web', a: '' };
      for (const docker of [false, true]) {
        const path = docker ? 'shop/docker' : 'shop/web';
        const { manifest, blobs } = imageOf('web', { labels, docker });
        await push(url, path, { blobs, manifests: [{ content: manifest, as: '1.2' }] });
        const reference = referenceTo(host, `${path}:1.2`);
        assert.equal(await registry.digestOf(reference, ask), manifest.digest);
        const found = await registry.platformImage(reference, null, ask);
        assert.deepEqual(
          [found.digest, found.index, found.image.digest],
          [manifest.digest, null, manifest.digest],
        );
        assert.deepEqual(Buffer.from(found.image.bytes), manifest.bytes);
        const config = await registry.config(reference, found.image, ask);
        assert.deepEqual(config.labels, labels);
        assert.deepEqual(config.platform, {
          os: 'linux',
          architecture: 'amd64',
          variant: null,
          osVersion: null,
        });
        assert.equal(config.created, '2026-11-01T10:00:00Z');
        const [layer] = found.image.layers;
        const bytes = await registry.blob(reference, layer ?? assert.fail(), { ...ask, maxBytes: 100 });
        assert.equal(Buffer.from(bytes).toString('utf8'), 'layer of web');
      }
    });

    test('a file: pushed under a tag, pulled by tag and digest, listed, deleted', async (t) => {
      const {
        host,
        registry: { artifacts },
      } = await world();
      const repository = { host, path: 'backups/ipo' };
      const folder = mkdtempSync(join(tmpdir(), 'ipo-artifact-'));
      t.after(() => rmSync(folder, { recursive: true, force: true }));
      const bytes = randomBytes(9_000_000); // more than one piece
      const path = join(folder, 'file');
      writeFileSync(path, bytes);
      const artifact = {
        ...{ type: 'application/vnd.test.v1', layerType: 'application/vnd.test.v1+zstd', title: 'file' },
        createdAt: '2026-11-20T06:00:00Z',
        file: { path, size: bytes.length, sha256: sha256Hex(bytes) },
      };
      const digest = await artifacts.push(repository, 'monday', artifact, ask.signal);
      await artifacts.push(
        repository,
        'tuesday',
        { ...artifact, createdAt: '2026-11-21T06:00:00Z' },
        ask.signal,
      );
      for (const named of ['monday', digest]) {
        const pulled = await artifacts.pull(repository, named, artifact.type, ask.signal);
        const pieces: Uint8Array[] = [];
        for await (const piece of pulled.bytes) pieces.push(piece);
        assert.deepEqual([pulled.digest, pulled.size], [digest, bytes.length]);
        assert.ok(Buffer.concat(pieces).equals(bytes));
      }
      const other = await faultOf(artifacts.pull(repository, 'monday', 'application/vnd.other', ask.signal));
      assert.equal(other.fault, 'unsupported');
      assert.deepEqual((await artifacts.tags(repository, ask.signal)).toSorted(), ['monday', 'tuesday']);
      await artifacts.remove(repository, 'monday', ask.signal);
      assert.deepEqual(await artifacts.tags(repository, ask.signal), ['tuesday']);
      assert.equal(
        (await faultOf(artifacts.pull(repository, 'monday', artifact.type, ask.signal))).fault,
        'absent',
      );
      const lost = { ...artifact, file: { ...artifact.file, sha256: '0'.repeat(64) } };
      await assert.rejects(artifacts.push(repository, 'lost', lost, ask.signal), RegistryError);
    });

    test('a reference with a digest is not asked about; one that is not there is absent', async () => {
      const { host, registry } = await world();
      const digest = `sha256:${'0'.repeat(64)}`;
      assert.equal(await registry.digestOf(referenceTo(host, `shop/none@${digest}`), ask), digest);
      for (const rest of [`shop/none@${digest}`, 'shop/none:1']) {
        const error = await faultOf(registry.platformImage(referenceTo(host, rest), null, ask));
        assert.equal(error.fault, 'absent', error.message);
        assert.ok(isAbsent(error));
      }
      await assert.rejects(registry.digestOf(referenceTo(host, 'shop/web:no'), ask), { fault: 'absent' });
      const blob = { digest, size: 10 };
      await assert.rejects(registry.blob({ host, path: 'shop/web' }, blob, { ...ask, maxBytes: 10 }), {
        fault: 'absent',
      });
    });

    test('an index: the image of a platform', async () => {
      const { host, url, registry } = await world();
      for (const [path, mediaType] of [
        ['multi/oci', OCI.index],
        ['multi/docker', DOCKER.list],
      ] as const) {
        const docker = mediaType === DOCKER.list;
        const platforms = [{ os: 'linux', architecture: 'amd64' }, LINUX, ARM];
        const made = platforms.map((platform, i) => imageOf(`arch ${i}`, { platform, docker }));
        const entries = made.map(({ manifest }, i) => descriptorOf(manifest, { platform: platforms[i] }));
        const index = indexOf(entries, {}, mediaType);
        await push(url, path, {
          blobs: made.flatMap(({ blobs }) => blobs),
          manifests: [
            ...made.map(({ manifest }) => ({ content: manifest })),
            { content: index, as: 'latest' },
          ],
        });
        const reference = referenceTo(host, path);
        assert.equal(await registry.digestOf(reference, ask), index.digest);
        const own = await registry.platformImage(reference, null, ask);
        assert.deepEqual(
          [own.digest, own.index?.digest, own.image.digest],
          [index.digest, index.digest, made[0]?.manifest.digest],
        );
        const other = await registry.platformImage(reference, LINUX, ask);
        assert.equal(other.image.digest, made[1]?.manifest.digest);
        const v7 = await registry.platformImage(reference, { ...ARM, variant: 'v7', osVersion: null }, ask);
        assert.equal(v7.image.digest, made[2]?.manifest.digest);
        const error = await faultOf(
          registry.platformImage(reference, { ...LINUX, architecture: 's390x' }, ask),
        );
        assert.deepEqual(
          [error.fault, /has no image for linux\/s390x/.test(error.message)],
          ['unsupported', true],
        );
      }
    });

    test('what is attached by cosign tags and by referrers', async () => {
      const { host, url, registry } = await world();
      const path = 'shop/signed';
      const { manifest, blobs } = imageOf('signed');
      const repository = { host, path };
      const payload = blobOf({ critical: {} }, 'application/vnd.dev.cosign.simplesigning.v1+json');
      const empty = blobOf({}, 'application/vnd.oci.empty.v1+json');
      const signature = signatureOf(payload, empty);
      const artifact = blobOf(
        {
          schemaVersion: 2,
          mediaType: OCI.manifest,
          artifactType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
          config: descriptorOf(empty),
          layers: [descriptorOf(payload)],
          subject: descriptorOf(manifest),
          annotations: { made: 'here' },
        },
        OCI.manifest,
      );
      await push(url, path, { blobs, manifests: [{ content: manifest, as: '1' }] });
      assert.equal(await registry.attached(repository, manifest.digest, 'sig', ask), null);
      assert.deepEqual(await registry.referrers(repository, manifest.digest, ask), {
        source: (await hasReferrers(url, path, manifest.digest)) ? 'api' : 'none',
        ...{ descriptors: [], complete: true },
      });

      const listed = descriptorOf(artifact, {
        artifactType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
        annotations: { made: 'here' },
      });
      const tag = manifest.digest.replace(':', '-');
      await push(url, path, {
        blobs: [payload, empty],
        manifests: [
          { content: signature, as: `${tag}.sig` },
          { content: artifact },
          { content: indexOf([listed]), as: tag },
        ],
      });
      const later = client();
      const sig = await later.attached(repository, manifest.digest, 'sig', ask);
      assert.equal(sig?.layers[0]?.annotations['dev.cosignproject.cosign/signature'], 'c2ln');
      assert.equal(await later.attached(repository, manifest.digest, 'att', ask), null);
      const referrers = await later.referrers(repository, manifest.digest, ask);
      assert.deepEqual(
        referrers.descriptors.map(({ digest, artifactType, annotations }) => [
          digest,
          artifactType,
          annotations,
        ]),
        [[artifact.digest, 'application/vnd.dev.sigstore.bundle.v0.3+json', { made: 'here' }]],
      );
      const read = await later.manifest(repository, artifact.digest, ask);
      assert.equal(read.subject?.digest, manifest.digest);
      const filtered = await later.referrers(repository, manifest.digest, {
        ...ask,
        artifactType: 'text/other',
      });
      assert.deepEqual(filtered.descriptors, []);
      assert.equal((await faultOf(later.config(repository, sig ?? assert.fail(), ask))).fault, 'unsupported');
    });

    test('many at once: each content is asked for once', async () => {
      const { host, url, registry } = await world();
      const { manifest, blobs } = imageOf('crowd', { labels: { crowd: 'yes' } });
      await push(url, 'shop/crowd', { blobs, manifests: [{ content: manifest, as: 'c' }] });
      const reference = referenceTo(host, 'shop/crowd:c');
      const found = await Promise.all(
        Array.from({ length: 200 }, async () => {
          const { image } = await registry.platformImage(reference, null, ask);
          return (await registry.config(reference, image, ask)).labels['crowd'];
        }),
      );
      assert.deepEqual(new Set(found), new Set(['yes']));
    });
  });
}

function signatureOf(payload: Pushed, config: Pushed): Pushed {
  const layer = descriptorOf(payload, { annotations: { 'dev.cosignproject.cosign/signature': 'c2ln' } });
  return blobOf(
    { schemaVersion: 2, mediaType: OCI.manifest, config: descriptorOf(config), layers: [layer] },
    OCI.manifest,
  );
}

async function hasReferrers(url: string, path: string, digest: string): Promise<boolean> {
  return (await fetch(`${url}/v2/${path}/referrers/${digest}`)).status === 200;
}
