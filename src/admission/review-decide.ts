import type { Signal } from '../policy/index.ts';
import type { Policy } from '../policy/index.ts';
import {
  judgePod,
  type PodJudgement,
  governing,
  nodePlatformOf,
  type PlatformOfNode,
  type ExposureIndex,
  signalsOf,
} from '../pods/index.ts';
import type { FailurePolicy } from './ports.ts';
import { answerImage } from './review-image.ts';
import type { PodReview } from './review-request.ts';
import type { ImageAnswer, PodContext, ReviewedImage } from './image-answer.ts';

/** Governing are the policies that are asked about one namespace. */
export interface Governing {
  /** In name order. */
  readonly policies: readonly Policy[];
  /** Whether one of them says something of the pod as a whole. */
  readonly hardens: boolean;
}

/** ReviewDecision is the answer to a pod with everything that is recorded of it. */
export interface ReviewDecision {
  readonly allowed: boolean;
  readonly images: readonly ImageAnswer[];
  /** Null when no policy judges the pod as a whole. */
  readonly hardening: PodJudgement | null;
  /** Signals of the pod as it would be, whatever the policies' mode. */
  readonly signals: readonly Signal[];
  readonly exposedBy: string | null;
  /** By which platform its images were judged; null: by the worst of theirs. */
  readonly platform: string | null;
}

/** DecideOptions are what an installation says of every decision. */
export interface DecideOptions {
  readonly coldImagePolicy: PodContext['coldImagePolicy'];
  readonly failurePolicy: FailurePolicy;
}

const byPolicies = new WeakMap<readonly Policy[], Map<string, Governing>>();
/** Namespaces that are remembered for one list of policies. */
const MOST_NAMESPACES = 10_000;

/** governingOf gives the policies of a namespace, worked out once as long as the list of policies is the same. */
export function governingOf(policies: readonly Policy[], namespace: string): Governing {
  let known = byPolicies.get(policies);
  if (known === undefined) byPolicies.set(policies, (known = new Map()));
  let found = known.get(namespace);
  if (found === undefined) {
    const asked = governing(policies, namespace);
    found = { policies: asked, hardens: asked.some(({ spec }) => spec.workloadHardening !== 'ignore') };
    if (known.size >= MOST_NAMESPACES) known.clear();
    known.set(namespace, found);
  }
  return found;
}

/** PodShown is what a pod shows of the deployment context. */
export interface PodShown {
  readonly signals: readonly Signal[];
  readonly exposedBy: string | null;
  /** Of these signals, those that the pod did not show before an UPDATE. */
  readonly fresh: readonly Signal[];
  /** Of the nodes that it runs or may run on; null where that is not known. */
  readonly platform: string | null;
}

/** shownBy gives the signals of a pod as it arrives. */
export function shownBy(
  review: PodReview,
  exposure: ExposureIndex,
  platformOf: PlatformOfNode = () => null,
): PodShown {
  const labels = new Map<string, string>();
  for (const key in review.labels) labels.set(key, review.labels[key] ?? '');
  const exposedBy = exposure.of(review.namespace, labels);
  const signals = signalsOf(review.spec, exposedBy);
  const platform = nodePlatformOf(review.spec, platformOf);
  if (review.before === null) return { signals, exposedBy, fresh: signals, platform };
  // A label that lets a Service find the pod is not a change of the pod's own rights.
  const before = signalsOf(review.before, exposedBy);
  return { signals, exposedBy, platform, fresh: signals.filter((signal) => !before.includes(signal)) };
}

/** contextOf gives what the images of a pod share. */
export function contextOf(
  { breakGlass, groups }: PodReview,
  { signals, exposedBy, platform }: Pick<PodShown, 'signals' | 'exposedBy' | 'platform'>,
  { coldImagePolicy }: DecideOptions,
): PodContext {
  const bypass = breakGlass === null ? null : { reason: breakGlass, groups };
  return { signals, exposedBy, platform, coldImagePolicy, breakGlass: bypass };
}

/**
 * decideReview answers a pod from what was found out about its images, at a time in milliseconds. Pure. The pod as a whole is judged
 * by the signals that are new with this review.
 */
export function decideReview(
  review: PodReview,
  { signals, exposedBy, fresh, platform }: PodShown,
  { policies, hardens }: Governing,
  reviewed: readonly ReviewedImage[],
  options: DecideOptions,
  at: number,
): ReviewDecision {
  const context = contextOf(review, { signals, exposedBy, platform }, options);
  const { breakGlass } = context;
  const images = reviewed.map((one) => answerImage(policies, one, context, at, options.failurePolicy));
  const hardening = hardens && fresh.length > 0 ? judgePod(policies, fresh, breakGlass) : null;
  const allowed = images.every((image) => image.allowed) && hardening?.allowed !== false;
  return { allowed, images, hardening, signals, exposedBy, platform };
}
