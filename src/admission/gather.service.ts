import { isDigest } from '../base/index.ts';
import { NO_FACTS, type ImageFacts } from '../facts/index.ts';
import { parseReference, type ImageReference } from '../image/index.ts';
import type { Timers } from '../ledger/index.ts';
import type { ContainerImage } from '../pods/index.ts';
import type { DigestLookup, FactsSnapshot, NameGate, TagAnswer } from './ports.ts';
import type { ReviewedImage } from './image-answer.ts';
import type { ReviewTally } from './review-tally.ts';

/** GatherDeps are what is found out about images with. */
export interface GatherDeps {
  readonly facts: FactsSnapshot;
  /** Null: no registry is asked, and an image by tag has no digest. */
  readonly lookup: DigestLookup | null;
  /** Null: nothing is metered. */
  readonly names: NameGate | null;
  readonly timers: Timers;
  readonly tally: ReviewTally;
}

type Reference = ReturnType<typeof parseReference>;

/** Gather is what of a review says which facts it needs. */
export interface Gather {
  readonly images: readonly ContainerImage[];
  readonly metered: boolean;
  readonly at: number;
  /** Whether a registry may be asked what an image by tag stands for, and is worth it. */
  readonly mayAsk: (reference: ImageReference, quota: string | null) => boolean;
}

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
  now({ images, metered, at, mayAsk }: Gather): ReviewedImage[] | null {
    const { facts, lookup, tally } = this.#deps;
    const found: ReviewedImage[] = [];
    let spared = 0;
    for (const image of images) {
      const reference = this.#reference(image.image);
      if ('fault' in reference) {
        found.push(reviewed(image, reference, null, NO_FACTS, null));
        continue;
      }
      const { digest } = reference;
      const quota = this.#quota(reference, metered, at);
      if (digest === null && lookup !== null) {
        if (mayAsk(reference, quota)) return null;
        spared += 1;
      }
      const known = digest === null || !isDigest(digest) ? NO_FACTS : facts.known(digest);
      if (known === undefined) return null;
      found.push(reviewed(image, reference, digest, known ?? NO_FACTS, quota));
    }
    for (; spared > 0; spared -= 1) tally.tag('spared');
    return found;
  }

  /** The same, waiting for what memory does not have, for `deadline` milliseconds at most. */
  async within(deadline: number, gather: Gather): Promise<ReviewedImage[]> {
    const late = new AbortController();
    const passed = Promise.withResolvers<void>();
    const cancel = this.#deps.timers.after(deadline, () => {
      late.abort();
      passed.resolve();
    });
    try {
      return await Promise.all(
        gather.images.map((image) => this.#find(image, gather, late.signal, passed.promise)),
      );
    } finally {
      cancel();
    }
  }

  async #find(
    image: ContainerImage,
    { metered, at, mayAsk }: Gather,
    late: AbortSignal,
    passed: Promise<void>,
  ): Promise<ReviewedImage> {
    const { facts, lookup } = this.#deps;
    const reference = this.#reference(image.image);
    if ('fault' in reference) return reviewed(image, reference, null, NO_FACTS, null);
    const quota = this.#quota(reference, metered, at);
    const found =
      reference.digest === null && lookup !== null
        ? await this.#ask(lookup, reference, image.image, mayAsk(reference, quota), late, passed)
        : null;
    const digest = found === null ? reference.digest : found.digest;
    if (digest === null || !isDigest(digest)) {
      const missing = found?.digest === null ? `digest unknown: ${image.image}, ${found.why}` : null;
      return { ...reviewed(image, reference, digest, NO_FACTS, quota), missing };
    }
    const known = facts.known(digest);
    const read = known === undefined ? await this.#read(digest, passed) : known;
    if (read === null || !('why' in read)) return reviewed(image, reference, digest, read ?? NO_FACTS, quota);
    const missing = `image facts not available: ${image.image}, ${read.why}`;
    return { ...reviewed(image, reference, digest, 'unread', quota), missing };
  }

  async #ask(
    lookup: DigestLookup,
    { host }: ImageReference,
    text: string,
    may: boolean,
    late: AbortSignal,
    passed: Promise<void>,
  ): Promise<TagAnswer | null> {
    const { tally } = this.#deps;
    if (!may) {
      tally.tag('spared');
      return null;
    }
    const unknown = (why: string): TagAnswer => ({ digest: null, why: `${host} ${why}` });
    const asked = lookup.digestOf(text, late).catch(() => unknown('could not be asked'));
    const answer = (await Promise.race([asked, passed])) ?? unknown('did not answer in time');
    tally.tag(answer.digest === null ? 'unknown' : 'found');
    return answer;
  }

  /** What is recorded, else what was last known of it, else why there is nothing that one could decide on. */
  async #read(digest: string, passed: Promise<void>): Promise<ImageFacts | null | { readonly why: string }> {
    const { facts } = this.#deps;
    const read = facts.read(digest).catch(() => ({ why: 'the database does not answer' }));
    const found = (await Promise.race([read, passed])) as Awaited<typeof read> | undefined;
    if (found === null || (found !== undefined && !('why' in found))) return found;
    const last = facts.last(digest);
    return last === undefined ? (found ?? { why: 'the database did not answer in time' }) : last;
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
  return { container, role, image, reference, digest, facts, quota, missing: null };
}
