import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadAuthoring, parsePolicies, type Problem } from '../../src/policy/index.ts';
import { mistakes, SOUND, type Mistake } from './seeded-mistakes.ts';

const { lintPolicies } = await loadAuthoring();
const found = (text: string): Problem[] => lintPolicies([parsePolicies(text, 'x.yaml')]);

const CLASSES = [
  ...['typos', 'enums', 'types', 'durations', 'references'],
  ...['PEM', 'syntax', 'indentation', 'metadata', 'semantics'],
];

test('nothing is found in the policy that mistakes are seeded into', () => {
  assert.deepEqual(found(SOUND), []);
});

test('of the mistakes seeded into a policy nearly every one is found on its line, with its fix, and told once', (t) => {
  const all = mistakes();
  assert.ok(all.length >= 234, `only ${all.length}`);
  assert.deepEqual([...new Set(all.map((one) => one.class))], CLASSES);
  assert.equal(new Set(all.map(({ text }) => text)).size, all.length, 'a mistake is seeded twice');
  const looked = all.map((mistake) => ({ mistake, problems: found(mistake.text) }));
  const missed = (holds: (mistake: Mistake, problems: readonly Problem[]) => boolean): readonly string[] =>
    looked
      .filter(({ mistake, problems }) => !holds(mistake, problems))
      .map(({ mistake, problems }) => {
        const said = problems
          .map(({ line, message, hint }) => `${line}: ${message} (${hint})`)
          .join('\n    ');
        return `${mistake.class}, line ${mistake.line}, ${mistake.fix}: ${mistake.name}\n    ${said}`;
      });
  const elsewhere = missed(({ line }, problems) => problems.some((one) => one.line === line));
  const unhelpful = missed(({ line, fix }, problems) =>
    problems.some((one) => one.line === line && fix.test(`${one.message}. ${one.hint ?? ''}`)),
  );
  const noisy = missed((_, problems) => problems.length <= 2);
  t.diagnostic(
    `${all.length} mistakes: ${elsewhere.length} not on their line, ${unhelpful.length} without their fix, ${noisy.length} told more than twice`,
  );
  assert.ok(elsewhere.length <= all.length / 100, elsewhere.join('\n'));
  assert.ok(unhelpful.length <= all.length / 50, unhelpful.join('\n'));
  assert.deepEqual(noisy, []);
});

test('a text without its end is found where it begins, whatever documents follow', () => {
  const torn = SOUND.replace('enforcement: Enforce', 'enforcement: "Enforce');
  const problems = parsePolicies(`${torn}---\n${SOUND}`, 'x.yaml').problems;
  assert.deepEqual(
    problems.map(({ line, column, rule }) => ({ line, column, rule })),
    [{ line: 11, column: 16, rule: 'syntax' }],
  );
});

test('what a cause repeats of the text can be printed', () => {
  const text = SOUND.replace('enforcement: Enforce', `enforcement Enf\u0000orce${'x'.repeat(5000)}`);
  const [problem, ...more] = parsePolicies(text, 'x.yaml').problems;
  assert.equal(problem?.line, 11);
  assert.match(problem.hint ?? '', /^Write "enforcement: [^\p{Cc}]{1,200}"$/u);
  assert.deepEqual(more, []);
});
