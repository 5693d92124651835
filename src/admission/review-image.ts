import { isDigest } from '../base/index.ts';
import type { UnknownFact } from '../decision/index.ts';
import { factsDigest, factsOn, inputsDigest, type ImageFacts, type Subject } from '../facts/index.ts';
import type { Policy } from '../policy/index.ts';
import { hangsOnFacts, judgeImage, judgeUnnamed, type ImageJudgement, UNREAD_FACTS } from '../pods/index.ts';
import type { FailurePolicy } from './ports.ts';
import { rememberedAnswer } from './remembered-answers.ts';
import { settledFacts } from './settled-facts.ts';
import type { ImageAnswer, PodContext, ReviewedImage } from './image-answer.ts';

/** UNDECIDED begins the warning that tells which fact an answer lacked. */
export const UNDECIDED = 'never recorded: ';

/** answerImage decides one image under the policies that govern its namespace, in name order. Pure. */
export function answerImage(
  policies: readonly Policy[],
  of: ReviewedImage,
  context: PodContext,
  at: number,
  failurePolicy: FailurePolicy,
): ImageAnswer {
  const { reference, digest, quota } = of;
  const facts = of.facts === 'unread' ? of.facts : factsOn(of.facts, context.platform);
  if ('fault' in reference)
    return toAnswer(of, judgeUnnamed(policies, of.image, reference.fault, context.breakGlass), null);
  const subjectOf = (given: ImageFacts): Subject => ({ ...context, reference, digest, quota, facts: given });
  return facts === 'unread'
    ? answerUnread(policies, of, judgeMetered(policies, subjectOf(UNREAD_FACTS), at).judgement, failurePolicy)
    : rememberedAnswer(policies, of, facts, context, () => answerKnown(policies, of, subjectOf(facts), at));
}

function answerKnown(
  policies: readonly Policy[],
  of: ReviewedImage,
  subject: Subject,
  at: number,
): ImageAnswer {
  const { judgement, asked } = judgeMetered(policies, subject, at);
  const inputs = inputsOf(asked, of.image);
  if (of.missing !== null && hangsOnFacts(policies, subject, at)) {
    const answer = toAnswer(of, judgement, inputs);
    const warning = `${of.missing}; decided without it`;
    return { ...answer, warnings: [...answer.warnings, warning], undecided: 'no_digest' };
  }
  const open = judgement.outcome.allowed ? findOpen(judgement) : null;
  if (open === null) return toAnswer(of, judgement, inputs);
  const settled = judgeMetered(policies, { ...asked, facts: settledFacts(subject.facts) }, at).judgement;
  const warning = `${UNDECIDED}${open} of ${subject.reference.text}; decided as if there were none`;
  return {
    ...toAnswer(of, settled, inputs),
    warnings: [...settled.warnings, warning],
    undecided: 'never_recorded',
  };
}

/** The first fact that a policy lacked, also one that audits: an audit must say what enforcing would do. */
function findOpen({ verdicts }: ImageJudgement): UnknownFact | null {
  for (const { decision } of verdicts) if (decision.kind === 'unknown') return decision.fact;
  return null;
}

/** The meter is a fact of the decision only where it refused: what earlier gates denied does not concern the meter. */
function judgeMetered(
  policies: readonly Policy[],
  subject: Subject,
  at: number,
): { readonly judgement: ImageJudgement; readonly asked: Subject } {
  const judgement = judgeImage(policies, subject, at);
  if (subject.quota === null || judgement.outcome.label === 'quota') return { judgement, asked: subject };
  const asked = { ...subject, quota: null };
  return { judgement: judgeImage(policies, asked, at), asked };
}

function toAnswer(
  of: ReviewedImage,
  { outcome, warnings }: ImageJudgement,
  inputs: string | null,
): ImageAnswer {
  const { allowed, label, reason, policy, breakGlass } = outcome;
  return { of, allowed, label, reason, policy, breakGlass, inputs, warnings, undecided: null };
}

/** A decision without facts: what needs no facts stands, the rest follows the failure policy. An audit refuses nothing. */
function answerUnread(
  policies: readonly Policy[],
  of: ReviewedImage,
  judgement: ImageJudgement,
  failurePolicy: FailurePolicy,
): ImageAnswer {
  const { outcome } = judgement;
  if (!outcome.allowed || outcome.breakGlass || policies.length === 0) return toAnswer(of, judgement, null);
  const enforcing = policies.find(({ spec }) => spec.enforcement === 'Enforce');
  const reason = of.missing ?? `image facts not available: ${of.image}`;
  // What an audit refuses without these facts is a refusal for the record, however little else is known.
  if (enforcing === undefined && outcome.label !== null)
    return { ...toAnswer(of, judgement, null), warnings: [reason], undecided: 'no_facts' };
  return {
    of,
    allowed: enforcing === undefined || failurePolicy === 'Ignore',
    label: null,
    reason,
    policy: enforcing ?? policies[0] ?? null,
    breakGlass: false,
    inputs: null,
    warnings: [reason],
    undecided: 'no_facts',
  };
}

/** Digests of recorded facts, and of what was given to decisions on them, which come again with every pod of a workload. */
const digests = new WeakMap<ImageFacts, string>();
const inputs = new WeakMap<ImageFacts, Map<string, string>>();
/** Contexts in which one image is remembered: a workload has one or two, and anyone who makes up tags must not fill the memory. */
const MOST_CONTEXTS = 16;

function inputsOf(subject: Subject, image: string): string {
  const { facts, digest, signals, exposedBy, quota, coldImagePolicy } = subject;
  let byContext = inputs.get(facts);
  if (byContext === undefined) inputs.set(facts, (byContext = new Map()));
  const key = `${image}\n${digest}\n${signals?.join(' ')}\n${exposedBy}\n${quota}\n${coldImagePolicy}`;
  let found = byContext.get(key);
  if (found === undefined) {
    let known = digests.get(facts);
    if (known === undefined) digests.set(facts, (known = factsDigest(facts)));
    found = inputsDigest(subject, image, known);
    if (byContext.size >= MOST_CONTEXTS) byContext.clear();
    byContext.set(key, found);
  }
  return found;
}

/** recordedDigest gives the digest that a row carries: no other algorithm than SHA-256 names an image there. */
export function recordedDigest(digest: string | null): string | null {
  return digest !== null && isDigest(digest) ? digest : null;
}
