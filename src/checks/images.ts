import {
  governing,
  judgeImage,
  judgementOf,
  judgeUnnamed,
  judgePod,
  type ImageJudgement,
  type PodJudgement,
} from '../pods/index.ts';
import type { PolicyVerdict, UnknownFact } from '../decision/index.ts';
import { lacksScan, hasNoPackages, type Subject } from '../facts/index.ts';
import { parseReference, type ImageReference } from '../image/index.ts';
import type { Policy } from '../policy/index.ts';
import type { FoundFacts } from './found.ts';

/** CheckedPod is a pod of a manifest, or the pod that runs the images given by name. */
export interface CheckedPod {
  /** Null, as kind and name, for images given by name. */
  readonly file: string | null;
  readonly kind: string | null;
  readonly name: string | null;
  readonly namespace: string;
  /** From 1; 0 for images given by name. */
  readonly line: number;
  readonly column: number;
  /** Null when nothing is known of the pod. */
  readonly signals: readonly string[] | null;
  readonly exposedBy: string | null;
  readonly breakGlassReason: string | null;
  readonly quota: string | null;
  readonly images: readonly {
    readonly container: string | null;
    readonly role: string | null;
    readonly image: string;
    readonly line: number;
    readonly column: number;
  }[];
}

/** CheckRequest is everything that a check is made from. */
export interface CheckRequest {
  readonly policies: readonly Policy[];
  readonly pods: readonly CheckedPod[];
  readonly find: (reference: ImageReference) => FoundFacts;
  /** Milliseconds. */
  readonly asOf: number;
  readonly coldImagePolicy: Subject['coldImagePolicy'];
  /** Groups of who asks; without them no bypass is granted. */
  readonly groups: readonly string[] | null;
  /** Judge audit policies as if they enforced. */
  readonly enforce: boolean;
}

/** ImageResult is the answer on one image. */
export interface ImageResult {
  readonly pod: CheckedPod;
  readonly container: string | null;
  readonly role: string | null;
  readonly image: string;
  readonly line: number;
  readonly column: number;
  /** Null, with `fault`, when the reference does not parse. */
  readonly subject: Subject | null;
  readonly judgement: ImageJudgement;
  readonly found: FoundFacts | null;
  readonly fault: string | null;
  /** Null when it could not be decided. */
  readonly allowed: boolean | null;
  /** The facts that one or another policy lacked. */
  readonly unknown: readonly UnknownFact[];
}

/** PodResult is the answer on a pod as a whole. */
export interface PodResult {
  readonly pod: CheckedPod;
  readonly judgement: PodJudgement;
}

/** CheckOutcome is the answer on everything, with counts over images and pods. */
export interface CheckOutcome {
  readonly images: readonly ImageResult[];
  readonly pods: readonly PodResult[];
  readonly refused: number;
  /** Admitted because the refusing policies audit. */
  readonly audited: number;
  /** Images of which one policy at least could not say whether it admits them, and that no other refused. */
  readonly undecided: number;
  /** Those of them that an enforcing policy could not decide, and so nobody admitted. */
  readonly open: number;
  /** Images without a scan record; a report that found no packages is none. */
  readonly unscanned: number;
}

/** checkImages decides every image and every pod by the functions of the webhook. Pure, but for what `find` does. */
export function checkImages(request: CheckRequest): CheckOutcome {
  const policies = request.enforce ? request.policies.map(enforcing) : request.policies;
  const byNamespace = new Map<string, Policy[]>();
  const images: ImageResult[] = [];
  const pods: PodResult[] = [];
  for (const pod of request.pods) {
    let asked = byNamespace.get(pod.namespace);
    if (asked === undefined) byNamespace.set(pod.namespace, (asked = governing(policies, pod.namespace)));
    const { breakGlassReason: reason } = pod;
    const breakGlass = reason === null || request.groups === null ? null : { reason, groups: request.groups };
    if (pod.signals !== null) pods.push({ pod, judgement: judgePod(asked, pod.signals, breakGlass) });
    for (const image of pod.images) images.push(checkImage(pod, image, breakGlass, asked, request));
  }
  const count = (test: (result: ImageResult) => boolean): number => images.filter(test).length;
  const onPods = (test: (judgement: PodJudgement) => boolean): number =>
    pods.filter(({ judgement }) => test(judgement)).length;
  return {
    images,
    pods,
    refused: count(({ allowed }) => allowed === false) + onPods(({ allowed }) => !allowed),
    audited: count(isAudited) + onPods(({ allowed, label }) => allowed && label !== null),
    undecided: count(({ allowed, unknown }) => allowed === null || (allowed && unknown.length > 0)),
    open: count(({ allowed }) => allowed === null),
    unscanned: count(
      ({ subject, found }) => subject !== null && (lacksScan(subject.facts) || found?.emptyReport === true),
    ),
  };
}

/** isAudited tells an image that an audit policy would have refused. */
function isAudited({ allowed, judgement }: ImageResult): boolean {
  return allowed === true && judgement.outcome.label !== null;
}

function checkImage(
  pod: CheckedPod,
  { container, role, image, line, column }: CheckedPod['images'][number],
  breakGlass: Subject['breakGlass'],
  policies: readonly Policy[],
  { find, asOf, coldImagePolicy }: CheckRequest,
): ImageResult {
  const about = { pod, container, role, image, line, column };
  const reference = parseReference(image);
  if ('fault' in reference) {
    const { fault } = reference;
    const judgement = judgeUnnamed(policies, image, fault, breakGlass);
    // The webhook lets such an image pass where nothing denies it; on a command line it is a mistake, and nothing was checked.
    const allowed = pod.file === null && judgement.outcome.allowed ? null : judgement.outcome.allowed;
    return { ...about, subject: null, judgement, found: null, fault, allowed, unknown: [] };
  }
  const found = find(reference);
  const { signals, exposedBy, quota } = pod;
  const subject: Subject = {
    reference,
    digest: found.digest,
    facts: found.facts,
    signals,
    exposedBy,
    quota,
    coldImagePolicy,
    breakGlass,
  };
  const judgement = judgeFound(policies, subject, found, asOf);
  const unknown = judgement.verdicts.flatMap(({ decision }) =>
    decision.kind === 'unknown' ? [decision.fact] : [],
  );
  const allowed = judgement.undecided === null ? judgement.outcome.allowed : null;
  return { ...about, subject, judgement, found, fault: null, allowed, unknown: [...new Set(unknown)] };
}

/**
 * judgeFound decides as the webhook would. A report that found no packages is not a scan: what a policy refuses for want of one is refused,
 * and what it says may run unscanned may. Where it says neither, the image is not decided: a report was made, and says nothing. What nobody
 * could tell is not decided either.
 */
function judgeFound(
  policies: readonly Policy[],
  subject: Subject,
  { untold, emptyReport }: FoundFacts,
  at: number,
): ImageJudgement {
  const { facts } = subject;
  const judgement = judgeImage(policies, subject, at);
  if (untold === null && !emptyReport) return judgement;
  if (!emptyReport)
    return judgementOf(
      judgement.verdicts.map((one) => untoldVerdict(one, subject)),
      [],
    );
  const unscanned = judgeImage(policies, { ...subject, facts: { ...facts, scan: null } }, at);
  if (hasNoPackages(facts, at)) return unscanned;
  const verdicts = judgement.verdicts.map((verdict, i) => {
    const without = unscanned.verdicts[i] ?? verdict;
    const isSaid =
      without.decision.kind === 'refuse' || verdict.policy.spec.admissionTiming === 'AllowAndScan';
    return isSaid ? without : verdict;
  });
  return judgementOf(verdicts, judgement.warnings);
}

/** An operating system that is not known may have ended, too. */
function untoldVerdict(verdict: PolicyVerdict, subject: Subject): PolicyVerdict {
  const { policy, decision } = verdict;
  if (decision.kind !== 'admit' || decision.breakGlass || !minds(policy, subject)) return verdict;
  return { policy, decision: { kind: 'unknown', fact: 'findings' } };
}

/** Whether a policy minds the end of an operating system, by itself or for what the pod shows. */
function minds({ spec }: Policy, { signals }: Subject): boolean {
  const escalates = spec.deploymentContext.mode === 'Escalate' && (signals ?? []).length > 0;
  return spec.endOfLifeOS === 'block' || (escalates && spec.endOfLifeOS === 'warn');
}

function enforcing(policy: Policy): Policy {
  return { ...policy, spec: { ...policy.spec, enforcement: 'Enforce' } };
}
