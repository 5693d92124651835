import { release, type Release } from './release.ts';

/** EARLY_RELEASES are those up to 1.0.2, the newest first. */
export const EARLY_RELEASES: readonly Release[] = [
  release({
    version: '1.0.2',
    date: '2026-09-08',
    migrations: [12, 12],
    substance: 'Scan records carry the real scanner and database versions.',
  }),
  release({
    version: '1.0.1',
    date: '2026-09-06',
    substance: 'Team edition includes 100 image names a month. Daily licence checks are spread out.',
  }),
  release({
    version: '1.0.0',
    date: '2026-09-06',
    migrations: [11, 11],
    substance:
      'Declared stable. DenyUntilScanned in every edition. One licence check a day per cluster, shared by replicas. The default failurePolicy: Ignore is no longer flagged.',
  }),
  release({
    version: '0.3.6',
    date: '2026-09-03',
    migrations: [10, 10],
    substance: 'Pod-level workload-hardening denials are written to the ledger.',
  }),
  release({
    version: '0.3.5',
    date: '2026-09-02',
    substance:
      'Licence card corrected (Enterprise includes five clusters). Certificate expiry shown. The verification link in packages fixed.',
  }),
  release({
    version: '0.3.4',
    date: '2026-09-02',
    migrations: [9, 9],
    substance:
      'Tamper-evident ledger with signed Merkle checkpoints. Configuration export and import. The chart role names a second Secret.',
    chart: 'the role of the chart names a second Secret, for the key of the ledger',
  }),
  release({
    version: '0.3.3',
    date: '2026-09-01',
    substance: 'Fix for runtime reconciliation enforce destroying workloads it could not re-admit.',
  }),
  release({
    version: '0.3.2',
    date: '2026-09-01',
    substance: 'Chart deployed the wrong binary in 0.3.0 and 0.3.1; clear a manual image.tag.',
    chart: 'the chart of 0.3.0 and 0.3.1 deploys the wrong binary',
    clearedValues: [
      {
        name: 'image.tag',
        note: 'clear a tag that was set by hand to get around the chart of 0.3.0 and 0.3.1',
      },
    ],
  }),
  release({
    version: '0.3.1',
    date: '2026-09-01',
    substance: 'Enforcement needs both a policy set to enforce and rbac.allowEnforce: true (default off).',
    newValues: ['rbac.allowEnforce'],
    defect: 'its chart deploys the wrong binary; take 0.3.2 or later',
  }),
  release({
    version: '0.3.0',
    date: '2026-09-01',
    migrations: [8, 8],
    substance:
      'Runtime reconciliation (reconcile.interval, default hourly, audit mode). Shipped with a chart defect.',
    newValues: ['reconcile.interval'],
    defect: 'its chart deploys the wrong binary; take 0.3.2 or later',
  }),
  release({
    version: '0.2.0',
    date: '2026-08-31',
    migrations: [7, 7],
    substance:
      'Decisions readable against the policy that made them. Earlier decisions keep an empty revision hash.',
  }),
  release({
    version: '0.1.0',
    date: '2026-08-30',
    migrations: [1, 6],
    substance: 'First release. The SBOM is attached to the image as a signed CycloneDX attestation.',
  }),
];
