import { effectiveDigest, factsOn, NO_FACTS, type ImageFacts, type Subject } from '../facts/index.ts';
import { parseReference } from '../image/index.ts';
import type { LedgerRow } from '../ledger/index.ts';
import type { ReplaySource } from './ports.ts';

/** What is known of an image that a source without a ledger says nothing of: not that there are no signatures. */
const UNTOLD: ImageFacts = { ...NO_FACTS, signatures: null, attestations: null, provenance: null, vex: null };

/**
 * subjectOf gives what a decision about a recorded row reads, from the facts as they stand in the source; null when
 * the reference does not parse. `quota` is the meter's sentence, where that is to be judged again.
 */
export function subjectOf(row: LedgerRow, source: ReplaySource, quota: string | null): Subject | null {
  const reference = parseReference(row.image ?? '');
  if ('fault' in reference) return null;
  const digest = effectiveDigest(row.digest ?? null, reference);
  return {
    reference,
    digest,
    facts: factsOn(
      (digest === null ? undefined : source.facts(digest)) ?? (source.origin ? UNTOLD : NO_FACTS),
      row.platform,
    ),
    signals: row.signals ?? null,
    exposedBy: row.exposed_by || null,
    quota,
    coldImagePolicy: source.coldImagePolicy,
    breakGlass: null,
  };
}
