import fc from 'fast-check';

/** Texts over few characters, so that they often match. */
export const arbitraryText: fc.Arbitrary<string> = fc
  .array(fc.constantFrom('a', 'b', '/', '.'), { maxLength: 8 })
  .map((chars) => chars.join(''));

const atom = fc.constantFrom('a', 'b', '/', '.', '\\.', '[ab]', '[^a]', '[a-b/]', '\\/', 'ab');
const suffix = fc.constantFrom('', '', '', '*', '+', '?', '*?', '{2}', '{1,3}', '{2,}', '{0,1}');

/** arbitraryPattern gives patterns that RE2 and JavaScript read the same way. */
export const arbitraryPattern: fc.Arbitrary<string> = fc.letrec<{ pattern: string; part: string }>((tie) => ({
  part: fc
    .tuple(
      fc.oneof(
        { maxDepth: 2 },
        { weight: 4, arbitrary: atom },
        {
          weight: 1,
          arbitrary: fc
            .tuple(fc.constantFrom('(', '(?:'), tie('pattern'))
            .map(([open, inner]) => `${open}${inner})`),
        },
      ),
      suffix,
    )
    // What would repeat its last character alone is repeated as one.
    .map(([inner, times]) => (inner === 'ab' && times !== '' ? `(?:ab)${times}` : inner + times)),
  pattern: fc
    .array(
      fc.array(tie('part'), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('')),
      { minLength: 1, maxLength: 2 },
    )
    .map((ways) => ways.join('|')),
})).pattern;
