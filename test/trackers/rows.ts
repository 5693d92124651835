import type { ClusterSweeps, OpenFinding, TrackingRow } from '../../src/trackers/index.ts';

/** NOW is the present of the tests of pure functions. */
export const NOW = Date.UTC(2026, 10, 21, 12);

/** trackingRow makes a row; what is not given is of no matter. */
export function trackingRow(more: Partial<TrackingRow> = {}): TrackingRow {
  const id = more.id ?? 1;
  return {
    id,
    kind: 'finding',
    digest: `sha256:${'a'.repeat(64)}`,
    cve: 'CVE-2026-1',
    generation: 1,
    channelId: 'main',
    channelKind: 'github',
    closedVia: null,
    image: 'docker.io/team/app:1',
    clusters: ['prod'],
    severity: 'CRITICAL',
    issue: { key: `team/shop#${id}`, url: `https://tracker.example/team/shop/issues/${id}`, id: `${id}` },
    summary: false,
    marker: `ipo-1-${id}`,
    state: 'open',
    reason: null,
    lastError: null,
    attempts: 1,
    attemptId: null,
    attemptAt: NOW - 1000,
    claimedAt: NOW - 1000,
    openedAt: NOW - 1000,
    closedAt: null,
    issueLeftOpen: false,
    returnedAt: null,
    supersededBy: null,
    successorHasCve: null,
    withheld: null,
    lastEventAt: null,
    ...more,
  };
}

/** openFinding makes an open row whose finding is still there. */
export function openFinding(more: Partial<OpenFinding> = {}, row: Partial<TrackingRow> = {}): OpenFinding {
  return {
    row: trackingRow(row),
    scan: { scanner: 'trivy', dbUpdatedAt: 1 },
    reported: true,
    found: { scanner: 'trivy', dbUpdatedAt: 1, recordedAt: 2 },
    triagedUntil: null,
    lastSeenAt: NOW,
    confirmedAt: null,
    heardAt: null,
    ...more,
  };
}

/** sweeps says when each cluster was swept last. */
export function sweeps(
  swept: Readonly<Record<string, number | null>>,
  forgotten: readonly string[] = [],
): ClusterSweeps {
  return { swept: new Map(Object.entries(swept)), forgotten: new Set(forgotten) };
}
