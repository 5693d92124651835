import { isDigest, type Digest } from '../../base/index.ts';
import { RegistryError, type Credential, type Manifest } from '../../image/index.ts';
import { toAnswerError } from './answers.ts';
import { fingerprintOf, type Authorised } from './authorised.ts';
import type { HttpAnswer } from './call.ts';
import { isContent } from './content.ts';
import type { Endpoint } from './hosts.ts';
import { MAX_MANIFEST } from './limits.ts';
import { ACCEPTED, readManifest } from './manifest.ts';
import type { Quiet } from './quiet.ts';

/** From is where something is read, and as whom. */
export interface From {
  readonly endpoint: Endpoint;
  readonly credential: Credential | null;
  readonly signal: AbortSignal;
}

/** Reading makes the single reads of a registry's API. Each throws RegistryError. */
export class Reading {
  readonly #authorised: Authorised;
  readonly #quiet: Quiet;

  constructor(authorised: Authorised, quiet: Quiet) {
    this.#authorised = authorised;
    this.#quiet = quiet;
  }

  /** The digest that a tag stands for. Asked without the manifest, which registries do not count as a pull. */
  async tag(from: From, tag: string): Promise<Digest> {
    const answer = await this.#call(from, 'HEAD', `manifests/${tag}`, 1);
    const said = answer.headers['docker-content-digest']?.trim() ?? '';
    if (answer.status === 200 && isDigest(said)) return said;
    // A fault without a body says too little to be believed, and not every registry names the digest.
    if (answer.status === 429) throw this.#fault(from, answer, tag);
    return (await this.manifest(from, tag)).digest;
  }

  /** A manifest by tag or digest; one by digest is what the digest says. */
  async manifest(from: From, digestOrTag: string): Promise<Manifest> {
    const answer = await this.#call(from, 'GET', `manifests/${digestOrTag}`, MAX_MANIFEST);
    if (answer.status !== 200) throw this.#fault(from, answer, digestOrTag);
    const isByDigest = digestOrTag.includes(':');
    if (isByDigest && !isContent(answer.bytes, digestOrTag)) throw notTheDigest(from);
    const manifest = readManifest(answer.bytes, answer.headers['content-type'], nameOf(from, digestOrTag));
    const said = answer.headers['docker-content-digest']?.trim() ?? '';
    if (!isByDigest && isDigest(said) && said !== manifest.digest) throw notTheDigest(from);
    return manifest;
  }

  /** The bytes of a blob of a known size. */
  async blob(from: From, digest: string, size: number): Promise<Buffer> {
    const answer = await this.#call(from, 'GET', `blobs/${digest}`, Math.max(size, 1));
    if (answer.status !== 200) throw this.#fault(from, answer, digest);
    if (answer.bytes.length !== size || !isContent(answer.bytes, digest)) throw notTheDigest(from);
    return answer.bytes;
  }

  /** One page of the referrers API, of whatever status; `rest` is what follows `referrers/`. */
  async referrers(from: From, rest: string): Promise<HttpAnswer> {
    return this.#call(from, 'GET', `referrers/${rest}`, MAX_MANIFEST);
  }

  /** The error of an answer that is not a success. */
  fault(from: From, answer: HttpAnswer, what: string): RegistryError {
    return this.#fault(from, answer, what);
  }

  async #call(from: From, method: 'GET' | 'HEAD', rest: string, maxBytes: number): Promise<HttpAnswer> {
    const { endpoint, credential, signal } = from;
    const account = accountOf(from);
    this.#quiet.check(account, endpoint.host);
    try {
      const accept = rest.startsWith('manifests/') ? ACCEPTED : '*/*';
      return await this.#authorised.call({
        endpoint,
        credential,
        signal,
        method,
        rest,
        maxBytes,
        headers: { accept },
      });
    } catch (error) {
      if (error instanceof RegistryError) this.#quiet.heard(account, error);
      throw error;
    }
  }

  #fault(from: From, answer: HttpAnswer, what: string): RegistryError {
    const error = toAnswerError(answer, from.endpoint, nameOf(from, what));
    this.#quiet.heard(accountOf(from), error);
    return error;
  }
}

function accountOf({ endpoint, credential }: From): string {
  return `${endpoint.origin.host} ${fingerprintOf(credential)}`;
}

/** `shop/web:1.2`, `shop/web@sha256:…`. */
function nameOf({ endpoint }: From, digestOrTag: string): string {
  return `${endpoint.path}${digestOrTag.includes(':') ? '@' : ':'}${digestOrTag}`;
}

function notTheDigest({ endpoint }: From): RegistryError {
  return new RegistryError(
    'unreadable',
    `${endpoint.host} returns content that does not match the digest; it was not used`,
    {
      remedy: 'look_between',
      hint: 'The registry, or a proxy in front of it, changes content',
    },
  );
}
