import { eachOf, byCodeUnit, type Digest } from '../base/index.ts';
import type { ProvenanceEntry, SignedAttestation, SignedEntry } from '../facts/index.ts';
import type { ImageReference, Keychain, Registry, Repository } from '../image/index.ts';
import { MAX_VEX_BYTES, toVexDocument } from '../vex/index.ts';
import { distinct, type Collected, type Part, type Problem } from './collected.ts';
import { gatherEvidence, type FoundEvidence, type Gathered } from './gather.service.ts';
import { MAX_TOTAL_BYTES, PROOF_LISTS, type ProofList } from './plan.ts';
import { keepWithin } from './payloads.ts';
import { parsePredicate } from './statement.ts';
import { vexOf, type SignedVex, type VexRejection } from './vex-claims.ts';
import type { Accepted, EvidenceVerifier, NotAccepted } from './verify-ports.ts';

/** VexDocuments are the documents of configured sources, verified. */
export interface VexDocuments {
  /** Those at hand, with what is wrong with the others; asks the sources where that is due. Never throws for what a source does. */
  documents(signal: AbortSignal): Promise<{
    readonly documents: readonly SignedVex[];
    readonly problems: readonly Problem[];
    /** False when a source was never read: its statements are unknown. */
    readonly complete: boolean;
  }>;
}

/** CollectDeps are what facts are collected with. */
export interface CollectDeps {
  readonly registry: Registry;
  readonly verifier: EvidenceVerifier;
  /** Null where no source is configured. */
  readonly vexSources: VexDocuments | null;
}

/** CollectAsk is what is to be collected, on whose behalf and how long. */
export interface CollectAsk {
  readonly digest: Digest;
  /** Where the image is kept; proofs of the first MAX_REPOSITORIES are taken together, and of more the lists are incomplete. */
  readonly repositories: readonly Repository[];
  readonly keychain?: Keychain | undefined;
  /** Ends it early; what was not read then is unknown. */
  readonly signal: AbortSignal;
  /** Until when a busy registry is asked again, as RegistryAsk has it. */
  readonly until?: number | undefined;
}

/** MAX_REPOSITORIES is how many of the repositories of one digest are asked. */
export const MAX_REPOSITORIES = 8;

/** How many pieces of evidence of one digest are verified at a time. */
const AT_ONCE = 2;

/** VEX_PREDICATES tells predicate types under which a VEX document is expected, so that one that is none is worth a word. */
const VEX_PREDICATE = /openvex|csaf|vex/i;

/**
 * collectFacts finds out what a digest's signatures, attestations, provenance and VEX statements are: it reads what is attached to it in
 * its repositories, verifies it, and adds what configured sources state. No database and no policy: `mergeProofs(NOTHING_KNOWN, …)` makes
 * the facts of it. What could not be read or verified is said in `problems` and leaves its list incomplete; it is never taken for none.
 */
export async function collectFacts(deps: CollectDeps, ask: CollectAsk): Promise<Collected> {
  const { digest, signal } = ask;
  const gathered = await gatherAll(deps.registry, ask);
  const unknown = new Set<ProofList>(gathered.flatMap((one) => [...one.unknown]));
  const problems: Problem[] = gathered.flatMap((one) => one.problems);
  // What the others hold may be all there is.
  if (ask.repositories.length > MAX_REPOSITORIES) {
    for (const list of PROOF_LISTS) unknown.add(list);
    problems.push(tooManyPlaces(digest, ask.repositories.length));
  }
  // Nowhere to be found is another thing than without proofs.
  if (!gathered.some(({ isThere }) => isThere)) for (const list of PROOF_LISTS) unknown.add(list);

  // By what it is, whatever came first: the same evidence gives the same facts.
  const found = gathered.flatMap(({ evidence }) => evidence).toSorted((a, b) => byCodeUnit(a.where, b.where));
  const results = new Map<FoundEvidence, Accepted>();
  const rejected: Partial<Record<VexRejection, number>> = {};
  await eachOf(found, AT_ONCE, async (one) => {
    const verification = await deps.verifier.verify(digest, one.evidence, signal);
    if (verification.kind === 'accepted') results.set(one, verification);
    else {
      problems.push(problemOf(one.where, verification));
      if (verification.kind === 'unverifiable') for (const list of one.lists) unknown.add(list);
      else if (VEX_PREDICATE.test(one.predicateType ?? ''))
        rejected.unverified = (rejected.unverified ?? 0) + 1;
    }
  });
  const accepted = found.flatMap((one) => {
    const result = results.get(one);
    return result === undefined ? [] : [{ where: one.where, result }];
  });

  const { attached, unreadable } = attachedVex(accepted);
  problems.push(...unreadable);
  if (unreadable.length > 0) rejected.unreadable = unreadable.length;
  const sources = await deps.vexSources?.documents(signal);
  problems.push(...(sources?.problems ?? []));
  const names = ask.repositories.map(({ host, path }) => `${host}/${path}`);
  const stated = vexOf(digest, names, [...attached, ...(sources?.documents ?? [])]);
  problems.push(...stated.problems);
  if (!stated.complete) unknown.add('vex');
  const attachedVexRead = !unknown.has('vex');
  if (sources?.complete === false) unknown.add('vex');
  const part = <T>(list: ProofList, entries: readonly T[]): Part<T> => ({
    entries,
    complete: !unknown.has(list),
  });
  const kept = <T extends SignedEntry | ProvenanceEntry>(list: ProofList, entries: readonly T[]): Part<T> => {
    const { within, leftOut } = keepWithin(distinct(entries));
    if (leftOut > 0) {
      unknown.add(list);
      problems.push(tooLarge(digest, list, leftOut));
    }
    return part(list, within);
  };
  const listed = accepted.map(({ result }) => result);
  return {
    digest,
    signatures: kept<SignedEntry>(
      'signatures',
      listed.flatMap(({ signatures }) => signatures),
    ),
    attestations: kept<SignedAttestation>(
      'attestations',
      listed.flatMap(({ attestations }) => attestations),
    ),
    provenance: kept<ProvenanceEntry>(
      'provenance',
      listed.flatMap(({ provenance }) => provenance),
    ),
    vex: part('vex', distinct(stated.entries)),
    attachedVexRead,
    vexTakenBack: stated.takenBack,
    attempts: gathered.flatMap((one) => one.attempts),
    problems,
    vexTally: {
      statements: stated.tally.statements,
      rejected: addCounts(stated.tally.rejected, rejected),
    },
  };
}

/** What the repositories of a digest hold about it. */
async function gatherAll(
  registry: Registry,
  { digest, keychain, signal, until, ...ask }: CollectAsk,
): Promise<readonly Gathered[]> {
  // Side by side: anyone who may create a pod can give an image a name that leads nowhere, and must not hold up the others.
  const gathered: Gathered[] = [];
  const repositories = ask.repositories.slice(0, MAX_REPOSITORIES);
  const share = Math.floor(MAX_TOTAL_BYTES / Math.max(repositories.length, 1));
  await eachOf(repositories, MAX_REPOSITORIES, async (repository) => {
    const asking = { signal, keychain, until };
    gathered.push(await gatherEvidence(registry, repository, digest, asking, share));
  });
  return gathered;
}

/** The VEX documents among accepted statements, and what should be one and cannot be read. */
function attachedVex(accepted: readonly { readonly where: string; readonly result: Accepted }[]) {
  const attached: SignedVex[] = [];
  const unreadable: Problem[] = [];
  for (const { where, result } of accepted) {
    const vex = vexIn(where, result);
    if (vex === null) continue;
    if ('vex' in vex) attached.push(vex);
    else unreadable.push(vex);
  }
  return { attached, unreadable };
}

/** The VEX document that an accepted statement holds; null for another predicate. */
function vexIn(where: string, { statement, payload, by, signed }: Accepted): SignedVex | Problem | null {
  if (statement === null) return null;
  const vex =
    payload.length > MAX_VEX_BYTES
      ? { fault: `is larger than ${MAX_VEX_BYTES / 1_048_576} MiB` }
      : toVexDocument(parsePredicate(payload));
  if ('statements' in vex) return { where, vex, by, signed, attached: true };
  if (!VEX_PREDICATE.test(statement.predicateType)) return null;
  const message = `the VEX document ${vex.fault}`;
  return { where, reason: 'unreadable', message, leavesUnknown: false, mayPass: false };
}

function problemOf(where: string, { kind, reason, message }: NotAccepted): Problem {
  const leavesUnknown = kind === 'unverifiable';
  return { where, reason, message, leavesUnknown, mayPass: leavesUnknown };
}

function tooManyPlaces(digest: Digest, count: number): Problem {
  const message = `it was seen in ${count} repositories; ${MAX_REPOSITORIES} are asked at a time, others the next time`;
  return { where: digest, reason: 'too_many', message, leavesUnknown: true, mayPass: true };
}

function tooLarge(digest: Digest, list: ProofList, leftOut: number): Problem {
  const message = `${leftOut} of the ${list} that keys signed are left out: a key can only be checked with what it signed, and that is too large to keep`;
  return { where: digest, reason: 'too_large', message, leavesUnknown: true, mayPass: false };
}

function addCounts(
  ...counts: readonly Readonly<Record<string, number | undefined>>[]
): Readonly<Record<string, number>> {
  const sum: Record<string, number> = {};
  for (const count of counts)
    for (const [key, value = 0] of Object.entries(count)) sum[key] = (sum[key] ?? 0) + value;
  return sum;
}

/** CollectedReference is what was collected of the digest that a reference stands for. */
export interface CollectedReference {
  readonly digest: Digest;
  readonly collected: Collected;
}

/**
 * collectReference resolves a reference and collects the facts of its digest: what `ipo check` on a laptop needs. Throws RegistryError when
 * the reference cannot be resolved.
 */
export async function collectReference(
  deps: CollectDeps,
  {
    reference,
    keychain,
    signal,
    until,
  }: Omit<CollectAsk, 'digest' | 'repositories'> & {
    readonly reference: ImageReference;
  },
): Promise<CollectedReference> {
  const digest = await deps.registry.digestOf(reference, { signal, keychain, until });
  const collected = await collectFacts(deps, { digest, repositories: [reference], keychain, signal, until });
  return { digest, collected };
}
