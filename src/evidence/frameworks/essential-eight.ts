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
      why: 'Findings are fixed within a window that is declared and measured, and vulnerabilities that are known to be exploited are kept out, and end soon where they appear later.',
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
      why: 'Findings are fixed within a window that is declared and measured, and images on an operating system without support are kept out.',
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
      why: 'Pods with more privileges or exposure are judged more strictly.',
    },
    {
      id: 'user-application-hardening',
      title: 'Harden applications',
      topics: ['least-privilege'],
      attestations: ['context-aware-thresholds'],
      why: 'Pods with more privileges or exposure are judged more strictly.',
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
