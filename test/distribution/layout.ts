import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { extract } from 'tar-stream';

/** The documents of an OCI layout, as far as tests read them. */
export interface Image {
  readonly digest: string;
  readonly architecture: string;
  readonly config: {
    readonly created: string;
    readonly config: Readonly<Record<string, unknown>> & {
      readonly Labels: Readonly<Record<string, string>>;
    };
    readonly rootfs: { readonly diff_ids: readonly string[] };
  };
  readonly layers: readonly { readonly size: number; readonly tar: Buffer }[];
}

/** One file, folder or link of an image, without its content. */
export interface Header {
  readonly path: string;
  readonly type: string;
  readonly mode: number;
  readonly uid: number;
  readonly time: number;
}

interface Descriptor {
  readonly digest: string;
  readonly size: number;
  readonly platform?: { readonly architecture: string };
}

/** readLayout reads the images of a layout, and checks each blob against its digest and its size. */
export function readLayout(folder: string): Image[] {
  const blob = ({ digest, size }: Descriptor): Buffer => {
    const bytes = readFileSync(join(folder, 'blobs', digest.replace(':', '/')));
    if (bytes.length !== size || `sha256:${createHash('sha256').update(bytes).digest('hex')}` !== digest)
      throw new Error(`${digest} is not what it is called`);
    return bytes;
  };
  const json = (descriptor: Descriptor): unknown => JSON.parse(blob(descriptor).toString());
  const top = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')) as { manifests: Descriptor[] };
  return top.manifests.flatMap((index) =>
    (json(index) as { manifests: Descriptor[] }).manifests.map((descriptor) => {
      const manifest = json(descriptor) as { config: Descriptor; layers: Descriptor[] };
      return {
        digest: descriptor.digest,
        architecture: descriptor.platform?.architecture ?? '',
        config: json(manifest.config) as Image['config'],
        layers: manifest.layers.map((layer) => ({ size: layer.size, tar: gunzipSync(blob(layer)) })),
      };
    }),
  );
}

/** unpack writes the layers of an image into a folder, with owners and permissions, and lists what is in them. It has to run as root. */
export async function unpack(image: Image, folder: string): Promise<Header[]> {
  const headers: Header[] = [];
  for (const { tar } of image.layers) {
    const reader = extract();
    reader.end(tar);
    for await (const entry of reader) {
      const { name, type, mode, uid, linkname, mtime } = entry.header;
      const path = join(folder, name);
      const parts: Uint8Array[] = [];
      for await (const part of entry) parts.push(part as Uint8Array);
      mkdirSync(dirname(path), { recursive: true });
      if (type === 'directory') mkdirSync(path, { recursive: true });
      else if (type === 'symlink') symlinkSync(linkname ?? '', path);
      else writeFileSync(path, Buffer.concat(parts));
      if (type === 'symlink') lchownSync(path, uid, uid);
      else {
        chownSync(path, uid, uid);
        chmodSync(path, mode);
      }
      headers.push({ path: name, type: type ?? '', mode, uid, time: (mtime?.getTime() ?? 0) / 1000 });
    }
  }
  return headers;
}
