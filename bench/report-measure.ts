import { parseScanReports } from '../src/adapters/trivy/index.ts';
import { importReports } from '../src/scan/index.ts';
import { openStore, scanStore } from '../src/store/index.ts';

/** Measures in one process the CPU that a report of Trivy takes: JSON.parse, reading, the way to a stored record, and the same found again. */
const [url = 'sqlite::memory:'] = process.argv.slice(2);
const FINDINGS = 900;
const ROUNDS = 7;
/** Reports of a round; one before the first round is not counted. */
const REPORTS = 5;

function reportText(): string {
  const words =
    'a flaw was found in how the library handles crafted input, which may let an attacker '.repeat(7);
  const Vulnerabilities = Array.from({ length: FINDINGS }, (_, n) => ({
    VulnerabilityID: `CVE-2026-${10_000 + (n % 600)}`,
    PkgID: `lib${n % 200}@1.${n}.0-1`,
    PkgName: `lib${n % 200}`,
    PkgIdentifier: {
      PURL: `pkg:deb/debian/lib${n % 200}@1.${n}.0-1?arch=amd64&distro=debian-13`,
      UID: `${n}`.padStart(16, '0'),
    },
    InstalledVersion: `1.${n}.0-1`,
    ...(n % 3 === 0 && { FixedVersion: `1.${n}.1-1` }),
    Status: n % 3 === 0 ? 'fixed' : 'affected',
    Layer: { Digest: `sha256:${'1'.repeat(64)}`, DiffID: `sha256:${'2'.repeat(64)}` },
    SeveritySource: 'debian',
    PrimaryURL: `https://avd.example.com/nvd/cve-2026-${10_000 + (n % 600)}`,
    DataSource: {
      ID: 'debian',
      Name: 'Debian Security Tracker',
      URL: 'https://security.example.com/tracker',
    },
    Title: `lib${n % 200}: denial of service through crafted input`,
    Description: words,
    Severity: ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'][n % 4],
    CweIDs: ['CWE-125', 'CWE-787'],
    VendorSeverity: { nvd: 3, redhat: 2, ubuntu: 2 },
    CVSS: { nvd: { V3Vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H', V3Score: 7.5 } },
    References: Array.from(
      { length: 18 },
      (_each, i) => `https://lists.example.com/archive/2026/${n}/message-${i}.html`,
    ),
    PublishedDate: '2026-08-10T00:00:00Z',
    LastModifiedDate: '2026-09-11T00:00:00Z',
  }));
  return JSON.stringify(
    {
      ...{
        SchemaVersion: 2,
        CreatedAt: '2026-11-20T06:00:00Z',
        ArtifactName: 'registry.example.com/shop/web:1',
      },
      ArtifactType: 'container_image',
      Metadata: {
        OS: { Family: 'debian', Name: '13.1' },
        RepoDigests: [`registry.example.com/shop/web@sha256:${'a'.repeat(64)}`],
      },
      Results: [{ Target: 'web (debian 13.1)', Class: 'os-pkgs', Type: 'debian', Vulnerabilities }],
    },
    null,
    2,
  );
}

const text = reportText();
// As the service does, which shares the file with the webhook's part.
const store = await openStore({ url, turn: 'behind' });
const parts = {
  scans: scanStore(store),
  clock: { now: () => Date.parse('2026-11-20T09:00:00Z') },
  together: <T>(act: () => Promise<T>): Promise<T> => store.write(act),
  recorded: async (): Promise<void> => {},
};
const WORK = {
  parse: (own: string): unknown => JSON.parse(own),
  read: (own: string): unknown => parseScanReports(own, 'report.json'),
  stored: (own: string): unknown => importReports(parseScanReports(own, 'report.json'), {}, parts),
  again: (own: string): unknown =>
    importReports(parseScanReports(own.replace('T06:00:00Z', 'T07:00:00Z'), 'report.json'), {}, parts),
};
type Times = Record<keyof typeof WORK, number>;
const rounds: Times[] = [];
for (let image = 0; image <= ROUNDS * REPORTS; image += 1) {
  // A digest that was never seen, as a new image is.
  const own = text.replace(`sha256:${'a'.repeat(64)}`, `sha256:${image.toString(16).padStart(64, '0')}`);
  const round = Math.ceil(image / REPORTS);
  for (const [name, work] of Object.entries(WORK) as [keyof typeof WORK, (own: string) => unknown][]) {
    const before = process.cpuUsage();
    await work(own);
    const { user, system } = process.cpuUsage(before);
    const times = (rounds[round] ??= { parse: 0, read: 0, stored: 0, again: 0 });
    times[name] += (user + system) / 1000 / REPORTS;
  }
}
await store.close();
process.stdout.write(JSON.stringify({ bytes: text.length, rounds: rounds.slice(1) }));
