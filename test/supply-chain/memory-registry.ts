import { sha256Hex, type Digest } from '../../src/base/index.ts';
import {
  RegistryError,
  type Attachment,
  type Descriptor,
  type ImageManifest,
  type Referrers,
  type Registry,
  type RegistryFault,
  type Repository,
} from '../../src/image/index.ts';

/** NEVER is a signal that nobody gives. */
export const NEVER = new AbortController().signal;

/** bytesOf gives a JSON value as a registry keeps it. */
export const bytesOf = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

/** Layer is one layer of what is attached. */
export interface Layer {
  readonly mediaType: string;
  readonly bytes: Uint8Array;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** MemoryRegistry is the port over what tests put into it; any question can be made to fail. */
export class MemoryRegistry implements Registry {
  /** By `host/path`. */
  readonly manifests = new Map<string, Map<string, ImageManifest>>();
  readonly blobs = new Map<string, Uint8Array>();
  readonly listed = new Map<string, Descriptor[]>();
  readonly tags = new Map<string, ImageManifest>();
  /** `referrers`, `sig`, `att`, `manifest`, `blob`, or a digest: what is answered instead. */
  readonly faults = new Map<string, RegistryFault>();
  readonly asked: string[] = [];
  complete = true;

  /** Makes an image known in a repository. */
  image(repository: string, digest: Digest): void {
    this.#put(repository, this.#manifest(digest, []));
  }

  /** Attaches by referrers. */
  refer(repository: string, subject: Digest, artifactType: string | null, layers: readonly Layer[]): Digest {
    const digest = `sha256:${sha256Hex(JSON.stringify([subject, artifactType, layers.map((layer) => this.#blob(layer))]))}`;
    this.#put(repository, this.#manifest(digest, layers));
    const known = this.listed.get(`${repository} ${subject}`) ?? [];
    known.push(descriptor('application/vnd.oci.image.manifest.v1+json', digest, 1, artifactType));
    this.listed.set(`${repository} ${subject}`, known);
    return digest;
  }

  /** Attaches by a tag of cosign's older layout. */
  tag(repository: string, subject: Digest, attachment: Attachment, layers: readonly Layer[]): void {
    for (const layer of layers) this.#blob(layer);
    const digest = `sha256:${sha256Hex(`${subject}.${attachment}`)}`;
    this.tags.set(`${repository} ${subject} ${attachment}`, this.#manifest(digest, layers));
  }

  digestOf(): Promise<Digest> {
    return Promise.reject(new Error('not asked'));
  }
  platformImage(): Promise<never> {
    return Promise.reject(new Error('not asked'));
  }
  config(): Promise<never> {
    return Promise.reject(new Error('not asked'));
  }

  async manifest(repository: Repository, digest: string): Promise<ImageManifest> {
    this.#ask('manifest', digest);
    const found = this.manifests.get(nameOf(repository))?.get(digest);
    if (found === undefined) throw new RegistryError('absent', `${nameOf(repository)} has no ${digest}`);
    return found;
  }

  async referrers(repository: Repository, digest: Digest): Promise<Referrers> {
    this.#ask('referrers', '');
    const descriptors = this.listed.get(`${nameOf(repository)} ${digest}`) ?? [];
    return { source: 'api', descriptors, complete: this.complete };
  }

  async attached(
    repository: Repository,
    digest: Digest,
    attachment: Attachment,
  ): Promise<ImageManifest | null> {
    this.#ask(attachment, '');
    return this.tags.get(`${nameOf(repository)} ${digest} ${attachment}`) ?? null;
  }

  async blob(_: Repository, { digest }: Pick<Descriptor, 'digest'>): Promise<Uint8Array> {
    this.#ask('blob', digest);
    const found = this.blobs.get(digest);
    if (found === undefined) throw new RegistryError('absent', `there is no blob ${digest}`);
    return found;
  }

  #ask(what: string, digest: string): void {
    this.asked.push(`${what} ${digest}`.trim());
    const fault = this.faults.get(digest) ?? this.faults.get(what);
    if (fault !== undefined) throw new RegistryError(fault, `the registry: ${fault}`);
  }

  #blob({ mediaType, bytes, annotations }: Layer): Descriptor {
    const digest = `sha256:${sha256Hex(bytes)}`;
    this.blobs.set(digest, bytes);
    return { ...descriptor(mediaType, digest, bytes.length, null), annotations: annotations ?? {} };
  }

  #manifest(digest: Digest, layers: readonly Layer[]): ImageManifest {
    return {
      kind: 'image',
      digest,
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      bytes: Buffer.from(digest),
      artifactType: null,
      subject: null,
      annotations: {},
      config: descriptor('application/vnd.oci.empty.v1+json', digest, 2, null),
      layers: layers.map((layer) => this.#blob(layer)),
    };
  }

  #put(repository: string, manifest: ImageManifest): void {
    const known = this.manifests.get(repository) ?? new Map<string, ImageManifest>();
    known.set(manifest.digest, manifest);
    this.manifests.set(repository, known);
  }
}

function nameOf({ host, path }: Repository): string {
  return `${host}/${path}`;
}

function descriptor(
  mediaType: string,
  digest: string,
  size: number,
  artifactType: string | null,
): Descriptor {
  return { mediaType, digest, size, artifactType, platform: null, annotations: {} };
}
