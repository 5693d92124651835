import { isDigest, type Clock, type Digest } from '../base/index.ts';
import { NO_FACTS, type ImageFacts } from '../facts/index.ts';
import { missingPlatforms } from '../findings/index.ts';
import type { ColdImagePolicy } from '../ledger/index.ts';
import { answersAt, type PolicyAnswer } from './compliance.ts';
import { explainState } from './explain.ts';
import { InventoryError } from './inventory-error.ts';
import { placesOf } from './judge-image.ts';
import { Judging } from './judging.service.ts';
import type { PoliciesInForce } from './policies-in-force.ts';
import type { ImageItem, ImageList, ImageQuery, ImageRecord, ImageStore } from './ports.ts';

/** ImageDetail is all that is known of one image. */
export interface ImageDetail {
  readonly item: ImageItem;
  readonly record: ImageRecord;
  readonly facts: ImageFacts;
  /** Why it is in its state; for one outside a policy, that the next admission would be denied. */
  readonly explanation: string;
  /** What each policy says where the image stands; a thousand answers at most. */
  readonly answers: readonly PolicyAnswer[];
}

/** DecidedFrom is what the webhook decides an image from, as it is recorded now. */
export interface DecidedFrom {
  /** None of anything where nothing was recorded. */
  readonly facts: ImageFacts;
  readonly coldImagePolicy: ColdImagePolicy;
  /** Why it could not be scanned; no part of the decision. */
  readonly failures: ImageItem['failures'];
}

/** Images give the inventory of images with their states. */
export interface Images {
  list(query: ImageQuery): Promise<ImageList>;
  /** Throws `not_found`, and `invalid_request` for a text that is not a digest. */
  detail(digest: string): Promise<ImageDetail>;
  /** What a decision on an image reads beside its pod. Throws as `detail`. */
  decidedFrom(digest: string): Promise<DecidedFrom>;
  /** Judges what changed; what a job does in time, so that the next reader need not wait. */
  refresh(): Promise<void>;
}

/** ImagesParts are what the inventory acts through. */
export interface ImagesParts {
  readonly store: ImageStore;
  readonly policies: () => Promise<PoliciesInForce>;
  readonly coldImagePolicy: ColdImagePolicy;
  readonly clock: Clock;
  /** Brings the states up to date where only another part may write them; unless given, they are judged here. */
  upToDate?(): Promise<void>;
}

const MAX_ANSWERS = 1000;
/** Nobody looked, or could. An admission must answer and takes it for none; a caller that asks for facts is told that they are unknown. */
const UNRECORDED = { signatures: null, attestations: null, provenance: null, vex: null } as const;

/** openImages joins the inventory to where it is kept. */
export function openImages(parts: ImagesParts): Images {
  const { store, policies, coldImagePolicy, clock } = parts;
  const judging =
    parts.upToDate === undefined ? new Judging({ images: store, policies, coldImagePolicy, clock }) : null;
  const upToDate = async (): Promise<void> => judging?.upToDate() ?? parts.upToDate?.();
  return {
    refresh: upToDate,
    async decidedFrom(digest) {
      checkDigest(digest);
      await upToDate();
      const item = await store.item(digest);
      if (item === null) throw unknownImage(digest);
      return {
        facts: (await store.facts(digest)) ?? { ...NO_FACTS, ...UNRECORDED, digest },
        coldImagePolicy,
        failures: item.failures,
      };
    },
    async list(query) {
      await upToDate();
      return store.list(query);
    },
    async detail(digest) {
      checkDigest(digest);
      await upToDate();
      const [item, record] = [await store.item(digest), await store.record(digest)];
      if (item === null || record === null) throw unknownImage(digest);
      const facts = record.facts ?? { ...NO_FACTS, digest };
      const inForce = await policies();
      const answers: PolicyAnswer[] = [];
      for (const place of placesOf({ sightings: record.sightings, names: [item.name] })) {
        if (answers.length >= MAX_ANSWERS) break;
        answers.push(...answersAt(place, inForce.policies, facts, coldImagePolicy, clock.now()));
      }
      const missing = facts.scan === null ? [] : missingPlatforms(facts.scan);
      const reason = item.lastReview?.reason ?? '';
      const explanation = explainState(item.state, item.next, reason, missing, item.failures);
      return { item, record, facts, explanation, answers };
    },
  };
}

/** checkDigest refuses what is not a digest. Throws `invalid_request`. */
export function checkDigest(text: string): asserts text is Digest {
  const shown = text.slice(0, 80);
  if (isDigest(text)) return;
  const message = `digest "${shown}" is not sha256: with 64 lowercase hex digits`;
  throw new InventoryError('invalid_request', message, { fields: [{ path: 'digest', message }] });
}

/** unknownImage says that nothing is known of a digest. */
export function unknownImage(digest: Digest): InventoryError {
  return new InventoryError('not_found', `no image with the digest ${digest} is known`, {
    hint: 'An image is known once a pod with it was reviewed or a scan of it was recorded',
  });
}
