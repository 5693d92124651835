import { parseScanReports } from '../src/adapters/trivy/index.ts';
import { importReports } from '../src/scan/index.ts';
import { openStore, scanStore } from '../src/store/index.ts';

/** Measures in one process how long a report of Trivy takes: JSON.parse, reading, and the whole way to a stored record. */
const [url = 'sqlite::memory:'] = process.argv.slice(2);
const FINDINGS = 900;
const ROUNDS = 31;

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

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;

const text = reportText();
const store = await openStore({ url });
const parts = {
  scans: scanStore(store),
  clock: { now: () => Date.parse('2026-11-20T07:00:00Z') },
  together: <T>(act: () => Promise<T>): Promise<T> => store.write(act),
  recorded: async (): Promise<void> => {},
};
const times = { parse: [] as number[], read: [] as number[], stored: [] as number[] };
const timed = async (into: number[], act: () => unknown): Promise<void> => {
  const began = performance.now();
  await act();
  into.push(performance.now() - began);
};
for (let round = 0; round < ROUNDS; round += 1) {
  // A digest that was never seen, as a new image is.
  const digest = `sha256:${round.toString(16).padStart(64, '0')}`;
  const own = text.replace(`sha256:${'a'.repeat(64)}`, digest);
  await timed(times.parse, () => JSON.parse(own));
  await timed(times.read, () => parseScanReports(own, 'report.json'));
  await timed(times.stored, async () => {
    await importReports(parseScanReports(own, 'report.json'), {}, parts);
  });
}
await store.close();
process.stdout.write(
  JSON.stringify({
    bytes: text.length,
    parse: median(times.parse),
    read: median(times.read),
    stored: median(times.stored),
  }),
);
