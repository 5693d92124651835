import { printable } from '../base/index.ts';
import { lacksScan } from '../facts/index.ts';
import type { NameGate, ReviewEvent, ReviewEvents, ScanObstacles, ScanRequests } from './ports.ts';
import type { ReviewDecision } from './review-decide.ts';
import type { ImageAnswer } from './image-answer.ts';
import type { PodReview, UnreadableReview } from './review-request.ts';
import { bypassSuffixOf, MOST_BYPASS } from './review-rows.ts';
import type { ReviewTally } from './review-tally.ts';

/** FollowUpDeps are told of answers. */
export interface FollowUpDeps {
  readonly tally: ReviewTally;
  /** Null: nothing scans. */
  readonly scans: ScanRequests | null;
  /** Takes digests with a scan of which it was never found out what is signed and stated; null or absent: nobody finds out. */
  readonly proofs?: ScanRequests | null;
  /** Null or absent: nobody knows why images cannot be scanned. */
  readonly obstacles?: ScanObstacles | null;
  /** Null: nothing is metered. */
  readonly names: NameGate | null;
  /** Null: there is no cluster to tell. */
  readonly events: ReviewEvents | null;
}

/** FollowUp does what an answer brings with it: metrics, meter, scans that are missing, events. Nothing of it waits. */
export class FollowUp {
  readonly #deps: FollowUpDeps;

  constructor(deps: FollowUpDeps) {
    this.#deps = deps;
  }

  /** Follows an answer that stands, made at a time in milliseconds. Not for a repeat, which was followed the first time. */
  answered(review: PodReview, decision: ReviewDecision, at: number): void {
    const { tally, names } = this.#deps;
    const { allowed, images, hardening, signals } = decision;
    tally.outcome(allowed ? 'allowed' : 'denied');
    const counted: string[] = [];
    let bypassed = false;
    for (const image of images) {
      const { of, breakGlass } = image;
      this.#tallied(image);
      if (breakGlass) bypassed = true;
      else if (allowed && of.role !== 'ephemeral' && !('fault' in of.reference))
        counted.push(of.reference.name);
      for (const signal of signals) tally.signal(signal);
      this.#wanted(image);
    }
    if (bypassed) tally.bypass();
    if (hardening !== null && !hardening.allowed && hardening.label !== null) tally.denial(hardening.label);
    if (counted.length > 0 && review.subresource === null) names?.admitted(counted, at);
    if (!allowed || bypassed || images.some(({ undecided }) => undecided !== null))
      this.#tell(review, decision, bypassed);
    this.#tellUnscannable(review, decision);
  }

  #tallied({ allowed, label, undecided }: ImageAnswer): void {
    const { tally } = this.#deps;
    if (!allowed && label !== null) tally.denial(label);
    if (undecided !== null) tally.undecided(undecided);
  }

  /** Asks for what is not known of an image. */
  #wanted({ of, allowed, label }: ImageAnswer): void {
    const { scans, proofs } = this.#deps;
    if (of.digest === null || of.facts === 'unread') return;
    // Nobody has the operator call a registry that no policy allows by naming it in a pod.
    if (!allowed && label === 'registry') return;
    if (lacksScan(of.facts)) scans?.want(of.digest);
    else if (of.facts.signatures === null) proofs?.want(of.digest);
  }

  /** A pod waits for a scan, or runs without one, for as long as nobody sees why there is none. */
  #tellUnscannable(review: PodReview, { allowed, images, platform }: ReviewDecision): void {
    const told = new Set<string>();
    for (const { of } of images) {
      const { digest, facts, image } = of;
      if (digest === null || facts === 'unread' || !lacksScan(facts) || told.has(digest)) continue;
      told.add(digest);
      const obstacle = this.#deps.obstacles?.of(digest, platform) ?? null;
      if (obstacle === null) continue;
      const message = `${printable(image, 300)} cannot be scanned: ${obstacle.why}. ${obstacle.hint}`;
      this.#happened(review, 'unscannable', allowed, message);
    }
  }

  /** Follows an answer whose rows neither database nor spool took. */
  unrecorded(review: PodReview | UnreadableReview, allowed: boolean, message: string): void {
    this.#deps.tally.unrecorded();
    this.#happened(review, 'unrecorded', allowed, message);
  }

  /** Follows the answer to what could not be read. */
  unreadable(review: UnreadableReview, allowed: boolean, message: string): void {
    this.#happened(review, allowed ? 'undecided' : 'denied', allowed, message);
  }

  #tell(review: PodReview, { allowed, images, hardening }: ReviewDecision, bypassed: boolean): void {
    const refused = images.find((image) => !image.allowed);
    const denial = refused ?? hardening;
    if (!allowed)
      this.#happened(
        review,
        'denied',
        false,
        denial === null ? '' : denial.reason + bypassSuffixOf(review, denial),
      );
    else if (bypassed)
      this.#happened(
        review,
        'bypassed',
        true,
        `admitted by break-glass: ${printable(review.breakGlass ?? '', MOST_BYPASS)}`,
      );
    const unread = images.find(({ undecided }) => undecided === 'no_facts');
    if (unread !== undefined) this.#happened(review, 'undecided', allowed, unread.reason);
  }

  #happened(
    review: PodReview | UnreadableReview,
    kind: ReviewEvent['kind'],
    allowed: boolean,
    message: string,
  ): void {
    const { namespace, pod } = review;
    if (namespace === null) return; // an event stands in a namespace
    const { podUid, owner } = review.kind === 'pod' ? review : { podUid: null, owner: null };
    this.#deps.events?.happened({ kind, allowed, namespace, pod, podUid, owner, message });
  }
}
