import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { renderSelfCheck, renderWhatIf } from '../../bin/whatif/view.ts';
import { displayWidth } from '../../src/render/index.ts';
import type { WhatIfResult } from '../../src/whatif/index.ts';
import {
  emptyResult,
  fullResult,
  group,
  HOSTILE,
  hostileResult,
  quietResult,
  selfCheck,
} from '../whatif/report/sample-result.ts';

const view = (result: WhatIfResult, columns = 100, color = false): Promise<string> =>
  renderWhatIf(result, { color, columns, file: 'policies/tighten.yaml' });
const tooWide = (text: string, columns: number): string[] =>
  stripVTControlCharacters(text)
    .split('\n')
    .filter((line) => displayWidth(line) > columns);

test('the first line says what matters, the second what the edit itself does', async () => {
  const lines = (await view(fullResult(), 140)).split('\n');
  assert.equal(
    lines[0],
    'Of 5,000 admissions, tighten-prod would deny 214 that were allowed and allow 12 that were denied.',
  );
  assert.match(
    lines[1] ?? '',
    /^Compared with the prod-baseline in effect on the same facts, the draft denies 180 more rows/,
  );
});

test('every part stands under its heading', async () => {
  const text = await renderWhatIf(fullResult(), {
    color: false,
    columns: 100,
    file: 'p.yaml',
    checks: [
      { check: 'would_deny', count: 214, tolerated: 100, broken: true },
      { check: 'tag', count: 11, tolerated: 20, broken: false },
    ],
  });
  const headings = text
    .split('\n')
    .filter((line, i, lines) => i > 3 && /^[A-Z]/.test(line) && lines[i - 1] === '')
    .map((line) => line.split('  ')[0]);
  assert.deepEqual(headings, [
    'Changed fields',
    'Would be denied',
    'Would be allowed',
    'Where the difference comes from',
    'Deployment context',
    'Without a scan record',
    'Notes',
    'Checks',
    'Next',
  ]);
  assert.match(text, /spec\.severityThreshold\n {4}- CRITICAL\n {4}\+ HIGH\n/);
  assert.match(
    text,
    /✗ failed {2}--fail-on would_deny=100 {2}214 rows {2}100 tolerated\n {2}✓ passed {2}--fail-on tag=20 {11}11 rows {3}20 tolerated/,
  );
  assert.match(text, /--limit 0 {12}replay every row/);
});

test('a check of the edit says that it counts what the edit itself does', async () => {
  const text = await renderWhatIf(fullResult(), {
    color: false,
    columns: 100,
    file: 'p.yaml',
    checks: [{ check: 'edit_would_deny', count: 180, tolerated: 0, broken: true }],
  });
  assert.match(text, /✗ failed {2}--fail-on edit_would_deny {2}180 rows by the edit itself/);
});

test('where a limit left rows out, the terminal says how far they reach back and begins there', async () => {
  const { by_day } = fullResult();
  const text = await view(fullResult({ by_day: by_day.slice(20) }), 160);
  assert.match(text, /the newest 5,000 rows reach back to 2026-11-11/);
  assert.match(text, /changes by day +11-11 .* 11-20/);
});

test('figures are aligned to the right, with a bar on one scale', async () => {
  const lines = (await view(fullResult()))
    .split('\n')
    .filter((line) => /^ {2}(would be|unchanged)/.test(line));
  assert.deepEqual(
    lines.map((line) => line.replace(/[█▏▎▍▌▋▊▉]+$/, '|')),
    [
      '  would be denied     214   4.3 %  |',
      '  would be allowed     12   0.2 %  |',
      '  unchanged         4,774  95.5 %  |',
    ],
  );
  const bars = lines.map((line) => /[█▏▎▍▌▋▊▉]+$/.exec(line)?.[0].length ?? 0);
  assert.ok((bars[2] ?? 0) > 10 * (bars[0] ?? 0) && (bars[1] ?? 0) === 1);
});

test('groups of a workload stand together under their reason, and what is left out is counted', async () => {
  const text = await view(fullResult(), 140);
  const block = text.slice(text.indexOf('  threshold  138 rows'), text.indexOf('  registry  29 rows'));
  assert.match(
    block,
    /\n {6}64 {2}shop\/cart .*\n {6}21 {5,}registry\.example\.com\/shop\/cart-sidecar@0f3c1f0 .*\n {6}37 {2}shop\/recommendation/,
  );
  assert.match(block, /… 16 more rows/);
  assert.match(block, /such as: vulnerabilities at or above HIGH: CVE-2026-1001, CVE-2026-1002/);
});

test('long names are cut in the middle, and no line is too wide', async () => {
  const results = [
    fullResult(),
    quietResult(),
    emptyResult(),
    fullResult({ groups: [group({ workload: 'w'.repeat(253), image: `${'a/'.repeat(200)}b:1` })] }),
  ];
  for (const columns of [60, 72, 80, 100, 133, 200]) {
    for (const result of results) assert.deepEqual(tooWide(await view(result, columns, true), columns), []);
  }
  assert.match(await view(results[3] as WhatIfResult, 60), /shop\/w+…w+/);
});

test('an absurd width is not an error', async () => {
  for (const columns of [0, -5, 1, NaN, 1_000_000])
    assert.match(await view(fullResult(), columns), /deny\s214/);
});

test('no colour means no escape, and colour changes nothing else', async () => {
  const plain = await view(fullResult());
  assert.equal(plain.includes('\u001b'), false);
  const colored = await view(fullResult(), 100, true);
  assert.ok(colored.includes('\u001b[31m'));
  assert.equal(stripVTControlCharacters(colored), plain);
});

test('an answer without a difference is calm and short', async () => {
  const text = await view(quietResult());
  assert.match(text, /^refactor would change nothing: all 5,000 admissions of the last 30 days/);
  assert.ok(text.split('\n').length < 16);
  assert.doesNotMatch(text, /would be denied|report\.html|Where the difference/);
  assert.match(
    await view(
      quietResult({
        baseline: {
          policy_effect: { would_deny: 0, would_allow: 0 },
          missing: 0,
          input_drift: 3,
          drift_unknown: 0,
        },
      }),
    ),
    /3 rows would get another verdict today from the policy revision that\s+decided them/,
  );
});

test('an empty period says so, and what to try', async () => {
  const text = await view(emptyResult());
  assert.match(text, /^No admission of the last 30 days is covered by tighten-prod/);
  assert.match(text, /--days 90/);
  assert.doesNotMatch(await view(emptyResult({ days: 90 })), /--days/);
});

test('huge counts stay in their columns', async () => {
  const evaluated = Number.MAX_SAFE_INTEGER;
  const text = await view(
    fullResult({ evaluated, unchanged: evaluated - 226, would_deny: 214, would_allow: 12 }),
    60,
  );
  assert.match(text, /9,007,199,254,740,765/);
  assert.deepEqual(tooWide(text, 60), []);
});

for (const hostile of HOSTILE) {
  test(`nothing reaches the terminal raw from ${JSON.stringify(hostile.slice(0, 40))}`, async () => {
    for (const columns of [60, 160]) {
      const text = await renderWhatIf(hostileResult(hostile), {
        color: false,
        columns,
        file: hostile,
        checks: [{ check: hostile, count: 1, tolerated: 0, broken: true }],
      });
      // oxlint-disable-next-line no-control-regex -- none may be left
      assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
      assert.doesNotMatch(text, /^\s*::|##/m, 'a line that a pipeline would take for a command');
      assert.deepEqual(tooWide(text, columns), []);
      assert.doesNotMatch(text, /NaN|undefined|\[object/);
    }
  });
}

test('a self-check says whether history is reproduced', async () => {
  const options = { color: false, columns: 100, file: 'shop.ndjson.gz' };
  assert.match(
    await renderSelfCheck(selfCheck({ reproduced: 5000, inputs_changed: 0, unknown: 0 }), options),
    /^All 5,000 rows give the recorded verdict again\./,
  );
  assert.match(
    await renderSelfCheck(selfCheck(), options),
    /^No mismatch: 4,800 of 5,000 rows give the recorded verdict again/,
  );
  assert.match(
    await renderSelfCheck(selfCheck({ checked: 0, reproduced: 0, inputs_changed: 0, unknown: 0 }), options),
    /^No row of the last 30 days could be checked\./,
  );
});

test('a self-check lists what does not match, safely', async () => {
  const row = (text: string) => ({
    id: 12,
    time: '2026-11-20T05:12:09Z',
    namespace: text,
    pod: text,
    image: text,
    policy: text,
    policy_revision: 'ab',
    recorded: { allowed: true, label: null, reason: '' },
    replayed: { allowed: false, label: 'threshold', reason: text },
  });
  const text = await renderSelfCheck(
    selfCheck({ reproduced: 4798, mismatch: 30, mismatches: [row('shop'), ...HOSTILE.map(row)] }),
    { color: false, columns: 80, file: '-' },
  );
  assert.match(text, /^30 rows of 5,000 do not give the recorded verdict/);
  assert.match(text, / {2}12 {2}2026-11-20 05:12 {2}shop\/shop .* allowed .* denie…eshold/);
  assert.match(text, /… 20 more/);
  assert.match(text, /defect of the service/);
  // oxlint-disable-next-line no-control-regex -- none may be left
  assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u202e]/);
  assert.deepEqual(tooWide(text, 80), []);
});

test('on a terminal a long answer says at its end once more what matters', async () => {
  const [first, ...rest] = (await view(fullResult(), 140)).trimEnd().split('\n');
  assert.ok(!rest.includes(first ?? ''), 'a file is read from its beginning');
  const watched = { color: false, columns: 140, file: 'p.yaml', isWatched: true };
  const lines = (await renderWhatIf(fullResult(), watched)).trimEnd().split('\n');
  assert.deepEqual([lines[0], lines.at(-1), lines.at(-2)], [first, first, '']);
  const short = (await renderWhatIf(emptyResult(), watched)).trimEnd().split('\n');
  assert.equal(short.filter((line) => line === short[0]).length, 1, 'one that is seen at once says it once');
});

test('--all leaves no workload and no note out, and is offered where something is left out', async () => {
  const groups = Array.from({ length: 300 }, (_, i) =>
    group({ workload: `team-${i}`, rows: 1, image: `registry.example/app-${i}:1` }),
  );
  const result = { ...fullResult(), groups, notes: Array.from({ length: 40 }, (_, i) => `note ${i} ends`) };
  const folded = await view(result, 140);
  const whole = await renderWhatIf(result, { color: false, columns: 140, file: 'p.yaml', all: true });
  const shown = (text: string): number =>
    groups.filter(({ workload }) => text.includes(`${workload} `)).length;
  assert.ok(shown(folded) < 30, String(shown(folded)));
  assert.equal(shown(whole), 300);
  assert.match(whole, /note 39 ends/);
  assert.doesNotMatch(folded, /note 39 ends/);
  assert.match(folded, /--all +every workload/);
  assert.doesNotMatch(whole, /--all/);
});
