import { sql } from 'kysely';
import { parseTime } from '../../base/index.ts';
import type { ImageFacts } from '../../facts/index.ts';
import type { ScanRecord } from '../../findings/index.ts';
import { NO_PACKAGES, rebuildFacts } from '../facts/facts.ts';
import { writeParts, type PartRow } from '../facts/scan-platforms.ts';
import { recordProofs, recordScan } from './scans.ts';
import { run, type Executor } from '../sql/run.ts';

/** The author of recorded facts, which hold only the end of a triage decision. */
const IMPORTED = 'imported';

/**
 * importFacts records what an export's image line says of a digest: names, scan, proofs, and a triage decision for each CVE that
 * one covers, and for the image where one says that it holds nothing to scan. A scan whose findings are unknown is incomplete. Give it a digest of which nothing is recorded.
 */
export async function importFacts(transaction: Executor, facts: ImageFacts, at: number): Promise<void> {
  const { digest, names, scan, signatures, attestations, provenance, vex } = facts;
  if (digest === null) throw new TypeError('facts without a digest cannot be recorded');
  await recordProofs(transaction, digest, { signatures, attestations, provenance, vex }, at);
  const nothing = { scannedAt: null, scanner: null, os: null, findings: null };
  await recordScan(transaction, { digest, names, source: null, scan: scan ?? nothing, at });
  if (scan?.platforms && scan.findings !== null) await importPlatforms(transaction, digest, scan, at);
  const ends = new Map<string, { readonly until: number; readonly severity: string }>();
  for (const { cve, severity, triagedUntilMs } of scan?.findings ?? [])
    if (triagedUntilMs > (ends.get(cve)?.until ?? -Infinity))
      ends.set(cve, { until: triagedUntilMs, severity });
  for (const [cve, { until, severity }] of ends) {
    await run(
      transaction,
      sql`insert into triage (digest, cve, reason, triaged_by, severity, created_at, "until") values (${digest}, ${cve}, ${'recorded in an export'}, ${IMPORTED}, ${severity}, ${at}, ${Math.floor(until)})`,
    );
  }
  if (facts.noPackagesUntilMs !== undefined) {
    await run(
      transaction,
      sql`insert into triage (digest, cve, reason, triaged_by, created_at, "until") values (${digest}, ${NO_PACKAGES}, ${'recorded in an export'}, ${IMPORTED}, ${at}, ${Math.floor(facts.noPackagesUntilMs)})`,
    );
  }
  if (ends.size > 0 || scan?.platforms || facts.noPackagesUntilMs !== undefined)
    await rebuildFacts(transaction, digest);
}

/** What was said of platforms, so that a row which names one is replayed by it. */
async function importPlatforms(
  transaction: Executor,
  digest: string,
  { findings, platforms, scanner }: ScanRecord,
  at: number,
): Promise<void> {
  const all = platforms ?? [];
  const entries = all.map(({ platform, digest: image }) => ({ platform, digest: image ?? digest }));
  await run(
    transaction,
    sql`update images set platforms = ${JSON.stringify(entries)} where digest = ${digest}`,
  );
  const time = (text: string | null): number | null => (text === null ? null : Math.floor(parseTime(text)));
  const parts = all
    .filter(({ scanned }) => scanned)
    .map(({ platform, digest: image, scannedAt, os }): PartRow => ({
      platform,
      image,
      scanner: scanner?.name ?? null,
      scanner_version: scanner?.version ?? null,
      db_updated_at: time(scanner?.dbUpdatedAt ?? null),
      scanned_at: time(scannedAt),
      recorded_at: at,
      os_family: os?.family ?? null,
      os_name: os?.name ?? null,
      os_eosl: os === null ? null : Number(os.eosl),
    }));
  await writeParts(transaction, digest, parts);
  for (const [i, { platforms: on }] of (findings ?? []).entries())
    if (on)
      await run(
        transaction,
        sql`update findings set platforms = ${JSON.stringify(on)} where ordinal = ${i}
           and scan_id = (select id from scans where digest = ${digest} and current = 1)`,
      );
}
