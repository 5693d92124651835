import { byCodeUnit } from '../base/index.ts';
import { decide, type DenialLabel, type UnknownFact } from '../decision/index.ts';
import type { ImageFacts, Subject } from '../facts/index.ts';
import { parseReference } from '../image/index.ts';
import type { ColdImagePolicy } from '../ledger/index.ts';
import { governs, type Policy } from '../policy/index.ts';

/** Place is where an image stands: its newest ledger row in a namespace, or only a name where it was never seen. */
export interface Place {
  /** Null for an image that no ledger row names: only policies of the whole cluster are asked. */
  readonly namespace: string | null;
  /** As written in the pod. */
  readonly image: string;
  readonly signals: readonly string[] | null;
  readonly exposedBy: string | null;
}

/** PolicyAnswer is what one policy says of the image in one place. */
export interface PolicyAnswer {
  readonly namespace: string | null;
  readonly image: string;
  readonly policy: string;
  readonly enforcement: 'Audit' | 'Enforce';
  readonly verdict: 'admit' | 'refuse' | 'unknown';
  readonly label: DenialLabel | null;
  /** The sentence of a refusal, or what is not known; empty when it admits. */
  readonly reason: string;
}

/** Compliance is the judgement on one image everywhere it stands. */
export interface Compliance {
  /** Every policy that governs it admits it; an undecided image does not count as admitted. */
  readonly compliant: boolean;
  /** The answer that tells what the next admission would meet; null when every policy admits it. */
  readonly next: PolicyAnswer | null;
  /** When a triage decision ends next, in milliseconds, which may change all of it; null for never. */
  readonly until: number | null;
}

/** Governed is a place with the policies that are asked there, in name order. */
interface Governed {
  readonly place: Place;
  readonly policies: readonly Policy[];
}

/** governingAt gives the policies that are asked about a place, in name order. */
export function governingAt(policies: readonly Policy[], namespace: string | null): Policy[] {
  return policies
    .filter((policy) =>
      namespace === null ? policy.spec.targetNamespaces.length === 0 : governs(policy, namespace),
    )
    .toSorted((a, b) => byCodeUnit(a.name, b.name));
}

/** answersAt asks each policy that governs a place, by the same decision as the webhook. `at` is in milliseconds. */
export function answersAt(
  place: Place,
  policies: readonly Policy[],
  facts: ImageFacts,
  coldImagePolicy: ColdImagePolicy,
  at: number,
): PolicyAnswer[] {
  const reference = parseReference(place.image);
  return governingAt(policies, place.namespace).map((policy) => {
    const base = {
      namespace: place.namespace,
      image: place.image,
      policy: policy.name,
      enforcement: policy.spec.enforcement,
    };
    if ('fault' in reference) {
      const reason =
        place.image === '' ? 'no name of the image is known' : `the image name ${reference.fault}`;
      return { ...base, verdict: 'unknown' as const, label: null, reason };
    }
    const subject: Subject = {
      reference,
      digest: facts.digest,
      facts,
      signals: place.signals,
      exposedBy: place.exposedBy,
      quota: null,
      coldImagePolicy,
      breakGlass: null,
    };
    const decision = decide(policy, subject, at);
    switch (decision.kind) {
      case 'admit':
        return { ...base, verdict: 'admit' as const, label: null, reason: '' };
      case 'refuse':
        return { ...base, verdict: 'refuse' as const, label: decision.label, reason: decision.sentence };
      case 'unknown':
        return { ...base, verdict: 'unknown' as const, label: null, reason: UNKNOWN[decision.fact] };
    }
  });
}

const UNKNOWN: Readonly<Record<UnknownFact, string>> = {
  findings: 'its findings were never recorded',
  known_exploited: 'whether its findings are known to be exploited was never looked up',
  signatures: 'its signatures were never recorded',
  attestations: 'its attestations were never recorded',
  provenance: 'its provenance was never recorded',
  vex: 'statements of its producer were never recorded',
};

/** judgeCompliance judges an image in all its places at once. Places that no answer can tell apart are asked once. */
export function judgeCompliance(
  places: readonly Place[],
  policies: readonly Policy[],
  facts: ImageFacts,
  coldImagePolicy: ColdImagePolicy,
  at: number,
): Compliance {
  let next: PolicyAnswer | null = null;
  for (const { place, policies: asked } of distinct(places, policies)) {
    for (const answer of answersAt(place, asked, facts, coldImagePolicy, at)) {
      if (answer.verdict !== 'admit' && (next === null || weight(answer) > weight(next))) next = answer;
    }
  }
  return { compliant: next === null, next, until: nextExpiry(facts, at) };
}

/** A refusal that is enforced takes precedence over one that is audited, and both before what cannot be told. */
function weight({ verdict, enforcement }: PolicyAnswer): number {
  return (verdict === 'refuse' ? 2 : 0) + (enforcement === 'Enforce' ? 1 : 0);
}

function distinct(places: readonly Place[], policies: readonly Policy[]): Governed[] {
  const seen = new Map<string, Governed>();
  for (const place of places) {
    const asked = governingAt(policies, place.namespace);
    const { image, signals, exposedBy } = place;
    const key = JSON.stringify([image, signals, exposedBy, asked.map(({ name }) => name)]);
    if (!seen.has(key)) seen.set(key, { place, policies: asked });
  }
  return [...seen.values()];
}

function nextExpiry({ scan, noPackagesUntilMs = -Infinity }: ImageFacts, at: number): number | null {
  let until = noPackagesUntilMs > at ? noPackagesUntilMs : Infinity;
  for (const { triagedUntilMs } of scan?.findings ?? [])
    if (triagedUntilMs > at && triagedUntilMs < until) until = triagedUntilMs;
  return until === Infinity ? null : until;
}
