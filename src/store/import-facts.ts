import type { ImageFacts } from '../facts/index.ts';
import { runText } from './dialect.ts';
import { rebuildFacts } from './facts.ts';
import { recordProofs, recordScan } from './scans.ts';

/** Who decided what came with recorded facts, which tell the end of a triage decision alone. */
const IMPORTED = 'imported';

/**
 * importFacts records what an export's image line says of a digest: names, scan, proofs, and a triage decision for each CVE that
 * one covers. A scan whose findings are unknown is incomplete. Give it a digest of which nothing is recorded.
 */
export async function importFacts(
  transaction: Parameters<typeof runText>[0],
  facts: ImageFacts,
  at: number,
): Promise<void> {
  const { digest, names, scan, signatures, attestations, provenance, vex } = facts;
  if (digest === null) throw new TypeError('facts without a digest cannot be recorded');
  await recordProofs(transaction, digest, { signatures, attestations, provenance, vex }, at);
  const nothing = { scannedAt: null, scanner: null, os: null, findings: null };
  await recordScan(transaction, { digest, names, source: null, scan: scan ?? nothing, at });
  const ends = new Map<string, { readonly until: number; readonly severity: string }>();
  for (const { cve, severity, triagedUntilMs } of scan?.findings ?? [])
    if (triagedUntilMs > (ends.get(cve)?.until ?? -Infinity))
      ends.set(cve, { until: triagedUntilMs, severity });
  for (const [cve, { until, severity }] of ends) {
    await runText(
      transaction,
      `insert into triage (digest, cve, reason, triaged_by, severity, created_at, "until") values (?, ?, ?, ?, ?, ?, ?)`,
      [digest, cve, 'recorded in an export', IMPORTED, severity, at, Math.floor(until)],
    );
  }
  if (ends.size > 0) await rebuildFacts(transaction, digest);
}
