import type { HardeningVerdict } from '../pods/index.ts';
import type { Skipped } from '../manifests/index.ts';
import { formatTime } from '../base/index.ts';
import {
  ASK_REGISTRY,
  gateOf,
  warningsOf,
  WORKLOAD_HARDENING,
  type PolicyVerdict,
  type UnknownFact,
} from '../decision/index.ts';
import type { CheckedPod, CheckOutcome, ImageResult, PodResult } from './images.ts';
import type { FoundFacts } from './found.ts';
import { nameFact, remedyOfFact, remedyOfSignals } from './remedy.ts';

/** DecisionDocument is what one policy says, as JSON has it. */
export interface DecisionDocument {
  readonly policy: string;
  /** Made when it is read: the table does without, and so without loading node:crypto. */
  readonly policy_revision: string;
  readonly enforcement: 'Audit' | 'Enforce';
  readonly verdict: 'admit' | 'refuse' | 'unknown';
  readonly label: string | null;
  readonly sentence: string | null;
  /** What was never recorded, beside the verdict `unknown`. */
  readonly fact: string | null;
  readonly break_glass: boolean;
}

/** WarnedBy names a policy and the warning that it gives. */
export interface WarnedBy {
  readonly policy: string;
  readonly warning: string;
}

/** AnswerDocument is what images and pods have in common. */
export interface AnswerDocument {
  readonly file: string | null;
  /** From 1; of the image, or of the pod's name. */
  readonly line: number | null;
  readonly column: number | null;
  readonly kind: string | null;
  readonly name: string | null;
  readonly namespace: string;
  /** Null when it could not be decided. */
  readonly allowed: boolean | null;
  readonly label: string | null;
  readonly reason: string;
  readonly policy: string | null;
  readonly policy_revision: string | null;
  readonly break_glass: boolean;
  readonly break_glass_reason: string | null;
  readonly decisions: readonly DecisionDocument[];
  readonly warnings: readonly string[];
  /** Which policy warns, for each warning that is a policy's. */
  readonly warned_by: readonly WarnedBy[];
  readonly signals: readonly string[] | null;
  readonly exposed_by: string | null;
  /** What would let it pass, in a clause; null where it passes. */
  readonly remedy: string | null;
}

/** ImageDocument is the answer on one image. */
export interface ImageDocument extends AnswerDocument {
  readonly container: string | null;
  readonly role: string | null;
  readonly image: string;
  readonly digest: string | null;
  readonly digest_from: string | null;
  /** By whose scan it is judged, of the platforms of its index (`linux/arm64`); null: by the worst of them, or they are not told apart. */
  readonly platform: string | null;
  readonly scanned_at: string | null;
  readonly scanned: boolean;
  /** Why the reference is not valid, as a clause; null where it is. */
  readonly fault: string | null;
  /** What is not known and could change an answer, each with why it is not known. */
  readonly unknown: readonly { readonly fact: string; readonly reason: string }[];
}

/** isImageAnswer tells an answer on an image from one on a pod. */
export function isImageAnswer(answer: AnswerDocument): answer is ImageDocument {
  return 'image' in answer;
}

/** CheckDocument is the answer of `ipo check` as JSON. */
export interface CheckDocument {
  readonly as_of: string;
  readonly cold_image_policy: string;
  readonly results: readonly ImageDocument[];
  readonly pods: readonly AnswerDocument[];
  readonly refused: number;
  readonly audited: number;
  /** What one policy at least could not say, and none refused; of these `open` are neither admitted nor refused. */
  readonly undecided: number;
  readonly open: number;
  /** Whether the check passes in spite of these. */
  readonly undecided_allowed: boolean;
  readonly unscanned: number;
  readonly skipped: readonly Readonly<Record<string, unknown>>[];
  readonly notes: readonly string[];
}

/** toDocument gives an outcome as JSON has it. */
export function toDocument(
  outcome: CheckOutcome,
  about: {
    readonly asOf: number;
    readonly coldImagePolicy: string;
    readonly skipped: readonly Skipped[];
    readonly notes: readonly string[];
    /** Why something of a reference, as it is written, could not be found out. */
    readonly reasons: ReadonlyMap<string, readonly string[]>;
    readonly undecidedAllowed: boolean;
    /** Whether no registry may be asked, so that nobody is told to ask one by a flag that `--offline` excludes. */
    readonly offline: boolean;
  },
): CheckDocument {
  const { images, pods, refused, audited, undecided, open, unscanned } = outcome;
  return {
    as_of: formatTime(about.asOf),
    cold_image_policy: about.coldImagePolicy,
    results: images.map((result) => toImageDocument(result, about.reasons.get(result.image) ?? [], about)),
    pods: pods.map(toPodDocument),
    refused,
    audited,
    undecided,
    open,
    undecided_allowed: about.undecidedAllowed,
    unscanned,
    skipped: about.skipped.map(({ file, document, line, kind, name, reason, makesPods }) => ({
      file,
      document,
      line,
      kind,
      name,
      reason,
      makes_pods: makesPods,
    })),
    notes: about.notes,
  };
}

function toImageDocument(
  result: ImageResult,
  reasons: readonly string[],
  { asOf: at, offline }: { readonly asOf: number; readonly offline: boolean },
): ImageDocument {
  const { pod, container, role, image, subject, judgement, found, allowed, unknown, line, column } = result;
  const { outcome, verdicts, warnings } = judgement;
  const { policy } = outcome;
  return {
    ...whereOf(pod, line, column),
    container,
    role,
    image,
    digest: found?.digest ?? null,
    digest_from: found?.digestFrom ?? null,
    platform: found?.platform ?? null,
    scanned_at: subject?.facts.scan?.scannedAt ?? null,
    scanned: (subject?.facts.scan?.findings ?? null) !== null,
    fault: result.fault,
    unknown: unknown.map((fact) => ({ fact, reason: whyUnknown(fact, found, reasons) })),
    allowed,
    label: allowed === null ? null : outcome.label,
    reason: reasonOf(result),
    policy: policy?.name ?? null,
    get policy_revision() {
      return policy?.revision ?? null;
    },
    break_glass: outcome.breakGlass,
    break_glass_reason: outcome.breakGlass ? pod.breakGlassReason : null,
    decisions: verdicts.map(toDecisionDocument),
    warnings: found?.offPlatform ? [...warnings, found.offPlatform] : warnings,
    warned_by: warnersOf(result, at),
    signals: pod.signals,
    exposed_by: pod.exposedBy,
    remedy: offline ? atHand(remedyOf(result)) : remedyOf(result),
  };
}

function atHand(remedy: string | null): string | null {
  return (
    remedy?.replace(ASK_REGISTRY, 'ask its registry (without --offline, with --registry always)') ?? null
  );
}

function warnersOf({ judgement: { verdicts, warnings }, subject }: ImageResult, at: number): WarnedBy[] {
  if (warnings.length === 0 || subject === null) return [];
  return verdicts.flatMap(({ policy, decision }) =>
    decision.kind === 'admit' && !decision.breakGlass
      ? warningsOf(policy, subject, at)
          .filter((warning) => warnings.includes(warning))
          .map((warning) => ({ policy: policy.name, warning }))
      : [],
  );
}

function reasonOf({ judgement, unknown: [first], fault, allowed }: ImageResult): string {
  const { undecided, outcome } = judgement;
  if (fault !== null && allowed === null) return `not decided: the reference is not valid: it ${fault}`;
  return undecided === null ? outcome.reason || openTo(first) : openTo(undecided);
}

function remedyOf(result: ImageResult): string | null {
  const { judgement, allowed, fault, found, subject, unknown } = result;
  const { outcome, undecided, verdicts } = judgement;
  if (fault !== null)
    return allowed === true && outcome.label === null ? null : 'write a reference that a registry can serve';
  const { policy } = outcome;
  const refusal = verdicts.find((verdict) => verdict.policy === policy)?.decision;
  if (undecided === null && refusal?.kind === 'refuse' && subject !== null) {
    const { label, sentence } = refusal;
    return gateOf(label).remedy({ sentence, spec: policy?.spec ?? null, subject, search: found });
  }
  const [first] = unknown;
  return first === undefined ? null : remedyOfFact(first, found);
}

function whyUnknown(fact: UnknownFact, found: FoundFacts | null, reasons: readonly string[]): string {
  if (found?.registry === 'failed' && (fact !== 'findings' || found.untold !== null) && reasons.length > 0)
    return reasons.join('; ');
  return (
    found?.untold ??
    (found?.emptyReport === true ? 'the report given found no packages' : 'it was never recorded')
  );
}

/** What an audit policy could not say refuses nothing, and is open all the same. */
function openTo(fact: UnknownFact | undefined): string {
  return fact === undefined ? '' : `not decided: it is unknown ${nameFact(fact)}`;
}

function toPodDocument({ pod, judgement }: PodResult): AnswerDocument {
  const { allowed, label, reason, policy, verdicts, warnings } = judgement;
  const bypassed = label === null && verdicts.some(({ breakGlass }) => breakGlass);
  return {
    ...whereOf(pod, pod.line, pod.column),
    allowed,
    label,
    reason,
    policy: policy?.name ?? null,
    get policy_revision() {
      return policy?.revision ?? null;
    },
    break_glass: bypassed,
    break_glass_reason: bypassed ? pod.breakGlassReason : null,
    decisions: verdicts.map(toHardeningDocument),
    warnings,
    warned_by: warnings.flatMap((warning) =>
      verdicts
        .filter(({ policy: { spec } }) => spec.workloadHardening === 'warn')
        .map(({ policy }) => ({ policy: policy.name, warning })),
    ),
    signals: pod.signals,
    exposed_by: pod.exposedBy,
    remedy: label === null ? null : remedyOfSignals(pod.signals ?? []),
  };
}

function whereOf({ file, kind, name, namespace }: CheckedPod, line: number, column: number) {
  const known = file !== null;
  return { file, line: known ? line : null, column: known ? column : null, kind, name, namespace };
}

function toDecisionDocument({ policy, decision }: PolicyVerdict): DecisionDocument {
  return {
    policy: policy.name,
    get policy_revision() {
      return policy.revision;
    },
    enforcement: policy.spec.enforcement,
    verdict: decision.kind,
    label: decision.kind === 'refuse' ? decision.label : null,
    sentence: decision.kind === 'refuse' ? decision.sentence : null,
    fact: decision.kind === 'unknown' ? decision.fact : null,
    break_glass: decision.kind === 'admit' && decision.breakGlass,
  };
}

function toHardeningDocument({ policy, verdict, sentence, breakGlass }: HardeningVerdict): DecisionDocument {
  return {
    policy: policy.name,
    get policy_revision() {
      return policy.revision;
    },
    enforcement: policy.spec.enforcement,
    verdict,
    label: verdict === 'refuse' ? WORKLOAD_HARDENING : null,
    sentence,
    fact: null,
    break_glass: breakGlass,
  };
}
