import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'docs/decisions');
/** Where an id may be cited: a folder, or a file of the root. */
const PLACES = [
  'src',
  'bin',
  'daemon',
  'scripts',
  'test',
  'docs',
  'charts',
  'README.md',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
];

const matches = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map((match) => match[1] ?? '');
const textOf = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');
const subjects = readdirSync(FOLDER).filter((file) => file !== 'README.md');
const index = textOf('README.md');
const decided = subjects.flatMap((file) => matches(textOf(file), /^\*\*(D-\d+)\*\* /gm)).toSorted();

/** filesOf lists the text files under a place, with paths from the root. */
function filesOf(place: string): string[] {
  if (place.includes('.')) return [place];
  return readdirSync(join(ROOT, place), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ts|cts|md|yaml|txt|tpl)$/.test(file))
    .map((file) => join(place, file));
}

suite('Decisions', () => {
  // A gap is allowed: a number that was given to a change that never came stays free.
  test('have unique ids', () => {
    assert.ok(decided.length > 0);
    assert.deepEqual(decided, [...new Set(decided)]);
  });

  test('are each listed once in the index, under the file that holds them', () => {
    assert.deepEqual(matches(index, /^- (D-\d+) /gm).toSorted(), decided);
    const sections = index.split(/^## /m).slice(1);
    assert.deepEqual(
      sections.map((section): string => matches(section, /\]\(([^)]+)\)/g)[0] ?? '').toSorted(),
      [...subjects].toSorted(),
    );
    for (const section of sections) {
      const [file = ''] = matches(section, /\]\(([^)]+)\)/g);
      assert.deepEqual(matches(section, /^- (D-\d+) /gm), matches(textOf(file), /^\*\*(D-\d+)\*\* /gm), file);
    }
  });

  test('exist where an id is cited', () => {
    const known = new Set(decided);
    for (const file of PLACES.flatMap(filesOf))
      for (const id of matches(readFileSync(join(ROOT, file), 'utf8'), /\b(D-\d{3,})\b/g))
        assert.ok(known.has(id), `${file} cites ${id}`);
  });
});
