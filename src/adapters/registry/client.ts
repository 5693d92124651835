import { isDigest, type Digest } from '../../base/index.ts';
import {
  formatPlatform,
  isAbsent,
  RegistryError,
  selectPlatform,
  type Attachment,
  type Descriptor,
  type ImageConfig,
  type ImageIndex,
  type ImageManifest,
  type ImageReference,
  type Manifest,
  type Platform,
  type PlatformImage,
  type Referrers,
  type Registry,
  type RegistryAsk,
  type Repository,
} from '../../image/index.ts';
import type { Asking, Question } from './asking.ts';
import { readConfig } from './config.ts';
import { assertReadable } from './content.ts';
import { CONTENT_MS, MAX_CONFIG, MAX_NESTING, SMALL_BLOB, TAG_MS } from './limits.ts';
import type { From, Reading } from './reading.ts';
import { readReferrers, referrersTag } from './referrers.ts';

const TAG = /^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$/;

/** ClientDeps are what a client is made of. */
export interface ClientDeps {
  readonly asking: Asking;
  readonly reading: Reading;
  /** For which images are looked up where nobody says. */
  readonly platform: Platform;
}

/** RegistryClient is the Registry over HTTP. */
export class RegistryClient implements Registry {
  readonly #asking: Asking;
  readonly #reading: Reading;
  readonly #platform: Platform;

  constructor({ asking, reading, platform }: ClientDeps) {
    this.#asking = asking;
    this.#reading = reading;
    this.#platform = platform;
  }

  async digestOf(reference: ImageReference, ask: RegistryAsk): Promise<Digest> {
    const { digest } = reference;
    if (digest !== null)
      return isDigest(digest) ? digest : (await this.manifest(reference, digest, ask)).digest;
    const tag = reference.tag ?? 'latest';
    return this.#ask(reference, ask, {
      name: `tag ${tag}`,
      lifeMs: TAG_MS,
      sizeOf: () => 512,
      pace: 'prompt',
      read: (from) => this.#reading.tag(from, tag),
    });
  }

  async manifest(repository: Repository, digestOrTag: string, ask: RegistryAsk): Promise<Manifest> {
    const isByDigest = digestOrTag.includes(':');
    if (isByDigest) assertReadable(digestOrTag);
    else if (!TAG.test(digestOrTag)) throw new RegistryError('refused', 'a tag is not valid in any registry');
    return this.#ask(repository, ask, {
      name: `manifest ${digestOrTag}`,
      lifeMs: isByDigest ? CONTENT_MS : TAG_MS,
      // What was read out of the bytes takes some times their room.
      sizeOf: ({ bytes }) => 1024 + 5 * bytes.length,
      read: (from) => this.#reading.manifest(from, digestOrTag),
    });
  }

  async platformImage(
    reference: ImageReference,
    platform: Platform | null,
    ask: RegistryAsk,
  ): Promise<PlatformImage> {
    const wanted = platform ?? this.#platform;
    const digest = await this.digestOf(reference, ask);
    const first = await this.manifest(reference, digest, ask);
    const index: ImageIndex | null = first.kind === 'index' ? first : null;
    let at = first;
    for (let depth = 0; at.kind === 'index'; depth += 1) {
      const chosen = depth === MAX_NESTING ? null : selectPlatform(at.manifests, wanted);
      if (chosen === null)
        throw new RegistryError(
          'unsupported',
          `${reference.name} has no image for ${formatPlatform(wanted)}`,
          {
            hint: 'Name a platform that the image is made for',
          },
        );
      at = await this.manifest(reference, chosen.digest, ask);
    }
    return { digest, index, image: at };
  }

  async config(
    repository: Repository,
    { config, digest }: ImageManifest,
    ask: RegistryAsk,
  ): Promise<ImageConfig> {
    const bytes = await this.blob(repository, config, { ...ask, maxBytes: MAX_CONFIG });
    return readConfig(bytes, config.mediaType, `${repository.path}@${digest}`);
  }

  async referrers(
    repository: Repository,
    digest: Digest,
    ask: RegistryAsk & { readonly artifactType?: string | undefined },
  ): Promise<Referrers> {
    assertReadable(digest);
    const artifactType = ask.artifactType ?? null;
    return this.#ask(repository, ask, {
      name: JSON.stringify(['referrers', digest, artifactType]),
      lifeMs: TAG_MS,
      sizeOf: ({ descriptors }) => 512 + 2 * JSON.stringify(descriptors).length,
      read: (from) => readReferrers(this.#reading, from, digest, artifactType),
      isNothing: ({ descriptors }) => descriptors.length === 0,
    });
  }

  async attached(
    repository: Repository,
    digest: Digest,
    attachment: Attachment,
    ask: RegistryAsk,
  ): Promise<ImageManifest | null> {
    assertReadable(digest);
    try {
      const manifest = await this.manifest(repository, `${referrersTag(digest)}.${attachment}`, ask);
      if (manifest.digest === digest) return null; // a registry that takes the tag for the digest
      if (manifest.kind === 'image') return manifest;
    } catch (error) {
      if (isAbsent(error)) return null;
      throw error;
    }
    throw new RegistryError(
      'unreadable',
      `${repository.host} keeps an index under the tag of what cosign attaches`,
    );
  }

  async blob(
    repository: Repository,
    { digest, size }: Pick<Descriptor, 'digest' | 'size'>,
    ask: RegistryAsk & { readonly maxBytes: number },
  ): Promise<Uint8Array> {
    assertReadable(digest);
    if (size > ask.maxBytes)
      throw new RegistryError(
        'too_large',
        `a blob of ${repository.path} has ${size} bytes; at most ${ask.maxBytes} are read`,
      );
    return this.#ask(repository, ask, {
      name: `blob ${digest} ${size}`,
      pace: 'long',
      lifeMs: size <= SMALL_BLOB ? CONTENT_MS : 0,
      sizeOf: (bytes) => 512 + bytes.length,
      read: (from) => this.#reading.blob(from, digest, size),
    });
  }

  #ask<T>(
    { host, path }: Repository,
    ask: RegistryAsk,
    {
      read,
      ...question
    }: Pick<Question<T>, 'name' | 'lifeMs' | 'sizeOf' | 'isNothing' | 'pace'> & {
      readonly read: (from: From) => Promise<T>;
    },
  ): Promise<T> {
    return this.#asking.answer({
      ...question,
      repository: { host, path },
      ask,
      act: (signal) => (endpoint, credential) => read({ endpoint, credential, signal }),
    });
  }
}
