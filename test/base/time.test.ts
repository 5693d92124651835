import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { DAY_MS, formatTime, parseTime } from '../../src/base/index.ts';
import { runs } from '../runs.ts';

const VALID: readonly (readonly [text: string, iso: string])[] = [
  ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
  ['1985-04-12T23:20:50.52Z', '1985-04-12T23:20:50.520Z'],
  ['1996-12-19T16:39:57-08:00', '1996-12-20T00:39:57.000Z'],
  ['1937-01-01T12:00:27.87+00:20', '1937-01-01T11:40:27.870Z'],
  ['2026-11-20t06:00:00z', '2026-11-20T06:00:00.000Z'],
  ['2026-11-20T06:00:00-00:00', '2026-11-20T06:00:00.000Z'],
  ['2026-11-20T06:00:00+23:59', '2026-11-19T06:01:00.000Z'],
  ['2026-11-20T06:00:00.1Z', '2026-11-20T06:00:00.100Z'],
  ['2026-11-20T06:00:00.1234567891234Z', '2026-11-20T06:00:00.123Z'],
  ['2026-11-20T06:00:00.9999Z', '2026-11-20T06:00:00.999Z'],
  ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000Z'],
  ['2024-02-29T12:00:00Z', '2024-02-29T12:00:00.000Z'],
  ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  // A leap second is the last moment of its minute, whatever its fraction.
  ['1990-12-31T23:59:60Z', '1990-12-31T23:59:59.999Z'],
  ['1990-12-31T15:59:60-08:00', '1990-12-31T23:59:59.999Z'],
  ['2016-12-31T23:59:60.75Z', '2016-12-31T23:59:59.999Z'],
];

const INVALID: readonly string[] = [
  '',
  '2026-11-20',
  '2026-11-20T06:00Z',
  '2026-11-20T06:00:00',
  '2026-11-20 06:00:00Z',
  '2026-11-20T06:00:00 Z',
  '2026-11-20T06:00:00.Z',
  '2026-11-20T06:00:00,5Z',
  '2026-11-20T06:00:00Zx',
  '2026-11-20T06:00:00Z\n',
  ' 2026-11-20T06:00:00Z',
  '2026-11-20T06:00:00+01',
  '2026-11-20T06:00:00+0100',
  '2026-11-20T06:00:00+24:00',
  '2026-11-20T06:00:00+01:60',
  '2026-11-20T24:00:00Z',
  '2026-11-20T06:60:00Z',
  '2026-11-20T06:00:61Z',
  '2026-13-01T00:00:00Z',
  '2026-00-01T00:00:00Z',
  '2026-11-31T00:00:00Z',
  '2026-11-00T00:00:00Z',
  '2025-02-29T00:00:00Z',
  '1900-02-29T00:00:00Z',
  '+002026-11-20T06:00:00Z',
  '20261120T060000Z',
  '2026-W47-5T06:00:00Z',
  '２026-11-20T06:00:00Z',
  `2026-11-20T06:00:00.${'1'.repeat(60)}Z`,
];

suite('parseTime', () => {
  for (const [text, iso] of VALID) {
    test(`${text} is ${iso}`, () => assert.equal(new Date(parseTime(text)).toISOString(), iso));
  }
  for (const text of INVALID) {
    test(`${JSON.stringify(text.slice(0, 40))} is none`, () => assert.ok(Number.isNaN(parseTime(text))));
  }

  test('agrees with Date.parse on every day, and gives whole milliseconds', () => {
    const time = fc.record({
      date: fc.date({
        min: new Date('0001-01-02T00:00:00Z'),
        max: new Date('9999-12-30T00:00:00Z'),
        noInvalidDate: true,
      }),
      digits: fc.integer({ min: 0, max: 3 }),
      zone: fc.constantFrom('Z', '+00:00', '-00:00', '+05:30', '-08:00', '+14:00'),
    });
    fc.assert(
      fc.property(time, ({ date, digits, zone }) => {
        const iso = date.toISOString();
        const text = `${iso.slice(0, 19)}${digits === 0 ? '' : iso.slice(19, 20 + digits)}${zone}`;
        const ms = parseTime(text);
        assert.equal(ms, Date.parse(text), text);
        assert.ok(Number.isInteger(ms));
      }),
      { numRuns: runs(3000) },
    );
  });

  test('never takes what Date.parse does not, but leap seconds', () => {
    const almost = fc
      .tuple(
        fc.constantFrom('2026-11-20T06:00:00Z', '2024-02-29T23:59:59.5+01:00'),
        fc.nat(24),
        fc.constantFrom(...'0123456789-:.TZ+ x'),
      )
      .map(([text, at, letter]) => text.slice(0, at) + letter + text.slice(at + 1));
    fc.assert(
      fc.property(almost, (text) => {
        const ms = parseTime(text);
        if (!Number.isNaN(ms) && !text.includes(':60')) assert.equal(ms, Date.parse(text), text);
      }),
      { numRuns: runs(3000) },
    );
  });
});

suite('formatTime', () => {
  test('leaves out a fraction of nothing', () => {
    assert.equal(formatTime(Date.UTC(2026, 10, 20, 6)), '2026-11-20T06:00:00Z');
    assert.equal(formatTime(Date.UTC(2026, 10, 20, 6) + 7), '2026-11-20T06:00:00.007Z');
  });

  test('what is written is read again', () => {
    fc.assert(
      fc.property(fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 }), (ms) => {
        assert.equal(parseTime(formatTime(ms)), ms);
      }),
    );
  });

  test('a day has 24 hours', () => assert.equal(DAY_MS, 24 * 60 * 60 * 1000));
});
