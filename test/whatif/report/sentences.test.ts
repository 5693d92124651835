import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DENIAL_LABELS } from '../../../src/decision/index.ts';
import { policySpec, SIGNALS } from '../../../src/policy/index.ts';
import {
  changeLines,
  contextText,
  daysOf,
  reachText,
  toHtml,
  toMarkdown,
  editText,
  fieldBehind,
  headlineText,
  imageText,
  shortestImageWidth,
  labelHelp,
  labelTitle,
  notEvaluatedText,
  originOf,
  sourceText,
  periodText,
  reasonsOf,
  shortTime,
} from '../../../src/whatif/report/index.ts';
import { emptyResult, fullResult, group, quietResult, reportContext } from './sample-result.ts';

const change = (path: string) => ({ path, before: 1, after: 2 });

test('every label has a title, a help and a field that a policy has', () => {
  for (const label of DENIAL_LABELS) {
    assert.notEqual(labelTitle(label), '', label);
    assert.match(labelHelp(label), /\.$/);
    let value: unknown = { spec: policySpec.schema.parse({}) };
    for (const step of fieldBehind(label, null).path.split('.')) {
      assert.ok(value !== null && typeof value === 'object' && step in value, `${label}: no field ${step}`);
      value = (value as Record<string, unknown>)[step];
    }
  }
  assert.equal(labelTitle('constructor'), '');
});

test('a label points at its own field first, then at one that explains it', () => {
  const cases: readonly (readonly [
    label: string,
    changed: readonly string[],
    path: string,
    isChanged: boolean,
  ])[] = [
    ['threshold', ['spec.ignoreUnfixed', 'spec.severityThreshold'], 'spec.severityThreshold', true],
    ['threshold', ['spec.denyLatestTag', 'spec.ignoreUnfixed'], 'spec.ignoreUnfixed', true],
    ['threshold', ['spec.vex.trustedIssuers'], 'spec.vex.trustedIssuers', true],
    ['threshold', ['spec.denyLatestTag'], 'spec.severityThreshold', false],
    ['known_exploited', ['spec.vex.mode'], 'spec.vex.mode', true],
    ['signature', ['spec.signature.identities'], 'spec.signature.identities', true],
    ['provenance', ['spec.provenance.trustedBuilders'], 'spec.provenance.trustedBuilders', true],
    ['context', ['spec.severityThreshold'], 'spec.severityThreshold', true],
    [
      'context',
      ['spec.severityThreshold', 'spec.deploymentContext.mode'],
      'spec.deploymentContext.mode',
      true,
    ],
    ['tag', ['spec.targetNamespaces'], 'spec.targetNamespaces', true],
    ['registry', ['spec.enforcement'], 'spec.enforcement', true],
    ['quota', ['spec.severityThreshold'], 'spec', false],
    ['toString', [], 'spec', false],
  ];
  for (const [label, changed, path, isChanged] of cases) {
    const behind = fieldBehind(label, changed.map(change));
    assert.deepEqual(
      [behind.path, behind.change !== null],
      [path, isChanged],
      `${label} with ${changed.join(', ')}`,
    );
  }
});

test('the headline counts rightly, in the singular too', () => {
  const figures = (evaluated: number, would_deny: number, would_allow: number) =>
    headlineText(emptyResult({ evaluated, would_deny, would_allow }));
  assert.equal(
    figures(5000, 214, 12),
    'Of 5,000 admissions, tighten-prod would deny 214 that were allowed and allow 12 that were denied.',
  );
  assert.equal(figures(1, 1, 0), 'Of 1 admission, tighten-prod would deny 1 that was allowed.');
  assert.equal(figures(3, 0, 2), 'Of 3 admissions, tighten-prod would allow 2 that were denied.');
  assert.equal(
    figures(1, 0, 0),
    'tighten-prod would change nothing: the one admission of the last 30 days would be answered as it was.',
  );
  assert.equal(
    figures(0, 0, 0),
    'No admission of the last 30 days is covered by tighten-prod, so nothing was decided.',
  );
  assert.equal(
    headlineText(
      emptyResult({
        break_glass_skipped: 1,
        not_evaluated: { count: 2, by_reason: { reference_invalid: 2 } },
        days: 1,
      }),
    ),
    'Nothing was decided for tighten-prod: the last day holds only 1 break-glass admission and 2 rows that cannot be decided.',
  );
});

test('the edit is told apart from what scans changed', () => {
  const baseline = {
    policy_effect: { would_deny: 0, would_allow: 0 },
    missing: 0,
    input_drift: 0,
    drift_unknown: 0,
  };
  assert.equal(
    editText(fullResult({ baseline })),
    'None of this comes from the edit: the prod-baseline in effect gives the same verdicts.',
  );
  assert.equal(
    editText(fullResult({ baseline, source: null })),
    'None of this comes from the edit: the policies in effect give the same verdicts.',
  );
  assert.equal(
    editText(fullResult({ baseline, policy_changes: [] })),
    'The draft is the prod-baseline in effect, so none of this comes from an edit.',
  );
  assert.equal(sourceText(fullResult({ policy_changes: [] })), 'the prod-baseline in effect');
  assert.equal(sourceText(fullResult()), 'edited from prod-baseline');
  assert.equal(sourceText(fullResult({ source: null })), null);
  assert.equal(
    editText(fullResult()),
    'Compared with the prod-baseline in effect on the same facts, the draft denies 180 more rows and allows 3 more. Other policies are not counted; they may deny some of these rows already.',
  );
  assert.equal(editText(quietResult()), null);
  assert.equal(
    editText(quietResult({ baseline: { ...baseline, policy_effect: { would_deny: 1, would_allow: 0 } } })),
    'Compared with the policies in effect on the same facts, the draft denies 1 more row.',
  );
  assert.equal(editText(fullResult({ baseline: { ...baseline, missing: 5000 } })), null);
  const texts = originOf(fullResult({ baseline: { ...baseline, missing: 5000, drift_unknown: 5000 } })).map(
    ({ text }) => text,
  );
  assert.deepEqual(texts, [
    'No row has a policy in effect that can decide it, so the effect of the edit is unknown.',
    'The ledger lacks the policy revisions that decided these rows, so what new scans changed is unknown.',
  ]);
  assert.deepEqual(originOf(emptyResult()), []);
});

test('two effects that do not add up to the rows above say why, and a part of the record says so', () => {
  const point = (fields: Parameters<typeof fullResult>[0]) =>
    originOf(fullResult(fields)).find(({ title }) => title === 'Why the sum differs')?.text;
  const baseline = { missing: 0, input_drift: 41, drift_unknown: 11 };
  assert.equal(
    point({ baseline: { ...baseline, policy_effect: { would_deny: 180, would_allow: 3 } } }),
    'These two effects do not add up to the 226 changed rows. A row can be counted in both effects. A row is in neither if its verdict changed only because its policy was revised after the admission.',
  );
  assert.match(
    point({
      baseline: { ...baseline, policy_effect: { would_deny: 180, would_allow: 3 } },
      would_allow_by_reason: { quota: 12 },
    }) ?? '',
    /after the admission, or because of a licence limit\.$/,
  );
  assert.equal(
    point({ baseline: { ...baseline, policy_effect: { would_deny: 185, would_allow: 0 } } }),
    undefined,
  );
  assert.match(
    originOf(fullResult({ baseline: { ...baseline, policy_effect: { would_deny: 1, would_allow: 0 } } }))[1]
      ?.text ?? '',
    / 11 rows could not be compared: the ledger lacks their policy revision or a fact\.$/,
  );
});

test('denials by context are told apart by what was recorded', () => {
  const context = (escalated_denials: number) => ({ ...fullResult().context, escalated_denials });
  const text = (denials: number, wereAllowed: number) =>
    contextText(fullResult({ context: context(denials), would_deny_by_reason: { context: wereAllowed } }));
  assert.equal(
    text(174, 160),
    'The draft denies 174 rows only because it escalates by deployment context. When recorded, 160 were allowed and 14 were denied.',
  );
  assert.match(
    text(1, 1),
    /denies 1 row only because it escalates by deployment context\. When recorded, 1 was allowed\.$/,
  );
  assert.match(text(0, 0), /by deployment context\. Without that, it would deny the same rows\.$/);
});

test('reasons come most rows first, with their groups, and foreign labels are summed', () => {
  const foreign = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`foreign-${i}`, 100 - i]));
  const reasons = reasonsOf(
    fullResult({
      would_allow_by_reason: { tag: 1, ...foreign },
      groups: [group({ change: 'would_allow', label: 'foreign-11' })],
    }),
    'would_allow',
  );
  assert.deepEqual(reasons.map(({ label, count }) => [label, count]).slice(-3), [
    ['foreign-7', 93],
    ['tag', 1],
    ['further labels', 92 + 91 + 90 + 89],
  ]);
  assert.equal(reasons.at(-1)?.groups.length, 1);
});

test('a changed list says what goes and what comes, and an empty one what it stands for', () => {
  const lines = (path: string, before: unknown, after: unknown, most?: number) =>
    changeLines({ path, before, after }, most).map(({ sign, text }) => `${sign} ${text}`);
  assert.deepEqual(lines('spec.allowedRegistries', ['a.example', 'b.example'], ['b.example', 'c.example']), [
    '- a.example',
    '+ c.example',
  ]);
  assert.deepEqual(lines('spec.allowedRegistries', [], ['a.example']), ['- any', '+ a.example']);
  assert.deepEqual(lines('spec.deploymentContext.signals', ['root'], []), ['- root', '+ all six']);
  assert.deepEqual(lines('spec.deploymentContext.signals', [], [...SIGNALS].slice(1)).slice(0, 2), [
    '- all six',
    '+ root',
  ]);
  assert.deepEqual(
    lines(
      'spec.targetNamespaces',
      ['x'],
      Array.from({ length: 9 }, (_, i) => `n${i}`),
      3,
    ),
    ['- x', '+ n0', '+ n1', '… + 7 more'],
  );
  assert.deepEqual(lines('spec.sla.critical', null, '24h'), ['- not set', '+ 24h']);
  assert.deepEqual(lines('spec.provenance.minLevel', 0, 2), ['- 0', '+ 2']);
});

test('an image name gives up its digest before its name', () => {
  const image = `registry.example.com/shop/cart:1.2@sha256:${'0f3c'.repeat(16)}`;
  assert.equal(imageText(image, 80), 'registry.example.com/shop/cart:1.2@sha256:0f3c0f3c0f3c…');
  assert.equal(imageText(image, 45), 'registry.example.com/shop/cart:1.2@0f3c0f3');
  assert.equal(imageText(image, 36), 'registry.example.com/shop/cart:1.2');
  assert.equal(imageText(image, 20), '…/shop/cart:1.2');
  assert.equal(imageText(image, 12), '…/cart:1.2');
  assert.equal(imageText(image, 7), 'car…1.2');
  assert.equal(shortestImageWidth(image), 10);
  assert.equal(shortestImageWidth('alpine'), 6);
  assert.equal(imageText(`localhost:5000/x@sha256:${'0f3c'.repeat(16)}`, 20), '…/x@0f3c0f3');
});

test('times, periods and days', () => {
  assert.equal(shortTime('2026-11-20T05:12:09+02:00'), '2026-11-20 03:12');
  assert.equal(shortTime('\u001b[31m'), '–');
  assert.equal(
    periodText({ as_of: '2026-11-20T06:00:00Z', days: 1 }),
    '2026-11-19 06:00 to 2026-11-20 06:00 UTC (1 day)',
  );
  const days = daysOf(
    emptyResult({ days: 2, by_day: [{ date: '2026-11-19', evaluated: 3, would_deny: 1, would_allow: 0 }] }),
  );
  assert.deepEqual(
    days.map(({ date, evaluated }) => [date, evaluated]),
    [
      ['2026-11-18', 0],
      ['2026-11-19', 3],
      ['2026-11-20', 0],
    ],
  );
  assert.equal(daysOf(emptyResult({ days: 90 })).length, 91);
});

test('where a limit left rows out, the days begin with the oldest that has one', () => {
  const by_day = [
    { date: '2026-11-17', evaluated: 3, would_deny: 1, would_allow: 0 },
    { date: '2026-11-19', evaluated: 2, would_deny: 0, would_allow: 0 },
  ];
  const cut = emptyResult({ days: 30, limit: 5, truncated: true, by_day });
  assert.deepEqual(
    daysOf(cut).map(({ date, evaluated }) => [date, evaluated]),
    [
      ['2026-11-17', 3],
      ['2026-11-18', 0],
      ['2026-11-19', 2],
      ['2026-11-20', 0],
    ],
  );
  assert.equal(reachText(cut), 'the newest 5 rows reach back to 2026-11-17');
  assert.equal(reachText({ ...cut, limit: 1 }), 'the newest row reaches back to 2026-11-17');
  assert.equal(reachText({ ...cut, by_day: [] }), 'the newest 5 rows only');
  assert.equal(reachText({ ...cut, truncated: false }), null);
  assert.match(
    headlineText(quietResult({ truncated: true })),
    /would change nothing: the newest 5,000 admissions would be answered as they were/,
  );
  const reach = 'he newest 5 rows reach back to 2026-11-17';
  assert.equal(toMarkdown(cut, reportContext()).split(reach).length, 2);
  assert.equal(toHtml({ ...cut, evaluated: 5 }, reportContext()).split(reach).length, 3);
  assert.match(toHtml({ ...cut, evaluated: 5 }, reportContext()), /4 days from 2026-11-17 to 2026-11-20/);
});

test('why a row was not decided is said in words', () => {
  assert.equal(notEvaluatedText('reference_invalid'), 'the image reference does not parse');
  for (const fact of ['findings', 'known_exploited', 'signatures', 'attestations', 'provenance', 'vex']) {
    assert.match(notEvaluatedText(`${fact}_unknown`), /never recorded/);
  }
  assert.equal(notEvaluatedText('__proto__'), '__proto__');
});
