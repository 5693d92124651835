import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { isInRange } from '../../src/versions/index.ts';

suite('a range of versions', () => {
  const table: readonly (readonly [range: string, version: string, expected: boolean | null])[] = [
    ['vers:deb/>=1.2|<2', '1.2', true],
    ['vers:deb/>=1.2|<2', '1.9-1', true],
    ['vers:deb/>=1.2|<2', '2', false],
    ['vers:deb/>=1.2|<2', '2~rc1', true],
    ['vers:deb/>1.2|<=2', '1.2', false],
    ['vers:deb/>1.2|<=2', '2', true],
    ['vers:deb/<1|>=2', '1.5', false],
    ['vers:deb/<1|>=2', '0.5', true],
    ['vers:deb/<1|>=2', '3', true],
    ['vers:deb/1.2', '1.2', true],
    ['vers:deb/1.2', '1.3', false],
    ['vers:deb/1.2|1.4', '1.4', true],
    ['vers:deb/!=1.2', '1.2', false],
    ['vers:deb/!=1.2', '1.3', true],
    ['vers:deb/>=1|!=1.2|<2', '1.2', false],
    ['vers:deb/>=1|!=1.2|<2', '1.3', true],
    ['vers:deb/0.5|>=1|<2|3', '3', true],
    ['vers:deb/0.5|>=1|<2|3', '2.5', false],
    ['vers:deb/ >= 1 | < 2 ', '1.5', true],
    ['vers:deb/1%3A1.2', '1:1.2', true],
    ['vers:deb/*', '9', true],
    ['vers:all/*', '9', true],
    ['vers:none/*', '9', false],
    // What cannot be told.
    ['vers:deb/<2|>=1', '1.5', null],
    ['vers:deb/>1|>2', '1.5', null],
    ['vers:deb/1|1.0|1', '1', null],
    ['vers:deb/>=1|*', '1', null],
    ['vers:deb/', '1', null],
    ['vers:deb/>=', '1', null],
    ['vers:deb/>=%zz', '1', null],
    ['vers:deb/>=1:2:3', '1', null],
    ['vers:npm/>=1', '1', null],
    ['>=1', '1', null],
    ['', '1', null],
  ];
  for (const [range, version, expected] of table)
    test(`${range} and ${version}: ${expected ?? 'cannot be told'}`, () =>
      assert.equal(isInRange(range, 'deb', version), expected));

  test('is of the ecosystem of its package, or of semantic versions where the package has those', () => {
    assert.equal(isInRange('vers:semver/<2', 'npm', '1.0.0'), true);
    assert.equal(isInRange('vers:semver/<2', 'deb', '1.0.0'), null);
    assert.equal(isInRange('vers:alpine/<2', 'apk', '1.2.4-r4'), true);
    assert.equal(isInRange('vers:conan/<2', 'conan', '1.0.0'), null);
    assert.equal(isInRange('vers:semver/<2', null, '1.0.0'), true);
  });
  test('with very many versions is not looked through', () => {
    const many = Array.from({ length: 5000 }, (_, i) => String(i + 1)).join('|');
    assert.equal(isInRange(`vers:deb/${many}`, 'deb', '7'), null);
  });
});
