import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { MAX_STATEMENTS, MAX_VEX_BYTES, readVex, toVexDocument } from '../../src/vex/index.ts';

const of = (document: object): ReturnType<typeof toVexDocument> => toVexDocument(document);
const statementsOf = (document: object) => {
  const read = of(document);
  assert.ok('statements' in read, 'fault' in read ? read.fault : '');
  return read.statements;
};

suite('OpenVEX', () => {
  const one = (statement: object, more: object = {}) =>
    statementsOf({
      '@context': 'https://openvex.dev/ns/v0.2.0',
      ...more,
      statements: [{ vulnerability: { name: 'CVE-1' }, status: 'fixed', ...statement }],
    })[0];

  test('a statement without a time takes that of the document', () => {
    const time = '2026-01-01T00:00:00Z';
    assert.equal(one({}, { timestamp: time })?.at, Date.parse(time));
    assert.equal(
      one({ timestamp: '2026-02-01T00:00:00Z' }, { timestamp: time })?.at,
      Date.parse('2026-02-01'),
    );
    assert.equal(one({ timestamp: 'soon' })?.at, null);
  });
  test('an address of a vulnerability names the id that it ends in', () =>
    assert.deepEqual(
      one({
        vulnerability: { '@id': 'https://nvd.nist.gov/vuln/detail/CVE-2019-17571', aliases: ['GHSA-1'] },
      })?.ids,
      ['GHSA-1', 'CVE-2019-17571'],
    ));
  test('a status of another format takes nothing out', () =>
    assert.equal(one({ status: 'resolved' })?.status, 'under_investigation'));
  test('a statement without a vulnerability is none', () =>
    assert.deepEqual(statementsOf({ statements: [{ status: 'fixed' }, 7, null] }), []));
  test('parts of 0.0.1 limit every product of the statement', () =>
    assert.deepEqual(one({ products: ['pkg:oci/a'], subcomponents: ['pkg:apk/b'] })?.products, [
      { names: ['pkg:oci/a'], hashes: [], parts: ['pkg:apk/b'] },
    ]));
  test('parts that cannot be read cover nothing', () =>
    assert.deepEqual(
      one({ products: [{ '@id': 'pkg:oci/a', subcomponents: [{}, 3] }] })?.products?.[0]?.parts,
      [],
    ));
  test('a name beside a package URL does not cover every version', () => {
    const part = { '@id': 'bash', identifiers: { purl: 'pkg:deb/debian/bash@5' } };
    const products = [{ '@id': 'pkg:oci/a', subcomponents: [part] }];
    assert.deepEqual(one({ products })?.products?.[0]?.parts, ['pkg:deb/debian/bash@5']);
  });
  test('no products and an empty list are what the document is attached to', () => {
    assert.equal(one({})?.products, null);
    assert.equal(one({ products: [] })?.products, null);
  });
});

suite('CSAF', () => {
  const csaf = (status: object, tree: object, tracking: object = {}) => ({
    document: {
      category: 'csaf_vex',
      csaf_version: '2.0',
      tracking: { status: 'final', current_release_date: '2026-01-01T00:00:00Z', ...tracking },
    },
    product_tree: tree,
    vulnerabilities: [{ cve: 'CVE-1', product_status: status }],
  });
  const product = (id: string, purl: string) => ({
    name: id,
    product_id: id,
    product_identification_helper: { purl },
  });

  test('a product of a branch, of the full names and of CSAF 2.1 is found', () => {
    const tree = {
      branches: [{ branches: [{ product: product('A', 'pkg:oci/a') }] }],
      full_product_names: [
        product('B', 'pkg:oci/b'),
        { product_id: 'C', product_identification_helper: { purls: ['pkg:oci/c', 'pkg:oci/d'] } },
      ],
    };
    const [statement] = statementsOf(csaf({ known_not_affected: ['A', 'B', 'C', 'D'] }, tree));
    assert.deepEqual(
      statement?.products?.map(({ names }) => names),
      [['pkg:oci/a'], ['pkg:oci/b'], ['pkg:oci/c', 'pkg:oci/d']],
    );
  });
  test('a component of a product limits the statement to the component', () => {
    const tree = {
      full_product_names: [product('IMAGE', 'pkg:oci/a'), product('PART', 'pkg:rpm/bash')],
      relationships: [
        {
          category: 'default_component_of',
          product_reference: 'PART',
          relates_to_product_reference: 'IMAGE',
          full_product_name: { name: 'both', product_id: 'IMAGE:PART' },
        },
      ],
    };
    const [statement] = statementsOf(csaf({ fixed: ['IMAGE:PART'] }, tree));
    assert.deepEqual(statement?.products, [{ names: ['pkg:oci/a'], hashes: [], parts: ['pkg:rpm/bash'] }]);
  });
  test('a component without a name that can be told covers nothing', () => {
    const tree = {
      full_product_names: [product('IMAGE', 'pkg:oci/a'), { product_id: 'PART', name: 'bash' }],
      relationships: [
        {
          product_reference: 'PART',
          relates_to_product_reference: 'IMAGE',
          full_product_name: { product_id: 'IMAGE:PART' },
        },
      ],
    };
    const [statement] = statementsOf(csaf({ fixed: ['IMAGE:PART'] }, tree));
    assert.deepEqual(statement?.products?.[0]?.parts, []);
  });
  test('a draft is not a statement of the producer yet', () =>
    assert.ok('fault' in of(csaf({ fixed: ['A'] }, {}, { status: 'draft' }))));
  test('a product of both lists is told both ways, so that the careful one can rule', () => {
    const tree = { full_product_names: [product('A', 'pkg:oci/a')] };
    const statuses = statementsOf(csaf({ fixed: ['A'], known_affected: ['A'] }, tree)).map(
      ({ status }) => status,
    );
    assert.deepEqual(statuses.toSorted(), ['affected', 'fixed']);
  });
  test('the hash of a product is read', () => {
    const hash = 'A'.repeat(64);
    const tree = {
      full_product_names: [
        {
          product_id: 'A',
          product_identification_helper: {
            hashes: [{ file_hashes: [{ algorithm: 'sha256', value: hash }] }],
          },
        },
      ],
    };
    assert.deepEqual(statementsOf(csaf({ fixed: ['A'] }, tree))[0]?.products?.[0]?.hashes, [
      hash.toLowerCase(),
    ]);
  });
});

suite('CycloneDX', () => {
  const bom = (vulnerability: object, more: object = {}) => ({
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    metadata: {
      timestamp: '2026-01-01T00:00:00Z',
      component: { 'bom-ref': 'image', type: 'container', purl: 'pkg:oci/a' },
    },
    components: [
      {
        'bom-ref': 'part',
        purl: 'pkg:apk/alpine/bash@5',
        components: [{ 'bom-ref': 'inner', purl: 'pkg:npm/x' }],
      },
    ],
    ...more,
    vulnerabilities: [{ id: 'CVE-1', affects: [{ ref: 'image' }], ...vulnerability }],
  });
  const states: readonly (readonly [string, string])[] = [
    ['not_affected', 'not_affected'],
    ['false_positive', 'not_affected'],
    ['resolved', 'fixed'],
    ['resolved_with_pedigree', 'fixed'],
    ['exploitable', 'affected'],
    ['in_triage', 'under_investigation'],
    ['toString', 'under_investigation'],
  ];
  for (const [state, status] of states)
    test(`${state} is ${status}`, () =>
      assert.equal(statementsOf(bom({ analysis: { state } }))[0]?.status, status));
  test('a vulnerability without an analysis says nothing', () => assert.deepEqual(statementsOf(bom({})), []));
  test('a component is a part of what the document is of', () => {
    const [statement] = statementsOf(bom({ analysis: { state: 'resolved' }, affects: [{ ref: 'inner' }] }));
    assert.deepEqual(statement?.products, [
      { names: ['pkg:oci/a', 'image'], hashes: [], parts: ['pkg:npm/x'] },
    ]);
  });
  test('an image among the components is a product of its own', () => {
    const components = [{ 'bom-ref': 'other', purl: 'pkg:oci/b@sha256%3Aff' }];
    const [statement] = statementsOf(
      bom({ analysis: { state: 'resolved' }, affects: [{ ref: 'other' }] }, { components }),
    );
    assert.deepEqual(statement?.products?.[0]?.names, ['pkg:oci/b@sha256%3Aff', 'other']);
  });
  test('an image is named by its name and its version where tools write the digest there', () => {
    const component = { 'bom-ref': 'x', name: 'ghcr.io/acme/web', version: 'sha256:ff' };
    const [statement] = statementsOf(
      bom({ analysis: { state: 'resolved' }, affects: [{ ref: 'x' }] }, { metadata: { component } }),
    );
    assert.deepEqual(statement?.products?.[0]?.names, ['x', 'ghcr.io/acme/web', 'sha256:ff']);
  });
  test('a link to another document names its element', () => {
    const ref = 'urn:cdx:3e671687-395b-41f5-a30f-a58921a69b79/1#pkg%3Aoci%2Fa%40sha256%3Aff';
    const [statement] = statementsOf(bom({ analysis: { state: 'resolved' }, affects: [{ ref }] }));
    assert.deepEqual(statement?.products?.[0]?.names, ['pkg:oci/a@sha256:ff']);
  });
  test('the time of the analysis goes before that of the document', () => {
    const lastUpdated = '2026-03-01T00:00:00Z';
    assert.equal(
      statementsOf(bom({ analysis: { state: 'resolved', lastUpdated } }))[0]?.at,
      Date.parse(lastUpdated),
    );
    assert.equal(statementsOf(bom({ analysis: { state: 'resolved' } }))[0]?.at, Date.parse('2026-01-01'));
  });
});

suite('what is not a document', () => {
  const faults: readonly (readonly [string, Uint8Array])[] = [
    ['nothing', Buffer.alloc(0)],
    ['no JSON', Buffer.from('{')],
    ['no text', Buffer.from([0x22, 0xff, 0x22])],
    ['a list', Buffer.from('[]')],
    ['another format', Buffer.from('{"SchemaVersion":2}')],
    ['another JSON-LD', Buffer.from('{"@context":"https://schema.org","statements":[]}')],
  ];
  for (const [name, bytes] of faults) test(name, () => assert.ok('fault' in readVex(bytes)));
  test('one that is too large', () => assert.ok('fault' in readVex(Buffer.alloc(MAX_VEX_BYTES + 1, ' '))));
  test('one that makes too many statements', () => {
    const products = Array.from({ length: MAX_STATEMENTS / 100 + 1 }, () => 'x');
    const statements = Array.from({ length: 100 }, () => ({
      vulnerability: 'CVE-1',
      status: 'fixed',
      products,
    }));
    assert.ok('fault' in of({ statements }));
  });
  test('one whose few statements multiply: many aliases, in many parts', () => {
    const many = Array.from({ length: 1000 }, (_, i) => `x-${i}`);
    const vulnerability = { name: 'CVE-1', aliases: many };
    const products = [{ '@id': 'pkg:oci/a', subcomponents: many }];
    assert.ok('fault' in of({ statements: [{ vulnerability, status: 'fixed', products }] }));
  });
  test('the wrapping of early versions of cosign is taken off, object or text', () => {
    const document = { statements: [{ vulnerability: 'CVE-1', status: 'fixed' }] };
    assert.equal(statementsOf({ Data: document, Timestamp: '' }).length, 1);
    assert.equal(statementsOf({ Data: JSON.stringify(document) }).length, 1);
  });
});
