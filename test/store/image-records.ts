import { severityRank, type Finding, type ScanRecord, type Severity } from '../../src/findings/index.ts';
import type { NewRow } from '../../src/ledger/index.ts';
import { runText } from '../../src/store/sql/dialect.ts';
import { ledgerWriter } from '../../src/store/ledger/append.ts';
import type { Store } from '../../src/store/sql/store.ts';

/** AT is the present of these tests. */
export const AT = Date.UTC(2026, 10, 20, 6);

/** digestOf gives the n-th digest; they ascend with n. */
export function digestOf(n: number): string {
  return `sha256:${n.toString(16).padStart(64, '0')}`;
}

/** finding makes a finding; what is not given is of no matter. */
export function finding(cve: string, severity: Severity = 'HIGH', more: Partial<Finding> = {}): Finding {
  return {
    cve,
    severity,
    rank: severityRank(severity) ?? 0,
    package: 'openssl',
    installed: '1.0',
    fixed: null,
    knownExploited: null,
    triagedUntil: null,
    triagedUntilMs: -Infinity,
    ...more,
  };
}

/** scanOf makes a scan record; `findings` null is an incomplete scan. */
export function scanOf(findings: readonly Finding[] | null, more: Partial<ScanRecord> = {}): ScanRecord {
  return {
    scannedAt: '2026-11-19T02:00:00Z',
    scanner: { name: 'trivy', version: '0.69.1', dbUpdatedAt: null },
    os: null,
    findings,
    ...more,
  };
}

let reviews = 0;

/** append records reviews, one for each row, as the webhook does. */
export async function append(
  store: Store,
  rows: readonly (Partial<NewRow> & { digest: string | null })[],
): Promise<void> {
  const writer = ledgerWriter(store);
  await writer.appendAll(
    rows.map((row) => ({
      uid: `00000000-0000-4000-8000-${String(++reviews).padStart(12, '0')}`,
      rows: [
        {
          at: AT,
          namespace: 'shop',
          pod: 'web-1',
          container: 'web',
          image: 'ghcr.io/acme/web:1',
          allowed: true,
          reason: '',
          ...row,
        },
      ],
    })),
  );
}

/** rowsOf gives a whole table in an order that both engines share. */
export async function rowsOf(store: Store, text: string): Promise<Record<string, unknown>[]> {
  return (await runText<Record<string, unknown>>(store.read, text, [])).map((row) => ({ ...row }));
}

/** factsText gives the stored document and its version. */
export async function factsText(
  store: Store,
  digest: string,
): Promise<{ readonly facts: string | null; readonly facts_version: number } | undefined> {
  const [row] = await runText<{ facts: string | null; facts_version: number }>(
    store.read,
    'select facts, facts_version from images where digest = ?',
    [digest],
  );
  return row;
}
