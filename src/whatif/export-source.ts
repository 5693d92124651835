import type { LedgerExport } from '../ledger/index.ts';
import type { ReplaySource } from './ports.ts';

/** sourceOf makes a source of an opened export, which can be walked once. */
export function sourceOf(ledger: LedgerExport): ReplaySource {
  const { source, lacks = [] } = ledger.header;
  return {
    origin: source ? { source, lacks } : null,
    coldImagePolicy: ledger.header.coldImagePolicy,
    policies: ledger.policies,
    facts: (digest) => ledger.images.get(digest),
    rows: () => ledger.rows(),
  };
}
