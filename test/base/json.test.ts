import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { JsonKeyError, parseStrictJson } from '../../src/base/index.ts';
import { runs } from '../runs.ts';

suite('JSON that decides something', () => {
  const refused: readonly (readonly [text: string, message: string])[] = [
    ['{"a":1,"a":1}', 'the field "a" is written twice'],
    ['{"a":1,"\\u0061":2}', 'the field "a" is written twice'],
    ['{"a" : 1 , "b" : [ 0, { "c" : 1, "c" : 2 } ]}', 'the field "b[1].c" is written twice'],
    ['[{"a":{"b":{}}},{"a":{"b":{"":1,"":2}}}]', 'the field "[1].a.b." is written twice'],
    ['{"a\\"":1,"a\\u0022":2}', 'the field "a"" is written twice'],
    ['{"a":"x:\\"y\\":","a":2}', 'the field "a" is written twice'],
    ['{"a":{"__proto__":{}}}', 'the field "a.__proto__" is not allowed'],
    ['{"__\\u0070roto__":1}', 'the field "__proto__" is not allowed'],
    ['{"1":1,"0":2,"1":3}', 'the field "1" is written twice'],
  ];
  for (const [text, message] of refused)
    test(`${text} is refused`, () =>
      assert.throws(
        () => parseStrictJson(text),
        (error) => error instanceof JsonKeyError && error.message === message,
      ));

  test('all other JSON is read as JSON.parse reads it', () => {
    for (const text of [
      '{}',
      '[]',
      '"a:b"',
      'null',
      '{"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}]}',
      '{"a":"\\"b\\":1","b":"{\\"a\\":1,\\"a\\":2}"}',
      '{"":"","\\\\":"\\\\","c":":"}',
      '{"constructor":1,"hasOwnProperty":2,"toString":3}',
      '[":", "a" , {"a"\n:\t1}]',
      '{"proto":"__proto__"}',
    ])
      assert.deepEqual(parseStrictJson(text), JSON.parse(text), text);
    for (const text of ['', '{', '{"a":1,}', '{"a":1,"a"}', '"a'])
      assert.throws(() => parseStrictJson(text), SyntaxError, text);
  });

  test('of random texts it refuses those in which a key is dropped, and no other', () => {
    let seed = 7;
    const next = (below: number): number => (seed = (seed * 48271) % 2147483647) % below;
    const key = (): string => ['"a"', '"b"', '"\\u0061"', '"c:"', '"\\"a\\":"', '"d\\\\"'][next(6)] ?? '';
    let twice = false;
    const write = (depth: number): string => {
      const kind = next(depth > 3 ? 2 : 4);
      if (kind === 0) return key();
      if (kind === 1) return String(next(99));
      const items = Array.from({ length: next(4) }, () => write(depth + 1));
      if (kind === 2) return `[${items.join(', ')}]`;
      const keys = items.map(key);
      if (new Set(keys.map((one) => JSON.parse(one) as string)).size < keys.length) twice = true;
      return `{${items.map((item, i) => `${keys[i]} :${item}`).join(',')}}`;
    };
    const rounds = runs(2000, 500);
    for (let i = 0; i < rounds; i += 1) {
      twice = false;
      const text = write(0);
      let isRefused = false;
      try {
        assert.deepEqual(parseStrictJson(text), JSON.parse(text));
      } catch (error) {
        if (!(error instanceof JsonKeyError)) throw error;
        isRefused = true;
      }
      assert.equal(isRefused, twice, text);
    }
  });
});
