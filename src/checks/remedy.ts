import { ASK_REGISTRY, SIGNAL_REMEDIES, WITHOUT_PACKAGES, type UnknownFact } from '../decision/index.ts';
import type { FoundFacts } from './found.ts';

/** remedyOfFact says in a clause where a fact that is unknown could come from. */
export function remedyOfFact(fact: UnknownFact, found: FoundFacts | null): string {
  const [, remedy] = FACTS[fact];
  if (fact === 'findings' && found?.emptyReport === true) return WITHOUT_PACKAGES;
  if (found !== null && found.untold !== null) {
    if (found.digest !== null)
      return 'scan the image that the tag has now, or name the digest that was scanned';
    return found.registry === 'failed'
      ? `${TRY_AGAIN}; or name the digest`
      : 'name the digest, or let its registry be asked; an image that is not pushed yet is checked with --by-name';
  }
  return found?.registry === 'failed' ? remedy.replace(ASK_REGISTRY, TRY_AGAIN) : remedy;
}

/** nameFact says in a clause what is unknown. */
export function nameFact(fact: UnknownFact): string {
  return FACTS[fact][0];
}

const TRY_AGAIN = 'see why its registry could not be asked or read, and try again';

const FACTS: Readonly<Record<UnknownFact, readonly [string, string]>> = {
  findings: ['what a scan for vulnerabilities finds', 'scan it for vulnerabilities'],
  known_exploited: ['whether its findings are known to be exploited', 'give the catalogue with --kev'],
  signatures: [
    'who signed it',
    `${ASK_REGISTRY}, or give a ledger export that recorded its signatures with --ledger`,
  ],
  attestations: [
    'which attestations it has',
    `${ASK_REGISTRY}, or give a ledger export that recorded them with --ledger`,
  ],
  provenance: [
    'who built it',
    `${ASK_REGISTRY}, or give a ledger export that recorded its provenance with --ledger`,
  ],
  vex: [
    'what its producer states of its findings',
    `${ASK_REGISTRY}, or give a ledger export that recorded it with --ledger`,
  ],
};

/** remedyOfSignals says in a clause how a pod loses its signals. */
export function remedyOfSignals(signals: readonly string[]): string {
  return signals.map((signal) => SIGNAL_REMEDIES[signal] ?? `take ${signal} away`).join('; ');
}
