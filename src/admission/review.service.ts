import { formatTime, isIpoError, type Clock } from '../base/index.ts';
import type { NewRow } from '../ledger/index.ts';
import type { Policy } from '../policy/index.ts';
import { mayAskRegistry, type ExposureIndex, type PlatformOfNode } from '../pods/index.ts';
import { Gathering, type Gather, type GatherDeps } from './gather.service.ts';
import type { PolicySnapshot } from './ports.ts';
import { Recording, type RecordingDeps } from './recording.service.ts';
import { answerFrom, isNotable, placeOf, writeAnswer, type ReviewAnswer } from './review-answer.ts';
import {
  contextOf,
  decideReview,
  governingOf,
  shownBy,
  type DecideOptions,
  type ReviewDecision,
} from './review-decide.ts';
import { MAX_REVIEW_BYTES } from './review-skim.ts';
import { ReviewError } from './review-error.ts';
import { FollowUp, type FollowUpDeps } from './review-follow.ts';
import {
  imagesToDecide,
  readReview,
  unreadableFrom,
  type OtherReview,
  type PodReview,
  type UnreadableReview,
} from './review-request.ts';
import { rowsOf, unreadableRow } from './review-rows.ts';

/** ReviewerDeps are what reviews are answered with. */
export interface ReviewerDeps extends GatherDeps, RecordingDeps, FollowUpDeps {
  readonly policies: PolicySnapshot;
  readonly exposure: ExposureIndex;
  /** Absent: no node is known. */
  readonly platformOf?: PlatformOfNode | undefined;
  readonly clock: Clock;
}

/** ReviewerOptions are what an installation says of its reviews. */
export interface ReviewerOptions extends DecideOptions {
  readonly cluster: string | null;
  /** Milliseconds within which facts must be there (1500), and the whole answer (3000); the API server waits for 5 s. */
  readonly deadline?: number;
  readonly budget?: number;
}

/** ReviewReply is an answer as HTTP carries it: an AdmissionReview with 200, a sentence with any other status. */
export interface ReviewReply {
  readonly status: number;
  readonly body: string;
  /** Whole seconds after which the call may be made again, or null. */
  readonly retryAfter: number | null;
}

const DEADLINE_MS = 1500;
const BUDGET_MS = 3000;
const DELAYED = 'ledger delayed';
const UNRECORDED = 'ledger unavailable: this review is not recorded';

/**
 * Reviewer answers AdmissionReviews: reads, gathers, decides, records, and answers only then. "A row is durable before its admission
 * response leaves"; "the same uid again gets the same answer".
 */
export class Reviewer {
  readonly #deps: ReviewerDeps;
  readonly #options: ReviewerOptions;
  readonly #gathering: Gathering;
  readonly #recording: Recording;
  readonly #followUp: FollowUp;

  constructor(deps: ReviewerDeps, options: ReviewerOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#gathering = new Gathering(deps);
    this.#recording = new Recording(deps, options.budget ?? BUDGET_MS);
    this.#followUp = new FollowUp(deps);
  }

  /** Why reviews cannot be answered yet, or null: policies, what exposes pods, facts of images and reviews that are recorded were read. */
  unready(): string | null {
    const { policies, exposure, facts, ledger } = this.#deps;
    if (policies.current() === null) return 'the policies have not been read yet';
    return exposure.unready?.() ?? facts.unready?.() ?? ledger.unready?.() ?? null;
  }

  /** Answers the body of one call. Never throws. */
  async review(bytes: Uint8Array): Promise<ReviewReply> {
    const { policies, tally, log } = this.#deps;
    try {
      const inForce = policies.current();
      const why = this.unready();
      if (inForce === null || why !== null) {
        tally.outcome('not_ready');
        return { status: 503, body: why ?? '', retryAfter: 1 };
      }
      const review = readReview(bytes);
      switch (review.kind) {
        case 'pod':
          return await this.#answerPod(review, inForce);
        case 'other':
          return this.#answerOther(review);
        case 'unreadable':
          return await this.#answerUnreadable(review, inForce);
      }
    } catch (error) {
      if (error instanceof ReviewError) {
        tally.outcome('unreadable');
        return { status: error.code === 'too_large' ? 413 : 400, body: error.message, retryAfter: null };
      }
      tally.outcome('failed');
      log.error('an admission review could not be answered', { error });
      return { status: 500, body: 'the review could not be answered', retryAfter: null };
    }
  }

  /** Answers a call whose body is longer than MAX_REVIEW_BYTES, from its beginning and its end, one behind the other. */
  async reviewOversized(ends: Uint8Array): Promise<ReviewReply> {
    const { policies, tally, log } = this.#deps;
    const inForce = policies.current();
    const why = this.unready();
    if (inForce === null || why !== null) {
      tally.outcome('not_ready');
      return { status: 503, body: why ?? '', retryAfter: 1 };
    }
    try {
      const what = `it is longer than ${MAX_REVIEW_BYTES / 1024 / 1024} MiB`;
      return await this.#answerUnreadable(unreadableFrom(ends, what), inForce);
    } catch (error) {
      if (error instanceof ReviewError) {
        tally.outcome('unreadable');
        return { status: 413, body: error.message, retryAfter: null };
      }
      tally.outcome('failed');
      log.error('an admission review could not be answered', { error });
      return { status: 500, body: 'the review could not be answered', retryAfter: null };
    }
  }

  async #answerPod(review: PodReview, inForce: readonly Policy[]): Promise<ReviewReply> {
    const { tally, clock, exposure, platformOf } = this.#deps;
    const images = review.deleted ? [] : imagesToDecide(review);
    // An UPDATE that brings no image changes nothing that one could judge: the rights of a pod stand fast once it is made.
    if (images.length === 0 && (review.deleted || review.operation === 'UPDATE')) {
      tally.outcome('nothing_new');
      return admitted(review.uid);
    }
    const at = clock.now();
    const governing = governingOf(inForce, review.namespace);
    const shown = shownBy(review, exposure, platformOf);
    const { policies } = governing;
    const context = contextOf(review, shown, this.#options);
    const gather: Gather = {
      images,
      at,
      metered: review.subresource === null, // "it is not metered"
      mayAsk: (reference, quota) => mayAskRegistry(policies, { ...context, reference, quota }, at),
    };
    let reviewed = this.#gathering.now(gather);
    let spent = 0;
    if (reviewed === null) {
      const deadline = this.#options.deadline ?? DEADLINE_MS;
      const began = performance.now(); // the clock may be set while we wait
      reviewed = await this.#gathering.within(deadline, gather);
      spent = Math.min(Math.round(performance.now() - began), deadline);
    }
    const decision = decideReview(review, shown, governing, reviewed, this.#options, at);
    const rows = rowsOf(review, decision, this.#options.cluster, at);
    const own = this.#warningsOf(decision);
    if (review.dryRun || rows.length === 0) {
      tally.outcome(review.dryRun ? 'dry_run' : 'nothing_new');
      return answered(answerFrom(review.uid, decision.allowed, rows, own));
    }
    const recorded = await this.#recording.take(review.uid, rows, spent);
    if ('fault' in recorded) return this.#answerUnrecorded(review, decision, rows, own, recorded.fault);
    if (recorded.repeat) {
      tally.outcome('repeat');
      const [first] = recorded.rows;
      return answered(answerFrom(review.uid, first?.review_allowed ?? decision.allowed, recorded.rows, own));
    }
    this.#followUp.answered(review, decision, at);
    const warnings = recorded.delayed ? [...own, DELAYED] : own;
    return decision.allowed && warnings.length === 0 && !isNotable(rows)
      ? admitted(review.uid)
      : answered(answerFrom(review.uid, decision.allowed, rows, warnings));
  }

  /** Allows with an event, or denies, as failurePolicy says. A refusal stands, recorded or not. */
  #answerUnrecorded(
    review: PodReview,
    decision: ReviewDecision,
    rows: readonly NewRow[],
    own: readonly string[],
    fault: unknown,
  ): ReviewReply {
    this.#deps.log.error('the ledger did not take an admission review', { uid: review.uid, fault });
    const allowed = decision.allowed && this.#options.failurePolicy === 'Ignore';
    this.#followUp.unrecorded(review, allowed, UNRECORDED);
    this.#followUp.answered(review, { ...decision, allowed }, this.#deps.clock.now());
    const answer = answerFrom(review.uid, allowed, rows, [...own, UNRECORDED]);
    const why = isIpoError(fault) ? `${UNRECORDED}: ${fault.message}` : UNRECORDED;
    return answered(decision.allowed && !allowed ? { ...answer, message: why } : answer);
  }

  #warningsOf({ images, hardening, platform }: ReviewDecision): readonly string[] {
    const { policies, exposure, obstacles } = this.#deps;
    const warnings: string[] = [];
    const stale = policies.staleSince();
    if (stale !== null) warnings.push(`policies may be out of date since ${formatTime(stale)}`);
    const exposureStale = exposure.staleSince?.() ?? null;
    if (exposureStale !== null)
      warnings.push(`what exposes the pod may be out of date since ${formatTime(exposureStale)}`);
    for (const { of, label, warnings: said } of images) {
      const place = placeOf(of.container);
      for (const warning of said) warnings.push(`${place}: ${warning}`);
      const obstacle =
        label === 'unscanned' && of.digest !== null ? obstacles?.of(of.digest, platform) : undefined;
      // Each by itself: what is long is cut, and the hint must not go with it.
      if (obstacle)
        warnings.push(`${place}: cannot be scanned: ${obstacle.why}`, `${place}: hint: ${obstacle.hint}`);
    }
    if (hardening !== null) warnings.push(...hardening.warnings);
    return warnings;
  }

  #answerOther({ uid, what }: OtherReview): ReviewReply {
    this.#deps.tally.outcome('other_resource');
    return answered({
      uid,
      allowed: true,
      message: '',
      warnings: [`not decided: the review is about ${what}`],
    });
  }

  /** What cannot be read is refused as soon as one policy enforces anything there: nobody may pass by being unreadable. */
  async #answerUnreadable(review: UnreadableReview, inForce: readonly Policy[]): Promise<ReviewReply> {
    const { tally, clock, log } = this.#deps;
    const { uid, what, namespace } = review;
    const asked = namespace === null ? inForce : governingOf(inForce, namespace).policies;
    const decided = !asked.some(({ spec }) => spec.enforcement === 'Enforce');
    const row = unreadableRow(review, this.#options.cluster, decided, clock.now());
    if (review.dryRun) {
      tally.outcome('dry_run');
      return unreadableAnswer(uid, decided, row.reason, []);
    }
    const recorded = await this.#recording.take(uid, [row], 0);
    if ('fault' in recorded) {
      const { fault } = recorded;
      log.error('the ledger did not take an admission review', { uid, fault });
      const allowed = decided && this.#options.failurePolicy === 'Ignore';
      tally.outcome('unreadable');
      this.#followUp.unrecorded(review, allowed, UNRECORDED);
      return unreadableAnswer(uid, allowed, row.reason, [UNRECORDED]);
    }
    if (recorded.repeat) {
      tally.outcome('repeat');
      const [first] = recorded.rows;
      return unreadableAnswer(uid, first?.review_allowed ?? decided, first?.reason ?? row.reason, []);
    }
    log.warn('an admission review is not readable', { uid, namespace, what, allowed: decided });
    tally.outcome('unreadable');
    this.#followUp.unreadable(review, decided, row.reason);
    return unreadableAnswer(uid, decided, row.reason, recorded.delayed ? [DELAYED] : []);
  }
}

function answered(answer: ReviewAnswer): ReviewReply {
  return { status: 200, body: writeAnswer(answer), retryAfter: null };
}

function admitted(uid: string): ReviewReply {
  return answered({ uid, allowed: true, message: '', warnings: [] });
}

function unreadableAnswer(
  uid: string,
  allowed: boolean,
  reason: string,
  warnings: readonly string[],
): ReviewReply {
  return answered({ uid, allowed, message: reason, warnings: allowed ? [reason, ...warnings] : warnings });
}
