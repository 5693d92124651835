import type { ProvenanceEntry } from '../../facts/index.ts';
import { refuse, unknown, type Gate } from '../gate.ts';
import type { Rules } from '../rules.ts';

/**
 * provenance refuses an image that no trusted builder of the required level built, or whose provenance another
 * than that builder's signer signed. "Unset signer must equal the builder id; unset issuer accepts any."
 */
export const provenance: Gate = (rules, { facts }) => {
  const { minLevel } = rules.spec.provenance;
  if (minLevel === 0) return null;
  if (rules.creditedBuilders.length === 0) {
    return refuse('provenance', `provenance: no trusted builder is credited with level ${minLevel}`);
  }
  if (facts.provenance === null) return unknown('provenance');
  let nearest: readonly [stage: number, fault: string] = [0, `none recorded, level ${minLevel} required`];
  for (const entry of facts.provenance) {
    const found = faultOf(entry, rules);
    if (found === null) return null;
    if (found[0] > nearest[0]) nearest = found;
  }
  return refuse('provenance', `provenance: ${nearest[1]}`);
};

/** The fault that comes nearest to acceptance, with how near it came; null when the entry is accepted. */
function faultOf(entry: ProvenanceEntry, rules: Rules): readonly [stage: number, fault: string] | null {
  const { builderId, signer, issuer } = entry;
  const { minLevel, trustedBuilders } = rules.spec.provenance;
  let fault: readonly [number, string] = [1, `builder ${builderId} is not trusted`];
  for (const trusted of trustedBuilders) {
    if (trusted.id !== builderId) continue;
    const wanted = trusted.signer ?? trusted.id;
    const found: readonly [number, string] | null =
      trusted.level < minLevel
        ? [2, `builder ${builderId} is credited with level ${trusted.level}, level ${minLevel} required`]
        : signer !== wanted
          ? [3, `signer ${signer ?? 'unknown'} of builder ${builderId} is not ${wanted}`]
          : trusted.issuer !== undefined && trusted.issuer !== issuer
            ? [4, `issuer ${issuer ?? 'unknown'} of signer ${signer} is not ${trusted.issuer}`]
            : null;
    if (found === null) return null;
    if (found[0] > fault[0]) fault = found;
  }
  return fault;
}
