import { isDigest } from '../base/index.ts';
import { NO_FACTS, type ImageFacts } from '../facts/index.ts';
import { parseReference } from '../image/index.ts';
import type { Timers } from '../ledger/index.ts';
import type { ContainerImage } from './pod.ts';
import type { DigestLookup, FactsSnapshot, NameGate } from './ports.ts';
import type { ReviewedImage } from './review-image.ts';

/** GatherDeps are what is found out about images with. */
export interface GatherDeps {
  readonly facts: FactsSnapshot;
  /** Null: no registry is asked, and an image by tag has no digest. */
  readonly lookup: DigestLookup | null;
  /** Null: nothing is metered. */
  readonly names: NameGate | null;
  readonly timers: Timers;
}

type Reference = ReturnType<typeof parseReference>;

/** References that are remembered: a cluster admits the same images over and over. */
const MOST_REFERENCES = 5000;

/** Gathering finds out what decisions need to know of images, from memory where it can. */
export class Gathering {
  readonly #deps: GatherDeps;
  readonly #references = new Map<string, Reference>();

  constructor(deps: GatherDeps) {
    this.#deps = deps;
  }

  /** What memory has of each image; null when one of them needs more. */
  now(images: readonly ContainerImage[], metered: boolean, at: number): ReviewedImage[] | null {
    const { facts, lookup } = this.#deps;
    const found: ReviewedImage[] = [];
    for (const image of images) {
      const reference = this.#reference(image.image);
      if ('fault' in reference) {
        found.push(reviewed(image, reference, null, NO_FACTS, null));
        continue;
      }
      const { digest } = reference;
      if (digest === null && lookup !== null) return null;
      const known = digest === null || !isDigest(digest) ? NO_FACTS : facts.known(digest);
      if (known === undefined) return null;
      found.push(reviewed(image, reference, digest, known ?? NO_FACTS, this.#quota(reference, metered, at)));
    }
    return found;
  }

  /** The same, waiting for what memory does not have, for `deadline` milliseconds at most. */
  async within(
    deadline: number,
    images: readonly ContainerImage[],
    metered: boolean,
    at: number,
  ): Promise<ReviewedImage[]> {
    const late = new AbortController();
    const passed = Promise.withResolvers<void>();
    const cancel = this.#deps.timers.after(deadline, () => {
      late.abort();
      passed.resolve();
    });
    try {
      return await Promise.all(
        images.map((image) => this.#find(image, metered, at, late.signal, passed.promise)),
      );
    } finally {
      cancel();
    }
  }

  async #find(
    image: ContainerImage,
    metered: boolean,
    at: number,
    late: AbortSignal,
    passed: Promise<void>,
  ): Promise<ReviewedImage> {
    const { facts, lookup } = this.#deps;
    const reference = this.#reference(image.image);
    if ('fault' in reference) return reviewed(image, reference, null, NO_FACTS, null);
    const quota = this.#quota(reference, metered, at);
    let { digest } = reference;
    if (digest === null && lookup !== null) {
      const asked = lookup.digestOf(image.image, late).catch(() => null);
      digest = (await Promise.race([asked, passed])) ?? null;
    }
    if (digest === null || !isDigest(digest)) return reviewed(image, reference, digest, NO_FACTS, quota);
    const known = facts.known(digest);
    const read = known === undefined ? await this.#read(digest, passed) : known;
    return reviewed(image, reference, digest, read === null ? NO_FACTS : read, quota);
  }

  /** What is recorded, else what was last known of it, else nothing that one could decide on. */
  async #read(digest: string, passed: Promise<void>): Promise<ImageFacts | null | 'unread'> {
    const { facts } = this.#deps;
    const read = facts.read(digest).catch(() => undefined);
    const found = await Promise.race([read, passed]);
    if (found !== undefined) return found;
    const last = facts.last(digest);
    return last === undefined ? 'unread' : last;
  }

  #quota({ name }: { readonly name: string }, metered: boolean, at: number): string | null {
    const { names } = this.#deps;
    return metered && names !== null ? names.refusal(name, at) : null;
  }

  #reference(text: string): Reference {
    let reference = this.#references.get(text);
    if (reference === undefined) {
      if (this.#references.size >= MOST_REFERENCES) this.#references.clear();
      reference = parseReference(text);
      if (text.length <= 1024) this.#references.set(text, reference);
    }
    return reference;
  }
}

function reviewed(
  { container, role, image }: ContainerImage,
  reference: Reference,
  digest: string | null,
  facts: ReviewedImage['facts'],
  quota: string | null,
): ReviewedImage {
  return { container, role, image, reference, digest, facts, quota };
}
