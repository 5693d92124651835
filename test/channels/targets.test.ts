import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isAllowedTarget } from '../../src/channels/index.ts';
import { isTargetGlob } from '../../src/channels/targets.ts';
import { runs } from '../runs.ts';

const CASES: readonly (readonly [glob: string, path: string, allowed: boolean])[] = [
  ['owner/name', 'owner/name', true],
  ['owner/name', 'Owner/NAME', true],
  ['owner/name', 'owner/names', false],
  ['owner/name', 'owner/name/more', false],
  ['owner/*', 'owner/anything', true],
  ['owner/*', 'owner/a/b', false],
  ['owner/*', 'owners/a', false],
  ['owner/app-*', 'owner/app-web', true],
  ['owner/*-web', 'owner/app-web', true],
  ['owner/*-web', 'owner/app-web2', false],
  ['owner/a*b*c', 'owner/axxbxxbc', true],
  ['owner/a*b*c', 'owner/axxbxx', false],
  ['group/**', 'group/sub/project', true],
  ['group/**', 'group', true],
  ['group/**/project', 'group/project', true],
  ['group/**/project', 'group/a/b/project', true],
  ['group/**/project', 'group/a/b/projects', false],
  ['**/public', 'a/b/public', true],
  ['**', 'anything/at/all', true],
  ['*', 'a/b', false],
];

for (const [glob, path, allowed] of CASES) {
  test(`${glob} ${allowed ? 'lets' : 'keeps'} ${path} ${allowed ? 'through' : 'out'}`, () => {
    assert.equal(isTargetGlob(glob), true);
    assert.equal(isAllowedTarget([glob], path), allowed);
    assert.equal(isAllowedTarget(['other/other', glob], path), allowed);
  });
}

test('without globs every target is allowed', () => {
  assert.equal(isAllowedTarget([], 'a/b'), true);
});

test('globs match as a regular expression of the same meaning does, and never take long', () => {
  const step = fc.stringMatching(/^[ab*]{1,5}$/).filter((text) => !text.includes('**'));
  fc.assert(
    fc.property(
      fc.array(fc.oneof(step, fc.constant('**')), { minLength: 1, maxLength: 5 }),
      fc.array(fc.stringMatching(/^[ab]{1,5}$/), { minLength: 1, maxLength: 6 }),
      (pattern, path) => {
        const source = pattern.map((part) =>
          part === '**' ? '(?:[^/]+/)*' : `${part.replaceAll('*', '[^/]*')}/`,
        );
        const expected = new RegExp(`^${source.join('')}$`).test(`${path.join('/')}/`);
        assert.equal(isAllowedTarget([pattern.join('/')], path.join('/')), expected);
      },
    ),
    { numRuns: runs(3000) },
  );
  const long = `${'*a'.repeat(120)}b`;
  assert.equal(isAllowedTarget([long], 'a'.repeat(10_000)), false);
});
