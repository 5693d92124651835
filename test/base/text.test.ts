import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { byCodeUnit, canonicalJson, isDigest, nearest, printable, sha256Hex } from '../../src/base/index.ts';
import { runs } from '../runs.ts';

suite('nearest', () => {
  const table: readonly (readonly [word: string, candidates: readonly string[], found: string | null])[] = [
    ['severityTreshold', ['severityThreshold', 'signature'], 'severityThreshold'],
    ['enforcment', ['enforcement', 'endOfLifeOS'], 'enforcement'],
    ['escalate', ['Ignore', 'Escalate'], 'Escalate'],
    ['HGIH', ['CRITICAL', 'HIGH', 'MEDIUM'], 'HIGH'],
    ['tabel', ['table', 'json'], 'table'],
    ['x', ['y', 'json'], 'y'],
    ['something', ['else', 'entirely'], null],
    ['', ['a', 'bc'], 'a'],
    ['registry', [], null],
    ['signatur', ['signatures', 'signature'], 'signature'],
    ['a'.repeat(65), ['a'.repeat(65)], null],
  ];
  for (const [word, candidates, found] of table) {
    test(`${JSON.stringify(word.slice(0, 20))} of ${candidates.join(', ').slice(0, 40)} is ${found}`, () => {
      assert.equal(nearest(word, candidates), found);
    });
  }

  test('a word is nearest to itself, and a swap of neighbours is found', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{6,20}$/), fc.nat(18), (word, at) => {
        assert.equal(nearest(word, ['zzzzzzzzzzzzzzzzzzzzzzz', word]), word);
        const i = at % (word.length - 1);
        const swapped = word.slice(0, i) + word.charAt(i + 1) + word.charAt(i) + word.slice(i + 2);
        assert.equal(nearest(swapped, [word]), word);
      }),
    );
  });
});

suite('printable', () => {
  const table: readonly (readonly [text: string, shown: string])[] = [
    ['ghcr.io/acme/web', 'ghcr.io/acme/web'],
    ['größe 名前 😀', 'größe 名前 😀'],
    ['a\nb\r\tc', 'a\\u000ab\\u000d\\u0009c'],
    ['\u001b[31mred', '\\u001b[31mred'],
    ['\u009b31m', '\\u009b31m'],
    ['a\u0000b\u007fc', 'a\\u0000b\\u007fc'],
    ['web\u202egpj.exe', 'web\\u202egpj.exe'],
    ['\u2066x\u2069', '\\u2066x\\u2069'],
    ['in\u200bvisible\ufeff', 'in\\u200bvisible\\ufeff'],
    ['soft\u00adhyphen', 'soft\\u00adhyphen'],
    ['line\u2028end\u2029', 'line\\u2028end\\u2029'],
    ['tag\u{e0041}', 'tag\\u{e0041}'],
    ['half\ud83d', 'half\\ud83d'],
  ];
  for (const [text, shown] of table) test(JSON.stringify(text), () => assert.equal(printable(text), shown));

  test('a long text is cut, and no pair is cut in half', () => {
    assert.equal(printable('abcdef', 6), 'abcdef');
    assert.equal(printable('abcdefg', 6), 'abcde…');
    assert.equal(printable('abcd😀fg', 6), 'abcd…');
  });

  test('what is shown stands on one line, is well formed, and shown again is the same', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 60 }),
        fc.integer({ min: 2, max: 80 }),
        (text, max) => {
          const shown = printable(text, max);
          assert.doesNotMatch(shown, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
          assert.ok(shown.length <= max && shown.isWellFormed());
          assert.equal(printable(shown, max), shown);
        },
      ),
      { numRuns: runs(2000) },
    );
  });
});

suite('canonicalJson', () => {
  test('the example of RFC 8785', () => {
    const value: unknown = JSON.parse(
      String.raw`{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],` +
        String.raw`"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`,
    );
    assert.equal(
      canonicalJson(value),
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  test('keys are ordered by code units', () => {
    assert.equal(
      canonicalJson({ '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '😀': 5, '\u0080': 6, ö: 7 }),
      '{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}',
    );
  });

  test('the order of keys makes no difference, and the text means the value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const reversed = (v: unknown): unknown =>
          Array.isArray(v)
            ? v.map(reversed)
            : v !== null && typeof v === 'object'
              ? Object.fromEntries(
                  Object.entries(v)
                    .toReversed()
                    .map(([key, entry]) => [key, reversed(entry)]),
                )
              : v;
        assert.equal(canonicalJson(reversed(value)), canonicalJson(value));
        assert.deepEqual(JSON.parse(canonicalJson(value)), JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test('half a surrogate pair stays an escape, so that two values never have one form', () => {
    assert.equal(canonicalJson({ b: 1, 'a\ud800': ['\udc00', '😀'] }), '{"a\\ud800":["\\udc00","😀"],"b":1}');
    assert.notEqual(canonicalJson('\ud800'), canonicalJson('\udbff'));
  });

  for (const value of [undefined, Number.NaN, Number.POSITIVE_INFINITY, [Number.NaN]]) {
    test(`${String(value)} has none`, () => assert.throws(() => canonicalJson(value), TypeError));
  }
});

test('a digest is sha256 with 64 small hex digits', () => {
  const hex = sha256Hex('');
  assert.equal(hex, 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  assert.equal(sha256Hex(Buffer.from('ö')), sha256Hex('ö'));
  assert.ok(isDigest(`sha256:${hex}`));
  for (const text of [
    hex,
    `sha256:${hex.toUpperCase()}`,
    `sha512:${hex}${hex}`,
    `sha256:${hex}0`,
    `sha256:${hex}\n`,
    '',
  ]) {
    assert.ok(!isDigest(text), text);
  }
});

test('names are ordered by code units, whatever the locale', () => {
  assert.deepEqual(['ä', 'b', 'a', 'B', 'a-1', 'a1'].toSorted(byCodeUnit), ['B', 'a', 'a-1', 'a1', 'b', 'ä']);
});
