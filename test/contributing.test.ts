import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { suite, test } from 'node:test';
import { GATES } from '../src/decision/order.ts';

const ROOT = resolve(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const PAGE = read('CONTRIBUTING.md');

/** Paths in backticks; of one with a placeholder the folder before it. */
const paths = [
  ...PAGE.matchAll(
    /`((?:src|bin|test|scripts|docs|man|fakes|fixtures|charts)\/[^`\s]*|[A-Z]+\.md|package\.json)`/g,
  ),
].map(([, path = '']) => path.replace(/(?:<|NNNN).*$/s, '').replace(/[^/]*-$/, ''));

suite('CONTRIBUTING', () => {
  test('every file and folder that it names exists', () => {
    assert.ok(paths.length > 50);
    assert.deepEqual(
      paths.filter((path) => !existsSync(join(ROOT, path))),
      [],
    );
  });

  test('every script that it names is one of package.json', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = [...PAGE.matchAll(/npm run ([a-z]+)/g)].map(([, name = '']) => name);
    assert.ok(named.length > 8);
    for (const name of named) assert.ok(name in scripts, name);
    for (const [, script = ''] of PAGE.matchAll(/node (scripts\/[a-z/]+\.ts)/g))
      assert.ok(existsSync(join(ROOT, script)), script);
  });

  test('the places that it names first hold what it says', () => {
    assert.match(read('src/decision/order.ts'), /^export const GATES = /m);
    for (const { label } of GATES)
      assert.ok(existsSync(join(ROOT, `src/decision/gates/${label.replaceAll('_', '-')}.ts`)), label);
    assert.match(
      read('src/trackers/judge.ts'),
      /^const RETIRED_MS = DAY_MS;[^]*?^function judgeRetired\([^]*?< RETIRED_MS/m,
    );
    assert.match(read('bin/audit/index.ts'), /^export const listed: Listed = /m);
    assert.match(read('docs/ci.md'), /--fail-on edit_would_deny/);
  });
});

suite('Links between the documents', () => {
  const pages = [
    ...['README.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md'],
    ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name}`),
  ];
  for (const page of pages)
    test(`${page} links to files and headings that exist`, () => {
      for (const [, path = '', heading] of read(page).matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)/g)) {
        const target = path === '' ? page : join(dirname(page), path);
        assert.ok(existsSync(join(ROOT, target)), `${page}: ${path}`);
        if (heading !== undefined)
          assert.ok(headings(read(target)).includes(heading), `${target}#${heading}`);
      }
    });
});

/** The anchors of a page's headings, as GitHub makes them. */
function headings(page: string): string[] {
  return [...page.replaceAll(/^```.*?^```/gms, '').matchAll(/^#+ (.+)$/gm)].map(([, text = '']) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );
}
