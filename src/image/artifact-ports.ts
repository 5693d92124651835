import type { Digest } from '../base/index.ts';
import type { Repository } from './registry-ports.ts';

/** Artifact is one file that is kept in a registry, as OCI 1.1 has it. */
export interface Artifact {
  /** Media type of the artifact, and of its file. */
  readonly type: string;
  readonly layerType: string;
  /** Name that clients give to the file. */
  readonly title: string;
  /** RFC 3339. */
  readonly createdAt: string;
  readonly file: { readonly path: string; readonly size: number; readonly sha256: string };
}

/** PulledArtifact is the file of an artifact. Its bytes are those of the digest once they were read to the end. */
export interface PulledArtifact {
  /** Of the manifest. */
  readonly digest: Digest;
  readonly size: number;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Artifacts keeps files in registries. Throws RegistryError, as Registry does. */
export interface Artifacts {
  /** Puts a file there under a tag, and gives the digest of its manifest. */
  push(repository: Repository, tag: string, artifact: Artifact, signal: AbortSignal): Promise<Digest>;
  /** The file under a tag or a digest; anything but an artifact of this type throws `unsupported`. */
  pull(
    repository: Repository,
    tagOrDigest: string,
    type: string,
    signal: AbortSignal,
  ): Promise<PulledArtifact>;
  tags(repository: Repository, signal: AbortSignal): Promise<readonly string[]>;
  /** Deletes what a tag stands for. */
  remove(repository: Repository, tag: string, signal: AbortSignal): Promise<void>;
}
