import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { claimsAbout, coversPackage, coverOf, toVexDocument } from '../../src/vex/index.ts';

const WEB = `sha256:${'a'.repeat(64)}`;
const CVE = 'CVE-2025-26519';

/** Whether a document that is attached to the image takes the CVE out of the package in a version. */
function takesOut(document: unknown, installed: string, purl = 'pkg:apk/alpine/musl'): boolean {
  const read = toVexDocument(document);
  assert.ok('statements' in read, 'fault' in read ? read.fault : '');
  const { claims } = claimsAbout(read, { digest: WEB, names: ['ghcr.io/acme/web'], attached: true });
  const name = purl.slice(purl.lastIndexOf('/') + 1);
  const found = { package: name, installed, purl: `${purl}@${encodeURIComponent(installed)}` };
  return coverOf(claims).some(
    ({ id, parts, except }) => id === CVE && coversPackage(parts, found, except ?? null),
  );
}

suite('CycloneDX: a statement covers the versions that it names and no other', () => {
  const bom = (
    versions: unknown,
    state = 'not_affected',
    musl: object = { purl: 'pkg:apk/alpine/musl' },
  ) => ({
    bomFormat: 'CycloneDX',
    metadata: { component: { 'bom-ref': 'image', purl: `pkg:oci/web@${encodeURIComponent(WEB)}` } },
    components: [{ 'bom-ref': 'musl', name: 'musl', ...musl }],
    vulnerabilities: [{ id: CVE, analysis: { state }, affects: [{ ref: 'musl', versions }] }],
  });
  const VERSION = { purl: 'pkg:apk/alpine/musl@1.2.4-r4' };
  const table: readonly (readonly [name: string, document: unknown, covers: boolean])[] = [
    ['no versions: every version', bom(undefined), true],
    ['an empty list: every version', bom([]), true],
    ['another version', bom([{ version: '9.9', status: 'unaffected' }]), false],
    ['this version', bom([{ version: '1.2.4-r4', status: 'unaffected' }]), true],
    ['this version, which is affected', bom([{ version: '1.2.4-r4', status: 'affected' }]), false],
    ['this version, without a status: it is affected', bom([{ version: '1.2.4-r4' }]), false],
    ['this version, of which nobody knows', bom([{ version: '1.2.4-r4', status: 'unknown' }]), false],
    ['this version, with a status that there is not', bom([{ version: '1.2.4-r4', status: 'fine' }]), false],
    [
      'another version beside this, which is affected',
      bom([
        { version: '9.9', status: 'unaffected' },
        { version: '1.2.4-r4', status: 'affected' },
      ]),
      false,
    ],
    [
      'a range around this version, which is affected',
      bom([
        { range: 'vers:apk/<2', status: 'unaffected' },
        { version: '1.2.4-r4', status: 'affected' },
      ]),
      false,
    ],
    [
      'this version in a range that is affected',
      bom([
        { version: '1.2.4-r4', status: 'unaffected' },
        { range: 'vers:apk/>=1.2|<1.2.5', status: 'affected' },
      ]),
      false,
    ],
    ['a range that has it', bom([{ range: 'vers:apk/>=1.2.4-r3|<2', status: 'unaffected' }]), true],
    ['a range that has it not', bom([{ range: 'vers:apk/>=1.2.4-r5|<2', status: 'unaffected' }]), false],
    ['a range of another ecosystem', bom([{ range: 'vers:npm/>=1|<2', status: 'unaffected' }]), false],
    ['a range that cannot be read', bom([{ range: '1.2.x', status: 'unaffected' }]), false],
    [
      'a range that cannot be read and is affected',
      bom([
        { version: '1.2.4-r4', status: 'unaffected' },
        { range: 'up to 1.2', status: 'affected' },
      ]),
      false,
    ],
    ['an entry without a version', bom([{ status: 'unaffected' }]), false],
    ['an entry with both', bom([{ version: '1.2.4-r4', range: 'vers:apk/*', status: 'unaffected' }]), false],
    ['versions that are no list', bom('1.2.4-r4'), false],
    ['entries that are no objects', bom(['1.2.4-r4', null, 7]), false],
    [
      'exploitable, and this version unaffected: the two contradict',
      bom([{ version: '1.2.4-r4', status: 'unaffected' }], 'exploitable'),
      false,
    ],
    ['resolved in this version', bom([{ version: '1.2.4-r4', status: 'unaffected' }], 'resolved'), true],
    [
      'resolved, in a version before it affected',
      bom([{ version: '1.2.4-r4', status: 'affected' }], 'resolved'),
      false,
    ],
    ['a component in this version', bom(undefined, 'not_affected', VERSION), true],
    [
      'a component in this version that is unaffected',
      bom([{ version: '1.2.4-r4', status: 'unaffected' }], 'not_affected', VERSION),
      true,
    ],
    [
      'a component in this version, another being unaffected',
      bom([{ version: '9.9', status: 'unaffected' }], 'not_affected', VERSION),
      false,
    ],
    [
      'a component in this version that is affected',
      bom([{ version: '1.2.4-r4', status: 'affected' }], 'not_affected', VERSION),
      false,
    ],
    [
      'a component in another version',
      bom(undefined, 'not_affected', { purl: 'pkg:apk/alpine/musl@9.9' }),
      false,
    ],
    [
      'a component whose version stands beside its package URL',
      bom(undefined, 'not_affected', { purl: 'pkg:apk/alpine/musl', version: '9.9' }),
      false,
    ],
    [
      'a component whose reference is its package URL without a version',
      bom(undefined, 'not_affected', {
        'bom-ref': 'musl',
        purl: 'pkg:apk/alpine/musl@9.9',
        name: 'pkg:apk/alpine/musl',
      }),
      false,
    ],
  ];
  for (const [name, document, covers] of table)
    test(`${name} ${covers ? 'covers' : 'does not cover'}`, () =>
      assert.equal(takesOut(document, '1.2.4-r4'), covers));

  test('a BOM-Link with versions is limited to them', () => {
    const linked = (versions: unknown) => ({
      bomFormat: 'CycloneDX',
      vulnerabilities: [
        {
          id: CVE,
          analysis: { state: 'not_affected' },
          affects: [{ ref: 'urn:cdx:3e671687/1#pkg:apk/alpine/musl', versions }],
        },
      ],
    });
    assert.ok(takesOut(linked([{ version: '1.2.4-r4', status: 'unaffected' }]), '1.2.4-r4'));
    assert.ok(!takesOut(linked([{ version: '9.9', status: 'unaffected' }]), '1.2.4-r4'));
  });
  test('versions of the image itself are those of the image: none that is not known takes anything out', () => {
    const image = (versions: unknown, version?: string) => ({
      bomFormat: 'CycloneDX',
      metadata: {
        component: { 'bom-ref': 'image', purl: `pkg:oci/web@${encodeURIComponent(WEB)}`, version },
      },
      vulnerabilities: [
        { id: CVE, analysis: { state: 'not_affected' }, affects: [{ ref: 'image', versions }] },
      ],
    });
    assert.ok(takesOut(image(undefined), '1.2.4-r4'));
    assert.ok(takesOut(image([{ version: WEB, status: 'unaffected' }]), '1.2.4-r4'));
    assert.ok(takesOut(image([{ range: 'vers:semver/>=2', status: 'unaffected' }], '2.1.0'), '1.2.4-r4'));
    assert.ok(!takesOut(image([{ range: 'vers:semver/>=3', status: 'unaffected' }], '2.1.0'), '1.2.4-r4'));
    assert.ok(!takesOut(image([{ version: '1.2.4-r4', status: 'unaffected' }]), '1.2.4-r4'));
    assert.ok(!takesOut(image([{ version: WEB, status: 'affected' }]), '1.2.4-r4'));
  });
});

suite('CSAF: a branch of a version or of a range limits what is below it', () => {
  const csaf = (
    category: string,
    name: string,
    status = 'known_not_affected',
    purl = 'pkg:apk/alpine/musl',
  ) => ({
    document: {
      csaf_version: '2.0',
      tracking: { status: 'final', current_release_date: '2026-01-01T00:00:00Z' },
    },
    product_tree: {
      branches: [
        {
          category: 'product_name',
          name: 'musl',
          branches: [
            { category, name, product: { product_id: 'A', product_identification_helper: { purl } } },
          ],
        },
      ],
    },
    vulnerabilities: [{ cve: CVE, product_status: { [status]: ['A'] } }],
  });
  const table: readonly (readonly [name: string, document: unknown, covers: boolean])[] = [
    ['a range that has it', csaf('product_version_range', 'vers:apk/>=1.2|<2'), true],
    ['a range that has it not', csaf('product_version_range', 'vers:apk/>=2|<3'), false],
    ['a range in words', csaf('product_version_range', '<2'), false],
    ['this version', csaf('product_version', '1.2.4-r4'), true],
    ['another version', csaf('product_version', '9.9'), false],
    ['a name', csaf('product_name', 'musl libc'), true],
    ['a version of its own', csaf('product_version', '9.9', 'fixed', 'pkg:apk/alpine/musl@1.2.4-r4'), true],
  ];
  for (const [name, document, covers] of table)
    test(`${name} ${covers ? 'covers' : 'does not cover'}`, () =>
      assert.equal(takesOut(document, '1.2.4-r4'), covers));
});

suite('OpenVEX: a part has the version that any of its names has', () => {
  const openVex = (...statements: readonly object[]) => ({
    '@context': 'https://openvex.dev/ns/v0.2.0',
    timestamp: '2026-01-01T00:00:00Z',
    statements: statements.map((one) => ({ vulnerability: { name: CVE }, status: 'not_affected', ...one })),
  });
  const part = (...subcomponents: readonly object[]) => ({
    products: [{ '@id': `pkg:oci/web@${encodeURIComponent(WEB)}`, subcomponents }],
  });
  test('an identifier with a version limits a name without one', () => {
    const named = { '@id': 'pkg:apk/alpine/musl', identifiers: { purl: 'pkg:apk/alpine/musl@9.9' } };
    assert.ok(!takesOut(openVex(part(named)), '1.2.4-r4'));
    assert.ok(takesOut(openVex(part(named)), '9.9'));
  });
  test('a range is read as the qualifier of a package URL', () => {
    const range = (text: string) => part({ '@id': `pkg:apk/alpine/musl?vers=${encodeURIComponent(text)}` });
    assert.ok(takesOut(openVex(range('vers:apk/<1.2.5')), '1.2.4-r4'));
    assert.ok(!takesOut(openVex(range('vers:apk/<1.2.4')), '1.2.4-r4'));
  });
  test('a version that is said to be affected is not covered by what is said of all', () => {
    const all = part({ '@id': 'pkg:apk/alpine/musl' });
    const affected = { ...part({ '@id': 'pkg:apk/alpine/musl@1.2.4-r4' }), status: 'affected' };
    assert.ok(takesOut(openVex(all), '1.2.4-r4'));
    assert.ok(!takesOut(openVex(all, affected), '1.2.4-r4'));
    assert.ok(takesOut(openVex(all, affected), '1.2.5-r0'));
    assert.ok(takesOut(openVex(affected, { ...all, timestamp: '2026-02-01T00:00:00Z' }), '1.2.4-r4'));
  });
});
