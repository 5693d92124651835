import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { FeedError, parseKevCatalogue, readKevCatalogue } from '../../../src/adapters/feeds/index.ts';
import { runs } from '../../runs.ts';

const REAL = new URL('../../../../shared/data/kev/known_exploited_vulnerabilities.json', import.meta.url);
const skip = existsSync(REAL) ? false : 'the shared data is not here';

suite('the catalogue of known exploited vulnerabilities', () => {
  test('gives its CVE ids', () => {
    const text = JSON.stringify({
      title: 'x',
      vulnerabilities: [{ cveID: 'CVE-2026-0001', product: 'a' }, { cveID: 'cve-2021-44228' }],
    });
    assert.deepEqual([...parseKevCatalogue(text, 'kev.json')], ['CVE-2026-0001', 'CVE-2021-44228']);
  });

  test('gives days, version and release; of two entries on a CVE the first counts', () => {
    const text = JSON.stringify({
      catalogVersion: '2026.08.07\u001b[31m',
      dateReleased: '2026-08-07T16:45:47.0648Z',
      count: 3,
      vulnerabilities: [
        { cveID: 'CVE-2026-0001', dateAdded: '2026-08-07', dueDate: '2026-08-28' },
        { cveID: 'CVE-2026-0001', dateAdded: '2026-08-08', dueDate: '2099-01-01' },
        { cveID: 'CVE-2026-0002', dateAdded: null, dueDate: '' },
      ],
    });
    assert.deepEqual(readKevCatalogue(text, 'kev.json'), {
      version: '2026.08.07\\u001b[31m',
      releasedAt: Date.parse('2026-08-07T16:45:47.064Z'),
      entries: [
        { cve: 'CVE-2026-0001', dateAdded: '2026-08-07', dueDate: '2026-08-28' },
        { cve: 'CVE-2026-0002', dateAdded: null, dueDate: null },
      ],
    });
  });

  test('the real one is read whole', { skip }, () => {
    const { version, releasedAt, entries } = readKevCatalogue(readFileSync(REAL, 'utf8'), 'kev.json');
    assert.deepEqual([version, entries.length], ['2026.08.07', 1662]);
    assert.equal(new Date(releasedAt ?? 0).toISOString(), '2026-08-07T16:45:47.064Z');
    assert.ok(entries.every(({ dueDate, dateAdded }) => dueDate !== null && dateAdded !== null));
    assert.deepEqual(
      entries.find(({ cve }) => cve === 'CVE-2021-44228'),
      { cve: 'CVE-2021-44228', dateAdded: '2021-12-10', dueDate: '2021-12-24' },
    );
  });

  const entry = (more: object): string =>
    JSON.stringify({ vulnerabilities: [{ cveID: 'CVE-2026-0001', ...more }] });
  const cases: readonly (readonly [string, string, RegExp])[] = [
    ['no JSON', '<html>', /not JSON/],
    ['cut off', '{"vulnerabilities":[{"cveID":"CVE-2026-00', /not JSON, or was cut off/],
    ['another document', '{"SchemaVersion":2}', /not a catalogue/],
    ['a list', '[]', /not a catalogue/],
    ['an empty catalogue would call every finding harmless', '{"vulnerabilities":[]}', /empty/],
    [
      'an entry without an id',
      '{"vulnerabilities":[{"cveID":"CVE-2026-0001"},{"id":5}]}',
      /vulnerabilities\.1 /,
    ],
    [
      'other entries than it says of itself',
      '{"count":2,"vulnerabilities":[{"cveID":"CVE-2026-0001"}]}',
      /has 1 entries, which is not the count/,
    ],
    ['a count that is none', '{"count":"1","vulnerabilities":[{"cveID":"CVE-2026-0001"}]}', /not the count/],
    ['a day that is none', entry({ dueDate: '2026-02-30' }), /vulnerabilities\.0 holds a date/],
    [
      'text in the place of a day',
      entry({ dueDate: '2026-08-28 @everyone' }),
      /vulnerabilities\.0 holds a date/,
    ],
    ['a number in the place of a day', entry({ dateAdded: 20260828 }), /vulnerabilities\.0 is not/],
    ['a million faults', `{"vulnerabilities":[${'1,'.repeat(199_999)}1]}`, /vulnerabilities\.0 /],
    ['more entries than there can be', `{"vulnerabilities":[${'1,'.repeat(200_000)}1]}`, /more than 200000/],
  ];
  for (const [name, text, message] of cases) {
    test(name, () => {
      assert.throws(
        () => readKevCatalogue(text, 'kev.json'),
        (error) =>
          error instanceof FeedError &&
          error.code === 'invalid_report' &&
          message.test(error.message) &&
          error.place?.file === 'kev.json',
      );
    });
  }

  test('a damaged one is refused, or says nothing but CVE ids and days', () => {
    const whole = JSON.stringify({
      catalogVersion: '2026.08.07',
      dateReleased: '2026-08-07T16:45:47Z',
      count: 2,
      vulnerabilities: [
        { cveID: 'CVE-2026-0001', dateAdded: '2026-08-07', dueDate: '2026-08-28', notes: 'a' },
        { cveID: 'CVE-2021-44228', dateAdded: '2021-12-10', dueDate: '2021-12-24', cwes: ['CWE-20'] },
      ],
    });
    const position = fc.nat(whole.length);
    const piece = fc.oneof(
      fc.constantFrom('"', '{', '}', '[', ']', ',', 'null', '\\u0000', '__proto__', '1e999', '-', '0', '9'),
      fc.string({ unit: 'binary', maxLength: 6 }),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(position, fc.nat(8), piece), { minLength: 1, maxLength: 3 }), (edits) => {
        let text = whole;
        for (const [at, length, put] of edits) text = text.slice(0, at) + put + text.slice(at + length);
        let entries;
        try {
          ({ entries } = readKevCatalogue(text, 'kev.json'));
        } catch (error) {
          assert.ok(error instanceof FeedError, String(error));
          return;
        }
        assert.ok(entries.length > 0);
        for (const { cve, dateAdded, dueDate } of entries) {
          assert.match(cve, /^CVE-[0-9]{4}-[0-9]{4,19}$/);
          for (const day of [dateAdded, dueDate]) assert.match(day ?? '2026-01-01', /^\d{4}-\d\d-\d\d$/);
        }
      }),
      { numRuns: runs(20_000) },
    );
  });
});
