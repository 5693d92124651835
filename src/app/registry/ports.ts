import type { RegistryAnswer, ResolvedTag } from '../../checks/index.ts';
import type { Artifacts, ImageReference } from '../../image/index.ts';
import type { Accepted } from '../../supply-chain/index.ts';

/** RegistryFacts asks registries about images, and verifies what they hold. */
export interface RegistryFacts {
  /** What a reference stands for now: its own digest, else what the registry says. Never rejects. */
  resolve(reference: ImageReference): Promise<ResolvedTag>;
  /** Everything of it. Never rejects for what a registry answers, or does not. */
  ask(reference: ImageReference): Promise<RegistryAnswer>;
  close(): Promise<void>;
}

/** RegistryFactsOptions are how registries are asked from a terminal. */
export interface RegistryFactsOptions {
  /** Finds the docker config (`DOCKER_CONFIG`, `HOME`) and the cache of trust roots. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `host:port` that may be called by plain HTTP. */
  readonly insecure: readonly string[];
  /** PEM file with further authorities, or null. */
  readonly caFile: string | null;
  /** A trusted_root.json; null: the one of Sigstore, by TUF. */
  readonly trustRoot: string | null;
  /** Files of signed VEX documents. */
  readonly vex: readonly string[];
  /** Milliseconds for one image. */
  readonly timeout: number;
  /** `ipo/<version>`. */
  readonly userAgent: string;
}

/** OpenArtifacts is what keeps files in registries, and its end. */
export interface OpenArtifacts {
  readonly artifacts: Artifacts;
  close(): Promise<void>;
}

/** FileProofs is what vouches for a file of a release: its sum in a list, and what is signed of the list. */
export interface FileProofs {
  readonly sha256: string;
  /** What the list says of a file of this name; null where it does not name it. */
  readonly listed: string | null;
  readonly sums: { readonly name: string; readonly bytes: Uint8Array };
  /** Null where a bundle could not be verified now. */
  readonly signatures: Accepted['signatures'] | null;
  readonly attestations: Accepted['attestations'] | null;
  /** Why a bundle does not count. */
  readonly problems: readonly string[];
}

/** FileProofsOptions are where they are. */
export interface FileProofsOptions {
  readonly file: string;
  /** The list of sums; null: `SHA256SUMS` beside the file. */
  readonly sums: string | null;
  /** Finds the cache of trust roots. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A trusted_root.json; null: the one of Sigstore, by TUF. */
  readonly trustRoot: string | null;
}
