import type { Count } from '../base/index.ts';
import type { Lack } from './image-answer.ts';

/** REVIEW_OUTCOMES: what became of calls of the webhook. */
export const REVIEW_OUTCOMES = [
  'allowed',
  'denied',
  'repeat',
  'dry_run',
  'nothing_new',
  'other_resource',
  'unreadable',
  'not_ready',
  'failed',
] as const;

/** ReviewOutcome is what became of one call. */
export type ReviewOutcome = (typeof REVIEW_OUTCOMES)[number];

/**
 * ReviewTally counts on the way of a review, where a metric of the service would cost more than the decision, and hands its sums
 * over when it is told to.
 */
export class ReviewTally {
  #sums = new Map<Name, { readonly label: string; readonly byValue: Map<string, number> }>();

  outcome(outcome: ReviewOutcome): void {
    this.#add('svc_admission_reviews_total', 'outcome', outcome);
  }

  /** A refused image, or a pod that was refused as a whole, by its label. */
  denial(label: string): void {
    this.#add('svc_admission_denials_total', 'reason', label);
  }

  /** An image of a pod that shows a signal. */
  signal(signal: string): void {
    this.#add('svc_admission_context_total', 'signal', signal);
  }

  /** An image that was answered without a fact. */
  undecided(reason: Lack): void {
    this.#add('svc_admission_undecided_total', 'reason', reason);
  }

  /** An image by tag: what came of finding out its digest, or that its registry was not asked. */
  tag(outcome: 'found' | 'unknown' | 'spared'): void {
    this.#add('svc_admission_tag_lookups_total', 'outcome', outcome);
  }

  bypass(): void {
    this.#add('svc_admission_break_glass_total', '', '');
  }

  /** A review that was answered although neither database nor spool took its rows. */
  unrecorded(): void {
    this.#add('svc_admission_unrecorded_total', '', '');
  }

  /** A call that was turned away, by why. */
  shed(reason: 'busy' | 'bytes'): void {
    this.#add('svc_admission_shed_total', 'reason', reason);
  }

  /** A call that was refused, since it did not come from the API server. */
  unknownCaller(reason: 'path' | 'certificate' | 'name'): void {
    this.#add('svc_admission_refused_callers_total', 'reason', reason);
  }

  /** Hands over what was counted since the last time. */
  flush(count: Count): void {
    const sums = this.#sums;
    this.#sums = new Map();
    for (const [name, { label, byValue }] of sums)
      for (const [value, sum] of byValue) count.add(name, label === '' ? {} : { [label]: value }, sum);
  }

  #add(name: Name, label: string, value: string): void {
    let own = this.#sums.get(name);
    if (own === undefined) this.#sums.set(name, (own = { label, byValue: new Map() }));
    own.byValue.set(value, (own.byValue.get(value) ?? 0) + 1);
  }
}

type Name = `svc_${string}_total`;
