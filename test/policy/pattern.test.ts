import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { parsePolicies, revisionOf } from '../../src/policy/index.ts';
import { MAX_PATTERN, MAX_PROGRAM, openPattern, patternFault } from '../../src/policy/pattern.ts';
import { isWithin, openProgram, OutOfSteps } from '../../src/policy/pattern-program.ts';
import { sizeBound } from '../../src/policy/pattern-size.ts';
import { acceptsIdentity, acceptsIssuer, coversSigner } from '../../src/policy/signer.ts';
import { runs } from '../runs.ts';
import { arbitraryPattern, arbitraryText } from './arbitrary-pattern.ts';
import { KEY, parsed, policyText } from './policy-text.ts';

const opened = (text: string) => openPattern(text) ?? assert.fail(`no pattern: ${text}`);
const whole = (text: string): RegExp => new RegExp(`^(?:${text})$`);
const PLENTY = 100_000;

test('a pattern matches the whole text, as a second implementation does', () => {
  fc.assert(
    fc.property(
      arbitraryPattern,
      fc.array(arbitraryText, { minLength: 8, maxLength: 8 }),
      (pattern, texts) => {
        for (const text of texts)
          assert.equal(
            opened(pattern).matches(text),
            whole(pattern).test(text),
            JSON.stringify([pattern, text]),
          );
      },
    ),
    { numRuns: runs(150) },
  );
});

test('a pattern is held to be within another exactly where every short text of it matches the other', () => {
  const texts = ['', 'a', 'b', '/', '.', 'x'].flatMap((a) =>
    ['', 'a', 'b', '/'].flatMap((b) =>
      ['', 'a', '.'].flatMap((c) => ['', 'b', 'a/', 'aba'].map((d) => a + b + c + d)),
    ),
  );
  /** Null where it took too many steps. */
  const within = (inner: string, outer: string): boolean | null => {
    const steps = { left: PLENTY };
    try {
      const [part, all] = [openProgram(opened(inner), steps), openProgram(opened(outer), steps)];
      return isWithin(part, all);
    } catch (error) {
      if (error instanceof OutOfSteps) return null;
      throw error;
    }
  };
  const told = { yes: 0, no: 0, unknown: 0 };
  fc.assert(
    fc.property(arbitraryPattern, arbitraryPattern, (inner, outer) => {
      const found = within(inner, outer);
      told[found === null ? 'unknown' : found ? 'yes' : 'no'] += 1;
      const counter = texts.find((text) => whole(inner).test(text) && !whole(outer).test(text));
      if (counter !== undefined) assert.notEqual(found, true, JSON.stringify([inner, outer, counter]));
      // What matches in either of two ways holds both.
      assert.notEqual(within(inner, `(?:${inner})|(?:${outer})`), false, JSON.stringify([inner, outer]));
    }),
    { numRuns: runs(80) },
  );
  assert.ok(told.yes > 0 && told.no > 0 && told.unknown < told.no, JSON.stringify(told));
});

/** What is asserted around a pattern: of the text, of its lines, of its words. */
const AROUND: readonly ((pattern: string) => string)[] = [
  (pattern) => pattern,
  (pattern) => `^(?:${pattern})$`,
  (pattern) => `(?i)${pattern}`,
  (pattern) => `(?s)${pattern}`,
  (pattern) => `(?s).*\\b(?:${pattern})\\b.*`,
  (pattern) => `(?s)(?:${pattern})\\B.*`,
  (pattern) => `(?ms)(?:^(?:${pattern})$\\n?)*.?`,
];

test('a program of a pattern accepts what the pattern matches', () => {
  fc.assert(
    fc.property(
      arbitraryPattern,
      fc.constantFrom(...AROUND),
      fc.array(fc.oneof(arbitraryText, fc.constantFrom('\n', ' ')), { maxLength: 3 }),
      (pattern, around, parts) => {
        const written = around(pattern);
        const text = parts.join('');
        const program = openProgram(opened(written), { left: PLENTY });
        let state = program.start;
        for (const char of text) state = program.step(state, char.codePointAt(0) ?? 0);
        assert.equal(program.accepts(state), opened(written).matches(text), JSON.stringify([written, text]));
      },
    ),
    { numRuns: runs(150) },
  );
});

test('what a program may come to is known before it is compiled', () => {
  const nested = fc
    .tuple(
      arbitraryPattern,
      fc.integer({ min: 0, max: 9 }),
      fc.constantFrom('', 'x', '\\pL', '\\Qa.b\\E', '[[:alpha:]]'),
    )
    .map(([pattern, times, rest]) => `(?:${pattern}){${times}}${rest}`);
  fc.assert(
    fc.property(nested, (pattern) => {
      if (pattern.length > MAX_PATTERN || sizeBound(pattern) > 4 * MAX_PROGRAM) return;
      const size = RE2JS.compile(pattern).programSize();
      assert.ok(sizeBound(pattern) >= size, `${pattern}: ${size}`);
    }),
    { numRuns: runs(150) },
  );
});

/** Each: a pattern, and what is said of it. */
const FAULTS: Readonly<Record<string, readonly [pattern: string, message: RegExp, hint: RegExp]>> = {
  'an unclosed class': ['https://[a', /is not an RE2 pattern: missing closing \]/, /Syntax/],
  'an unclosed group': ['(a|b', /missing closing \)/, /Syntax/],
  'a look-ahead': ['a(?=b)', /is not an RE2 pattern/, /no look-around/],
  'a look-behind': ['(?<!a)b', /is not an RE2 pattern/, /no look-around/],
  'a back-reference': ['(a)\\1', /invalid escape sequence/, /no back-references/],
  'a file pattern': ['*/acme', /missing argument to repetition operator/, /not a file pattern/],
  'repeats in repeats': ['((a{100}){100}){100}', /is too large/, /fewer repetitions/],
  'many repeats': ['a{1000}'.repeat(73), /is too large/, /fewer repetitions/],
  'a long text that repeats': [`(${'a'.repeat(480)}){1000}`, /is too large/, /fewer repetitions/],
  'repeats of letters of the world': ['(?i)[\\pL\\pN]{999}x{999}', /is too large/, /fewer repetitions/],
  'letters that fold one by one': [
    `(?i)[${'b-\u{10ffff}'.repeat(126)}]`,
    /takes too long to compile/,
    /A-Za-z/,
  ],
  'ranges by number that fold': [`(?si:[b-\\x{10ffff}])`, /takes too long to compile/, /A-Za-z/],
  'classes beside classes': ['\\pL|'.repeat(100), /takes too long to compile/, /A-Za-z/],
  'a long pattern': ['a'.repeat(MAX_PATTERN + 1), /is too large/, /fewer repetitions/],
  'deep groups': ['('.repeat(600) + ')'.repeat(600), /is too large/, /fewer repetitions/],
};
for (const [name, [pattern, message, hint]] of Object.entries(FAULTS)) {
  test(`${name} is refused`, () => {
    const fault = patternFault(pattern) ?? assert.fail('it was taken');
    assert.match(fault.message, message);
    assert.match(fault.hint, hint);
    assert.equal(openPattern(pattern), null);
  });
}

test('what is usual is not taken for slow', () => {
  for (const pattern of [
    '(?i)https://github\\.com/acme-\\w+/.*',
    '[a-z0-9-\\.]+',
    '[é-ü]+',
    '(?i)[a-z-]+\\pL',
  ])
    assert.equal(patternFault(pattern), null, pattern);
});

test('an invalid pattern is refused with its place, wherever it stands', () => {
  const text = `apiVersion: ipo.dev/v1
kind: ImagePolicy
metadata: { name: a }
spec:
  signature:
    required: true
    identities:
      - identityRegExp: https://github\\.com/[acme
        issuer: https://token.actions.githubusercontent.com
  attestations:
    - predicateType: x
      identities: [{ identity: a, issuerRegExp: "(" }]
  provenance:
    trustedBuilders:
      - { id: a, level: 1, identityRegExp: "a{9,1}" }
  vex:
    trustedIssuers:
      - identityRegExp: '\\2'
`;
  const { problems } = parsePolicies(text, 'policy.yaml');
  assert.deepEqual(
    problems.map(({ line, column, rule, path }) => `${line}:${column} ${rule} ${path}`),
    [
      '8:9 value spec.signature.identities[0].identityRegExp',
      '12:35 value spec.attestations[0].identities[0].issuerRegExp',
      '15:28 value spec.provenance.trustedBuilders[0].identityRegExp',
      '18:9 value spec.vex.trustedIssuers[0].identityRegExp',
    ],
  );
  assert.match(
    problems[0]?.message ?? '',
    /^spec\.signature\.identities\[0\]\.identityRegExp "https:.*" is not an RE2 pattern: missing closing \]/,
  );
});

/** Each: an entry of its list, and what is wrong with it; null for nothing. */
const WAYS: readonly (readonly [list: string, entry: object, message: RegExp | null])[] = [
  ['identities', { identity: 'a' }, null],
  ['identities', { identityRegExp: 'a', issuerRegExp: 'b' }, null],
  ['identities', {}, /has neither an identity nor an identityRegExp; exactly one of them is needed/],
  [
    'identities',
    { identity: 'a', identityRegExp: 'a' },
    /has an identity and an identityRegExp; exactly one of/,
  ],
  [
    'identities',
    { identity: 'a', issuer: 'a', issuerRegExp: 'a' },
    /has an issuer and an issuerRegExp; at most one/,
  ],
  ['identities', { identityRegExp: '' }, /is empty/],
  ['trustedIssuers', { identityRegExp: 'a', key: KEY }, /has an identityRegExp and a key; exactly one of/],
  ['trustedIssuers', { issuerRegExp: 'a' }, /has neither an identity nor an identityRegExp nor a key/],
  ['trustedBuilders', { id: 'a', level: 1, issuerRegExp: 'a' }, null],
  ['trustedBuilders', { id: 'a', level: 1, key: KEY }, null],
  ['trustedBuilders', { id: 'a', level: 1, key: 'x' }, /is not a PEM block/],
  ['trustedBuilders', { id: 'a', level: 1, key: KEY, signer: 'a' }, /has a signer and a key; at most one of/],
  [
    'trustedBuilders',
    { id: 'a', level: 1, key: KEY, issuerRegExp: 'a' },
    /has an issuer beside a key; an issuer belongs to an identity/,
  ],
  ['trustedBuilders', { id: 'a', level: 1, identityRegExp: 'a', issuer: 'a' }, null],
  [
    'trustedBuilders',
    { id: 'a', level: 1, signer: 'a', identityRegExp: 'a' },
    /has a signer and an identityRegExp; at most one of/,
  ],
];
for (const [list, entry, message] of WAYS) {
  test(`${list} ${JSON.stringify(entry)} ${message === null ? 'is taken' : 'is refused'}`, () => {
    const spec = {
      identities: { signature: { identities: [entry] } },
      trustedIssuers: { vex: { trustedIssuers: [entry] } },
      trustedBuilders: { provenance: { trustedBuilders: [entry] } },
    }[list];
    const said = parsePolicies(policyText(spec), 'x').problems.map((problem) => problem.message);
    if (message === null) assert.deepEqual(said, []);
    else
      assert.ok(
        said.some((one) => message.test(one)),
        said.join('\n'),
      );
  });
}

test('the revision of a policy without patterns is the one that it always had', () => {
  const spec = {
    signature: { required: true, identities: [{ identity: 'a', issuer: 'b' }, { identity: 'c' }] },
    attestations: [{ predicateType: 'x', identities: [{ identity: 'a' }] }],
    provenance: {
      minLevel: 1,
      trustedBuilders: [
        { id: 'b', level: 2, signer: 's', issuer: 'i' },
        { id: 'c', level: 1 },
      ],
    },
    vex: { mode: 'apply', trustedIssuers: [{ identity: 'v', issuer: 'w' }, { identity: 'x' }] },
  };
  assert.equal(
    parsed(spec).policy.revision,
    '82e6e400bdc57db90152dd7c0315e57de409f22ca4e7d7225f69c72937bbee55',
  );
  const pattern = parsed({ signature: { required: true, identities: [{ identityRegExp: 'a' }] } }).policy;
  const exact = parsed({ signature: { required: true, identities: [{ identity: 'a' }] } }).policy;
  assert.notEqual(pattern.revision, exact.revision);
  assert.equal(pattern.revision, revisionOf(pattern.spec));
});

test('a signer is compiled once, however often it is asked', () => {
  const signer = { identityRegExp: 'a+', issuerRegExp: 'b+' };
  assert.equal(acceptsIdentity(signer, 'aa'), true);
  assert.equal(acceptsIssuer(signer, 'bb'), true);
  // What was compiled for the entry is kept, whatever else is opened meanwhile.
  const first = openPattern('a+');
  assert.equal(openPattern('a+'), first);
  for (let i = 0; i < 300; i += 1) openPattern(`x{${i}}`);
  assert.notEqual(openPattern('a+'), first, 'texts are forgotten');
  let asked = 0;
  const matches = first?.matches;
  Object.assign(first ?? {}, { matches: (text: string) => ((asked += 1), matches?.(text)) });
  assert.equal(acceptsIdentity(signer, 'aab'), false);
  assert.equal(asked, 1);
});

test('an issuer that was not recorded is accepted only where any is', () => {
  assert.equal(acceptsIssuer({}, null), true);
  assert.equal(acceptsIssuer({ issuerRegExp: '.*' }, null), false);
  assert.equal(acceptsIssuer({ issuer: 'a' }, null), false);
});

/** Patterns that a matcher which tries one way after another never ends with. */
const HOSTILE: readonly (readonly [pattern: string, char: string])[] = [
  ['(a*)*b', 'a'],
  ['(a|a)*b', 'a'],
  ['(a|aa)+$x', 'a'],
  ['(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)x', 'a'],
  [`${'(?:a?)'.repeat(60)}${'a'.repeat(60)}b`, 'a'],
  ['(?:(?:a{1,20}){1,20})*b', 'a'],
  ['.*a.{20}', 'ab'],
  ['(.*a){20}', 'ab'],
  ['(?i)(\\pL|\\w)*[^a]', 'aé1'],
];
/** The same text for the same length, of some characters in no order. */
function mixed(chars: string, length: number): string {
  let seed = 1;
  return Array.from({ length }, () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return chars[(seed >>> 16) % chars.length];
  }).join('');
}

for (const [pattern, chars] of HOSTILE) {
  test(`${pattern.slice(0, 40)} takes steps in proportion to the text`, () => {
    assert.equal(patternFault(pattern), null);
    /** How often an instruction is looked at, by a pattern that has met no text before. */
    const steps = (length: number): number => {
      const compiled = RE2JS.compile(pattern);
      const program = compiled.re2().prog as { getInst: (place: number) => unknown };
      const getInst = program.getInst.bind(program);
      let count = 0;
      program.getInst = (place) => ((count += 1), getInst(place));
      compiled.testExact(mixed(chars, length));
      return count;
    };
    const [once, twice] = [steps(2000), steps(4000)];
    assert.ok(once > 0, 'nothing was counted');
    assert.ok(once <= 2000 * 2 * MAX_PROGRAM, `${once} steps for 2000 characters`);
    assert.ok(twice <= 2.2 * once, `${once} steps, then ${twice} for twice the text`);
  });
}

test('comparing patterns costs no more than it may', () => {
  const steps = { left: 20_000 };
  const [inner, outer] = [opened('.*a.{20}'), opened('.*a.{20}|b{30}')].map((pattern) =>
    openProgram(pattern, steps),
  );
  assert.ok(inner && outer);
  assert.throws(() => isWithin(inner, outer), OutOfSteps);
  const left = { left: 20_000 };
  assert.equal(
    coversSigner({ identityRegExp: '.*a.{20}|b{30}' }, { identityRegExp: '.*a.{20}' }, left),
    false,
  );
});
