import type { Governing } from '../governing.ts';
import type { EvidenceDay, RowsVerified, SourceFacts } from '../ports.ts';
import type {
  BypassRecord,
  FindingRecord,
  ImageRecord,
  IssueRecord,
  PodRecord,
  TriageRecord,
} from '../records.ts';
import { recordedSince } from '../recorded-since.ts';
import type { EvidenceRequest } from '../request.ts';
import type { AdmittedImage } from '../row-walk.ts';

/** STATES are those of attestations and requirements, the best first. */
export const STATES = ['met', 'partial', 'gap'] as const;
export type State = (typeof STATES)[number];

/** AttestationContext is what an attestation knows beside its population. */
export interface AttestationContext {
  readonly request: EvidenceRequest;
  /** When the package is made. */
  readonly at: number;
  readonly facts: SourceFacts;
  readonly governing: Governing;
}

/** Judged is what the records come to. `failed` counts those that certainly did not hold; what is unknown or not due is neither. */
export interface Judged {
  readonly state: State;
  /** One sentence that a reader without the product understands. */
  readonly because: string;
  readonly population: number;
  readonly passed: number;
  readonly failed: number;
  readonly counts?: Readonly<Record<string, number>>;
}

/** Judge takes the records of its population and judges them in the end. Records come in the order of their tables. */
export interface Judge {
  admitted?(image: AdmittedImage): void;
  pod?(pod: PodRecord): void;
  bypass?(bypass: BypassRecord): void;
  finding?(finding: FindingRecord): void;
  issue?(issue: IssueRecord): void;
  triage?(decision: TriageRecord): void;
  image?(image: ImageRecord): void;
  rows?(verified: RowsVerified): void;
  days?(days: readonly EvidenceDay[]): void;
  /** `missing` tells which populations are not in the source. */
  end(missing: ReadonlySet<keyof Judge>): Judged;
}

/** AttestationRule is one attestation. */
export interface AttestationRule {
  readonly id: string;
  readonly title: string;
  /** What its population is, in a few words. */
  readonly population: string;
  /** What is required for `met`, as a sentence. */
  readonly asks: string;
  begin(context: AttestationContext): Judge;
}

/** Attestation is an attestation as a package states it. */
export interface Attestation {
  readonly id: string;
  readonly title: string;
  readonly state: State;
  readonly because: string;
  readonly population: number;
  readonly passed: number;
  readonly failed: number;
  readonly [count: string]: unknown;
}

/** nothingRaised is the judgement over an empty population. `scope` is what `scopeOf` gives for the records that were counted. */
export function nothingRaised(what: string, scope: string, counts?: Judged['counts']): Judged {
  // Some populations say already that they are those of the period.
  const because = `There were no ${what.replace(/ in the period$/, '')}${scope} in the period: nothing was raised, so nothing shows it.`;
  return { state: 'partial', because, population: 0, passed: 0, failed: 0, ...(counts && { counts }) };
}

/** scopeOf names what a request chose among the records, in words that follow the name of its records. Findings, issues and images have no namespace. */
export function scopeOf(
  { clusters, namespaces }: EvidenceRequest,
  by: 'cluster' | 'cluster and namespace',
): string {
  const chosen = [
    ...(clusters.length > 0 ? ['clusters'] : []),
    ...(namespaces.length > 0 && by !== 'cluster' ? ['namespaces'] : []),
  ];
  return chosen.length === 0 ? '' : ` of the requested ${chosen.join(' and ')}`;
}

/** notInSource is the judgement where the source does not hold the population. */
export function notInSource(what: string): Judged {
  const because = `This package was made only from an export of the ledger, which holds no ${what}.`;
  return { state: 'partial', because, population: 0, passed: 0, failed: 0 };
}

/** stateOf gives the state of a population that is not empty: met where every record passed, gap where some failed and none passed. */
export function stateOf(population: number, passed: number, failed: number): State {
  if (passed === population) return 'met';
  return passed === 0 && failed > 0 ? 'gap' : 'partial';
}

/** provenOf is the state where something is unknown of the population: it is never met. */
export function provenOf(state: State, unknown: number): State {
  return state === 'met' && unknown > 0 ? 'partial' : state;
}

/**
 * sweptSince gives from when on a cluster's record of sweeps, which find pods that ran without a review and images that run, says something:
 * UTC milliseconds, Infinity where there is none.
 */
export function sweptSince(facts: SourceFacts): (cluster: string | null) => number {
  const since = new Map(recordedSince(facts, 'sweeps').map(({ cluster, at }) => [cluster, at]));
  return (cluster) => since.get(cluster ?? '') ?? Infinity;
}
