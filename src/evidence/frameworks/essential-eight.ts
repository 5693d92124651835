import type { Framework } from './framework.ts';

/** essentialEight says what attestations show of ASD Essential Eight Maturity Model. */
export const essentialEight: Framework = {
  id: 'essential-eight',
  name: 'ASD Essential Eight Maturity Model',
  source: { version: 'November 2023', date: '2023-11-27', rights: 'Australian ISM, CC BY 4.0' },
  requirements: [
    {
      id: 'patch-applications',
      title: 'Patch applications: 48 hours for critical or exploited, two weeks otherwise',
      topics: ['patch-windows', 'known-exploited'],
      attestations: [
        'remediation-windows',
        'patch-window-48-hours',
        'patch-window-two-weeks',
        'known-exploited-handled',
      ],
      why: 'Findings that are exploited are held against 48 hours and others against two weeks; what is exploited is kept out at admission.',
    },
    {
      id: 'patch-operating-systems',
      title: 'Patch operating systems: 48 hours / two weeks internet-facing',
      topics: ['patch-windows', 'end-of-life'],
      attestations: [
        'remediation-windows',
        'patch-window-48-hours',
        'patch-window-two-weeks',
        'end-of-life-handled',
      ],
      why: 'Packages of the operating system are held against the same windows, and images without support are kept out.',
    },
    {
      id: 'application-control',
      title: 'Only approved code runs',
      topics: ['admission-control'],
      attestations: ['admission-enforced'],
      why: 'Pods are judged by an enforcing policy before they run.',
    },
    {
      id: 'restrict-admin',
      title: 'Restrict administrative privileges',
      topics: ['least-privilege'],
      attestations: ['context-aware-thresholds'],
      why: 'Accounts of people are not read; pods with privileges over their node are recorded and judged more strictly.',
    },
    {
      id: 'user-application-hardening',
      title: 'Harden applications',
      topics: ['least-privilege'],
      attestations: ['context-aware-thresholds'],
      why: 'Applications here are pods: those with privileges or exposure beyond the ordinary are judged one step more strictly.',
    },
    {
      id: 'mfa',
      title: 'Multi-factor authentication',
      topics: ['access-control'],
      attestations: [],
      why: 'Access to systems and accounts is not recorded in a ledger of admissions.',
    },
    {
      id: 'macros',
      title: 'Office macros',
      topics: ['n/a'],
      attestations: [],
      why: 'It does not concern container images.',
    },
    {
      id: 'backups',
      title: 'Regular backups',
      topics: ['n/a'],
      attestations: [],
      why: 'It does not concern container images.',
    },
  ],
};
