import type { Digest } from '../base/index.ts';
import type { ImageFacts } from '../facts/index.ts';

/** RegistryAnswer is what registries report one reference; a list is null where it could not be found out. */
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
