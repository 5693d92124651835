import {
  attestationCounts,
  foundPackage,
  signatureCounts,
  vexCounts,
  type ImageFacts,
  type Subject,
  type VexEntry,
} from '../facts/index.ts';
import type { Finding } from '../findings/index.ts';
import type { Rules } from './rules.ts';

/** What the signatures of one digest prove under one policy. Verifying a key costs 1000 times a gate, so once. */
interface Proofs {
  signed: boolean | undefined;
  /** The first predicate type that is missing; null when none is. */
  missing: string | null | undefined;
  /** Why no provenance is accepted; null where one is. */
  provenance: string | null | undefined;
  readonly vex: Map<string, boolean>;
}

const proofs = new WeakMap<Rules, WeakMap<ImageFacts, Proofs>>();

function proofsOf(rules: Rules, facts: ImageFacts): Proofs {
  let byFacts = proofs.get(rules);
  if (byFacts === undefined) proofs.set(rules, (byFacts = new WeakMap()));
  let known = byFacts.get(facts);
  if (known === undefined)
    byFacts.set(
      facts,
      (known = { signed: undefined, missing: undefined, provenance: undefined, vex: new Map() }),
    );
  return known;
}

/** isSigned tells whether one of the policy's signers signed the digest. */
export function isSigned(rules: Rules, facts: ImageFacts): boolean {
  const known = proofsOf(rules, facts);
  if (known.signed === undefined) {
    const { digest, signatures } = facts;
    const signers = signersOf(rules.spec.signature);
    known.signed =
      digest !== null && (signatures ?? []).some((entry) => signatureCounts(entry, digest, signers));
  }
  return known.signed;
}

/** missingAttestation gives the first predicate type of the policy that no counting attestation states, or null. */
export function missingAttestation(rules: Rules, facts: ImageFacts): string | null {
  const known = proofsOf(rules, facts);
  if (known.missing === undefined) {
    const { digest, attestations } = facts;
    const missing = rules.spec.attestations.find((wanted) => {
      const signers = signersOf(wanted);
      return !(
        digest !== null &&
        (attestations ?? []).some((entry) => attestationCounts(entry, digest, wanted.predicateType, signers))
      );
    });
    known.missing = missing?.predicateType ?? null;
  }
  return known.missing;
}

/** provenanceOnce gives why no provenance is accepted, or null where one is, as `find` finds it once for these facts. */
export function provenanceOnce(rules: Rules, facts: ImageFacts, find: () => string | null): string | null {
  const known = proofsOf(rules, facts);
  if (known.provenance === undefined) known.provenance = find();
  return known.provenance;
}

/** isSuppressed tells whether a trusted statement takes the finding out. Ask only when the policy applies VEX. */
export function isSuppressed(rules: Rules, subject: Subject, finding: Finding): boolean {
  const { cve } = finding;
  const { digest, scan, vex } = subject.facts;
  if (digest === null || vex === null || vex.length === 0) return false;
  const about = entriesAbout(vex, cve);
  if (about.length === 0) return false;
  const known = proofsOf(rules, subject.facts).vex;
  // A statement can be limited to packages, so that one finding of a CVE may count and another not.
  const key = JSON.stringify([cve, finding.package, finding.installed, finding.purl]);
  let suppressed = known.get(key);
  if (suppressed === undefined) {
    const { trustedIssuers } = rules.spec.vex;
    const found = foundPackage(finding, scan?.os ?? null);
    suppressed = about.some((entry) => vexCounts(entry, digest, cve, trustedIssuers, found));
    known.set(key, suppressed);
  }
  return suppressed;
}

function signersOf({ keys, identities }: Rules['spec']['signature'] | Rules['spec']['attestations'][number]) {
  return [...keys.map((key) => ({ key })), ...identities];
}

const byCve = new WeakMap<readonly VexEntry[], Map<string, VexEntry[]>>();

/** The statements on one CVE: an image can have thousands of findings and of statements. */
function entriesAbout(vex: readonly VexEntry[], cve: string): readonly VexEntry[] {
  let index = byCve.get(vex);
  if (index === undefined) byCve.set(vex, (index = Map.groupBy(vex, (entry) => entry.cve)));
  return index.get(cve) ?? [];
}
