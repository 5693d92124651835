import { flushCompileCache } from 'node:module';
import { severityRank, type Finding } from '../../src/findings/index.ts';
import type { NewScan } from '../../src/scan/index.ts';
import { openStore } from '../../src/store/engine/open.ts';
import { scanStore } from '../../src/store/scans/scans.ts';

/** Records reports of many findings in a process of its own, which a test kills. Arguments: database, round. */
const [url = '', round = '0'] = process.argv.slice(2);
const AT = Date.UTC(2026, 10, 21, 9);
const SEVERITIES = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'] as const;

function findingOf(n: number): Finding {
  const severity = SEVERITIES[n % 4] ?? 'LOW';
  return {
    cve: `CVE-2026-${10_000 + n}`,
    ...{ severity, rank: severityRank(severity) ?? 0, package: `lib${n % 50}`, installed: `1.${n}` },
    ...{ fixed: n % 3 === 0 ? `1.${n}.1` : null, knownExploited: null },
    ...{ triagedUntil: null, triagedUntilMs: -Infinity },
  };
}

/** Some have too few findings to be written before, and some are the same again. */
function reportOf(turn: number): NewScan {
  const time = new Date(AT - 86_400_000 + (Number(round) * 1000 + turn) * 1000).toISOString();
  const count = [1200, 1200, 1700, 300, 2100, 900][(turn + Number(round)) % 6] ?? 0;
  const first = turn % 2 === 0 ? 0 : 250;
  return {
    digest: `sha256:${(turn % 3).toString(16).padStart(64, '0')}`,
    ...{ names: ['ghcr.io/acme/web:1'], source: null, at: AT + Number(round) * 1000 + turn },
    scan: {
      ...{ scannedAt: time, scanner: { name: 'trivy', version: '1', dbUpdatedAt: time }, os: null },
      findings: Array.from({ length: count }, (_, i) => findingOf(first + Math.floor(i / 2))),
    },
  };
}

// The test has just made the tables: to compare them would be half of what a start costs.
const store = await openStore({ url, checked: true });
const scans = scanStore(store);
// One that is killed does not keep what was compiled of it.
flushCompileCache();
process.stdout.write('ready\n');
for (let turn = 0; turn < 1000; turn += 1) await scans.record(reportOf(turn));
