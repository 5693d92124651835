import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { decide } from '../../src/decision/index.ts';
import {
  factsDigest,
  foundPackage,
  NO_FACTS,
  parseImageFacts,
  toImageFactsDocument,
  vexCounts,
  type Subject,
  type VexEntry,
} from '../../src/facts/index.ts';
import { parseReference } from '../../src/image/index.ts';
import type { VexPackage } from '../../src/vex/index.ts';
import { parsePolicies } from '../../src/policy/index.ts';
import { CVE, inToto, KEY, OTHER, signed, WEB } from './signed.ts';

const BASH = {
  package: 'bash',
  installed: '5.2',
  purl: 'pkg:deb/debian/bash@5.2?arch=amd64&distro=debian-12.5',
};
const CURL = {
  package: 'curl',
  installed: '8.0',
  purl: 'pkg:deb/debian/curl@8.0?arch=amd64&distro=debian-12.5',
};
const KEYLESS = { identity: 'alice', issuer: null, payload: null, signature: null, payloadType: null };

suite('a statement that is limited to packages', () => {
  const entry: VexEntry = { ...KEYLESS, cve: CVE, status: 'fixed', packages: ['pkg:deb/debian/bash'] };
  const signers = [{ identity: 'alice' }];
  const asked = (of: VexEntry, found: VexPackage | null) => vexCounts(of, WEB, CVE, signers, found);

  test('counts only for those, and for none where the package is not told', () => {
    assert.ok(asked(entry, BASH));
    assert.ok(!asked(entry, CURL));
    assert.ok(!asked(entry, null));
    assert.ok(asked({ ...entry, packages: null }, CURL));
    assert.ok(!asked({ ...entry, packages: [] }, BASH));
  });
  test('is signed with its limits: a record that has lost them does not widen it', () => {
    const products = [
      { '@id': `pkg:oci/web@${encodeURIComponent(WEB)}`, subcomponents: [{ '@id': 'pkg:deb/debian/bash' }] },
    ];
    const document = { statements: [{ vulnerability: CVE, status: 'fixed', products }] };
    const wide: VexEntry = { ...signed(document), cve: CVE, status: 'fixed', packages: null };
    assert.ok(vexCounts(wide, WEB, CVE, [{ key: KEY }], BASH));
    assert.ok(!vexCounts(wide, WEB, CVE, [{ key: KEY }], CURL));
  });
  test('keeps its limits in an export, and without any is written as before', () => {
    const facts = { ...NO_FACTS, digest: WEB, vex: [entry] };
    assert.deepEqual(parseImageFacts(toImageFactsDocument(facts)).vex?.[0]?.packages, entry.packages);
    const { packages: _none, ...plain } = entry;
    const whole = { ...facts, vex: [{ ...entry, packages: null }] };
    assert.equal(factsDigest(whole), factsDigest({ ...facts, vex: [plain] }));
    assert.notEqual(factsDigest(facts), factsDigest(whole));
    assert.ok(!JSON.stringify(toImageFactsDocument(whole)).includes('packages'));
  });
  test('takes the finding in its package out, and leaves that of the same CVE in another', () => {
    const text = `apiVersion: ipo.dev/v1
kind: ImagePolicy
metadata: { name: p }
spec: { vex: { mode: apply, trustedIssuers: [{ identity: alice }] } }`;
    const [parsed] = parsePolicies(text, 'p.yaml').policies;
    const policy = parsed?.policy;
    const reference = parseReference(`ghcr.io/acme/web@${WEB}`);
    assert.ok(policy !== undefined && !('fault' in reference));
    const finding = (found: typeof BASH) => ({
      cve: CVE,
      severity: 'CRITICAL',
      fixed: null,
      known_exploited: false,
      triaged_until: null,
      ...found,
    });
    const judged = (...found: readonly (typeof BASH)[]) => {
      const { vex: _vex, ...document } = toImageFactsDocument({ ...NO_FACTS, digest: WEB });
      const scan = { scanned_at: null, scanner: null, os: null, findings: found.map(finding) };
      const facts = { ...parseImageFacts({ ...document, scan }), vex: [entry] };
      const subject: Subject = {
        ...{ reference, digest: WEB, facts, signals: [], exposedBy: null, quota: null },
        ...{ coldImagePolicy: 'AllowAndScan', breakGlass: null },
      };
      return decide(policy, subject, 0).kind;
    };
    assert.equal(judged(BASH), 'admit');
    assert.equal(judged(CURL), 'refuse');
    assert.equal(judged(BASH, CURL), 'refuse');
    assert.equal(judged(CURL, BASH), 'refuse');
  });
  test('is told by the operating system of a scan where findings have no package URL, and else not at all', () => {
    const found = { package: 'bash', installed: '5.2' };
    const os = (family: string, name: string) => ({ family, name, eosl: false });
    assert.ok(asked(entry, foundPackage(found, os('debian', '12.5'))));
    assert.ok(!asked(entry, foundPackage(found, os('alpine', '3.18.4'))));
    assert.ok(!asked(entry, foundPackage(found, os('ubuntu', '22.04'))));
    assert.ok(!asked(entry, foundPackage(found, null)));
    const bookworm = { ...entry, packages: ['pkg:deb/debian/bash?distro=debian-12'] };
    assert.ok(asked(bookworm, foundPackage(found, os('debian', '12.5'))));
    assert.ok(!asked(bookworm, foundPackage(found, os('debian', '11.9'))));
    const go = { package: 'golang.org/x/net', installed: 'v0.1.0' };
    assert.ok(asked({ ...entry, packages: ['pkg:golang/golang.org/x/net'] }, foundPackage(go, null)));
  });
  test('keeps the package URL of a finding in an export, which writes those without one as before', () => {
    const { vex: _vex, ...document } = toImageFactsDocument({ ...NO_FACTS, digest: WEB });
    const finding = { cve: CVE, severity: 'HIGH', package: 'bash', installed: '5.2', fixed: null };
    const read = (purl: string | null) =>
      parseImageFacts({
        ...document,
        scan: { findings: [{ ...finding, ...(purl === null ? {} : { purl }) }] },
      });
    const again = parseImageFacts(toImageFactsDocument(read(BASH.purl)));
    assert.equal(again.scan?.findings?.[0]?.purl, BASH.purl);
    assert.equal(factsDigest(again), factsDigest(read(BASH.purl)));
    assert.notEqual(factsDigest(again), factsDigest(read(null)));
    assert.ok(!JSON.stringify(toImageFactsDocument(read(null))).includes('purl'));
  });
});

suite('the other formats, signed by a key', () => {
  const purl = `pkg:oci/web@${encodeURIComponent(WEB)}`;
  const csaf = (product: string) => ({
    document: {
      csaf_version: '2.0',
      tracking: { status: 'final', current_release_date: '2026-01-01T00:00:00Z' },
    },
    product_tree: {
      full_product_names: [{ product_id: 'A', product_identification_helper: { purl: product } }],
    },
    vulnerabilities: [{ cve: CVE, product_status: { known_not_affected: ['A'] } }],
  });
  const bom = (product: string) => ({
    bomFormat: 'CycloneDX',
    metadata: { component: { 'bom-ref': 'image', purl: product } },
    vulnerabilities: [{ id: CVE, analysis: { state: 'not_affected' }, affects: [{ ref: 'image' }] }],
  });
  const other = `pkg:oci/web@${encodeURIComponent(OTHER)}`;
  const counts = (payload: unknown) =>
    vexCounts({ ...signed(payload), cve: CVE, status: 'not_affected' }, WEB, CVE, [{ key: KEY }], BASH);
  for (const [name, document] of Object.entries({ csaf, bom })) {
    test(`${name} counts for the digest that it names, bare or attached`, () => {
      assert.ok(counts(document(purl)));
      assert.ok(!counts(document(other)));
      assert.ok(counts(inToto(WEB, 'vex', document('pkg:oci/web'))));
      assert.ok(!counts(inToto(WEB, 'vex', document(other))));
      assert.ok(!counts(inToto(OTHER, 'vex', document(purl))));
    });
  }
});
