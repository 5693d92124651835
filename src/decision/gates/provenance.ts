import type { ProvenanceEntry } from '../../facts/index.ts';
import { acceptsIdentity, acceptsIssuer } from '../../policy/index.ts';
import { refuse, unknown, type Gate } from '../gate.ts';
import type { Builder, Rules } from '../rules.ts';
import { provenanceOnce } from '../trusted.ts';

/**
 * provenance refuses an image that no trusted builder of the required level built, or whose provenance another
 * than that builder's signer signed. "Unset signer must equal the builder id; unset issuer accepts any."
 */
export const provenance: Gate = (rules, { facts }) => {
  const { minLevel } = rules.spec.provenance;
  if (minLevel === 0) return null;
  if (!rules.isAnyCredited) {
    return refuse('provenance', `provenance: no trusted builder is credited with level ${minLevel}`);
  }
  if (facts.provenance === null) return unknown('provenance');
  const { provenance: entries } = facts;
  const fault = provenanceOnce(rules, facts, () => nearestFault(entries, rules));
  return fault === null ? null : refuse('provenance', `provenance: ${fault}`);
};

function nearestFault(entries: readonly ProvenanceEntry[], rules: Rules): string | null {
  let nearest: Fault = [0, `none recorded, level ${rules.spec.provenance.minLevel} required`];
  for (const entry of entries) {
    const found = faultOf(entry, rules);
    if (found === null) return null;
    if (found[0] > nearest[0]) nearest = found;
  }
  return nearest[1];
}

/** Why a provenance is not accepted, and how near it came. */
type Fault = readonly [stage: number, fault: string];

/** The fault that comes nearest to acceptance; null when the entry is accepted. */
function faultOf(entry: ProvenanceEntry, rules: Rules): Fault | null {
  const { builderId } = entry;
  let fault: Fault = [1, `builder ${builderId} is not trusted`];
  for (const trusted of rules.builders) {
    if (trusted.id !== builderId) continue;
    const found = faultUnder(entry, trusted, rules.spec.provenance.minLevel);
    if (found === null) return null;
    if (found[0] > fault[0]) fault = found;
  }
  return fault;
}

function faultUnder(
  { builderId, signer, issuer }: ProvenanceEntry,
  { level, by }: Builder,
  minLevel: number,
): Fault | null {
  if (level < minLevel)
    return [2, `builder ${builderId} is credited with level ${level}, level ${minLevel} required`];
  if (signer === null || !acceptsIdentity(by, signer))
    return [
      3,
      `signer ${signer ?? 'unknown'} of builder ${builderId} ${isNot(by.identity, by.identityRegExp)}`,
    ];
  if (!acceptsIssuer(by, issuer))
    return [4, `issuer ${issuer ?? 'unknown'} of signer ${signer} ${isNot(by.issuer, by.issuerRegExp)}`];
  return null;
}

function isNot(text: string | undefined, pattern: string | undefined): string {
  return text === undefined ? `does not match ${pattern ?? ''}` : `is not ${text}`;
}
