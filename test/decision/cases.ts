import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseTime } from '../../src/base/index.ts';
import type { DenialLabel, UnknownFact } from '../../src/decision/index.ts';
import {
  effectiveDigest,
  NO_FACTS,
  parseImageFacts,
  type ImageFacts,
  type Subject,
} from '../../src/facts/index.ts';
import { parseReference } from '../../src/image/index.ts';
import { parsePolicies, type ParsedPolicy } from '../../src/policy/index.ts';

/** CASES is the folder of the cases. */
export const CASES = join(import.meta.dirname, '../../fixtures/decisions');

/** Verdict is an expected answer, written by hand from the rules. */
export type Verdict =
  | { readonly verdict: 'admit' }
  | { readonly verdict: 'refuse'; readonly label: DenialLabel; readonly sentence: string }
  | { readonly verdict: 'unknown'; readonly fact: UnknownFact };

/** Expected is the answer of a case, and what of it another door must see differently. */
export type Expected = Verdict & {
  /** The image is admitted by a bypass. */
  readonly break_glass?: true;
  /** The answer of a replay, which does not run the meter again. */
  readonly replayed?: Verdict;
};

/** CaseDocument is `case.json`. */
export interface CaseDocument {
  readonly sentence: string;
  readonly at: string;
  readonly image: string;
  readonly digest: string | null;
  readonly namespace: string;
  readonly signals: readonly string[] | null;
  readonly exposed_by: string | null;
  readonly quota: string | null;
  readonly cold_image_policy: 'AllowAndScan' | 'DenyUntilScanned';
  readonly break_glass: { readonly reason: string; readonly groups: readonly string[] } | null;
  /** The image line of an export without its type; `{"proof": name}` stands for `proofs/<name>.json`. */
  readonly facts: Readonly<Record<string, unknown>> | null;
  readonly expect: Expected;
}

/** DecisionCase is a case, read. */
export interface DecisionCase extends CaseDocument {
  readonly name: string;
  readonly policyPath: string;
  readonly policy: ParsedPolicy;
  readonly atMs: number;
  /** What is recorded, about this image or another. */
  readonly recorded: ImageFacts | null;
}

/** readCases gives every case, in the order of their names. */
export function readCases(): DecisionCase[] {
  return readdirSync(CASES, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'proofs')
    .map(({ name }) => readCase(name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function readCase(name: string): DecisionCase {
  const document = JSON.parse(readFileSync(join(CASES, name, 'case.json'), 'utf8')) as CaseDocument;
  const policyPath = join(CASES, name, 'policy.yaml');
  const { policies, problems } = parsePolicies(readFileSync(policyPath, 'utf8'), policyPath);
  const [policy] = policies;
  if (policy === undefined || problems.length > 0) {
    throw new Error(`${policyPath}: ${problems.map(({ message }) => message).join('; ')}`);
  }
  const atMs = parseTime(document.at);
  if (Number.isNaN(atMs)) throw new Error(`${name}: at is no time`);
  return {
    ...document,
    name,
    policyPath,
    policy,
    atMs,
    recorded: document.facts === null ? null : parseImageFacts(withProofs(document.facts)),
  };
}

/** subjectOf gives what the decision is asked about. */
export function subjectOf({ recorded, ...c }: DecisionCase): Subject {
  const reference = parseReference(c.image);
  if ('fault' in reference) throw new Error(`${c.name}: ${c.image} ${reference.fault}`);
  const digest = effectiveDigest(c.digest, reference);
  return {
    reference,
    digest,
    facts: recorded !== null && recorded.digest === digest ? recorded : NO_FACTS,
    signals: c.signals,
    exposedBy: c.exposed_by,
    quota: c.quota,
    coldImagePolicy: c.cold_image_policy,
    breakGlass: c.break_glass,
  };
}

/** proofNames gives the proofs that a case uses. */
export function proofNames(facts: unknown): string[] {
  if (facts === null || typeof facts !== 'object') return [];
  if (Array.isArray(facts)) return facts.flatMap(proofNames);
  const own = 'proof' in facts && typeof facts.proof === 'string' ? [facts.proof] : [];
  return [...own, ...Object.values(facts).flatMap(proofNames)];
}

function withProofs(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(withProofs);
  const { proof, ...rest } = value as Readonly<Record<string, unknown>>;
  const entries = Object.entries(rest).map(([key, entry]) => [key, withProofs(entry)] as const);
  return { ...(typeof proof === 'string' && readProof(proof)), ...Object.fromEntries(entries) };
}

function readProof(name: string): Readonly<Record<string, unknown>> {
  const {
    about: _about,
    key: _key,
    ...entry
  } = JSON.parse(readFileSync(join(CASES, 'proofs', `${name}.json`), 'utf8')) as Readonly<
    Record<string, unknown>
  >;
  return entry;
}
