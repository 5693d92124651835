import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { proseOf, sentencesOf, testNamesOf, type Prose } from './prose.ts';

const ROOT = join(import.meta.dirname, '..');

/** Every text for people below these is checked. */
const PLACES = [
  ...['src', 'bin', 'daemon', 'scripts', 'fakes', 'bench', 'charts', 'man', 'docs'],
  ...['README.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md', 'CHANGELOG.md'],
];

/** The documents whose sentences are counted: at the root, in `docs/`, of the chart, and what pages of commands are made from. */
const DOCUMENTS = [
  ...['README.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md', 'SECURITY.md', 'CODE_OF_CONDUCT.md', 'CHANGELOG.md'],
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
  ...['policies/README.md', 'charts/image-policy-operator/README.md'],
  ...readdirSync(join(ROOT, 'bin'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('man.md'))
    .map((name) => `bin/${name}`),
];
const MOST_WORDS = 25;
const wordsOf = (text: string): number =>
  text.split(/\s+/).filter((word) => /[\p{L}\p{N}`]/u.test(word)).length;

/** Wording that a reader has to read twice, and what to write instead. */
const RULES: readonly (readonly [name: string, words: RegExp, instead: string])[] = [
  ['whoever', /\bwhoever\b/i, 'anyone who, or the person or program itself'],
  [
    'is no X',
    /(?<!(?:there|here) )\b(?:is|are) no (?!longer\b|more\b|one\b|older\b|newer\b)[a-z]/i,
    'is not a X',
  ],
  ['anew', /\banew\b/i, 'again, recreate'],
  ['in force', /\bin force\b/i, 'in effect, active'],
  ['alone', /(?<!-)\balone\b/i, 'only, before the word that it limits'],
  ['let in', /\blets? in\b/i, 'allow'],
  ['mend', /\bmend(?:s|ed|ing)?\b/i, 'fix'],
  ['from where on', /\bfrom where on\b/i, 'since, minimum'],
  ['so many', /\bso many (?:milli|bytes|seconds|characters|rows|letters)/i, 'this many, at most N'],
  ['who has none', /\bwho has none\b/i, 'when no value matches'],
  ['kept elsewhere', /\bkept elsewhere\b/i, 'stored outside the service'],
  ['provider A', /\bprovider [ABC]\b/, 'GitHub, GitLab, Jira'],
];

/** Sentences that others fixed, by the file that holds them and a part of them. */
const FIXED: readonly (readonly [file: string, part: string])[] = [
  // The name of a row in the database, of a mode, and of files.
  ['src/store/facts/node-platforms.ts', "'(alone)'"],
  ['bench/turns.ts', "'alone'"],
  ['bench/', 'webhook-alone'],
  ['bench/webhook-alone.ts', "'alone.db'"],
  ['src/releases/catalogue.ts', 'read from the policy revision in force at the time'],
];

function* filesOf(place: string): Generator<string> {
  const path = join(ROOT, place);
  if (!statSync(path).isDirectory()) return yield place;
  for (const name of readdirSync(path, { recursive: true, encoding: 'utf8' }))
    if (!name.startsWith('decisions') && /\.(?:ts|cts|cjs|mjs|md|ya?ml|tpl|txt|json|\d)$/.test(name))
      yield join(place, name);
}

/** Quoted code is an example of another text. */
const withoutCode = (text: string): string => text.replaceAll(/`[^`]*`/g, '``');

function check(place: string, read: (file: string, content: string) => readonly Prose[]): void {
  const found: string[] = [];
  for (const file of filesOf(place))
    for (const { line, text } of read(file, readFileSync(join(ROOT, file), 'utf8')))
      for (const [name, words, instead] of RULES)
        if (
          words.test(withoutCode(text)) &&
          !FIXED.some((one) => file.startsWith(one[0]) && text.includes(one[1]))
        )
          found.push(`${file}:${line}: "${name}"; write: ${instead}\n  ${text.slice(0, 160)}`);
  assert.equal(found.length, 0, found.slice(0, 20).join('\n'));
}

suite('Plain English', () => {
  for (const place of PLACES) test(`${place} uses the words of its readers`, () => check(place, proseOf));

  test('names of tests use the words of their readers', () =>
    check('test', (file, content) => (file.endsWith('.ts') ? testNamesOf(content) : [])));

  test(`a sentence of a document has at most ${MOST_WORDS} words`, () => {
    const long = DOCUMENTS.flatMap((file) =>
      sentencesOf(readFileSync(join(ROOT, file), 'utf8'))
        .filter(({ text }) => wordsOf(text) > MOST_WORDS)
        .map(({ line, text }) => `${file}:${line}: ${wordsOf(text)} words\n  ${text}`),
    );
    assert.equal(long.length, 0, long.join('\n'));
  });

  test('sentences are counted over lines, by item and by cell, without blocks of code', () => {
    const page =
      '# A b c\n\nOne `two three`\nfour. Five [six](x.md)? **Seven.**\n- eight; nine\n> - ten\n```sh\nnone\n```\n| a; b | c |';
    assert.deepEqual(
      sentencesOf(page).map(({ line, text }) => `${line} ${text}`),
      [
        ...['3 One `code` four.', '3 Five six?', '3 Seven.', '5 eight; nine', '6 ten'],
        ...['10 a', '10 b', '10 c'],
      ],
    );
    assert.equal(wordsOf('One `code` – 2 four.'), 4);
  });

  test('each rule finds its words, and code is not text', () => {
    const code = "const alone = 1; // who is there\nconst x = `a ${alone} b` + 'whoever';\nconst r = /anew/;";
    assert.deepEqual(
      proseOf('a.ts', code).map(({ line, text }) => `${line} ${text}`),
      ['1 // who is there', '2 a ${', '2  b`', "2 'whoever'"],
    );
    assert.deepEqual(
      testNamesOf(
        "\n  t.test(\n  `${alone} is no name`, () => {});\n  regex.test('whoever');\n  suite('x', f);",
      ).map(({ line, text }) => `${line} ${text}`),
      ['2 ${', '2  is no name`', "5 'x'"],
    );
    for (const text of ['a tag is no name', 'made anew', 'flags alone', 'what was let in'])
      assert.ok(
        RULES.some(([, words]) => words.test(text)),
        text,
      );
  });
});
