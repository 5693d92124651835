import type { Digest } from '../../base/index.ts';
import type { ImageFacts } from '../../facts/index.ts';
import type { ImageReference } from '../../image/index.ts';

/** RegistryAnswer is what registries tell of one reference; a list is null where it could not be found out. */
export interface RegistryAnswer extends Pick<
  ImageFacts,
  'signatures' | 'attestations' | 'provenance' | 'vex'
> {
  /** What the reference stands for now; null when that is not known, or is nothing. */
  readonly digest: Digest | null;
  /** `absent`: the registry itself said that there is no such image. `unknown`: nobody said what there is, so nothing is known of it. */
  readonly outcome: 'found' | 'absent' | 'unknown';
  /** What could not be asked, read or verified, so that something is unknown; each as a clause. */
  readonly problems: readonly string[];
  /** What was read and does not count, with why; each as a clause. */
  readonly remarks: readonly string[];
}

/** ResolvedTag is what a reference stands for now, as far as the registry says. */
export type ResolvedTag = Pick<RegistryAnswer, 'digest' | 'outcome' | 'problems'>;

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

/** openRegistryFacts joins registry client, verification and VEX. Throws FileError, or `invalid_request` for a trust root that is none. */
export async function openRegistryFacts(options: RegistryFactsOptions): Promise<RegistryFacts> {
  return (await import('./registry-facts.ts')).openRegistryFacts(options);
}
