import type { Framework } from './framework.ts';

/** hipaa says what attestations show of HIPAA Security Rule, 45 CFR 164.308 to 164.316. */
export const hipaa: Framework = {
  id: 'hipaa',
  name: 'HIPAA Security Rule, 45 CFR 164.308 to 164.316',
  source: { version: '45 CFR Part 164 Subpart C', date: '2013-01-25', rights: 'United States law, public' },
  requirements: [
    {
      id: '164.308(a)(1)(ii)(A)',
      title: 'Risk analysis',
      topics: ['vuln-scanning'],
      attestations: ['scan-coverage'],
      why: 'What ran was scanned for known vulnerabilities.',
    },
    {
      id: '164.308(a)(1)(ii)(B)',
      title: 'Risk management',
      topics: ['patch-windows', 'exceptions'],
      attestations: ['remediation-windows', 'patch-window-two-weeks', 'break-glass-accounted-for'],
      why: 'Findings are fixed within a window that is declared and measured, and each exception has a reason, a person and a follow-up.',
    },
    {
      id: '164.308(a)(1)(ii)(D)',
      title: 'Review of system activity',
      topics: ['logging-ledger'],
      attestations: ['ledger-intact'],
      why: 'Rows say who asked for which pod and what was decided; that none was changed is what makes them fit for a review.',
    },
    {
      id: '164.308(a)(5)(ii)(B)',
      title: 'Protection from malicious software',
      topics: ['runtime-detection', 'vuln-scanning'],
      attestations: ['runtime-observed', 'scan-coverage'],
      why: 'A runtime detector watched the containers day by day, and what ran was scanned for known vulnerabilities.',
    },
    {
      id: '164.308(a)(6)(ii)',
      title: 'Respond to incidents',
      topics: ['incident'],
      attestations: [],
      why: 'How people respond to incidents is not recorded here.',
    },
    {
      id: '164.308(a)(8)',
      title: 'Periodic evaluation',
      topics: ['reporting'],
      attestations: ['ledger-intact', 'scan-coverage'],
      why: 'The same counts can be made of any period and compared with the last, from rows and scans that anyone can check.',
    },
    {
      id: '164.312(a)(1)',
      title: 'Access control',
      topics: ['access-control'],
      attestations: [],
      why: 'Access to systems and accounts is not recorded in a ledger of admissions.',
    },
    {
      id: '164.312(b)',
      title: 'Audit controls',
      topics: ['logging-ledger'],
      attestations: ['ledger-intact'],
      why: 'The ledger records each admission as it is decided, and a changed or deleted row shows.',
    },
    {
      id: '164.312(c)(1)',
      title: 'Integrity',
      topics: ['signatures', 'provenance'],
      attestations: ['images-signed', 'provenance-required'],
      why: 'Software that handles the data is what its maker released: signature and provenance are verified before it starts.',
    },
    {
      id: '164.316(b)(1)',
      title: 'Documentation',
      topics: ['reporting'],
      attestations: ['ledger-intact', 'scan-coverage'],
      why: 'The package is the written record: counts, populations and rows that are signed together.',
    },
  ],
};
