import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { sha256Hex } from '../../src/base/index.ts';
import { parseReference } from '../../src/image/index.ts';
import { type Architecture } from './pins.ts';
import { toTar, type Tree } from './tree.ts';

/** One layer as it is stored, with the digest of what it holds before it is compressed. */
export interface Layer {
  blob: Buffer;
  diffId: string;
  note: string;
}

interface Descriptor {
  mediaType: string;
  digest: string;
  size: number;
  platform?: { architecture: string; os: string };
  annotations?: Record<string, string>;
}

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const INDEX = 'application/vnd.oci.image.index.v1+json';
const CONFIG = 'application/vnd.oci.image.config.v1+json';
const LAYER = 'application/vnd.oci.image.layer.v1.tar+gzip';

/** layerOf writes a tree as a compressed layer. The same tree, time and Node.js give the same bytes. */
export async function layerOf(tree: Tree, time: number, note: string, level: number): Promise<Layer> {
  const tar = await toTar(tree, time);
  return { blob: gzipSync(tar, { level }), diffId: `sha256:${sha256Hex(tar)}`, note };
}

/** Layout is an OCI image layout in a folder: blobs by digest, and an index over the images of all processors. */
export class Layout {
  readonly #folder: string;
  readonly #manifests: Descriptor[] = [];

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(join(folder, 'blobs/sha256'), { recursive: true });
    writeFileSync(join(folder, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}\n');
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
    const config = this.#blob(
      CONFIG,
      toJson({
        created,
        architecture,
        os: 'linux',
        config: { ...image.settings, Labels: image.labels },
        rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
        history: layers.map(({ note }) => ({ created, created_by: note })),
      }),
    );
    const manifest = this.#blob(
      MANIFEST,
      toJson({
        schemaVersion: 2,
        mediaType: MANIFEST,
        config,
        layers: layers.map(({ blob }) => this.#blob(LAYER, blob)),
        annotations: image.labels,
      }),
    );
    this.#manifests.push({ ...manifest, platform: { architecture, os: 'linux' } });
  }

  /**
   * finish writes the index, and gives the digest by which the image is known: that of the index over all processors. `name` has a tag;
   * without a registry it is the name that containerd and Docker give to `docker.io/library`.
   */
  finish(name: string, labels: Record<string, string>): string {
    const index = this.#blob(
      INDEX,
      toJson({ schemaVersion: 2, mediaType: INDEX, manifests: this.#manifests, annotations: labels }),
    );
    writeFileSync(
      join(this.#folder, 'index.json'),
      toJson({
        schemaVersion: 2,
        mediaType: INDEX,
        manifests: [
          {
            ...index,
            annotations: {
              'io.containerd.image.name': fullName(name),
              'org.opencontainers.image.ref.name': name.slice(name.lastIndexOf(':') + 1),
            },
          },
        ],
      }),
    );
    return index.digest;
  }

  #blob(mediaType: string, bytes: Buffer): Descriptor {
    const digest = sha256Hex(bytes);
    writeFileSync(join(this.#folder, 'blobs/sha256', digest), bytes);
    return { mediaType, digest: `sha256:${digest}`, size: bytes.length };
  }
}

function toJson(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function fullName(name: string): string {
  const reference = parseReference(name);
  if ('fault' in reference || reference.tag === null)
    throw new Error(`--name ${name}: not the name of an image with a tag`);
  return `${reference.name}:${reference.tag}`;
}
