import {
  checkImages,
  FactBook,
  podsOf,
  type CheckedPod,
  type CheckOutcome,
  type FactSources,
} from '../checks/index.ts';
import type { ImageFacts } from '../facts/index.ts';
import { parseManifest, type Manifest } from '../manifests/index.ts';
import type { Policy } from '../policy/index.ts';
import type { ScanReport } from '../scan/index.ts';
import type { TestCase } from './document.ts';
import { describeExpected, type Expected } from './expect.ts';

/** CaseSources is what the paths of a case lead to, read. */
export interface CaseSources {
  readonly policies: readonly Policy[];
  readonly manifests: readonly Manifest[];
  readonly reports: readonly ScanReport[];
  readonly ledger: ReadonlyMap<string, ImageFacts> | null;
  readonly kev: FactSources['kev'];
  /** Milliseconds, for a case that names no time. */
  readonly now: number;
}

/** Answered is what the policies said: the first denial, else what could not be decided. */
export interface Answered {
  /** Null where it could not be decided. */
  readonly allowed: boolean | null;
  readonly label: string | null;
  readonly reason: string;
  readonly policy: string | null;
  readonly image: string | null;
}

/** CaseResult is a case with its answer. */
export interface CaseResult {
  readonly case: TestCase;
  readonly passed: boolean;
  readonly answered: Answered;
  /** Why it failed, as a sentence without a period; null where it passed. */
  readonly why: string | null;
  readonly outcome: CheckOutcome;
}

/** runCase decides everything that a case gives, by the functions of the webhook. An audit policy is judged as if it enforced. */
export function runCase(one: TestCase, sources: CaseSources): CaseResult {
  const { given } = one;
  const images = new Map(sources.ledger ?? []);
  for (const facts of given.facts) if (facts.digest !== null) images.set(facts.digest, facts);
  const { reports, kev } = sources;
  const book = new FactBook({ images, reports, kev, byName: true, platform: null });
  const outcome = checkImages({
    policies: sources.policies,
    pods: podsGiven(one, sources.manifests),
    find: (reference) => book.find(reference),
    asOf: one.at ?? sources.now,
    coldImagePolicy: given.coldImagePolicy ?? 'AllowAndScan',
    groups: given.breakGlass?.groups ?? null,
    enforce: true,
  });
  const answers = answersOf(outcome);
  const isMet = answers.some((answer) => meets(answer, one.expected)) && nothingElse(answers, one.expected);
  const answered = answers.find(({ allowed }) => allowed !== true) ?? (answers[0] as Answered);
  return { case: one, passed: isMet, answered, why: isMet ? null : whyNot(one, answered, outcome), outcome };
}

function podsGiven({ given, file, line, column }: TestCase, manifests: readonly Manifest[]): CheckedPod[] {
  const namespace = given.namespace ?? 'default';
  const inline = given.pod === undefined ? [] : [parseManifest(JSON.stringify(given.pod), file, namespace)];
  const bypass = given.breakGlass?.reason ?? null;
  const pods = podsOf([...manifests, ...inline]).map((pod) => ({
    ...pod,
    signals: given.signals ?? pod.signals,
    exposedBy: given.exposedBy ?? pod.exposedBy,
    breakGlassReason: bypass ?? pod.breakGlassReason,
    quota: given.quota ?? null,
  }));
  if (given.image === undefined) return pods;
  const named: CheckedPod = {
    file: null,
    kind: null,
    name: null,
    namespace,
    line,
    column,
    signals: given.signals ?? (given.exposedBy === undefined ? null : ['exposed']),
    exposedBy: given.exposedBy ?? null,
    breakGlassReason: bypass,
    quota: given.quota ?? null,
    images: [{ container: null, role: null, image: given.image, line, column }],
  };
  return [named, ...pods];
}

/** Denials first, then what was not decided, then what was allowed; an empty manifest answers that nothing was decided. */
function answersOf({ images, pods }: CheckOutcome): Answered[] {
  const ofImages = images.map(({ image, allowed, unknown, judgement: { outcome } }): Answered =>
    allowed === null
      ? {
          allowed,
          label: unknown[0] ?? 'findings',
          reason: `${unknown.join(', ')} unknown`,
          policy: null,
          image,
        }
      : {
          allowed,
          label: outcome.label,
          reason: outcome.reason,
          policy: outcome.policy?.name ?? null,
          image,
        },
  );
  const ofPods = pods.map(({ judgement: { allowed, label, reason, policy } }): Answered => ({
    allowed,
    label,
    reason,
    policy: policy?.name ?? null,
    image: null,
  }));
  const all = [...ofImages, ...ofPods];
  const rank = ({ allowed }: Answered): number => [false, null, true].indexOf(allowed);
  if (all.length === 0)
    return [{ allowed: null, label: null, reason: 'nothing was decided', policy: null, image: null }];
  return all.toSorted((a, b) => rank(a) - rank(b));
}

function meets({ allowed, label, reason }: Answered, expected: Expected): boolean {
  if (expected.kind === 'allowed') return allowed === true;
  if (expected.kind === 'undecided') return allowed === null && label === expected.fact;
  return (
    allowed === false &&
    label === expected.label &&
    (expected.sentence === null || reason.startsWith(expected.sentence))
  );
}

/** "Allowed" is said of everything; a denial of one image is enough, as for the pod. */
function nothingElse(answers: readonly Answered[], expected: Expected): boolean {
  if (expected.kind === 'denied') return true;
  return answers.every(({ allowed }) => (expected.kind === 'allowed' ? allowed === true : allowed !== false));
}

function whyNot({ expected }: TestCase, answered: Answered, { images, pods }: CheckOutcome): string {
  const { allowed, label, reason, image } = answered;
  const who = image === null ? '' : `${image}: `;
  const governed = [...images, ...pods].some(({ judgement }) => judgement.verdicts.length > 0);
  const decided = allowed
    ? `allowed${governed ? '' : ', since no policy governs the namespace'}`
    : `denied: ${label ?? 'other'} ("${reason}")`;
  const got = allowed === null ? `undecided, ${reason}` : decided;
  return `expected ${describeExpected(expected)}, got ${who}${got}`;
}
