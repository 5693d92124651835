import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { byCodeUnit } from '../../src/base/index.ts';
import { severityRank, SEVERITIES, type Finding, type Severity } from '../../src/findings/index.ts';
import {
  VULNERABILITY_SORTS,
  type Vulnerability,
  type VulnerabilityQuery,
} from '../../src/inventory/index.ts';
import { imageStore } from '../../src/store/images/images.ts';
import { recordScan } from '../../src/store/scans/scans.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { triageStore } from '../../src/store/scans/triage.ts';
import { vulnerabilityStore } from '../../src/store/images/vulnerabilities.ts';
import { runs } from '../runs.ts';
import { forEachEngine } from './engines.ts';
import { append, AT, digestOf, finding, scanOf } from './image-records.ts';

const WHOLE: VulnerabilityQuery = {
  severity: null,
  knownExploited: null,
  fixable: null,
  triaged: null,
  image: null,
  namespace: null,
  search: null,
  sort: 'severity',
  descending: true,
  limit: null,
  offset: 0,
  at: AT,
};

const CVES = ['CVE-2021-44228', 'CVE-2024-3094', 'CVE-2022-0778', 'GHSA-aaaa-bbbb-cccc'];
const NAMES = ['ghcr.io/acme/web:1', 'docker.io/library/nginx:latest'];
const NAMESPACES = ['shop', 'ci'];

/** Image is what a test knows of an image. */
interface Image {
  findings: readonly Finding[];
  names: Set<string>;
  namespaces: Set<string>;
  /** The scan that was recorded last stands first in a sample. */
  order: number;
  triaged: Set<string>;
}

type Act =
  | {
      readonly kind: 'scan';
      readonly n: number;
      readonly findings: readonly Finding[];
      readonly name: string | null;
    }
  | { readonly kind: 'see'; readonly n: number; readonly namespace: string }
  | {
      readonly kind: 'triage';
      readonly n: number;
      readonly cve: string;
      readonly ends: 'now' | 'later' | 'taken back';
    };

const image = fc.nat(5);
const found = fc
  .record({
    cve: fc.constantFrom(...CVES),
    severity: fc.constantFrom(...SEVERITIES),
    package: fc.constantFrom('openssl', 'log4j-core', '100%_\\'),
    fixed: fc.constantFrom(null, '1.1', '1.2'),
    knownExploited: fc.constantFrom(true, false, null),
  })
  .map(({ cve, severity, ...more }) => finding(cve, severity, more));
const acts: fc.Arbitrary<Act[]> = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('scan' as const),
        n: image,
        findings: fc.array(found, { maxLength: 5 }),
        name: fc.option(fc.constantFrom(...NAMES)),
      }),
    },
    fc.record({ kind: fc.constant('see' as const), n: image, namespace: fc.constantFrom(...NAMESPACES) }),
    fc.record({
      kind: fc.constant('triage' as const),
      n: image,
      cve: fc.constantFrom(...CVES),
      ends: fc.constantFrom('now', 'later', 'taken back'),
    }),
  ),
  { minLength: 1, maxLength: 10 },
);
const flag = fc.option(fc.boolean(), { freq: 2 });
const queries = fc.array(
  fc.record({
    severity: fc.option(fc.subarray([...SEVERITIES], { minLength: 1 })),
    knownExploited: flag,
    fixable: flag,
    triaged: flag,
    image: fc.option(fc.oneof(fc.constantFrom(...NAMES), image.map(digestOf)), { freq: 2 }),
    namespace: fc.option(fc.constantFrom(...NAMESPACES, 'none'), { freq: 2 }),
    search: fc.option(fc.constantFrom('cve-2021', 'ghsa', 'LOG4J', '%', '_', '\\', 'nothing'), { freq: 2 }),
    sort: fc.constantFrom(...VULNERABILITY_SORTS),
    descending: fc.boolean(),
    limit: fc.option(fc.integer({ min: 1, max: 3 })),
    offset: fc.nat(3),
    at: fc.constant(AT),
  }),
  { minLength: 2, maxLength: 8 },
);

forEachEngine('the list of vulnerabilities', (engine) => {
  test('filter, search, sort, pages and figures are those of a plain model', async (t) => {
    const store = await engine.open(t);
    const known = new Map<number, Image>();
    let count = 0;
    await fc.assert(
      fc.asyncProperty(acts, queries, async (list, asked) => {
        for (const act of list) await perform(store, known, act, ++count);
        while (await imageStore(store).follow(100));
        const all = modelled(known);
        for (const query of [WHOLE, ...asked]) {
          const expected = answer(all, known, query);
          const got = await vulnerabilityStore(store).list(query);
          assert.deepEqual(got.items, expected.items, JSON.stringify(query));
          assert.equal(got.total, expected.total);
        }
      }),
      { numRuns: runs(25) },
    );
  });
});

async function perform(store: Store, known: Map<number, Image>, act: Act, order: number): Promise<void> {
  const { n } = act;
  const fresh: Image = { findings: [], names: new Set(), namespaces: new Set(), order, triaged: new Set() };
  const one = known.get(n) ?? fresh;
  known.set(n, one);
  const digest = digestOf(n);
  switch (act.kind) {
    case 'scan': {
      const names = act.name === null ? [] : [act.name];
      const scan = scanOf(act.findings, { scannedAt: null });
      await store.write((transaction) =>
        recordScan(transaction, { digest, names, source: null, scan, at: AT }),
      );
      // What was said of a CVE as exploited holds when a scanner does not say.
      const said = (cve: string): boolean | null => {
        const answers = one.findings
          .filter((before) => before.cve === cve)
          .map(({ knownExploited }) => knownExploited);
        return answers.includes(true) ? true : answers.includes(false) ? false : null;
      };
      const findings = act.findings.map((entry) => ({
        ...entry,
        knownExploited: entry.knownExploited ?? said(entry.cve),
      }));
      Object.assign(one, { findings, order });
      if (act.name !== null) one.names.add(act.name);
      return;
    }
    case 'see':
      await append(store, [{ digest, namespace: act.namespace, image: `quay.io/acme/tool@${digest}` }]);
      one.namespaces.add(act.namespace);
      return;
    case 'triage': {
      const until = act.ends === 'now' ? AT : AT + 1;
      const triage = triageStore(store);
      const { id } = await triage.create({
        digest,
        cve: act.cve,
        severity: null,
        reason: 'r',
        triagedBy: 'ann',
        accountId: null,
        createdAt: AT - 10,
        until,
      });
      if (act.ends === 'taken back') await triage.end(id, AT - 1);
      if (act.ends === 'later') one.triaged.add(act.cve);
    }
  }
}

function modelled(known: ReadonlyMap<number, Image>): Vulnerability[] {
  const cves = new Set([...known.values()].flatMap(({ findings }) => findings.map(({ cve }) => cve)));
  return [...cves].map((cve) => {
    const having = [...known].filter(([, { findings }]) => findings.some((one) => one.cve === cve));
    const findings = having.flatMap(([, one]) => one.findings.filter((entry) => entry.cve === cve));
    const exploited = findings.map(({ knownExploited }) => knownExploited);
    const asked = having.some(([, one]) =>
      one.findings.filter((entry) => entry.cve === cve).every((entry) => entry.knownExploited === false),
    );
    const packages = [...Map.groupBy(findings, (entry) => entry.package)].toSorted(([a], [b]) =>
      byCodeUnit(a, b),
    );
    return {
      cve,
      severity: SEVERITIES[Math.max(...findings.map(({ rank }) => rank))] as Severity,
      images: having.length,
      sample: having
        .toSorted(([, a], [, b]) => b.order - a.order)
        .slice(0, 3)
        .map(([n]) => digestOf(n)),
      packages: packages.map(([name, entries]) => ({
        name,
        fixed: [...new Set(entries.flatMap(({ fixed }) => (fixed === null ? [] : [fixed])))].toSorted(
          byCodeUnit,
        ),
      })),
      fixable: findings.some(({ fixed }) => fixed !== null),
      knownExploited: exploited.includes(true) ? true : asked ? false : null,
      triagedImages: having.filter(([, one]) => one.triaged.has(cve)).length,
      advisory: null,
    };
  });
}

function answer(
  all: readonly Vulnerability[],
  known: ReadonlyMap<number, Image>,
  query: VulnerabilityQuery,
): { items: Vulnerability[]; total: number } {
  const on = (cve: string, is: (image: Image, n: number) => boolean): boolean =>
    [...known].some(([n, one]) => is(one, n) && one.findings.some((entry) => entry.cve === cve));
  const part = query.search?.toLowerCase();
  const items = all.filter(
    (one) =>
      (query.severity === null || query.severity.includes(one.severity)) &&
      (query.knownExploited === null || one.knownExploited === query.knownExploited) &&
      (query.fixable === null || one.fixable === query.fixable) &&
      (query.triaged === null || one.triagedImages >= one.images === query.triaged) &&
      (query.image === null ||
        on(one.cve, (image, n) => digestOf(n) === query.image || image.names.has(query.image ?? ''))) &&
      (query.namespace === null || on(one.cve, (image) => image.namespaces.has(query.namespace ?? ''))) &&
      (part === undefined ||
        one.cve.toLowerCase().includes(part) ||
        one.packages.some(({ name }) => name.toLowerCase().includes(part))),
  );
  const keys: Record<VulnerabilityQuery['sort'], (one: Vulnerability) => number | string> = {
    severity: ({ severity }) => severityRank(severity) ?? 0,
    cve: ({ cve }) => cve,
    images: ({ images }) => images,
    known_exploited: ({ knownExploited }) => (knownExploited === null ? 1 : knownExploited ? 2 : 0),
  };
  const key = keys[query.sort];
  const compare = (a: number | string, b: number | string): number => (a < b ? -1 : a > b ? 1 : 0);
  // One direction is the other read backwards; ids ascend where all else descends.
  const sorted = items.toSorted((a, b) =>
    query.sort === 'cve'
      ? compare(a.cve, b.cve)
      : compare(key(b), key(a)) || b.images - a.images || compare(a.cve, b.cve),
  );
  if ((query.sort === 'cve') === query.descending) sorted.reverse();
  const end = query.limit === null ? undefined : query.offset + query.limit;
  return { items: sorted.slice(query.offset, end), total: items.length };
}
