import { byCodeUnit, canonicalJson, type Digest } from '../base/index.ts';
import type {
  ImageFacts,
  ProvenanceEntry,
  SignedAttestation,
  SignedEntry,
  VexEntry,
} from '../facts/index.ts';
import type { RegistryRemedy } from '../image/index.ts';
import { PROOF_LISTS, type ProofList } from './plan.ts';

/** Part is one list of facts as far as it could be read. */
export interface Part<T> {
  readonly entries: readonly T[];
  /** Whether all of it was read: only then an empty list means that there is none. */
  readonly complete: boolean;
}

/** CollectedVex is a statement with the parts of the image that it is limited to (package URLs or names); null for the whole. */
export interface CollectedVex extends VexEntry {
  readonly packages: readonly string[] | null;
}

/** Problem is why something was not read or does not count. */
export interface Problem {
  /** What was looked at: `ghcr.io/acme/web referrers`, the name of a source. */
  readonly where: string;
  /** A word of a closed list, chosen by the finder: RegistryFault, Refusal, Unverifiable, or one of PROBLEMS. */
  readonly reason: string;
  /** A clause or sentence for people; no secret. */
  readonly message: string;
  /** Whether facts are unknown for it (it could not be read or verified), as against evidence that was read and does not count. */
  readonly leavesUnknown: boolean;
  /** Whether asking again, with nothing changed, may do. */
  readonly mayPass: boolean;
  /** What to do about a fault of a registry, where that is known; it is not kept. */
  readonly remedy?: RegistryRemedy | null;
}

/** Attempt is what was asked of one place, and how it went. */
export interface Attempt {
  /** `ghcr.io/acme/web`, or the name of a source. */
  readonly place: string;
  readonly what: 'manifest' | 'referrers' | 'sig' | 'att' | 'vex';
  readonly outcome: 'read' | 'absent' | 'failed';
  /** Pieces of evidence that were found there. */
  readonly found: number;
}

/** VexTally counts statements about the image by status, and what was rejected by reason. */
export interface VexTally {
  readonly statements: Readonly<Record<string, number>>;
  readonly rejected: Readonly<Record<string, number>>;
}

/** Collected is what was found out about one digest, how, and what was not. */
export interface Collected {
  readonly digest: Digest;
  readonly signatures: Part<SignedEntry>;
  readonly attestations: Part<SignedAttestation>;
  readonly provenance: Part<ProvenanceEntry>;
  readonly vex: Part<CollectedVex>;
  /** Whether all statements that are attached to the image were read, whatever became of configured sources. */
  readonly attachedVexRead: boolean;
  /** What was read and takes statements back, by `vexKey`. */
  readonly vexTakenBack: ReadonlySet<string>;
  readonly attempts: readonly Attempt[];
  readonly problems: readonly Problem[];
  readonly vexTally: VexTally;
}

/** KnownProofs are the four lists as facts have them; null is unknown. */
export type KnownProofs = Pick<ImageFacts, ProofList>;

/** NOTHING_KNOWN is what is known of a digest that was never collected. */
export const NOTHING_KNOWN: KnownProofs = {
  signatures: null,
  attestations: null,
  provenance: null,
  vex: null,
};

/**
 * mergeProofs gives the facts that follow from a collection and from what was known before it. A list that was read whole replaces what was
 * known. Of one that was not, what was found is added: a signature that verified holds whether or not others could be read. Statements of
 * VEX are not: a newer one that could not be read may take one back, so what was known stays, but for what was taken back by what was read:
 * nobody may keep a statement in effect by making something else unreadable. A list of which nothing is known stays null, but for
 * statements of the image where only a configured source could not be read: the source adds to them.
 */
export function mergeProofs(known: KnownProofs, collected: Collected): KnownProofs {
  const { signatures, attestations, provenance, vex, vexTakenBack } = collected;
  return {
    signatures: merge(known.signatures, signatures),
    attestations: merge(known.attestations, attestations),
    provenance: merge(known.provenance, provenance),
    vex: vex.complete
      ? vex.entries
      : (known.vex?.filter((entry) => !vexTakenBack.has(vexKey(entry))) ?? attachedAlone(collected)),
  };
}

/** vexKey names what one producer says of one vulnerability; all keys are one producer. */
export function vexKey({ identity, issuer, cve }: Pick<VexEntry, 'identity' | 'issuer' | 'cve'>): string {
  return JSON.stringify([identity, issuer, cve]);
}

function attachedAlone({ vex, attachedVexRead }: Collected): readonly CollectedVex[] | null {
  return attachedVexRead && vex.entries.length > 0 ? vex.entries : null;
}

/** isComplete tells whether every list was read whole. */
export function isComplete(collected: Collected): boolean {
  return PROOF_LISTS.every((list) => collected[list].complete);
}

function merge<T>(known: readonly T[] | null, { entries, complete }: Part<T>): readonly T[] | null {
  if (complete) return entries;
  if (known === null && entries.length === 0) return null;
  return distinct([...(known ?? []), ...entries]);
}

/**
 * distinct leaves each entry once, in the order of their texts: registries list in any order, and facts that only stand in another order
 * would be other facts in a comparison.
 */
export function distinct<T>(entries: readonly T[]): T[] {
  const byText = new Map(entries.map((entry) => [canonicalJson(entry), entry]));
  return [...byText].toSorted(([a], [b]) => byCodeUnit(a, b)).map(([, entry]) => entry);
}
