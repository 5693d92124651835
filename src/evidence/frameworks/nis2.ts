import type { Framework } from './framework.ts';

/** nis2 says what attestations show of EU NIS2 Directive 2022/2555, Article 21. */
export const nis2: Framework = {
  id: 'nis2',
  name: 'EU NIS2 Directive 2022/2555, Article 21',
  source: {
    version: 'Directive (EU) 2022/2555 and Regulation (EU) 2024/2690',
    date: '2024-10-17',
    rights: 'European Union law, public',
  },
  requirements: [
    {
      id: '21.2.a',
      title: 'Risk analysis policies',
      topics: ['reporting'],
      attestations: ['ledger-intact', 'scan-coverage'],
      why: 'The analysis rests on figures from rows and scans of the period, which anyone can check and compute again.',
    },
    {
      id: '21.2.b',
      title: 'Incident handling',
      topics: ['incident', 'runtime-detection'],
      attestations: ['runtime-observed'],
      why: 'What containers do is watched, so that an incident is noticed; how people handle it is not recorded here.',
    },
    {
      id: '21.2.c',
      title: 'Continuity',
      topics: ['n/a'],
      attestations: [],
      why: 'It does not concern container images.',
    },
    {
      id: '21.2.d',
      title: 'Supply chain security',
      topics: ['supplier', 'provenance', 'sbom'],
      attestations: ['producer-statement-honoured', 'provenance-required'],
      why: 'Statements of producers count only from named issuers, and images must show provenance from a trusted builder.',
    },
    {
      id: '21.2.e',
      title: 'Secure acquisition, development, vulnerability handling',
      topics: ['vuln-scanning', 'patch-windows', 'vex'],
      attestations: [
        'remediation-windows',
        'patch-window-two-weeks',
        'producer-statement-honoured',
        'scan-coverage',
      ],
      why: 'Scans find vulnerabilities, windows say how soon they end, and statements of producers count only from named issuers.',
    },
    {
      id: '21.2.f',
      title: 'Measure effectiveness',
      topics: ['reporting'],
      attestations: ['ledger-intact', 'scan-coverage'],
      why: 'The same counts over each period show whether measures work, and what changed between two packages.',
    },
    {
      id: '21.2.g',
      title: 'Cyber hygiene',
      topics: ['least-privilege'],
      attestations: ['context-aware-thresholds'],
      why: 'Pods with more privileges or exposure are judged more strictly.',
    },
    {
      id: '21.2.h',
      title: 'Cryptography',
      topics: ['crypto'],
      attestations: [],
      why: 'The use of cryptography elsewhere cannot be seen from admissions.',
    },
    {
      id: '21.2.i',
      title: 'Access control and assets',
      topics: ['access-control', 'inventory'],
      attestations: ['scan-coverage'],
      why: 'The images that ran are listed by digest, each with its last scan.',
    },
    {
      id: '2024/2690 6.6',
      title: 'Security patch management',
      topics: ['patch-windows'],
      attestations: ['remediation-windows', 'patch-window-two-weeks'],
      why: 'Findings are fixed within a window that is declared and measured.',
    },
    {
      id: '2024/2690 6.10',
      title: 'Vulnerability handling and disclosure',
      topics: ['vuln-scanning'],
      attestations: ['scan-coverage'],
      why: 'What ran was scanned for known vulnerabilities.',
    },
  ],
};
