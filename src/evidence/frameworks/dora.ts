import type { Framework } from './framework.ts';

/** dora says what attestations show of EU DORA Regulation 2022/2554. */
export const dora: Framework = {
  id: 'dora',
  name: 'EU DORA Regulation 2022/2554',
  source: {
    version: 'Regulation (EU) 2022/2554 and (EU) 2024/1774',
    date: '2024-03-13',
    rights: 'European Union law, public',
  },
  requirements: [
    {
      id: 'Art. 6',
      title: 'ICT risk management framework',
      topics: ['reporting'],
      attestations: ['ledger-intact', 'scan-coverage'],
      why: 'The framework needs figures that hold: they come from rows and scans that anyone can check and compute again.',
    },
    {
      id: 'Art. 7',
      title: 'Reliable, up-to-date ICT systems',
      topics: ['end-of-life', 'patch-windows'],
      attestations: ['remediation-windows', 'patch-window-two-weeks', 'end-of-life-handled'],
      why: 'Systems stay up to date where findings are fixed in time and images out of support are kept out.',
    },
    {
      id: 'Art. 8',
      title: 'Identify ICT assets and vulnerabilities',
      topics: ['inventory', 'vuln-scanning'],
      attestations: ['scan-coverage'],
      why: 'The images that ran are listed by digest, each with its last scan and what it found.',
    },
    {
      id: 'Art. 9',
      title: 'Protection and prevention, patching, change control',
      topics: ['patch-windows', 'admission-control', 'change-management'],
      attestations: [
        'remediation-windows',
        'patch-window-two-weeks',
        'admission-enforced',
        'break-glass-accounted-for',
      ],
      why: 'Pods are judged before they run, bypasses are followed up, and findings end within the declared window.',
    },
    {
      id: 'Art. 10',
      title: 'Detection',
      topics: ['runtime-detection'],
      attestations: ['runtime-observed'],
      why: 'A runtime detector watched the containers day by day.',
    },
    {
      id: 'Art. 11',
      title: 'Response and recovery',
      topics: ['incident'],
      attestations: [],
      why: 'How people respond to incidents is not recorded here.',
    },
    {
      id: 'Art. 17',
      title: 'Incident management process',
      topics: ['incident'],
      attestations: [],
      why: 'How people respond to incidents is not recorded here.',
    },
    {
      id: 'Art. 24',
      title: 'Resilience testing programme',
      topics: ['vuln-scanning'],
      attestations: ['scan-coverage'],
      why: 'Scans for vulnerabilities are one of the tests that the programme names; counted is how much of what ran had one.',
    },
    {
      id: 'Art. 25',
      title: 'Testing of tools, open-source analysis',
      topics: ['vuln-scanning', 'sbom'],
      attestations: ['scan-coverage'],
      why: 'A scan finds known vulnerabilities in the open-source packages of an image; counted is how much of what ran had one.',
    },
    {
      id: 'Art. 28',
      title: 'Third-party ICT risk',
      topics: ['supplier', 'provenance'],
      attestations: ['producer-statement-honoured', 'provenance-required'],
      why: 'Statements of third parties count only from named issuers, and their images must show provenance from a trusted builder.',
    },
    {
      id: 'RTS 2024/1774 Art. 10',
      title: 'Vulnerability and patch management, automated scans weekly for critical assets',
      topics: ['vuln-scanning', 'patch-windows'],
      attestations: ['remediation-windows', 'patch-window-two-weeks', 'scan-coverage'],
      why: 'A scan counts where it is at most a day, or one rescan interval, old, and patches are held against the declared window.',
    },
  ],
};
