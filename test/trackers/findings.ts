import type { KnownFinding, KnownImage } from '../../src/trackers/compose-ports.ts';
import type { Described } from '../../src/trackers/compose-parts.ts';
import type { TrackingRow } from '../../src/trackers/row.ts';

/** DIGEST is an image's. */
export const DIGEST = `sha256:${'ab'.repeat(32)}`;
/** AT is when findings were claimed. */
export const AT = Date.parse('2026-11-20T06:00:00Z');

/** knownImage is an image of which everything is known. */
export function knownImage(parts: Partial<KnownImage> = {}): KnownImage {
  return {
    names: ['ghcr.io/acme/web:1.4'],
    source: 'https://github.com/acme/web',
    workloads: [{ cluster: 'east', namespace: 'shop', name: 'Deployment/web', since: AT - 86_400_000 }],
    workloadsTotal: 1,
    namespaces: ['shop'],
    ledger: { id: 4711, at: AT - 3_600_000 },
    scan: { scanner: 'Trivy 0.58.0', at: AT - 60_000 },
    ...parts,
  };
}

/** describedFinding is a finding of which everything is known. */
export function describedFinding({
  image = {},
  ...parts
}: Partial<Omit<Described, 'image' | 'finding'>> &
  Partial<KnownFinding> & { readonly image?: Partial<KnownImage> } = {}): Described {
  const { packages, advisory, knownExploited = true, ...rest } = parts;
  return {
    digest: DIGEST,
    cve: 'CVE-2026-1001',
    severity: 'CRITICAL',
    at: AT,
    dueDate: null,
    window: 24 * 3_600_000,
    ...rest,
    image: knownImage(image),
    finding: {
      packages: packages ?? [{ name: 'openssl', installed: '3.0.1', fixed: '3.0.2' }],
      knownExploited,
      ...(advisory !== undefined && { advisory }),
    },
  };
}

/** trackingRow is an open row with its issue. */
export function trackingRow(parts: Partial<TrackingRow> = {}): TrackingRow {
  return {
    id: 1,
    kind: 'finding',
    digest: DIGEST,
    cve: 'CVE-2026-1001',
    generation: 1,
    channelId: 'channelchannelch',
    channelKind: 'github',
    closedVia: null,
    image: 'ghcr.io/acme/web:1.4',
    clusters: ['east'],
    severity: 'CRITICAL',
    issue: { key: 'acme/web#7', url: 'https://github.com/acme/web/issues/7', id: '700' },
    summary: false,
    marker: 'ipo-1-realrealrealrealrealrealre',
    state: 'open',
    reason: null,
    lastError: null,
    attempts: 1,
    attemptId: null,
    attemptAt: AT,
    claimedAt: AT,
    openedAt: AT,
    closedAt: null,
    issueLeftOpen: false,
    returnedAt: null,
    supersededBy: null,
    successorHasCve: null,
    withheld: null,
    lastEventAt: null,
    ...parts,
  };
}
