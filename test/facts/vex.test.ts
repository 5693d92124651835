import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { vexCounts } from '../../src/facts/index.ts';
import { CVE, inToto, KEY, OTHER, signed, WEB } from './signed.ts';

suite('what an OpenVEX document must state', () => {
  const signers = [{ key: KEY }];
  const product = { products: [{ '@id': `pkg:oci/web@${WEB}` }] };
  const statement = (more: object = {}): object => ({
    vulnerability: { name: CVE },
    status: 'not_affected',
    ...product,
    ...more,
  });
  const document = (...statements: readonly unknown[]): unknown => ({
    timestamp: '2026-10-01T00:00:00Z',
    statements,
  });
  const asked = (payload: unknown, status = 'not_affected', cve = CVE): boolean =>
    vexCounts({ ...signed(payload), cve, status }, WEB, cve, signers);

  const table: readonly (readonly [name: string, payload: unknown, counts: boolean])[] = [
    ['the CVE by name', document(statement()), true],
    ['the CVE as a text', document(statement({ vulnerability: CVE })), true],
    ['the CVE by its @id', document(statement({ vulnerability: { '@id': CVE } })), true],
    [
      'the CVE as an alias',
      document(statement({ vulnerability: { name: 'GHSA-jfh8-c2jp-5v3q', aliases: [CVE] } })),
      true,
    ],
    ['another CVE that begins alike', document(statement({ vulnerability: { name: `${CVE}9` } })), false],
    [
      'the digest as a hash',
      document(statement({ products: [{ '@id': 'web', hashes: { 'sha-256': WEB.slice(7) } }] })),
      true,
    ],
    [
      'the digest as an identifier',
      document(
        statement({
          products: [{ '@id': 'web', identifiers: { purl: `pkg:oci/web@${encodeURIComponent(WEB)}` } }],
        }),
      ),
      true,
    ],
    ['the digest as a plain text', document(statement({ products: [`pkg:oci/web@${WEB}`] })), true],
    [
      'the digest as one of several',
      document(statement({ products: [{ '@id': OTHER }, { '@id': WEB }] })),
      true,
    ],
    ['no product', document(statement({ products: [] })), false],
    ['no digest', document(statement({ products: [{ '@id': 'pkg:oci/web' }] })), false],
    ['another digest', document(statement({ products: [{ '@id': OTHER }] })), false],
    [
      'the digest as a part of another product',
      document(statement({ products: [{ '@id': OTHER, subcomponents: [{ '@id': WEB }] }] })),
      false,
    ],
    [
      'a statement about the digest without products',
      inToto(WEB, 'vex', document(statement({ products: undefined }))),
      true,
    ],
    [
      'a statement about the digest with a product without one',
      inToto(WEB, 'vex', document(statement({ products: [{ '@id': 'pkg:oci/web' }] }))),
      true,
    ],
    [
      'a statement about the digest with the product of another',
      inToto(
        WEB,
        'vex',
        document(statement({ products: [{ '@id': `pkg:oci/web@${encodeURIComponent(OTHER)}` }] })),
      ),
      false,
    ],
    ['a statement about another digest', inToto(OTHER, 'vex', document(statement())), false],
    [
      'a newer statement that takes it back',
      document(
        statement({ timestamp: '2026-10-01T00:00:00Z' }),
        statement({ status: 'affected', timestamp: '2026-10-02T00:00:00Z' }),
      ),
      false,
    ],
    [
      'an older statement to the contrary',
      document(statement({ status: 'affected', timestamp: '2026-09-01T00:00:00Z' }), statement()),
      true,
    ],
    [
      'a newer statement about another CVE',
      document(statement(), {
        vulnerability: 'CVE-1',
        status: 'affected',
        timestamp: '2026-11-01T00:00:00Z',
        ...product,
      }),
      true,
    ],
    [
      'of two at one time the later',
      document(statement(), statement({ status: 'under_investigation' })),
      false,
    ],
    ['no statements', document(), false],
    ['statements that are no list', { statements: statement() }, false],
    ['statements that are none', document(null, 7, 'x', []), false],
  ];
  for (const [name, payload, counts] of table) {
    test(`${name} ${counts ? 'counts' : 'does not count'}`, () => assert.equal(asked(payload), counts));
  }

  test('the status is that of the entry and of the payload', () => {
    assert.ok(asked(document(statement({ status: 'fixed' })), 'fixed'));
    assert.ok(!asked(document(statement({ status: 'fixed' })), 'not_affected'));
    assert.ok(!asked(document(statement({ status: 'affected' })), 'affected'), 'affected takes nothing out');
    assert.ok(!asked(document(statement({ status: 'under_investigation' })), 'under_investigation'));
  });

  test('the CVE asked for is that of the entry', () => {
    const entry = { ...signed(document(statement())), cve: CVE, status: 'not_affected' };
    assert.ok(!vexCounts(entry, WEB, 'CVE-2021-45046', signers));
  });
});
