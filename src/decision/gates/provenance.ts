import type { Digest } from '../../base/index.ts';
import { isBuiltBy, saysSo, type ImageFacts, type ProvenanceEntry, type Signer } from '../../facts/index.ts';
import { acceptsIdentity, acceptsIssuer, showEntry } from '../../policy/index.ts';
import { gate, unknown } from '../gate.ts';
import { some, unlooked } from '../remedies.ts';
import type { Rules } from '../rules.ts';
import { provenanceOnce } from '../trusted.ts';

/**
 * provenance refuses an image that no trusted builder of the required level built, or whose provenance another
 * than that builder's signer signed. An unset signer must equal the builder id; an unset issuer accepts any.
 */
export const provenance = gate({
  label: 'provenance',
  begins: ['provenance: '],
  fields: ['spec.provenance.minLevel', 'spec.provenance.trustedBuilders'],
  title: 'provenance below the required level',
  help: 'No builder under spec.provenance.trustedBuilders vouches for the image at spec.provenance.minLevel. Build it there, or name its builder with who signs for it.',
  judge: (rules, { facts }) => {
    const { minLevel } = rules.spec.provenance;
    if (minLevel === 0) return null;
    if (!rules.isAnyCredited) return `provenance: no trusted builder is credited with level ${minLevel}`;
    if (facts.provenance === null) return unknown('provenance');
    const fault = provenanceOnce(rules, facts, () => nearestFault(facts, rules));
    return fault === null ? null : `provenance: ${fault}`;
  },
  remedy: ({ spec, search }) => {
    const { minLevel = 0, trustedBuilders = [] } = spec?.provenance ?? {};
    const credited = trustedBuilders.filter(({ level }) => level >= minLevel);
    return unlooked(`have it built by ${some(credited.map(({ id }) => id))}`, search);
  },
});

function nearestFault(facts: ImageFacts, rules: Rules): string | null {
  let nearest: Fault = [0, `none recorded, level ${rules.spec.provenance.minLevel} required`];
  for (const entry of facts.provenance ?? []) {
    const found = faultOf(entry, facts.digest, rules);
    if (found === null) return null;
    if (found[0] > nearest[0]) nearest = found;
  }
  return nearest[1];
}

/** Why a provenance is not accepted, and how near it came. */
type Fault = readonly [stage: number, fault: string];

/** The fault that comes nearest to acceptance; null when the entry is accepted. */
function faultOf(entry: ProvenanceEntry, digest: Digest | null, rules: Rules): Fault | null {
  const { builderId } = entry;
  let fault: Fault = [1, `builder ${builderId} is not trusted`];
  for (const trusted of rules.builders) {
    if (trusted.id !== builderId) continue;
    const { minLevel } = rules.spec.provenance;
    const { by, level } = trusted;
    const found: Fault | null =
      level < minLevel
        ? [2, `builder ${builderId} is credited with level ${level}, level ${minLevel} required`]
        : faultOfSigner(entry, digest, by);
    if (found === null) return null;
    if (found[0] > fault[0]) fault = found;
  }
  return fault;
}

function faultOfSigner(entry: ProvenanceEntry, digest: Digest | null, by: Signer): Fault | null {
  return by.key === undefined ? faultOfName(entry, digest, by) : faultOfKey(entry, digest, by.key);
}

/** A key signs nothing but its own statement, so the builder is whom that names. */
function faultOfKey(entry: ProvenanceEntry, digest: Digest | null, key: string): Fault | null {
  if (digest !== null && isBuiltBy(entry, entry.builderId, digest, key)) return null;
  return [3, `${showEntry(key)} did not sign that builder ${entry.builderId} built this image`];
}

function faultOfName(entry: ProvenanceEntry, digest: Digest | null, by: Signer): Fault | null {
  const { builderId, signer, issuer, proof } = entry;
  if (signer === null || !acceptsIdentity(by, signer)) {
    const found = signer ?? (proof === undefined ? 'unknown' : 'by a key');
    return [3, `signer ${found} of builder ${builderId} ${isNot(by.identity, by.identityRegExp)}`];
  }
  if (!acceptsIssuer(by, issuer))
    return [4, `issuer ${issuer ?? 'unknown'} of signer ${signer} ${isNot(by.issuer, by.issuerRegExp)}`];
  return proof === undefined || (digest !== null && saysSo(entry, digest))
    ? null
    : [5, `the statement of signer ${signer} does not say that builder ${builderId} built this image`];
}

function isNot(text: string | undefined, pattern: string | undefined): string {
  return text === undefined ? `does not match ${pattern ?? ''}` : `is not ${text}`;
}
