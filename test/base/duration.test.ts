import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { formatDuration, parseDuration } from '../../src/base/index.ts';
import { runs } from '../runs.ts';

const MS = 1;
const SECOND = 1000 * MS;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The examples of Go's own tests of time.ParseDuration. */
const VALID: readonly (readonly [text: string, ms: number])[] = [
  ['0', 0],
  ['5s', 5 * SECOND],
  ['30s', 30 * SECOND],
  ['1478s', 1478 * SECOND],
  ['-5s', -5 * SECOND],
  ['+5s', 5 * SECOND],
  ['-0', 0],
  ['+0', 0],
  ['5.0s', 5 * SECOND],
  ['5.6s', 5600 * MS],
  ['5.s', 5 * SECOND],
  ['.5s', 500 * MS],
  ['1.0s', SECOND],
  ['1.00s', SECOND],
  ['1.004s', 1004 * MS],
  ['1.0040s', 1004 * MS],
  ['100.00100s', 100_001 * MS],
  ['10ns', 10e-6],
  ['11us', 11e-3],
  ['12µs', 12e-3],
  ['12μs', 12e-3],
  ['13ms', 13],
  ['14s', 14 * SECOND],
  ['15m', 15 * MINUTE],
  ['16h', 16 * HOUR],
  ['3h30m', 3 * HOUR + 30 * MINUTE],
  ['10.5s4m', 4 * MINUTE + 10_500],
  ['-2m3.4s', -(2 * MINUTE + 3400)],
  ['1h2m3s4ms5us6ns', HOUR + 2 * MINUTE + 3 * SECOND + 4.005_006],
  ['39h9m14.425s', 39 * HOUR + 9 * MINUTE + 14_425],
  ['52763797000ns', 52_763.797],
  ['0.3333333333333333333h', 20 * MINUTE],
  ['0.100000000000000000000h', 6 * MINUTE],
  ['0.830103483285477580700h', 49 * MINUTE + 48 * SECOND + 372.539_827],
  ['9223372036854775807ns', 9_223_372_036_854.775],
  ['9223372036854775.807us', 9_223_372_036_854.775],
  ['9223372036s854ms775us807ns', 9_223_372_036_854.775],
  ['-9223372036854775808ns', -9_223_372_036_854.775],
  ['168h', 168 * HOUR],
  ['168h0m0s', 168 * HOUR],
];

const INVALID: readonly string[] = [
  '',
  '3',
  '-',
  's',
  '.',
  '-.',
  '.s',
  '+.s',
  '1d',
  '1w',
  '1 h',
  ' 1h',
  '1h ',
  '1H',
  '1e3s',
  '--5s',
  '+-5s',
  '5s-3s',
  '1h30',
  '\u0085\u0085',
  '\uffff',
  'hello \uffff world',
  '١h',
  '9223372036854775810ns',
  '9223372036854775808ns',
  '-9223372036854775809ns',
  '9223372036854776us',
  '3000000h',
  '9223372036854775.808us',
  '9223372036854ms775us808ns',
  `${'1'.repeat(100)}s`,
];

suite('parseDuration', () => {
  for (const [text, ms] of VALID) {
    test(`${text} is ${ms} ms`, () => {
      const found = parseDuration(text);
      assert.ok(found !== null && Math.abs(found - ms) <= Math.abs(ms) * 1e-15, String(found));
    });
  }
  for (const text of INVALID) {
    test(`${JSON.stringify(text.slice(0, 40))} is none`, () => assert.equal(parseDuration(text), null));
  }
});

suite('formatDuration', () => {
  const table: readonly (readonly [ms: number, text: string])[] = [
    [0, '0s'],
    [168 * HOUR, '168h'],
    [90 * MINUTE, '1h30m'],
    [1500, '1.5s'],
    [HOUR + SECOND, '1h1s'],
    [-90 * SECOND, '-1m30s'],
    [0.001, '0.000001s'],
    [1e-6, '0.000000001s'],
    [4.1, '0.0041s'],
    [59_999.999_999, '59.999999999s'],
    [-1e-6, '-0.000000001s'],
  ];
  for (const [ms, text] of table) test(`${ms} ms is ${text}`, () => assert.equal(formatDuration(ms), text));

  test('what a duration of Go says is read again from what is written of it', () => {
    const count = fc.oneof(fc.nat(9), fc.nat(10_000), fc.maxSafeNat());
    const digits = fc.array(fc.nat(9), { minLength: 1, maxLength: 12 }).map((list) => list.join(''));
    const unit = fc.constantFrom('ns', 'us', 'µs', 'μs', 'ms', 's', 'm', 'h');
    const part = fc.tuple(count, fc.option(digits, { nil: '' }), unit);
    const sum = fc
      .array(part, { minLength: 1, maxLength: 4 })
      .map((parts) =>
        parts.map(([whole, fraction, of]) => `${whole}${fraction && `.${fraction}`}${of}`).join(''),
      );
    const nanoseconds = fc
      .bigInt({ min: 0n, max: 9_223_372_036_854_775_807n })
      .map((length) => `${length}ns`);
    const text = fc
      .tuple(fc.constantFrom('', '-'), fc.oneof(sum, nanoseconds))
      .map(([sign, length]) => sign + length)
      .filter((candidate) => parseDuration(candidate) !== null);
    fc.assert(
      fc.property(text, (written) => {
        const ms = parseDuration(written) ?? NaN;
        const formatted = formatDuration(ms);
        assert.match(formatted, /^(0s|-?(\d+h)?(\d+m)?(\d+(\.\d{0,8}[1-9])?s)?)$/);
        assert.equal(parseDuration(formatted), ms === 0 ? 0 : ms, formatted);
        assert.equal(formatDuration(parseDuration(formatted) ?? NaN), formatted);
      }),
      { numRuns: runs(2000) },
    );
  });

  for (const [text, formatted] of [
    ['168h0m0s', '168h'],
    ['1ns', '0.000000001s'],
    ['4.1ms', '0.0041s'],
    ['-0s', '0s'],
    ['1h0.000000001s', '1h0.000000001s'],
  ] as const) {
    test(`${text} is written ${formatted}`, () =>
      assert.equal(formatDuration(parseDuration(text) ?? NaN), formatted));
  }
});
