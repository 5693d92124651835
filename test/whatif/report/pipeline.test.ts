import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { toAnnotations, toFindings, toJUnit, toSarif, toYaml } from '../../../src/whatif/report/index.ts';
import { elementsOf } from '../../render/xml-check.ts';
import {
  emptyResult,
  fullResult,
  HOSTILE,
  hostileResult,
  quietResult,
  reportContext,
} from './sample-result.ts';

const broken = { check: 'would_deny', count: 214, tolerated: 100, broken: true } as const;
const held = { check: 'tag', count: 11, tolerated: 20, broken: false } as const;

test('each reason is a finding on the line of the changed field behind it', () => {
  const findings = toFindings(fullResult(), reportContext());
  assert.deepEqual(
    findings.map(({ ruleId, level, line, column }) => [ruleId, level, line, column]),
    [
      ['threshold', 'error', 6, 3],
      ['registry', 'error', 9, 3],
      ['context', 'error', 16, 3],
      ['end_of_life', 'error', 1, 3],
      ['tag', 'error', 14, 3],
      ['known_exploited', 'note', 1, 3],
      ['other', 'note', 5, 1],
    ],
  );
});

test('a finding says how many rows, what was changed and which workloads', () => {
  const [first, second] = toFindings(fullResult(), reportContext({ checks: [broken] }));
  assert.deepEqual(first?.message.split('\n'), [
    '138 admissions that were let in would be refused: vulnerabilities at or above the threshold.',
    '--fail-on would_deny=100 does not hold.',
    'spec.severityThreshold: CRITICAL → HIGH',
    '- shop/cart with registry.example.com/shop/cart:1.14.2 (64 rows)',
    '- shop/recommendation-service-canary with registry.example.com/shop/recommendation-service:2026.11.3-canary (37 rows)',
    '- shop/cart with registry.example.com/shop/cart-sidecar@sha256:0f3c1f0d0c5e… (21 rows)',
    '- 16 more',
    'Such as: vulnerabilities at or above HIGH: CVE-2026-1001, CVE-2026-1002',
  ]);
  assert.match(second?.message ?? '', /spec\.allowedRegistries: - docker\.io, \+ quay\.io\/example/);
  assert.deepEqual(first?.properties, {
    change: 'would_deny',
    rows: 138,
    evaluated: 5000,
    field: 'spec.severityThreshold',
    field_changed: true,
  });
});

test('SARIF carries the figures and a rule with help for each label', () => {
  const [run] = JSON.parse(toSarif(fullResult(), reportContext({ checks: [broken, held] }))).runs;
  assert.equal(run.results.length, 7);
  assert.equal(run.properties.would_deny, 214);
  assert.equal(run.properties.checks.length, 2);
  assert.equal(run.automationDetails.id, 'ipo-whatif/tighten-prod/');
  for (const rule of run.tool.driver.rules)
    assert.ok(rule.help.text.length > 40 && rule.shortDescription.text.length > 3);
  const prints = run.results.map(
    (result: { partialFingerprints: Record<string, string> }) => result.partialFingerprints['ipoFinding/v1'],
  );
  assert.equal(new Set(prints).size, prints.length);
});

test('SARIF of an answer without a difference has no results', () => {
  const [run] = JSON.parse(toSarif(quietResult(), reportContext())).runs;
  assert.deepEqual([run.results, run.tool.driver.rules], [[], []]);
});

test('a fingerprint of SARIF does not move with the counts', () => {
  const prints = (count: number): string[] =>
    JSON.parse(
      toSarif(fullResult({ would_deny_by_reason: { threshold: count } }), reportContext()),
    ).runs[0].results.map(
      (result: { partialFingerprints: Record<string, string> }) =>
        result.partialFingerprints['ipoFinding/v1'],
    );
  assert.deepEqual(prints(1), prints(99));
});

test('an annotation is an error where a check is broken, else a warning or a notice', () => {
  const levels = (text: string): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const [, level = ''] of text.matchAll(/^::([a-z]+) /gm)) counts[level] = (counts[level] ?? 0) + 1;
    return counts;
  };
  assert.deepEqual(levels(toAnnotations(fullResult(), reportContext({ checks: [held] }))), {
    warning: 5,
    notice: 3,
  });
  assert.deepEqual(levels(toAnnotations(fullResult(), reportContext({ checks: [broken] }))), {
    error: 5,
    notice: 3,
  });
  const one = { check: 'threshold', count: 138, tolerated: 0, broken: true };
  assert.deepEqual(levels(toAnnotations(fullResult(), reportContext({ checks: [one] }))), {
    error: 1,
    warning: 4,
    notice: 3,
  });
  const loose = { check: 'would_allow', count: 12, tolerated: 0, broken: true };
  assert.deepEqual(levels(toAnnotations(fullResult(), reportContext({ checks: [loose] }))), {
    error: 2,
    warning: 5,
    notice: 1,
  });
});

test('an answer without a difference is one notice on the name of the policy', () => {
  const text = toAnnotations(quietResult(), reportContext());
  assert.match(
    text,
    /^::notice file=policies\/tighten\.yaml,line=4,col=3,title=ipo what-if::refactor would change nothing: [^\n]*\n$/,
  );
});

test('JUnit has a case for each check and each reason, and fails what breaks a check', () => {
  const cases = (checks: Parameters<typeof reportContext>[0]) => {
    const elements = elementsOf(toJUnit(fullResult(), reportContext(checks)));
    const failed = elements.filter(({ name }) => name === 'failure').length;
    return {
      names: elements.filter(({ name }) => name === 'testcase').map(({ attributes }) => attributes['name']),
      failed,
      elements,
    };
  };
  const all = cases({ checks: [broken, held] });
  assert.deepEqual(all.names.slice(0, 3), [
    '--fail-on would_deny=100',
    '--fail-on tag=20',
    'would_deny threshold',
  ]);
  assert.equal(all.names.length, 9);
  assert.equal(all.failed, 6, 'the check and the five reasons of would_deny');
  const none = cases({ checks: [held] });
  assert.equal(none.failed, 0);
  assert.match(
    none.elements.find(({ name }) => name === 'system-out')?.text ?? '',
    /^tag: 11 rows, 20 tolerated$/,
  );
  assert.equal(
    cases({ checks: [{ ...held, tolerated: 0, broken: true }] }).failed,
    2,
    'the check and the reason it names',
  );
  const quiet = elementsOf(toJUnit(emptyResult(), reportContext()));
  assert.deepEqual(
    quiet.filter(({ name }) => name === 'testcase').map(({ attributes }) => attributes['name']),
    ['no difference'],
  );
});

test('YAML holds the same as JSON', () => {
  for (const result of [
    fullResult(),
    emptyResult(),
    ...HOSTILE.filter((text) => text.isWellFormed()).map((text) => hostileResult(text, 3)),
  ]) {
    assert.deepEqual(parse(toYaml(result)), result);
    assert.deepEqual(Object.keys(parse(toYaml(result)) as object), Object.keys(result));
  }
});

for (const text of HOSTILE) {
  test(`every format of a pipeline is whole with ${JSON.stringify(text.slice(0, 40))} everywhere`, () => {
    const result = hostileResult(text);
    const context = reportContext({
      file: text,
      version: text,
      checks: [{ check: text, count: 1, tolerated: 0, broken: true }, broken],
    });
    const [run] = JSON.parse(toSarif(result, context)).runs;
    assert.ok(run.results.length > 10 && run.results.length < 40);
    for (const { message, locations } of run.results) {
      // oxlint-disable-next-line no-control-regex -- a newline is ours, anything else is not
      assert.doesNotMatch(message.text, /[\u0000-\u0009\u000b-\u001f\u202e]|\]\(/);
      assert.doesNotMatch(locations[0].physicalLocation.artifactLocation.uri, /[^!-~]/);
    }
    const elements = elementsOf(toJUnit(result, context));
    assert.equal(
      Number(elements[0]?.attributes['tests']),
      elements.filter(({ name }) => name === 'testcase').length,
    );
    const lines = toAnnotations(result, context).trimEnd().split('\n');
    assert.ok(lines.length <= 30);
    for (const line of lines)
      assert.match(line, /^::(error|warning|notice) file=[^,:]*,line=\d+,col=\d+,title=[^,:]*::/);
    for (const level of ['error', 'warning', 'notice'])
      assert.ok(lines.filter((line) => line.startsWith(`::${level} `)).length <= 10);
  });
}
