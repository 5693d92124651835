import { once } from 'node:events';
import { keepLog } from '../src/app/index.ts';
import { severityRank, type Finding } from '../src/findings/index.ts';
import { openImages } from '../src/inventory/index.ts';
import type { NewScan } from '../src/scan/index.ts';
import {
  imageStore,
  kevStore,
  openStore,
  pruneHistory,
  pruneScans,
  scanStore,
  type WriteTimes,
} from '../src/store/index.ts';

/**
 * Works on a database beside one that appends: `turns-work.ts URL idle|import|judge|prune IMAGES`. Says `ready`, waits for a line, works,
 * and prints how long its transactions held the lock at most.
 */
const [url = '', work = 'idle', images = '10000'] = process.argv.slice(2);
const AT = Date.UTC(2026, 10, 21, 9);
const HOUR = 3_600_000;
/** 38 reports of 900 findings are 64 MB as Trivy writes them. */
const REPORTS = 38;
const FINDINGS = 900;
const SEVERITIES = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'] as const;

function scanOf(image: number, hour: number, count: number): NewScan {
  const time = new Date(AT - 48 * HOUR + hour * HOUR).toISOString();
  const findings = Array.from({ length: count }, (_, i): Finding => {
    const n = i < count * 0.8 ? (image % 20) * 1000 + i : (image * 7919 + i * 31) % 20_000;
    const severity = SEVERITIES[n % 4] ?? 'LOW';
    return {
      ...{ cve: `CVE-2026-${10_000 + n}`, severity, rank: severityRank(severity) ?? 0 },
      ...{ package: `lib${n % 400}`, installed: `1.${n}.0-1`, fixed: n % 3 === 0 ? `1.${n}.1-1` : null },
      ...{ knownExploited: null, triagedUntil: null, triagedUntilMs: -Infinity },
      purl: `pkg:deb/debian/lib${n % 400}@1.${n}.0-1?arch=amd64&distro=debian-13`,
    };
  });
  const digest = `sha256:${(image * 2_654_435_761).toString(16).padStart(64, '0')}`;
  return {
    ...{ digest, names: [`ghcr.io/acme/service-${image % 997}:v${image}`], source: null, at: AT + hour },
    scan: {
      ...{ scannedAt: time, scanner: { name: 'trivy', version: '1', dbUpdatedAt: time } },
      ...{ os: { family: 'debian', name: '13.1', eosl: false }, findings },
    },
  };
}

const worst = { held: 0, from: '' };
const onWrite = ({ held, from }: WriteTimes): void => {
  if (held > worst.held) Object.assign(worst, { held, from: from() });
};
const store = await openStore({ url, turn: 'behind', onWrite });
const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const kept = keepLog({ url, log: quiet, metrics: { set: () => {} } });
const scans = scanStore(store);
const signal = new AbortController().signal;
const all = Number(images);

/** What is there before anything is measured: images with few findings each, and replaced scans. */
async function fill(): Promise<void> {
  if ((await imageStore(store).record(scanOf(0, 0, 1).digest)) !== null) return;
  for (const hour of [0, 1])
    for (let image = 0; image < all; image += 50)
      await store.write(async () => {
        for (let i = image; i < Math.min(all, image + 50); i += 1) await scans.record(scanOf(i, hour, 30));
      });
}

const WORK: Readonly<Record<string, () => Promise<unknown>>> = {
  idle: () => new Promise((end) => setTimeout(end, 5000)),
  async import() {
    for (let image = all; image < all + REPORTS; image += 1) {
      await scans.record(scanOf(image, 2, FINDINGS));
      await new Promise(setImmediate);
    }
    for (let image = all; image < all + REPORTS; image += 1) await scans.record(scanOf(image, 3, FINDINGS));
  },
  async judge() {
    const judging = openImages({
      store: imageStore(store),
      policies: async () => ({ policies: [], key: 'none' }),
      coldImagePolicy: 'AllowAndScan',
      clock: { now: () => AT },
    });
    await judging.refresh();
    const kev = kevStore(store);
    const entries = Array.from({ length: 1400 }, (_, i) => ({
      ...{ cve: `CVE-2026-${10_000 + i * 13}`, dateAdded: '2026-01-01', dueDate: null },
    }));
    const from = { source: 'bench', validators: { etag: null, lastModified: null }, at: AT };
    await kev.replace({ version: '1', releasedAt: AT, entries }, from);
    await kev.mark(AT, signal);
  },
  async prune() {
    await pruneScans(store, AT + 1000 * HOUR, signal);
    await pruneHistory(store, AT + 1000 * HOUR, signal);
  },
};

await fill();
process.stdout.write('ready\n');
await once(process.stdin, 'data');
Object.assign(worst, { held: 0, from: '' });
const began = performance.now();
await WORK[work]?.();
process.stdout.write(
  `${JSON.stringify({ worst: worst.held, from: worst.from, ms: performance.now() - began })}\n`,
);
await kept.close();
await store.close();
process.exit();
