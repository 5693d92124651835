import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Hex } from '../../src/base/index.ts';

/** Descriptor names a blob by what it is. */
export interface Descriptor {
  mediaType: string;
  digest: string;
  size: number;
  platform?: { architecture: string; os: string };
  annotations?: Record<string, string>;
}

export const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
export const INDEX = 'application/vnd.oci.image.index.v1+json';

/** Blobs are what an OCI layout in a folder holds, by digest. */
export class Blobs {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(join(folder, 'blobs/sha256'), { recursive: true });
    writeFileSync(join(folder, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}\n');
  }

  put(mediaType: string, bytes: Buffer): Descriptor {
    const digest = sha256Hex(bytes);
    writeFileSync(join(this.#folder, 'blobs/sha256', digest), bytes);
    return { mediaType, digest: `sha256:${digest}`, size: bytes.length };
  }

  putJson(mediaType: string, value: unknown): Descriptor {
    return this.put(mediaType, toJson(value));
  }

  /** finish names what the layout holds under a tag. */
  finish(held: Descriptor, tag: string, annotations: Record<string, string> = {}): void {
    const manifests = [
      { ...held, annotations: { ...annotations, 'org.opencontainers.image.ref.name': tag } },
    ];
    writeFileSync(
      join(this.#folder, 'index.json'),
      toJson({ schemaVersion: 2, mediaType: INDEX, manifests }),
    );
  }
}

function toJson(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
