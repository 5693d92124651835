import { performance } from 'node:perf_hooks';
import { severityRank, type Finding } from '../src/findings/index.ts';
import { engineOf, insertMany, runText } from '../src/store/sql/dialect.ts';
import { followSame } from '../src/store/findings/finding-history.ts';
import type { CountedFinding } from '../src/store/findings/cve-totals.ts';
import { openStore, recordScan, type Store } from '../src/store/index.ts';

/**
 * Measures what the history of findings costs: `history-measure.ts URL IMAGES`. Each image has 300 findings and goes through the changes
 * of 400 days in 40 scans; the times of the other 360 are written as they come, a day after the other. Prints one JSON line.
 */
const [url = '', count = '0'] = process.argv.slice(2);
const IMAGES = Number(count);
const SCANS = 40;
const DAYS = 400;
const PER_IMAGE = 300;
const DAY = 86_400_000;
const START = Date.UTC(2026, 0, 1);
const SEVERITIES = ['CRITICAL', 'HIGH', 'HIGH', 'MEDIUM', 'MEDIUM', 'MEDIUM', 'LOW', 'LOW'] as const;

/** Changes of one image in the ten days between two scans: CVEs that are new, that are taken back, and fixes that become known. */
const NEW = [2, 3] as const;
const TAKEN_BACK_EVERY = 2;
const FIXES = 2;

const digestOf = (image: number): string => `sha256:${(image + 1).toString(16).padStart(64, '0')}`;

/** Findings of an image at a scan: most of them stay, a few come, go and change. */
function findingsOf(image: number, turn: number): Finding[] {
  const found: Finding[] = [];
  const came = Math.floor(((NEW[0] + NEW[1]) / 2) * turn);
  const gone = Math.floor(turn / TAKEN_BACK_EVERY);
  for (let n = gone; n < PER_IMAGE + came; n += 1) {
    const cve = image * 37 + n * 11;
    const severity = SEVERITIES[(cve * 7) % SEVERITIES.length] ?? 'LOW';
    const isFixed = n % 3 !== 0 || n < FIXES * turn;
    found.push({
      cve: `CVE-${2016 + (cve % 11)}-${10_000 + (cve % 80_000)}`,
      severity,
      rank: severityRank(severity) ?? 0,
      package: `lib${((cve * 31) % 4000).toString(36)}-runtime`,
      installed: '1.2.3-4+deb13u1',
      fixed: isFixed ? '1.2.3-5+deb13u2' : null,
      knownExploited: n % 100 === 0,
      triagedUntil: null,
      triagedUntilMs: -Infinity,
    });
  }
  return found;
}

function record(store: Store, image: number, at: number, findings: readonly Finding[]): Promise<unknown> {
  const time = new Date(at).toISOString();
  const scanner = { name: 'trivy', version: '0.72.0', dbUpdatedAt: time };
  const scan = { scannedAt: time, scanner, os: null, findings };
  return store.write((transaction) =>
    recordScan(transaction, { digest: digestOf(image), names: [], source: null, scan, at }),
  );
}

async function bytesOf(store: Store, table: string): Promise<number> {
  const size =
    engineOf(store.read) === 'sqlite'
      ? `select sum(s.pgsize) as bytes from dbstat s join sqlite_master m on m.name = s.name where m.tbl_name = ?`
      : 'select pg_total_relation_size(?::regclass)::bigint as bytes';
  const [row] = await runText<{ bytes: number }>(store.read, size, [table]);
  return row?.bytes ?? 0;
}

const rowsIn = async (store: Store, table: string): Promise<number> =>
  Number((await runText<{ n: number }>(store.read, `select count(*) as n from ${table}`, []))[0]?.n);

const store = await openStore({ url });
try {
  for (let turn = 0; turn < SCANS; turn += 1)
    for (let image = 0; image < IMAGES; image += 1)
      await record(store, image, START + turn * 10 * DAY, findingsOf(image, turn));
  for (let day = 0; day < DAYS; day += 1) {
    if (day % 10 === 0) continue;
    await store.write((transaction) =>
      insertMany(
        transaction,
        'scan_history',
        { image: 'integer', scanned_at: 'integer' },
        Array.from({ length: IMAGES }, (_, image) => [image + 1, START + day * DAY]),
      ),
    );
  }
  const findings = {
    rows: await rowsIn(store, 'finding_history'),
    bytes: await bytesOf(store, 'finding_history'),
  };
  const scans = { rows: await rowsIn(store, 'scan_history'), bytes: await bytesOf(store, 'scan_history') };

  // A scan that reports what the last one did, and of that only the history: both in turns.
  const same = findingsOf(0, SCANS - 1);
  const [{ id } = { id: 0 }] = await runText<{ id: number }>(
    store.read,
    'select id from scans where digest = ? and current = 1',
    [digestOf(0)],
  );
  const found = await runText<CountedFinding>(
    store.read,
    'select cve, rank, package, fixed, known_exploited from findings where scan_id = ? order by ordinal',
    [id],
  );
  const stamp = { scanner: 'trivy', dbUpdatedAt: null };
  const whole: number[] = [];
  const own: number[] = [];
  const took = async (into: number[], act: () => Promise<unknown>): Promise<void> => {
    const began = performance.now();
    await act();
    into.push(performance.now() - began);
  };
  for (let round = 0; round < 60; round += 1) {
    const at = START + (DAYS + round) * DAY;
    await took(whole, () => record(store, 0, at, same));
    // Half a day later, so that the history has a scan of its own to note.
    const made = { id, stamp, scannedAt: at, version: null, wholeAt: at + DAY / 2, replaced: null };
    await store.write((transaction) =>
      took(own, () => followSame(transaction, digestOf(0), at, made, found)),
    );
  }
  const median = (times: readonly number[]): number =>
    times.toSorted((a, b) => a - b)[times.length >> 1] ?? NaN;
  process.stdout.write(
    `${JSON.stringify({ findings, scans, whole: median(whole), own: median(own), reported: same.length })}\n`,
  );
} finally {
  await store.close();
}
