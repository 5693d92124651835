import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  fileUri,
  findingCases,
  toAnnotations,
  toJUnit,
  toSarif,
  type Finding,
} from '../../src/render/index.ts';
import { elementsOf } from './xml-check.ts';

const finding = (fields: Partial<Finding> = {}): Finding => ({
  ruleId: 'rule',
  ruleTitle: 'A rule',
  level: 'warning',
  message: 'something is odd',
  file: 'policies/prod.yaml',
  line: 3,
  column: 5,
  ...fields,
});
const hostile = fc.string({ unit: 'binary' });

test('a path becomes a URI that stands for the same file', () => {
  assert.equal(fileUri('policies/prod.yaml'), 'policies/prod.yaml');
  assert.equal(fileUri('./a b/ü#1?%.yaml'), 'a%20b/%C3%BC%231%3F%25.yaml');
  assert.equal(fileUri('../up.yaml'), '../up.yaml');
  assert.equal(fileUri('a:b.yaml'), 'a%3Ab.yaml');
  assert.equal(fileUri('/etc/ipo/p.yaml'), 'file:///etc/ipo/p.yaml');
  assert.equal(fileUri('C:\\ipo\\p.yaml'), 'file:///C:/ipo/p.yaml');
  fc.assert(fc.property(hostile, (path) => assert.match(fileUri(path), /^[!-~]*$/)));
});

test('SARIF has what the format requires', () => {
  const log = JSON.parse(
    toSarif(
      [finding(), finding({ level: 'error', message: 'b' }), finding({ ruleId: 'other', level: 'note' })],
      { version: '1.2.3', category: 'x', properties: { n: 1 } },
    ),
  );
  assert.equal(log.version, '2.1.0');
  assert.equal(log.$schema, 'https://json.schemastore.org/sarif-2.1.0.json');
  const [run] = log.runs;
  assert.deepEqual(
    run.tool.driver.rules.map(({ id }: { id: string }) => id),
    ['rule', 'other'],
  );
  assert.equal(run.tool.driver.version, '1.2.3');
  assert.equal(run.automationDetails.id, 'x/');
  assert.deepEqual(
    run.results.map(({ level }: { level: string }) => level),
    ['warning', 'error', 'note'],
  );
  for (const result of run.results) {
    assert.equal(run.tool.driver.rules[result.ruleIndex].id, result.ruleId);
    const { artifactLocation, region } = result.locations[0].physicalLocation;
    assert.deepEqual(artifactLocation, { uri: 'policies/prod.yaml', uriBaseId: '%SRCROOT%' });
    assert.deepEqual(region, { startLine: 3, startColumn: 5 });
    assert.match(result.partialFingerprints['ipoFinding/v1'], /^[0-9a-f]{64}$/);
  }
});

test('an absolute path in SARIF has no base', () => {
  const [run] = JSON.parse(toSarif([finding({ file: '/a/b.yaml' })], { version: '1', category: 'x' })).runs;
  assert.deepEqual(run.results[0].locations[0].physicalLocation.artifactLocation, {
    uri: 'file:///a/b.yaml',
  });
});

test('a fingerprint stays when the line moves, and differs between rules, files and identities', () => {
  const print = (fields: Partial<Finding>): string =>
    JSON.parse(toSarif([finding(fields)], { version: '1', category: 'x' })).runs[0].results[0]
      .partialFingerprints['ipoFinding/v1'];
  assert.equal(print({ line: 3 }), print({ line: 30 }));
  assert.equal(print({ identity: 'a', message: 'm' }), print({ identity: 'a', message: 'n' }));
  assert.equal(
    new Set([print({}), print({ ruleId: 'b' }), print({ file: 'b' }), print({ identity: 'b' })]).size,
    4,
  );
});

test('a SARIF message holds no placeholder and no link of foreign text', () => {
  const [run] = JSON.parse(
    toSarif([finding({ message: 'see {0} [x](javascript:alert(1)) \u001b[31m' })], {
      version: '1',
      category: 'x',
    }),
  ).runs;
  assert.equal(run.results[0].message.text, 'see {{0}} [x] (javascript:alert(1)) \\u001b[31m');
});

test('annotations escape as the workflow commands ask', () => {
  const text = toAnnotations([
    finding({ file: 'a,b:c.yaml', ruleTitle: '50%: x, y', message: '50% a: b, c\nnext' }),
  ]);
  assert.equal(
    text,
    '::warning file=a%2Cb%3Ac.yaml,line=3,col=5,title=50%25%3A x%2C y::50%25 a: b, c%0Anext\n',
  );
});

test('no foreign text begins a command of its own', () => {
  fc.assert(
    fc.property(hostile, hostile, hostile, (file, ruleTitle, message) => {
      const lines = toAnnotations([finding({ file, ruleTitle, message })]).split('\n');
      assert.equal(lines.length, 2);
      const [, properties = ''] =
        /^::warning (file=[^,:]*,line=3,col=5,title=[^,:]*)::/.exec(lines[0] ?? '') ?? [];
      assert.notEqual(properties, '', lines[0]);
      // oxlint-disable-next-line no-control-regex -- none may be left
      assert.doesNotMatch(lines[0] ?? '', /[\u0000-\u001f\u007f]/);
    }),
  );
});

test('ten annotations of a level are written, and the tenth of more says how many more', () => {
  const many = (level: Finding['level'], count: number) =>
    Array.from({ length: count }, (_, i) => finding({ level, ruleId: `r${i}` }));
  const lines = toAnnotations([...many('note', 10), ...many('error', 13)])
    .trimEnd()
    .split('\n');
  assert.equal(lines.filter((line) => line.startsWith('::notice ')).length, 10);
  const errors = lines.slice(0, 10);
  assert.ok(errors.every((line) => line.startsWith('::error ')));
  assert.match(errors[9] ?? '', /title=4 more::4 more are not shown here: r9, r10, r11, r12$/);
  assert.equal(toAnnotations([]), '');
});

test('JUnit counts its cases and failures', () => {
  const xml = toJUnit({
    name: 'suite',
    cases: [
      { name: 'a', classname: 'c', failure: { type: 't', message: 'm', text: 'one\ntwo' } },
      { name: 'b', classname: 'c', output: 'out' },
      { name: 'd', classname: 'c' },
    ],
    properties: { figure: 7 },
  });
  const elements = elementsOf(xml);
  const suites = elements.filter(({ name }) => name === 'testsuite');
  assert.equal(suites.length, 1);
  assert.deepEqual(suites[0]?.attributes, {
    name: 'suite',
    tests: '3',
    failures: '1',
    errors: '0',
    skipped: '0',
  });
  assert.equal(elements.find(({ name }) => name === 'failure')?.text, 'one\ntwo');
  assert.deepEqual(elements.find(({ name }) => name === 'property')?.attributes, {
    name: 'figure',
    value: '7',
  });
});

test('JUnit is well-formed whatever it holds', () => {
  fc.assert(
    fc.property(hostile, hostile, (a, b) => {
      const cases = [
        { name: a, classname: b, failure: { type: a, message: b, text: a } },
        { name: b, classname: a, output: b },
      ];
      const elements = elementsOf(toJUnit({ name: a, cases, properties: { [a]: b } }));
      assert.equal(elements.filter(({ name }) => name === 'testcase').length, 2);
    }),
  );
});

test('findings become cases: errors fail, others speak, and a file without any passes', () => {
  const cases = findingCases(
    [finding({ level: 'error' }), finding({ level: 'note', line: 9 })],
    ['policies/prod.yaml', 'policies/clean.yaml'],
  );
  assert.deepEqual(
    cases.map(({ name, classname, failure, output }) => [name, classname, failure?.text ?? output ?? '']),
    [
      ['rule at 3:5', 'policies/prod.yaml', 'policies/prod.yaml:3:5: something is odd'],
      ['rule at 9:5', 'policies/prod.yaml', 'note: policies/prod.yaml:9:5: something is odd'],
      ['no findings', 'policies/clean.yaml', ''],
    ],
  );
});
