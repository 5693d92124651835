import { createHash } from 'node:crypto';

/** Ending takes what is done when a test, or a suite, ends. A TestContext is one. */
export interface Ending {
  after(end: () => void | Promise<void>): void;
}

/** Pushed is content as a registry keeps it. */
export interface Pushed {
  readonly digest: string;
  readonly size: number;
  readonly mediaType: string;
  readonly bytes: Buffer;
}

export const OCI = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
} as const;
export const DOCKER = {
  list: 'application/vnd.docker.distribution.manifest.list.v2+json',
  manifest: 'application/vnd.docker.distribution.manifest.v2+json',
  config: 'application/vnd.docker.container.image.v1+json',
} as const;

/** digestOf gives the digest of bytes. */
export function digestOf(bytes: Uint8Array, algorithm = 'sha256'): string {
  return `${algorithm}:${createHash(algorithm).update(bytes).digest('hex')}`;
}

/** blobOf makes content of a value, or of bytes. */
export function blobOf(value: unknown, mediaType: string): Pushed {
  const bytes = Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value));
  return { digest: digestOf(bytes), size: bytes.length, mediaType, bytes };
}

/** descriptorOf names content. */
export function descriptorOf({ digest, size, mediaType }: Pushed, more: object = {}): object {
  return { mediaType, digest, size, ...more };
}

/** MadeImage is an image with what it consists of. */
export interface MadeImage {
  readonly manifest: Pushed;
  readonly blobs: readonly Pushed[];
}

/** imageOf makes an image for a platform. */
export function imageOf(
  name: string,
  {
    platform = { os: 'linux', architecture: 'amd64' } as object,
    labels = {} as object,
    docker = false,
    more = {} as object,
  } = {},
): MadeImage {
  const config = blobOf(
    {
      ...platform,
      created: '2026-11-01T10:00:00Z',
      config: { Labels: labels },
      rootfs: { type: 'layers', diff_ids: [] },
    },
    docker ? DOCKER.config : OCI.config,
  );
  const layer = blobOf(Buffer.from(`layer of ${name}`), OCI.layer);
  const mediaType = docker ? DOCKER.manifest : OCI.manifest;
  const manifest = blobOf(
    { schemaVersion: 2, mediaType, config: descriptorOf(config), layers: [descriptorOf(layer)], ...more },
    mediaType,
  );
  return { manifest, blobs: [config, layer] };
}

/** indexOf makes an index of entries. */
export function indexOf(
  manifests: readonly object[],
  more: object = {},
  mediaType: string = OCI.index,
): Pushed {
  return blobOf({ schemaVersion: 2, mediaType, manifests, ...more }, mediaType);
}

/** push puts content into a registry the way clients do. */
export async function push(
  base: string,
  path: string,
  {
    blobs = [],
    manifests = [],
    authorization,
  }: {
    readonly blobs?: readonly Pushed[];
    readonly manifests?: readonly { readonly content: Pushed; readonly as?: string }[];
    readonly authorization?: string;
  },
): Promise<void> {
  const headers = authorization === undefined ? {} : { authorization };
  for (const { digest, bytes } of blobs) {
    const begun = await fetch(`${base}/v2/${path}/blobs/uploads/`, { method: 'POST', headers });
    const at = new URL(begun.headers.get('location') ?? '', base);
    at.searchParams.set('digest', digest);
    const type = { 'content-type': 'application/octet-stream' };
    await done(
      await fetch(at, { method: 'PUT', headers: { ...headers, ...type }, body: new Uint8Array(bytes) }),
    );
  }
  for (const { content, as } of manifests) {
    const at = `${base}/v2/${path}/manifests/${as ?? content.digest}`;
    const type = { 'content-type': content.mediaType };
    await done(
      await fetch(at, {
        method: 'PUT',
        headers: { ...headers, ...type },
        body: new Uint8Array(content.bytes),
      }),
    );
  }
}

async function done(answer: Response): Promise<void> {
  if (answer.status !== 201) throw new Error(`status ${answer.status}: ${await answer.text()}`);
}
