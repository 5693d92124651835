import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { openPattern } from '../../src/policy/pattern.ts';
import { foldedOf } from '../../src/policy/pattern-fold.ts';
import { markMade } from '../../src/policy/pattern-made.ts';
import { isWithin, openProgram, stateAfter } from '../../src/policy/pattern-program.ts';
import { LOOK_STEPS, strangerAmong, strangerIssuer } from '../../src/policy/pattern-strangers.ts';
import { runs } from '../runs.ts';
import { arbitraryPattern, arbitraryText } from './arbitrary-pattern.ts';

const GITHUB = 'https://token.actions.githubusercontent.com';
const GOOGLE = 'https://accounts.google.com';
const opened = (text: string) => openPattern(text) ?? assert.fail(`no pattern: ${text}`);
const among = (identityRegExp: string, issuer = GITHUB) =>
  strangerAmong({ identityRegExp, issuer }, { left: LOOK_STEPS });

/** Owners as a pattern may write them: how, and which. */
const FIXED: Readonly<Record<string, string>> = {
  'one name': 'acme',
  'names that begin as nobody would call one': '(770|qz|QZa-q7)',
  'several names': '(acme|globex|acme-labs)',
  'names that differ in one letter': '(acme1|acme2)',
  'a name that may go on': 'acme(-labs)?(?:-eu)?',
  'a letter that may be there': 'acmes?',
  'letters in any case': '(?i:ACME)',
  'a letter in either case': '[aA]cme',
  'a quoted name': '\\Qac-me\\E',
  'letters by number': 'ac\\x6d\\x{65}',
  'a letter by octal number': 'a\\143me',
  'a named group': '(?P<owner>acme|acne)',
  'a class of one': 'acme[-]labs',
  'a text so many times': '(?:ac){2}me{1}x{3,3}',
};
for (const [name, owner] of Object.entries(FIXED)) {
  test(`no stranger matches an owner that is written: ${name}`, () => {
    for (const rest of ['.*', '[^/]+/\\.github/workflows/[a-z]+\\.ya?ml@refs/tags/v[0-9.]+'])
      for (const host of ['github\\.com', 'github[.]com', 'git[a-z]+\\.com', '[^/]+'])
        assert.equal(among(`^https://${host}/${owner}/${rest}$`), null);
  });
}

/** Each: how an owner is made, and one that is. */
const MADE: Readonly<Record<string, readonly [pattern: string, owner: RegExp]>> = {
  'few letters': ['[a-f]{4}', /^[a-f]{4}$/],
  'one letter of several': ['acme[12]', /^acme[12]$/],
  'one digit': ['(acme|globex[0-9])', /^globex[0-9]$/],
  'a dot that was meant as one': ['acme.inc', /^acme[A-Za-z0-9-]inc$/],
  'a name that repeats': ['(ac|me){2}', /^(ac|me){2}$/],
  'a letter that repeats': ['acmee+', /^acmee+$/],
  'a letter a few times': ['ac{1,3}me', /^ac{1,3}me$/],
  'no letters of a kind': ['[^b-z/A-Z0-9-]', /^a$/],
  'letters of Unicode': ['\\pL', /^[a-zA-Z]$/],
  'letters beyond ASCII in any case': ['(?i:é?)[a-c]x', /^[a-c]x$/],
  'letters that may be beyond ASCII': ['(?i:k[é5]x|y[ß6])', /^(k5x|y6)$/i],
};
for (const [name, [pattern, expected]] of Object.entries(MADE)) {
  test(`a stranger matches an owner that is made: ${name}`, () => {
    const text = `https://github\\.com/${pattern}/[^/]+/\\.github/workflows/release\\.yml@refs/tags/v[0-9.]+`;
    const { example, need } = among(text) ?? assert.fail('nobody was found');
    assert.ok(opened(text).matches(example), example);
    assert.match(example.split('/')[3] ?? '', expected);
    assert.equal(need, 'repositories of owners at github.com whose names are not written in it');
  });
}

/** Names of owners that are written, in any of some ways to write them. */
const writtenName = fc
  .tuple(
    fc.stringMatching(/^[a-z0-9]{2,8}$/),
    fc.constantFrom(
      (name: string) => name,
      (name: string) => `(${name})`,
      (name: string) => `(?:${name})?w${name}`,
      (name: string) => `\\Q${name}\\E`,
      (name: string) => `(?i:${name})`,
      (name: string) => `${name.slice(0, 1)}${name.slice(1)}?`,
      (name: string) => `(?i:${name}ß?)`,
    ),
  )
  .map(([name, write]) => write(name));
/** What accepts more than is written: none of these is all of what `writtenName` can write. */
const madePart = fc.constantFrom('[a-f]{4}', '\\d', '.', '\\w', '-+', '[A-C]', '(x|-){2,4}', '(?i:[a-c]É?)');
const rest = fc.constantFrom('/.*', '/[a-z]+/[^@]+@refs/(heads|tags)/.+', '/web/\\.github/.*');

test('a stranger is found exactly where an owner is accepted that nobody wrote', () => {
  fc.assert(
    fc.property(
      fc.array(writtenName, { minLength: 1, maxLength: 4 }),
      fc.option(fc.tuple(writtenName, madePart)),
      rest,
      (written, made, after) => {
        const names = made === null ? written : [...written, made.join('')];
        const text = `https://github\\.com/(?:${names.join('|')})${after}`;
        const found = among(text);
        assert.equal(found !== null, made !== null, JSON.stringify([text, found]));
        if (found !== null) assert.ok(opened(text).matches(found.example), JSON.stringify([text, found]));
      },
    ),
    { numRuns: runs(100) },
  );
});

test('a pattern with what nobody wrote in groups matches the same texts', () => {
  const part = fc.oneof(
    arbitraryPattern.map((pattern) => `(?:${pattern})`),
    fc.constantFrom('\\Qa.b\\E', '\\Qab\\E+', '(?P<x>a|b)', '(?i)A', '(?i:[AB])', '\\x61', '\\141'),
    fc.constantFrom('[[:alpha:]]*', '\\pL{0,2}', '[]a]', '[^]a]?', '\\w+?', '{', 'a{,2}', '^', '$', '\\b'),
  );
  fc.assert(
    fc.property(
      fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('')),
      fc.array(fc.oneof(arbitraryText, fc.constantFrom('A', ']', '{', 'a{,2}', 'a.bb')), { maxLength: 3 }),
      (pattern, texts) => {
        // A name may stand once.
        if (pattern.split('?P<x>').length > 2) return;
        const marked = RE2JS.compile(markMade(pattern));
        for (const text of [...texts, texts.join('')])
          assert.equal(
            marked.testExact(text),
            opened(pattern).matches(text),
            JSON.stringify([pattern, markMade(pattern), text]),
          );
      },
    ),
    { numRuns: runs(150) },
  );
});

test('letters beyond ASCII fold as the library folds them', () => {
  const folding = [...'éÉßẞσςΣµμΜåÅÅſsSKkKθϑΘжЖǆǅǄỳդԴⴀჀꙀ𐐀𐐨ᏸᲀв'];
  for (const letter of folding) {
    const program = openProgram(opened(`(?i)${letter}`), { left: 100_000 });
    const folded = foldedOf(letter.codePointAt(0) ?? 0).map((code) => String.fromCodePoint(code));
    for (const other of [...folding, ...folded]) {
      const matches = opened(`(?i)${letter}`).matches(other);
      assert.equal(program.accepts(stateAfter(program, program.start, other)), matches, letter + other);
      if (matches) assert.ok(folded.includes(other), letter + other);
    }
  }
  const [inner, outer] = ['(?i)straßé', '(?i)STRAẞÉ|x'].map((text) =>
    openProgram(opened(text), { left: 100_000 }),
  );
  assert.ok(inner && outer);
  assert.deepEqual([isWithin(inner, outer), isWithin(outer, inner)], [true, false]);
});

test('domains are made where nobody wrote what somebody can register', () => {
  for (const [text, isFound] of Object.entries({
    '[^@]+@[a-z]+\\.shop\\.example': false,
    '[^@]+@([a-z.]+\\.)?shop\\.(example|com)': false,
    '[^@]+@shop[0-9]?\\.example': true,
    '[^@]+@.*shop\\.example': true,
    '[^@]+@shop\\.[a-z]+': true,
    '[a-z]+@[a-f]{4}\\.com': true,
  }))
    assert.equal(among(text, GOOGLE) !== null, isFound, text);
  for (const [text, isFound] of Object.entries({
    'https://[a-z.]+\\.shop\\.example': false,
    'https://[a-z]+\\.shop\\.example/.*': false,
    'https://(login|id)\\.shop\\.com(/[a-z]+)?': false,
    'https://[a-f]{4}\\.com': true,
    'https://shop[0-9]*\\.com/.*': true,
    'https://shop\\.(com|[a-z]{2})': true,
    // The host ends where a slash is.
    'https://.*\\.shop\\.com/x': true,
  }))
    assert.equal(strangerIssuer(text, { left: LOOK_STEPS }) !== null, isFound, text);
});
