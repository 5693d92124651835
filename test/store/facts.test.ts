import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { byCodeUnit, formatTime, parseTime } from '../../src/base/index.ts';
import { parseImageFacts, toImageFactsDocument, type ImageFacts } from '../../src/facts/index.ts';
import type { Finding, ScanRecord } from '../../src/findings/index.ts';
import { importFacts } from '../../src/store/scans/import-facts.ts';
import { readFacts } from '../../src/store/facts/facts.ts';
import { recordProofs, recordScan, type Proofs } from '../../src/store/scans/scans.ts';
import { triageStore } from '../../src/store/scans/triage.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { arbitraryImageFacts } from '../decision/arbitraries.ts';
import { runs } from '../runs.ts';
import { forEachEngine } from './engines.ts';
import { AT, digestOf, factsText, finding, rowsOf, scanOf } from './image-records.ts';

/** Act is one thing that changes what is known of an image. */
type Act =
  | { readonly kind: 'scan'; readonly scan: ScanRecord; readonly names: readonly string[] }
  | { readonly kind: 'triage'; readonly cve: string; readonly until: number }
  | { readonly kind: 'end'; readonly nth: number }
  | { readonly kind: 'proofs'; readonly proofs: Proofs };

const CVES = ['CVE-1', 'CVE-2', 'CVE-3'] as const;
const text = fc.oneof(
  fc.constantFrom('openssl', 'zlib', 'é', '\u{1f600}'),
  fc.string({ unit: 'binary', maxLength: 4 }),
  fc.constant('a\0b\ud800'),
);
const arbitraryFinding: fc.Arbitrary<Finding> = fc
  .record({
    cve: fc.constantFrom(...CVES),
    severity: fc.constantFrom('CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'UNKNOWN'),
    package: text,
    installed: text,
    fixed: fc.option(text.filter((value) => value !== '')),
    knownExploited: fc.constantFrom(true, false, null),
  })
  .map(({ cve, severity, ...more }) => finding(cve, severity as Finding['severity'], more));
const arbitraryScan: fc.Arbitrary<ScanRecord> = fc.record({
  scannedAt: fc.option(fc.integer({ min: 0, max: 5 }).map((hour) => formatTime(AT - hour * 3_600_000))),
  scanner: fc.option(
    fc.constant({ name: 'trivy', version: '0.69.1', dbUpdatedAt: formatTime(AT - 7_200_000) }),
  ),
  os: fc.option(fc.record({ family: text, name: text, eosl: fc.boolean() })),
  findings: fc.option(fc.array(arbitraryFinding, { maxLength: 5 }), { freq: 5 }),
});
const list = <T>(...values: T[]) =>
  fc.constantFrom<readonly T[] | null | undefined>(values, [], null, undefined);
const acts: fc.Arbitrary<Act[]> = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('scan' as const),
        scan: arbitraryScan,
        names: fc.subarray(['ghcr.io/acme/web:2', 'ghcr.io/acme/web:1', 'quay.io/acme/web:1']),
      }),
    },
    fc.record({
      kind: fc.constant('triage' as const),
      cve: fc.constantFrom(...CVES),
      until: fc.integer({ min: 1, max: 9 }).map((hours) => AT + hours * 3_600_000),
    }),
    fc.record({ kind: fc.constant('end' as const), nth: fc.nat(3) }),
    fc.record({
      kind: fc.constant('proofs' as const),
      proofs: fc
        .record({
          signatures: list({
            identity: 'a@acme.example',
            issuer: 'https://issuer',
            payload: null,
            signature: null,
            payloadType: null,
          }),
          provenance: list(
            { builderId: 'https://builder', signer: 'x', issuer: null },
            {
              ...{ builderId: 'https://builder', signer: null, issuer: null },
              proof: { payload: 'eA==', signature: 'eQ==', payloadType: 'application/vnd.in-toto+json' },
            },
          ),
        })
        .map(
          (proofs) =>
            Object.fromEntries(Object.entries(proofs).filter(([, value]) => value !== undefined)) as Proofs,
        ),
    }),
  ),
  { minLength: 1, maxLength: 8 },
);

/** What the store should know after the acts, worked out with no database. */
class Model {
  readonly #digest: string;
  #names = new Set<string>();
  #scan: ScanRecord | null = null;
  #proofs: Required<Proofs> | null = null;
  readonly #triage: { cve: string; until: number; ended: number | null }[] = [];

  constructor(digest: string) {
    this.#digest = digest;
  }

  take(act: Act, at: number): void {
    switch (act.kind) {
      case 'scan': {
        for (const name of act.names) this.#names.add(name);
        const { findings, scannedAt } = act.scan;
        const time = (value: string | null): number => (value === null ? -1 : parseTime(value));
        if (findings === null || (this.#scan !== null && time(scannedAt) < time(this.#scan.scannedAt)))
          return;
        const before = this.#scan?.findings ?? [];
        const said = (cve: string): boolean | null => {
          const answers = before.filter((one) => one.cve === cve).map(({ knownExploited }) => knownExploited);
          return answers.includes(true) ? true : answers.includes(false) ? false : null;
        };
        const cleaned = findings.map((one) => ({
          ...one,
          package: clean(one.package),
          installed: clean(one.installed),
          fixed: one.fixed === null ? null : clean(one.fixed),
          knownExploited: one.knownExploited ?? said(one.cve),
        }));
        const { os } = act.scan;
        this.#scan = {
          ...act.scan,
          os: os && { ...os, family: clean(os.family), name: clean(os.name) },
          findings: cleaned,
        };
        return;
      }
      case 'triage':
        this.#triage.push({ cve: act.cve, until: act.until, ended: null });
        return;
      case 'end': {
        const entry = this.#triage[act.nth];
        if (entry !== undefined && entry.ended === null && entry.until > at) entry.ended = at;
        return;
      }
      case 'proofs':
        this.#proofs = {
          ...(this.#proofs ?? { signatures: null, attestations: null, provenance: null, vex: null }),
          ...act.proofs,
        };
    }
  }

  facts(): ImageFacts | null {
    if (this.#scan === null && this.#proofs === null) return null;
    const unknown = { signatures: null, attestations: null, provenance: null, vex: null };
    const findings = this.#scan?.findings?.map((one) => {
      const ends = this.#triage
        .filter(({ cve }) => cve === one.cve)
        .map(({ until, ended }) => Math.min(until, ended ?? Infinity));
      const until = Math.max(-Infinity, ...ends);
      return { ...one, triagedUntil: until === -Infinity ? null : formatTime(until), triagedUntilMs: until };
    });
    return {
      digest: this.#digest,
      names: [...this.#names].toSorted(byCodeUnit),
      scan: this.#scan && { ...this.#scan, findings: findings ?? null },
      ...(this.#proofs ?? unknown),
    };
  }
}

function clean(value: string): string {
  return value.toWellFormed().replaceAll('\0', '\u{FFFD}');
}

async function perform(store: Store, digest: string, act: Act, at: number, ids: number[]): Promise<void> {
  switch (act.kind) {
    case 'scan':
      await store.write((transaction) =>
        recordScan(transaction, { digest, names: act.names, source: null, scan: act.scan, at }),
      );
      return;
    case 'triage': {
      const entry = {
        digest,
        cve: act.cve,
        severity: null,
        reason: 'r',
        triagedBy: 'ann',
        accountId: null,
        createdAt: at,
        until: act.until,
      };
      ids.push((await triageStore(store).create(entry)).id);
      return;
    }
    case 'end': {
      const id = ids[act.nth];
      if (id !== undefined) await triageStore(store).end(id, at);
      return;
    }
    case 'proofs':
      await store.write((transaction) => recordProofs(transaction, digest, act.proofs, at));
  }
}

/** What each engine stored, for comparing the engines with each other. */
const stored = new Map<string, string[]>();

forEachEngine('facts of an image', (engine) => {
  test('facts are what scans, triage and proofs come to, parse to the same, and change their version only when they change', async (t) => {
    const store = await engine.open(t);
    const texts: string[] = [];
    let n = 0;
    await fc.assert(
      fc.asyncProperty(acts, async (list) => {
        const digest = digestOf(++n);
        const model = new Model(digest);
        const ids: number[] = [];
        let before: { facts: string | null; facts_version: number } = { facts: null, facts_version: 0 };
        for (const [i, act] of list.entries()) {
          const at = AT + i;
          await perform(store, digest, act, at, ids);
          model.take(act, at);
          const now = (await factsText(store, digest)) ?? before;
          const expected = model.facts();
          assert.deepEqual(await readFacts(store.read, digest), expected);
          assert.equal(now.facts, expected && JSON.stringify(toImageFactsDocument(expected)));
          if (now.facts !== null) assert.deepEqual(parseImageFacts(JSON.parse(now.facts)), expected);
          assert.equal(now.facts_version, before.facts_version + (now.facts === before.facts ? 0 : 1));
          before = now;
          texts.push(now.facts ?? '');
        }
      }),
      { numRuns: runs(60), seed: 42, endOnFailure: true },
    );
    stored.set(engine.name, texts);
    await totalsHold(store);
  });

  test('what an export says of an image is the same after it was imported, but for what it cannot say of a scan', async (t) => {
    const store = await engine.open(t);
    let n = 0;
    await fc.assert(
      fc.asyncProperty(arbitraryImageFacts(), async (facts) => {
        const digest = digestOf(++n);
        await store.write((transaction) => importFacts(transaction, { ...facts, digest }, AT));
        const read = await readFacts(store.read, digest);
        const scan = facts.scan?.findings ? facts.scan : null;
        assert.deepEqual(read && { ...read, scan: read.scan && withoutEnds(read.scan) }, {
          ...facts,
          digest,
          names: facts.names.toSorted(byCodeUnit),
          scan: scan && withoutEnds(scan),
        });
        // An end that stands on one finding of a CVE holds for the others.
        assert.deepEqual(ends(read?.scan ?? null), ends(scan));
      }),
      { numRuns: runs(40) },
    );
  });

  test('two changes of one image at once both come into its facts', async (t) => {
    const store = await engine.open(t);
    const digest = digestOf(1);
    await store.write((transaction) =>
      recordScan(transaction, {
        digest,
        names: [],
        source: null,
        scan: scanOf([finding('CVE-1'), finding('CVE-2')]),
        at: AT,
      }),
    );
    const triage = (cve: string) =>
      triageStore(store).create({
        digest,
        cve,
        severity: null,
        reason: 'r',
        triagedBy: 'ann',
        accountId: null,
        createdAt: AT,
        until: AT + 1000,
      });
    await Promise.all([triage('CVE-1'), triage('CVE-2')]);
    const facts = await readFacts(store.read, digest);
    assert.deepEqual(
      facts?.scan?.findings?.map(({ triagedUntilMs }) => triagedUntilMs),
      [AT + 1000, AT + 1000],
    );
  });
});

test('both engines store the same texts', (t) => {
  if (stored.size < 2) return t.skip('one engine alone was at hand');
  assert.deepEqual(stored.get('postgres'), stored.get('sqlite'));
});

function withoutEnds(scan: ScanRecord): ScanRecord {
  return {
    ...scan,
    findings: (scan.findings ?? []).map((one) => ({ ...one, triagedUntil: null, triagedUntilMs: 0 })),
  };
}

function ends(scan: ScanRecord | null): readonly number[] {
  return (scan?.findings ?? []).map(({ triagedUntilMs }) => triagedUntilMs);
}

/** The totals by CVE are what counting the findings gives. */
async function totalsHold(store: Store): Promise<void> {
  const whole = await rowsOf(store, 'select * from cve_totals order by cve');
  const totals = whole.map((row) => ({ ...row, search: '' }));
  const counted = await rowsOf(
    store,
    `select cve, max(rank) as rank, case when max(e) = 2 then 2 when min(e) = 0 then 0 else 1 end as exploitation, '' as search, count(*) as images,
       sum(case when rank = 4 then 1 else 0 end) as critical, sum(case when rank = 3 then 1 else 0 end) as high,
       sum(case when rank = 2 then 1 else 0 end) as medium, sum(case when rank = 1 then 1 else 0 end) as low,
       sum(fixable) as fixable, sum(case when e = 2 then 1 else 0 end) as exploited,
       sum(case when e = 0 then 1 else 0 end) as not_exploited
     from (select cve, scan_id, max(rank) as rank, max(case when fixed is null then 0 else 1 end) as fixable,
             max(case known_exploited when 1 then 2 when 0 then 0 else 1 end) as e
           from findings group by cve, scan_id) as x group by cve order by cve`,
  );
  assert.deepEqual(totals, counted);
  assert.ok(totals.length > 0);
  const packages = await rowsOf(store, 'select distinct cve, package from findings');
  for (const { cve, search } of whole) {
    const own = packages.filter((one) => one.cve === cve).map((one) => String(one.package).toLowerCase());
    const names = [...new Set(own)].toSorted(byCodeUnit);
    assert.equal(search, [String(cve).toLowerCase(), ...names].join('\n'));
  }
  assert.deepEqual(
    await rowsOf(
      store,
      'select cve, package, fixed, findings from cve_packages order by cve, package, fixed',
    ),
    await rowsOf(
      store,
      `select cve, package, coalesce(fixed, '') as fixed, count(*) as findings from findings
       group by cve, package, coalesce(fixed, '') order by cve, package, fixed`,
    ),
  );
}
