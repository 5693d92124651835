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
      why: 'What ran was scanned for known vulnerabilities, and findings are fixed within a window that is declared and measured.',
    },
    {
      id: 'SI-2',
      title: 'Remediate flaws in those windows',
      topics: ['patch-windows'],
      attestations: ['remediation-windows', 'patch-window-two-weeks'],
      why: 'Findings are fixed within a window that is declared and measured.',
    },
    {
      id: 'SI-2(3)',
      title: 'Benchmark remediation time',
      topics: ['patch-windows', 'reporting'],
      attestations: ['remediation-windows', 'patch-window-two-weeks', 'ledger-intact', 'scan-coverage'],
      why: 'Findings are fixed within a window that is declared and measured, and the figures come from signed records and from scans of what ran.',
    },
    {
      id: 'CA-5',
      title: 'Plan of action and milestones',
      topics: ['exceptions', 'reporting'],
      attestations: ['ledger-intact', 'break-glass-accounted-for', 'scan-coverage'],
      why: 'Each exception has a reason, a person and a follow-up, and the figures come from signed records and from scans of what ran.',
    },
    {
      id: 'CM-8',
      title: 'Inventory of images and containers',
      topics: ['inventory'],
      attestations: ['scan-coverage'],
      why: 'The images that ran are listed by digest, each with its last scan.',
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
      why: 'What ran was scanned for known vulnerabilities, and pods are judged by an enforcing policy before they run.',
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
      why: 'Pods are judged by an enforcing policy before they run.',
    },
    {
      id: 'CONT-6 (own numbering)',
      title: 'Asset management of deployed containers',
      topics: ['inventory'],
      attestations: ['scan-coverage'],
      why: 'The images that ran are listed by digest, each with its last scan.',
    },
  ],
};
