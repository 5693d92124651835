import type { Digest, Secret } from '../base/index.ts';
import type { ImageReference } from './reference.ts';

/** Repository names where an image is kept. An ImageReference is one. */
export interface Repository {
  /** Registry host with its port, normalised: `docker.io`, `localhost:5000`. */
  readonly host: string;
  /** Path without the host: `library/nginx`. */
  readonly path: string;
}

/** PullPlace is one place where the images of a repository are asked for: its registry, or a mirror of that. */
export interface PullPlace extends Repository {
  /** Whether it is called over plain HTTP. */
  readonly plainHttp: boolean;
  /** Authorities in PEM that are trusted for it beside the system's; null for no more than those. */
  readonly authorities: string | null;
}

/** PullPlaces tells where the images of a repository are asked for, in order; one at least. Throws RegistryError `refused`. */
export type PullPlaces = (repository: Repository) => readonly PullPlace[];

/** Credential is what one account shows to a registry. */
export type Credential =
  | { readonly kind: 'password'; readonly username: string; readonly password: Secret }
  /** A refresh token, changed for an access token where the registry says (`identitytoken` of a docker config). */
  | { readonly kind: 'identity_token'; readonly token: Secret }
  /** An access token, sent as it is (`registrytoken` of a docker config). */
  | { readonly kind: 'access_token'; readonly token: Secret };

/** Keychain knows which credentials may be shown for a repository. */
export interface Keychain {
  /**
   * The credentials to try, the most specific first; empty to ask anonymously. Throws RegistryError `credentials` when there is one
   * that cannot be read.
   */
  credentialsFor(repository: Repository): Promise<readonly Credential[]>;
}

/**
 * CredentialHelpers asks the programs to which a docker config leaves credentials, `docker-credential-NAME`. They are programs of a
 * person: only what a person runs has one of these, never the service.
 */
export interface CredentialHelpers {
  /** What a helper keeps for a server; null where it has nothing. Throws RegistryError `credentials`, `elseAnonymous`. */
  find(ask: HelperAsk): Promise<KeptCredential | null>;
}

/** HelperAsk is what a helper is asked for. */
export interface HelperAsk {
  /** What follows `docker-credential-`, as a config has it: it may be anything. */
  readonly helper: string;
  /** What docker calls the registry: its host, and `https://index.docker.io/v1/` for Docker Hub. */
  readonly server: string;
  /** The registry's host as references have it, for people. */
  readonly host: string;
  /** The file that names the helper, for people. */
  readonly config: string;
}

/** KeptCredential is what a helper keeps, as it says it: the user `<token>` marks a refresh token. */
export interface KeptCredential {
  readonly username: string;
  readonly secret: Secret;
}

/** RegistryAsk is on whose behalf, and how long, a registry is asked. */
export interface RegistryAsk {
  /** Ends the waiting. What others wait for too goes on. */
  readonly signal: AbortSignal;
  /** The client's own where absent. */
  readonly keychain?: Keychain | undefined;
  /**
   * Until when a registry that says that it is busy is asked again, in milliseconds of the client's monotonic clock. Absent: it is asked
   * once, since the caller retries by itself.
   */
  readonly until?: number | undefined;
}

/** Platform is what an image is made for, as an index or an image's configuration says: `linux`, `arm64`, `v8`. */
export interface Platform {
  readonly os: string;
  readonly architecture: string;
  readonly variant: string | null;
  /** `os.version`, which Windows images have. */
  readonly osVersion: string | null;
}

/** Descriptor names content of a repository. */
export interface Descriptor {
  readonly mediaType: string;
  /** As written; content is read by `sha256:…`, `sha384:…` and `sha512:…` only in lowercase hex, others throw `unsupported`. */
  readonly digest: string;
  /** Bytes. */
  readonly size: number;
  /** Null where it says none. */
  readonly artifactType: string | null;
  readonly platform: Platform | null;
  /** As written by anyone who could push. */
  readonly annotations: Readonly<Record<string, string>>;
}

/** ManifestCommon is what an image and an index have. */
interface ManifestCommon {
  /** Of `bytes`. */
  readonly digest: Digest;
  readonly mediaType: string;
  /** As the registry keeps them; their digest was checked. */
  readonly bytes: Uint8Array;
  readonly artifactType: string | null;
  /** What this was attached to (OCI 1.1). */
  readonly subject: Descriptor | null;
  readonly annotations: Readonly<Record<string, string>>;
}

/** ImageManifest is an image of one platform, or an artifact such as a signature. */
export interface ImageManifest extends ManifestCommon {
  readonly kind: 'image';
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}

/** ImageIndex is a list of images, one for each platform, or of referrers. */
export interface ImageIndex extends ManifestCommon {
  readonly kind: 'index';
  readonly manifests: readonly Descriptor[];
}

/** Manifest is an image or an index, in the OCI form or Docker's schema 2. */
export type Manifest = ImageManifest | ImageIndex;

/** ImageConfig is what is used of an image's configuration. */
export interface ImageConfig {
  readonly platform: Platform | null;
  /** Such as `org.opencontainers.image.source`; written by the builder of the image. */
  readonly labels: Readonly<Record<string, string>>;
  /** RFC 3339 as written; null where there is none. */
  readonly created: string | null;
}

/** PlatformImage is the image of one platform that a reference leads to. */
export interface PlatformImage {
  /** What the reference stands for: an index's digest where it is one. It is what runtimes and decisions name. */
  readonly digest: Digest;
  /** Null where the reference is not an index. */
  readonly index: ImageIndex | null;
  /** The image of the platform; the same as `digest` where there is no index. */
  readonly image: ImageManifest;
}

/** Referrers are the artifacts attached to a digest, as the registry lists them: anyone who can push can add to them. */
export interface Referrers {
  /** Whether the referrers API answered, or the fallback tag `sha256-<hex>` was read; `none` when neither is there. */
  readonly source: 'api' | 'tag' | 'none';
  readonly descriptors: readonly Descriptor[];
  /** False when there are more than are read (1,000); what is missing is unknown, not absent. */
  readonly complete: boolean;
}

/** ATTACHMENTS are the suffixes of the tags (`sha256-<hex>.sig`) under which cosign attaches things where it uses no referrers. */
const ATTACHMENTS = ['sig', 'att', 'sbom'] as const;

/** Attachment is what such a tag holds: signatures, attestations or a bill of materials. */
export type Attachment = (typeof ATTACHMENTS)[number];

/**
 * Registry reads from registries. Every answer is bounded in time and bytes, and content is checked against its digest. Throws
 * RegistryError: `absent` when the registry itself said that it is not there, anything else when that is not known.
 */
export interface Registry {
  /** The digest that a reference stands for now: its own, without asking whether it is there, else its tag's (`latest` where it has none). */
  digestOf(reference: ImageReference, ask: RegistryAsk): Promise<Digest>;
  /** What a digest or a tag of a repository is. */
  manifest(repository: Repository, digestOrTag: string, ask: RegistryAsk): Promise<Manifest>;
  /** The image of a platform behind a reference, by `selectPlatform`. Without a platform, the client's own. */
  platformImage(
    reference: ImageReference,
    platform: Platform | null,
    ask: RegistryAsk,
  ): Promise<PlatformImage>;
  /** The configuration of an image; that of an artifact, which is none, throws `unsupported`. */
  config(repository: Repository, image: ImageManifest, ask: RegistryAsk): Promise<ImageConfig>;
  /** What is attached to a digest, by the referrers API, else the fallback tag. `artifactType` leaves out those of another type. */
  referrers(
    repository: Repository,
    digest: Digest,
    ask: RegistryAsk & { readonly artifactType?: string | undefined },
  ): Promise<Referrers>;
  /** What cosign attached by tag; null when the registry says that there is no such tag. */
  attached(
    repository: Repository,
    digest: Digest,
    attachment: Attachment,
    ask: RegistryAsk,
  ): Promise<ImageManifest | null>;
  /** The bytes of a blob, at most `maxBytes`; a larger one throws `too_large` before anything is read. */
  blob(
    repository: Repository,
    descriptor: Pick<Descriptor, 'digest' | 'size'>,
    ask: RegistryAsk & { readonly maxBytes: number },
  ): Promise<Uint8Array>;
}
