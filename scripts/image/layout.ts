import { gzipSync } from 'node:zlib';
import { sha256Hex } from '../../src/base/index.ts';
import { parseReference } from '../../src/image/index.ts';
import { Blobs, INDEX, MANIFEST, type Descriptor } from './blobs.ts';
import { type Architecture } from './pins.ts';
import { toTar, type Tree } from './tree.ts';

/** One layer as it is stored, with the digest of what it holds before it is compressed. */
export interface Layer {
  blob: Buffer;
  diffId: string;
  note: string;
}

const CONFIG = 'application/vnd.oci.image.config.v1+json';
const LAYER = 'application/vnd.oci.image.layer.v1.tar+gzip';

/** layerOf writes a tree as a compressed layer. The same tree, time and Node.js give the same bytes. */
export async function layerOf(tree: Tree, time: number, note: string, level: number): Promise<Layer> {
  const tar = await toTar(tree, time);
  return { blob: gzipSync(tar, { level }), diffId: `sha256:${sha256Hex(tar)}`, note };
}

/** Layout is an OCI image layout in a folder: blobs by digest, and an index over the images of all processors. */
export class Layout {
  readonly #blobs: Blobs;
  readonly #manifests: Descriptor[] = [];

  constructor(folder: string) {
    this.#blobs = new Blobs(folder);
  }

  /** add writes the image of one processor. `settings` is the `config` of the OCI image configuration. */
  add(image: {
    architecture: Architecture;
    created: string;
    settings: Record<string, unknown>;
    labels: Record<string, string>;
    layers: Layer[];
  }): void {
    const { architecture, created, layers } = image;
    const config = this.#blobs.putJson(CONFIG, {
      created,
      architecture,
      os: 'linux',
      config: { ...image.settings, Labels: image.labels },
      rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
      history: layers.map(({ note }) => ({ created, created_by: note })),
    });
    const manifest = this.#blobs.putJson(MANIFEST, {
      schemaVersion: 2,
      mediaType: MANIFEST,
      config,
      layers: layers.map(({ blob }) => this.#blobs.put(LAYER, blob)),
      annotations: image.labels,
    });
    this.#manifests.push({ ...manifest, platform: { architecture, os: 'linux' } });
  }

  /**
   * finish writes the index, and gives the digest by which the image is known: that of the index over all processors. `name` has a tag;
   * without a registry it is the name that containerd and Docker give to `docker.io/library`.
   */
  finish(name: string, labels: Record<string, string>): string {
    const index = this.#blobs.putJson(INDEX, {
      schemaVersion: 2,
      mediaType: INDEX,
      manifests: this.#manifests,
      annotations: labels,
    });
    this.#blobs.finish(index, name.slice(name.lastIndexOf(':') + 1), {
      'io.containerd.image.name': fullName(name),
    });
    return index.digest;
  }
}

function fullName(name: string): string {
  const reference = parseReference(name);
  if ('fault' in reference || reference.tag === null)
    throw new Error(`--name ${name}: not the name of an image with a tag`);
  return `${reference.name}:${reference.tag}`;
}
