import type { Framework } from './framework.ts';

/** fedramp says what attestations show of FedRAMP baselines and scanning requirements for containers. */
export const fedramp: Framework = {
  id: 'fedramp',
  name: 'FedRAMP baselines and scanning requirements for containers',
  source: { version: 'Rev. 5', date: '2023-05-30', rights: 'United States government work' },
  requirements: [
    {
      id: 'RA-5',
      title: 'Monthly scans; high 30, moderate 90, low 180 days to remediate',
      topics: ['vuln-scanning', 'patch-windows'],
      attestations: ['remediation-windows', 'patch-window-two-weeks', 'scan-coverage'],
      why: 'A scan counts where it is at most a day, or one rescan interval, old, and each finding is held against the declared window.',
    },
    {
      id: 'SI-2',
      title: 'Remediate flaws in those windows',
      topics: ['patch-windows'],
      attestations: ['remediation-windows', 'patch-window-two-weeks'],
      why: 'Each finding with a known fix is held against the window that the policy declares; counted are those that ended in time.',
    },
    {
      id: 'SI-2(3)',
      title: 'Benchmark remediation time',
      topics: ['patch-windows', 'reporting'],
      attestations: ['remediation-windows', 'patch-window-two-weeks', 'ledger-intact', 'scan-coverage'],
      why: 'From first sighting to end, each finding has its times in the table, whose rows anyone can count again.',
    },
    {
      id: 'CA-5',
      title: 'Plan of action and milestones',
      topics: ['exceptions', 'reporting'],
      attestations: ['ledger-intact', 'break-glass-accounted-for', 'scan-coverage'],
      why: 'What was allowed by break-glass has a reason, a person and a follow-up, in records that show each change.',
    },
    {
      id: 'CM-8',
      title: 'Inventory of images and containers',
      topics: ['inventory'],
      attestations: ['scan-coverage'],
      why: 'Images that ran are listed by digest with the times during which they ran.',
    },
    {
      id: 'CONT-1 (own numbering)',
      title: 'Hardened images',
      topics: ['least-privilege'],
      attestations: ['context-aware-thresholds'],
      why: 'Pods with more privileges or exposure are judged more strictly.',
    },
    {
      id: 'CONT-2 (own numbering)',
      title: 'Container build, test and orchestration pipeline',
      topics: ['provenance'],
      attestations: ['provenance-required'],
      why: 'Images without trusted provenance are kept out.',
    },
    {
      id: 'CONT-3 (own numbering)',
      title: 'Scan images before deployment; only images scanned in the last 30 days run',
      topics: ['vuln-scanning', 'admission-control'],
      attestations: ['admission-enforced', 'scan-coverage'],
      why: 'Pods are judged before they run, and a scan counts where it is at most a day, or one rescan interval, old.',
    },
    {
      id: 'CONT-4 (own numbering)',
      title: 'Security sensors or equal runtime view',
      topics: ['runtime-detection'],
      attestations: ['runtime-observed'],
      why: 'A runtime detector watched the containers day by day.',
    },
    {
      id: 'CONT-5 (own numbering)',
      title: 'Registry monitoring',
      topics: ['admission-control'],
      attestations: ['admission-enforced'],
      why: 'The registry itself is not watched; policies name the registries that images may come from and judge each pod.',
    },
    {
      id: 'CONT-6 (own numbering)',
      title: 'Asset management of deployed containers',
      topics: ['inventory'],
      attestations: ['scan-coverage'],
      why: 'Pods and images that were deployed are listed, each image with its last scan, so that nothing runs unlisted.',
    },
  ],
};
