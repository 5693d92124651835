import {
  governing,
  judgeImage,
  judgeUnnamed,
  judgePod,
  signalsOf,
  type ImageJudgement,
  type PodJudgement,
} from '../pods/index.ts';
import { isDigest, type Digest } from '../base/index.ts';
import {
  factsDigest,
  factsOn,
  inputsDigest,
  NO_FACTS,
  type ImageFacts,
  type Subject,
} from '../facts/index.ts';
import { parseReference } from '../image/index.ts';
import type { ColdImagePolicy } from '../ledger/index.ts';
import type { Policy } from '../policy/index.ts';
import type { PodRecord, RunningContainer, RunningPod } from './ports.ts';

/** JudgeContext is what all pods of one sweep are judged by. */
export interface JudgeContext {
  /** Those in effect, in any order. */
  readonly policies: readonly Policy[];
  /** What was read of the digests that the pods run; a digest that is not in it has no facts. */
  readonly facts: ReadonlyMap<string, ImageFacts>;
  exposedBy(namespace: string, labels: ReadonlyMap<string, string>): string | null;
  readonly coldImagePolicy: ColdImagePolicy;
  /** UTC milliseconds. */
  readonly at: number;
}

/** JudgedImage is a container with what would be answered to it now. */
export interface JudgedImage {
  readonly container: RunningContainer;
  /** The digest that was judged: the one that the reference names, else the one that the node pulled. */
  readonly digest: Digest | null;
  readonly judgement: ImageJudgement;
  /** SHA-256 of the facts given to the decision; null where there were none to give. */
  inputs(): string | null;
}

/** JudgedPod is a running pod with what would be answered to it now, by the policies that reconcile. */
export interface JudgedPod {
  readonly pod: RunningPod;
  readonly signals: readonly string[];
  readonly exposedBy: string | null;
  /** The policies that were asked, in name order. */
  readonly policies: readonly Policy[];
  readonly images: readonly JudgedImage[];
  readonly hardening: PodJudgement;
  /** Whether every image and the pod as a whole would be admitted. */
  readonly allowed: boolean;
  /** Containers that could not be judged, since a fact was never recorded. Nothing is guessed. */
  readonly undecided: number;
  /** Whether it asks for break-glass and no review of it is recorded: whether one admitted it is not known. */
  readonly unproven: boolean;
  /** Containers that break-glass allowed: a bypass stands for as long as the pod does. */
  readonly bypassed: number;
}

/** digestOf gives the digest under which the facts of a container are kept, or null. */
export function digestOf({ image, digest }: Pick<RunningContainer, 'image' | 'digest'>): Digest | null {
  const reference = parseReference(image);
  const named = 'fault' in reference ? null : reference.digest;
  return named !== null && isDigest(named) ? named : digest;
}

/** isJudged tells whether a pod is judged again: one that has ended or is being deleted is not. */
export function isJudged({ finished, deleting }: RunningPod): boolean {
  return !finished && !deleting;
}

/**
 * judgeRunning judges a running pod by the decision of the webhook, on what is known now. "Runtime reconciliation: running pods judged
 * again by the same decision." Policies with `runtimeReconciliation: off` are not asked. What break-glass allowed is skipped. Pure.
 */
export function judgeRunning(pod: RunningPod, record: PodRecord | null, context: JudgeContext): JudgedPod {
  const policies = governing(context.policies, pod.namespace).filter(
    ({ spec }) => spec.runtimeReconciliation !== 'off',
  );
  const exposedBy = context.exposedBy(pod.namespace, pod.labels);
  const signals = signalsOf(pod.spec, exposedBy);
  const images: JudgedImage[] = [];
  let undecided = 0;
  let bypassed = 0;
  for (const container of policies.length === 0 ? [] : pod.containers) {
    if (record?.bypassed.has(container.name) === true) {
      bypassed += 1;
      continue;
    }
    const subject = subjectOf(
      container.image,
      digestOf(container),
      signals,
      exposedBy,
      null,
      context,
      pod.platform,
    );
    if (subject === null) {
      const reference = parseReference(container.image);
      const fault = 'fault' in reference ? reference.fault : '';
      const judgement = judgeUnnamed(policies, container.image, fault, null);
      images.push({ container, digest: container.digest, judgement, inputs: () => null });
      continue;
    }
    const judgement = judgeImage(policies, subject, context.at);
    const { digest } = subject;
    if (judgement.undecided !== null || isTooEarly(judgement, digest)) undecided += 1;
    else images.push({ container, digest, judgement, inputs: () => inputsOf(subject, container.image) });
  }
  const hardening = judgePod(bypassed > 0 ? [] : policies, signals, null);
  const allowed = hardening.allowed && images.every(({ judgement }) => judgement.outcome.allowed);
  const unproven = pod.breakGlassReason !== null && record?.reviewed !== true;
  return { pod, signals, exposedBy, policies, images, hardening, allowed, undecided, unproven, bypassed };
}

/** Whether it was refused for want of a scan of what its node has not pulled yet: of that nobody knows which image it is. */
function isTooEarly({ verdicts }: ImageJudgement, digest: Digest | null): boolean {
  return (
    digest === null &&
    verdicts.some(({ decision }) => decision.kind === 'refuse' && decision.label === 'unscanned')
  );
}

/** subjectOf gives what is decided about an image; null when its reference does not parse. */
export function subjectOf(
  image: string,
  digest: Digest | null,
  signals: readonly string[],
  exposedBy: string | null,
  quota: string | null,
  { facts, coldImagePolicy }: JudgeContext,
  platform: string | null = null,
): Subject | null {
  const reference = parseReference(image);
  if ('fault' in reference) return null;
  const known = (digest === null ? undefined : facts.get(digest)) ?? { ...NO_FACTS, digest };
  return {
    reference,
    digest,
    facts: factsOn(known, platform),
    signals,
    exposedBy,
    quota,
    coldImagePolicy,
    breakGlass: null,
  };
}

/** Many pods run the same image, and its facts may be long. */
const digests = new WeakMap<ImageFacts, string>();

function inputsOf(subject: Subject, image: string): string {
  let known = digests.get(subject.facts);
  if (known === undefined) digests.set(subject.facts, (known = factsDigest(subject.facts)));
  return inputsDigest(subject, image, known);
}
