import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  imageReportObjects,
  policyReportObjects,
  type KubeObject,
} from '../../src/adapters/kubernetes/index.ts';
import {
  REPORT_NAME,
  toPolicyReport,
  writeImageReports,
  writePolicyReports,
  type LastReview,
  type ReportedImage,
  type ReportSource,
} from '../../src/cluster/index.ts';
import { severityRank, SEVERITIES, type Finding } from '../../src/findings/index.ts';
import type { Json } from './fake/objects.ts';
import { reportDefinition } from './report-definition.ts';
import { benchOf, onEveryServer, openFake, plainConnection } from './servers.ts';

const digest = (letter: string): string => `sha256:${letter.repeat(64)}`;

const finding = (index: number): Finding => {
  const severity = SEVERITIES[index % SEVERITIES.length] ?? 'LOW';
  return {
    cve: `CVE-2026-${index}`,
    severity,
    rank: severityRank(severity) ?? 0,
    package: `lib${index}${'x'.repeat(300)}`,
    installed: '1.0',
    fixed: index % 2 === 0 ? '1.1' : null,
    knownExploited: index % 25 === 4,
    triagedUntil: null,
    triagedUntilMs: -Infinity,
  };
};

function sourceOf(images: Map<string, ReportedImage>, reviews: LastReview[] = []): ReportSource {
  return {
    images: async () =>
      [...images].map(([digest, image]) => ({ digest, version: JSON.stringify([image.state, image.name]) })),
    image: async (digest) => images.get(digest) ?? null,
    reviews: async () => reviews,
  };
}

const image = (letter: string, findings: readonly Finding[]): ReportedImage => ({
  digest: digest(letter),
  name: `ghcr.io/acme/shop:${letter}`,
  state: 'Compliant',
  scan: {
    scannedAt: '2026-11-20T10:00:00Z',
    scanner: { name: 'trivy', version: '0.60', dbUpdatedAt: null },
    os: { family: 'debian', name: '12', eosl: false },
    findings,
  },
  failures: [],
  triage: [{ cve: 'CVE-2026-4', accountId: 'a7', reason: 'not reachable', until: 1_800_000_000_000 }],
});

interface Report extends KubeObject {
  readonly spec: { readonly digest: string; readonly image: string };
  readonly status: {
    readonly state: string;
    readonly scannedAt: string;
    readonly summary: Readonly<Record<string, number>>;
    readonly findings: readonly {
      readonly cve: string;
      readonly severity: string;
      readonly knownExploited?: boolean;
      readonly package: string;
    }[];
    readonly triage: readonly { readonly triagedBy: string }[];
  };
}

onEveryServer(
  'a ClusterImageReport has at most 1000 findings, most severe first, and is written only when it changes',
  async (_, { api, atEnd }) => {
    const letter = '0123456789abcdef'[Math.floor(Math.random() * 16)] ?? 'a';
    const name = `sha256-${letter.repeat(64)}`;
    const path = `/apis/ipo.dev/v1/clusterimagereports/${name}`;
    atEnd(() => api.find({ method: 'DELETE', path, what: 'it' }));
    const objects = imageReportObjects(api);
    const images = new Map([
      [
        digest(letter),
        image(
          letter,
          Array.from({ length: 1_500 }, (_, index) => finding(index)),
        ),
      ],
    ]);
    const round = (now = 1_763_000_000_000, leads = true) =>
      writeImageReports({ source: sourceOf(images), objects, now, leads: () => leads });
    assert.deepEqual(await round(0, false), { written: 0, removed: 0 });
    assert.equal((await round()).written, 1);
    const report = await api.call<Report>({ method: 'GET', path, what: 'it' });
    const { findings, summary } = report.status;
    assert.equal(findings.length, 1_000);
    assert.deepEqual(
      [summary['findings'], summary['listed'], summary['critical'], summary['unknown']],
      [1_500, 1_000, 300, 300],
    );
    const ranks = findings.map(({ severity }) => severityRank(severity) ?? -1);
    assert.deepEqual(
      ranks,
      ranks.toSorted((a, b) => b - a),
    );
    assert.equal(findings[0]?.knownExploited, true);
    assert.ok(findings.every((one) => one.package.length <= 256));
    assert.equal(report.status.scannedAt, '2026-11-20T10:00:00Z');
    assert.equal(report.status.triage[0]?.triagedBy, 'user:a7');
    assert.deepEqual(await round(), { written: 0, removed: 0 });
    images.set(digest(letter), { ...image(letter, [finding(4)]), state: 'Not compliant' });
    assert.equal((await round()).written, 1);
    const next = await api.call<Report>({ method: 'GET', path, what: 'it' });
    assert.deepEqual([next.status.state, next.status.findings.length], ['Not compliant', 1]);
    images.clear();
    assert.equal((await round()).removed, 1);
    assert.equal(await api.find({ method: 'GET', path, what: 'it' }), null);
  },
);

test('a report whose writing broke off is written again', async (t) => {
  const { fake, url } = await openFake();
  const { api } = benchOf(t, () => plainConnection(url), fake);
  const images = new Map([[digest('a'), image('a', [finding(4)])]]);
  const round = () =>
    writeImageReports({
      source: sourceOf(images),
      objects: imageReportObjects(api),
      now: 1,
      leads: () => true,
    });
  fake.faults.silent = ({ path }) => path.endsWith('/status');
  const broken = round();
  await new Promise((resolve) => setTimeout(resolve, 100));
  fake.faults.silent = null;
  fake.faults.breakAll();
  await assert.rejects(broken);
  assert.equal((await round()).written, 1);
  assert.equal((await round()).written, 0);
});

const review = (namespace: string, letter: string, more: Partial<LastReview> = {}): LastReview => ({
  ...{
    namespace,
    digest: digest(letter),
    image: `shop:${letter}`,
    at: 1_763_000_000_123,
    allowed: true,
    reason: '',
  },
  ...{ label: null, policy: 'baseline', breakGlass: false },
  ...more,
});

onEveryServer(
  'a scan full of what takes most room is cut to what the API server takes, and keeps no other report from being written',
  async (_, { api, atEnd }) => {
    const letter = '0123456789abcdef'[Math.floor(Math.random() * 16)] ?? 'a';
    const path = `/apis/ipo.dev/v1/clusterimagereports/sha256-${letter.repeat(64)}`;
    atEnd(() => api.find({ method: 'DELETE', path, what: 'it' }));
    // "<" takes six bytes in what the API server stores.
    const wide = '<'.repeat(300);
    const findings = Array.from({ length: 1_200 }, (_, index) => ({
      ...finding(index),
      ...{ cve: wide, package: wide, installed: wide, fixed: '漢'.repeat(300) },
    }));
    const triage = Array.from({ length: 1_500 }, () => ({
      ...{ cve: wide, accountId: wide, reason: '漢'.repeat(1_100), until: 1_800_000_000_000 },
    }));
    const images = new Map([[digest(letter), { ...image(letter, findings), triage }]]);
    const source = sourceOf(images);
    const objects = imageReportObjects(api);
    assert.equal((await writeImageReports({ source, objects, now: 1, leads: () => true })).written, 1);
    const { status } = await api.call<Report>({ method: 'GET', path, what: 'it' });
    const { listed = 0 } = status.summary;
    assert.equal(status.summary['findings'], 1_200);
    assert.ok(listed > 100 && listed < 1_000 && status.findings.length === listed, `${listed} listed`);
    assert.ok(status.findings.every(({ severity }) => severity === 'CRITICAL'));
    assert.ok(status.triage.length > 50);
    const size = JSON.stringify(status).replaceAll('<', String.raw`\u003c`);
    assert.ok(Buffer.byteLength(size) < 1_400_000, `${Buffer.byteLength(size)} bytes`);
  },
);

test('a report that the API server does not take keeps no other from being written, and an API server that is away ends the round', async () => {
  const images = new Map(['a', 'b', 'c', 'd', 'e'].map((letter) => [digest(letter), image(letter, [])]));
  const written: string[] = [];
  let refuses = (name: string): boolean => name.endsWith('b');
  const round = () =>
    writeImageReports({
      source: sourceOf(images),
      objects: {
        list: async () => [],
        write: async ({ name }) => {
          if (refuses(name)) throw new Error(`${name} is refused`);
          written.push(name.slice(-1));
        },
        remove: async () => {},
      },
      ...{ now: 1, leads: () => true },
    });
  await assert.rejects(round(), /b is refused/);
  assert.deepEqual(written, ['a', 'c', 'd', 'e']);
  written.length = 0;
  refuses = (name) => !name.endsWith('e');
  await assert.rejects(round(), /is refused/);
  assert.deepEqual(written, []);
});

test('the report of a namespace is cut to what the API server takes, the worst first', () => {
  const reviews = Array.from({ length: 1_200 }, (_, index) =>
    review('shop', 'a', {
      ...{ image: '<'.repeat(2_000), reason: '<'.repeat(2_000), allowed: index % 2 === 0 },
      ...(index % 2 === 1 && { label: 'registry' }),
    }),
  );
  const report = toPolicyReport('shop', reviews);
  assert.deepEqual([report.summary.pass, report.summary.fail], [600, 600]);
  assert.ok(report.results.length > 50 && report.results.every(({ result }) => result === 'fail'));
  const size = JSON.stringify(report).replaceAll('<', String.raw`\u003c`);
  assert.ok(Buffer.byteLength(size) < 1_400_000, `${Buffer.byteLength(size)} bytes`);
});

for (const kind of ['openreports', 'wgpolicy'] as const)
  test(`a report of each namespace is kept as ${kind} has them`, async (t) => {
    const { fake, url } = await openFake();
    const { api } = benchOf(t, () => plainConnection(url), fake);
    const objects = policyReportObjects(api, kind);
    const reviews = [
      review('shop', 'a'),
      review('shop', 'b', { allowed: false, reason: 'registry not allowed: x', label: 'registry' }),
      review('shop', 'c', { reason: 'audit mode: tag latest not allowed: y', label: 'tag' }),
      review('shop', 'd', { breakGlass: true, reason: 'break-glass' }),
      review('pay', 'a'),
    ];
    const round = () =>
      writePolicyReports(
        { source: sourceOf(new Map(), reviews), objects, now: 1, leads: () => true },
        REPORT_NAME,
      );
    assert.deepEqual(await round(), { written: 0, removed: 0 }, 'the kind is not installed');
    const [group, name, plural] =
      kind === 'openreports'
        ? ['openreports.io', 'Report', 'reports']
        : ['wgpolicyk8s.io', 'PolicyReport', 'policyreports'];
    const version = kind === 'openreports' ? 'v1alpha1' : 'v1alpha2';
    fake.define(reportDefinition(group, version, name, plural));
    assert.deepEqual(await round(), { written: 2, removed: 0 });
    const path = `/apis/${group}/${version}/namespaces/shop/${plural}/${REPORT_NAME}`;
    const report = await api.call<{
      summary: Json;
      results: { result: string; policy: string; rule?: string; timestamp: Json }[];
    }>({ method: 'GET', path, what: 'it' });
    assert.deepEqual(report.summary, { pass: 1, fail: 2, warn: 0, error: 0, skip: 1 });
    assert.deepEqual(
      report.results.map(({ result, rule }) => [result, rule ?? null]),
      [
        ['fail', 'registry'],
        ['fail', 'tag'],
        ['skip', null],
        ['pass', null],
      ],
    );
    assert.deepEqual(report.results[0]?.timestamp, { seconds: 1_763_000_000, nanos: 123_000_000 });
    assert.deepEqual(await round(), { written: 0, removed: 0 });
    reviews.pop();
    assert.deepEqual(await round(), { written: 0, removed: 1 });
  });
