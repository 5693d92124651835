import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { FeedError, parseKevCatalogue } from '../../../src/adapters/feeds/index.ts';

suite('the catalogue of known exploited vulnerabilities', () => {
  test('gives its CVE ids', () => {
    const text = JSON.stringify({
      title: 'x',
      vulnerabilities: [{ cveID: 'CVE-2026-0001', product: 'a' }, { cveID: 'CVE-2021-44228' }],
    });
    assert.deepEqual([...parseKevCatalogue(text, 'kev.json')], ['CVE-2026-0001', 'CVE-2021-44228']);
  });

  const cases: readonly (readonly [string, string, RegExp])[] = [
    ['no JSON', '<html>', /not JSON/],
    ['cut off', '{"vulnerabilities":[{"cveID":"CVE-2026-00', /not JSON, or was cut off/],
    ['another document', '{"SchemaVersion":2}', /no catalogue/],
    ['an empty catalogue would call every finding harmless', '{"vulnerabilities":[]}', /empty/],
    [
      'an entry without an id',
      '{"vulnerabilities":[{"cveID":"CVE-2026-0001"},{"id":5}]}',
      /vulnerabilities\.1 /,
    ],
    ['a million faults', `{"vulnerabilities":[${'1,'.repeat(1_000_000)}1]}`, /vulnerabilities\.0 /],
  ];
  for (const [name, text, message] of cases) {
    test(name, () => {
      assert.throws(
        () => parseKevCatalogue(text, 'kev.json'),
        (error) =>
          error instanceof FeedError &&
          error.code === 'invalid_report' &&
          message.test(error.message) &&
          error.place?.file === 'kev.json',
      );
    });
  }
});
