import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { isDigest, sha256Hex, type Digest } from '../../base/index.ts';
import {
  RegistryError,
  type Artifact,
  type Artifacts,
  type Keychain,
  type PulledArtifact,
  type Repository,
} from '../../image/index.ts';
import { toAnswerError } from './answers.ts';
import { addressOf, targetOf, type ApiCall, type Authorised } from './authorised.ts';
import type { HttpAnswer } from './call.ts';
import { MAX_MANIFEST, MAX_PAGES } from './limits.ts';
import { MANIFEST, readJson } from './manifest.ts';
import type { PlacesAsked } from './places-asked.ts';
import type { From, Reading } from './reading.ts';

/** What a manifest names as its configuration where there is none (OCI 1.1). */
const EMPTY = { mediaType: 'application/vnd.oci.empty.v1+json', text: '{}' } as const;
const TITLE = 'org.opencontainers.image.title';
const CREATED = 'org.opencontainers.image.created';
/** Bytes that are read at once: a call that fails is made again for no more than these. */
const PIECE = 8 * 1_048_576;
/** Tries of one piece. */
const TRIES = 4;
const TAGS = 1000;

type Asked = Pick<ApiCall, 'method' | 'rest'> & Partial<Pick<ApiCall, 'headers' | 'body' | 'maxBytes'>>;

/** ArtifactsDeps are what artifacts are kept with. */
export interface ArtifactsDeps {
  readonly authorised: Authorised;
  readonly reading: Reading;
  readonly places: PlacesAsked;
  readonly keychain: Keychain;
}

/** ArtifactsClient is Artifacts over HTTP. It asks the registry itself, never a mirror: one knows neither what is new nor what was deleted. */
export class ArtifactsClient implements Artifacts {
  readonly #deps: ArtifactsDeps;

  constructor(deps: ArtifactsDeps) {
    this.#deps = deps;
  }

  push(repository: Repository, tag: string, artifact: Artifact, signal: AbortSignal): Promise<Digest> {
    return this.#as(repository, signal, async (from) => {
      const { file } = artifact;
      await this.#upload(from, Buffer.byteLength(EMPTY.text), sha256Hex(EMPTY.text), EMPTY.text);
      await this.#upload(from, file.size, file.sha256, () => createReadStream(file.path));
      const manifest = JSON.stringify(manifestOf(artifact));
      const answer = await this.#call(from, {
        method: 'PUT',
        rest: `manifests/${tag}`,
        body: manifest,
        headers: { 'content-type': MANIFEST },
      });
      if (answer.status !== 201) throw refused(from, answer, `the manifest of ${tag}`);
      return `sha256:${sha256Hex(manifest)}`;
    });
  }

  pull(
    repository: Repository,
    tagOrDigest: string,
    type: string,
    signal: AbortSignal,
  ): Promise<PulledArtifact> {
    return this.#as(repository, signal, async (from) => {
      const manifest = await this.#deps.reading.manifest(from, tagOrDigest);
      const [layer] = manifest.kind === 'image' ? manifest.layers : [];
      if (manifest.artifactType !== type || layer === undefined || !isDigest(layer.digest))
        throw new RegistryError(
          'unsupported',
          `${from.endpoint.host}/${from.endpoint.path} keeps something else under ${tagOrDigest}`,
        );
      const { digest, size } = layer;
      return { digest: manifest.digest, size, bytes: this.#blob(from, digest, size) };
    });
  }

  tags(repository: Repository, signal: AbortSignal): Promise<readonly string[]> {
    return this.#as(repository, signal, async (from) => {
      const found: string[] = [];
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const last = found.at(-1);
        const after = last === undefined ? '' : `&last=${encodeURIComponent(last)}`;
        const answer = await this.#call(from, { method: 'GET', rest: `tags/list?n=${TAGS}${after}` });
        if (answer.status !== 200) throw refused(from, answer, 'its tags');
        const tags = readJson(answer.bytes)?.['tags'];
        const more = Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [];
        found.push(...more);
        if (more.length === 0 || !/rel="?next"?/i.test(answer.headers['link'] ?? '')) break;
      }
      return found;
    });
  }

  remove(repository: Repository, tag: string, signal: AbortSignal): Promise<void> {
    return this.#as(repository, signal, async (from) => {
      const { digest } = await this.#deps.reading.manifest(from, tag);
      const answer = await this.#call(from, { method: 'DELETE', rest: `manifests/${digest}` }, 'delete');
      if (answer.status !== 202 && answer.status !== 200)
        throw refused(from, answer, `${tag} (to delete it)`);
    });
  }

  /** Puts one blob there, in one request with its length. */
  async #upload(from: From, size: number, sha256: string, body: NonNullable<ApiCall['body']>): Promise<void> {
    const begun = await this.#call(from, { method: 'POST', rest: 'blobs/uploads/' });
    if (begun.status !== 202) throw refused(from, begun, 'a blob');
    const to = targetOf(addressOf(from.endpoint, 'blobs/uploads/'), begun, from.endpoint);
    to.searchParams.set('digest', `sha256:${sha256}`);
    const headers = { 'content-type': 'application/octet-stream', 'content-length': String(size) };
    const put = await this.#call(from, { method: 'PUT', rest: to, body, headers });
    if (put.status !== 201) throw refused(from, put, 'a blob');
  }

  async *#blob(from: From, digest: Digest, size: number): AsyncGenerator<Uint8Array, void, undefined> {
    const hash = createHash('sha256');
    for (let at = 0; at < size; at += PIECE) {
      const bytes = await this.#piece(from, digest, at, Math.min(PIECE, size - at));
      hash.update(bytes);
      yield bytes;
    }
    if (`sha256:${hash.digest('hex')}` !== digest)
      throw new RegistryError(
        'unreadable',
        `${from.endpoint.host} returns content that does not match the digest`,
        {
          remedy: 'look_between',
        },
      );
  }

  async #piece(from: From, digest: Digest, at: number, length: number): Promise<Buffer> {
    for (let turn = 1; ; turn += 1) {
      try {
        const range = { range: `bytes=${at}-${at + length - 1}` };
        const answer = await this.#call(
          from,
          { method: 'GET', rest: `blobs/${digest}`, headers: range, maxBytes: length },
          'pull',
        );
        if (answer.status !== 200 && answer.status !== 206) throw refused(from, answer, digest);
        if (answer.bytes.length === length) return answer.bytes;
        throw new RegistryError(
          'unreadable',
          `${from.endpoint.host} gives ${digest} in other pieces than asked for`,
        );
      } catch (error) {
        if (turn === TRIES || !(error instanceof RegistryError) || error.fault !== 'unavailable') throw error;
      }
    }
  }

  async #call(from: From, asked: Asked, actions = 'pull,push'): Promise<HttpAnswer> {
    return this.#deps.authorised.call({
      ...from,
      headers: {},
      maxBytes: MAX_MANIFEST,
      actions,
      ...asked,
    });
  }

  async #as<T>(repository: Repository, signal: AbortSignal, act: (from: From) => Promise<T>): Promise<T> {
    const { places, keychain } = this.#deps;
    const own = (await places.placesOf(repository, keychain)).filter(
      ({ endpoint }) => endpoint.mirrorOf === null,
    );
    return places.put(own, (endpoint, credential) => act({ endpoint, credential, signal }));
  }
}

function manifestOf({ type, layerType, title, createdAt, file }: Artifact): object {
  return {
    schemaVersion: 2,
    mediaType: MANIFEST,
    artifactType: type,
    config: {
      mediaType: EMPTY.mediaType,
      digest: `sha256:${sha256Hex(EMPTY.text)}`,
      size: Buffer.byteLength(EMPTY.text),
    },
    layers: [
      {
        mediaType: layerType,
        digest: `sha256:${file.sha256}`,
        size: file.size,
        annotations: { [TITLE]: title },
      },
    ],
    annotations: { [CREATED]: createdAt },
  };
}

function refused(from: From, answer: HttpAnswer, what: string): RegistryError {
  const { host, path } = from.endpoint;
  if (answer.status === 403 || answer.status === 405)
    return new RegistryError('denied', `${host} does not take ${what} of ${path} (status ${answer.status})`, {
      remedy: 'sign_in',
      hint: 'Give a credential that may write to the repository; some registries delete nothing',
    });
  return toAnswerError(answer, from.endpoint, `${path} ${what}`);
}
