import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import {
  toAnnotations,
  toFindings,
  toHtml,
  toJUnit,
  toMarkdown,
  toSarif,
  toYaml,
  type FailedCheck,
} from '../../../src/whatif/report/index.ts';
import { elementsOf } from '../../render/xml-check.ts';
import {
  emptyResult,
  fullResult,
  group,
  HOSTILE,
  hostileResult,
  quietResult,
  reportContext,
} from './sample-result.ts';

const broken = { check: 'would_deny', count: 214, tolerated: 100, broken: true } as const;
const editDeny = { check: 'edit_would_deny', count: 180, tolerated: 10, broken: true } as const;
const held = { check: 'tag', count: 11, tolerated: 20, broken: false } as const;

test('each reason is a finding on the line of the changed field behind it', () => {
  const findings = toFindings(fullResult(), reportContext());
  assert.deepEqual(
    findings.map(({ ruleId, level, line, column }) => [ruleId, level, line, column]),
    [
      ['threshold', 'warning', 6, 3],
      ['registry', 'warning', 9, 3],
      ['context', 'warning', 16, 3],
      ['end_of_life', 'warning', 1, 3],
      ['tag', 'warning', 14, 3],
      ['known_exploited', 'note', 1, 3],
      ['other', 'note', 5, 1],
    ],
  );
});

test('a finding says how many rows, what was changed and which workloads', () => {
  const [first, second] = toFindings(fullResult(), reportContext({ checks: [broken] }));
  assert.deepEqual(first?.message.split('\n'), [
    '138 admissions that were allowed would be denied: vulnerabilities at or above the threshold.',
    '--fail-on would_deny=100 failed.',
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

test('pods that differ only in their names are counted behind one, never as rows of the one that is named', () => {
  const pods = Array.from({ length: 12 }, (_, n) =>
    group({
      namespace: 'sandbox',
      workload: `shell-${n}`,
      image: 'busybox:1.36.1',
      label: 'digest',
      rows: 1,
    }),
  );
  const result = fullResult({
    groups: pods,
    would_deny_by_reason: { digest: 12 },
    would_allow_by_reason: {},
  });
  const [only] = toFindings(result, reportContext());
  assert.match(
    only?.message ?? '',
    /^- sandbox\/shell-0 and 11 pods more with busybox:1\.36\.1 \(12 rows\)$/m,
  );
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

test('only what breaks a check is an error, in SARIF as in annotations', () => {
  const levels = (checks: readonly FailedCheck[]): string[] =>
    JSON.parse(toSarif(fullResult(), reportContext({ checks }))).runs[0].results.map(
      ({ level }: { level: string }) => level,
    );
  const [w, e, n] = ['warning', 'error', 'note'];
  assert.deepEqual(levels([]), [w, w, w, w, w, n, n]);
  assert.deepEqual(levels([held]), [w, w, w, w, w, n, n]);
  assert.deepEqual(levels([broken]), [e, e, e, e, e, n, n]);
  assert.deepEqual(levels([{ ...broken, check: 'tag' }]), [w, w, w, w, e, n, n]);
  assert.deepEqual(levels([{ ...broken, check: 'would_allow' }]), [w, w, w, w, w, e, e]);
  assert.deepEqual(levels([editDeny]), [e, e, e, e, e, n, n]);
  assert.deepEqual(levels([{ ...editDeny, check: 'edit_would_allow' }]), [w, w, w, w, w, e, e]);
});

test('a broken check of the edit makes the headline an error and says its own count', () => {
  const [first = ''] = toAnnotations(fullResult(), reportContext({ checks: [editDeny] })).split('\n');
  assert.match(first, /^::error file=[^\n]*title=ipo what-if::Of 5,000 admissions/);
  assert.match(first, /--fail-on edit_would_deny=10 failed: 180 rows by the edit itself\./);
  const [quiet = ''] = toAnnotations(
    fullResult(),
    reportContext({ checks: [{ ...editDeny, broken: false }] }),
  ).split('\n');
  assert.doesNotMatch(quiet, /^::error/);
});

test('a broken check of the edit that no difference tells of is a finding of its own', () => {
  const context = reportContext({ checks: [editDeny] });
  const [run] = JSON.parse(toSarif(quietResult(), context)).runs;
  assert.deepEqual(
    run.results.map(({ ruleId, level }: { ruleId: string; level: string }) => [ruleId, level]),
    [['edit_would_deny', 'error']],
  );
  assert.match(run.results[0].message.text, /180 rows by the edit itself/);
  assert.deepEqual(
    toAnnotations(quietResult(), context)
      .trim()
      .split('\n')
      .map((line) => line.split(' ')[0]),
    ['::error'],
  );
});

test('every report names a check of the edit', () => {
  const context = reportContext({ checks: [editDeny] });
  for (const text of [
    toMarkdown(fullResult(), context),
    toHtml(fullResult(), context),
    toJUnit(fullResult(), context),
  ]) {
    assert.match(text, /--fail-on edit_would_deny=10/);
    assert.match(text, /180 rows by the edit itself, 10 tolerated/);
  }
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
