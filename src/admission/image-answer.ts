import type { DenialLabel } from '../decision/index.ts';
import type { ImageFacts, Subject } from '../facts/index.ts';
import type { ImageReference } from '../image/index.ts';
import type { Policy } from '../policy/index.ts';
import type { ImageRole } from '../pods/index.ts';

/** ReviewedImage is one image of a review with what was found out about it. */
export interface ReviewedImage {
  /** Of a volume: `volume/<name>`. */
  readonly container: string;
  readonly role: ImageRole;
  /** As written. */
  readonly image: string;
  /** Or why it is not a reference, as a clause. */
  readonly reference: ImageReference | { readonly fault: string };
  /** What the reference names or resolved to; null when that is not known. */
  readonly digest: string | null;
  /** `unread` when they could not be read. */
  readonly facts: ImageFacts | 'unread';
  /** What is missing, and why, as a sentence: `digest unknown: …` or `image facts not available: …`; null when nothing is. */
  readonly missing: string | null;
  /** The sentence of the meter, or null. */
  readonly quota: string | null;
}

/** ImageAnswer is the answer on one image of a review, as it is recorded. */
export interface ImageAnswer {
  readonly of: ReviewedImage;
  readonly allowed: boolean;
  readonly label: DenialLabel | null;
  /** Without the suffix of a subresource. */
  readonly reason: string;
  readonly policy: Policy | null;
  readonly breakGlass: boolean;
  /** SHA-256 of the facts given to the decision; null when they were not read. */
  readonly inputs: string | null;
  readonly warnings: readonly string[];
  /** Which fact it was answered without although that could have changed the answer; null for none. */
  readonly undecided: Lack | null;
}

/** Lack is what an answer lacked: the facts of a digest, the digest itself, or one fact that was never recorded. */
export type Lack = 'no_facts' | 'no_digest' | 'never_recorded';

/** PodContext is what the images of one pod share. */
export type PodContext = Pick<Subject, 'signals' | 'exposedBy' | 'coldImagePolicy' | 'breakGlass'> & {
  /** Of the nodes that it may run on (`linux/arm64`); null: its images are as bad as the worst of their platforms. */
  readonly platform: string | null;
};
