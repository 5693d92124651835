import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { suite, test } from 'node:test';
import { compareVersions } from '../../src/versions/index.ts';
import { runs } from '../runs.ts';

/** Versions in their order, by what the package managers themselves say; `=` joins those that are the same. */
const ORDERED: Readonly<Record<string, readonly string[]>> = {
  deb: [
    '1.0~~',
    '1.0~rc1-1',
    '1.0',
    '1.0-0.1',
    '1.0-1',
    '1.0-1+b1',
    '1.0-1+deb12u1',
    '1.0a-1',
    '1.0+dfsg-1',
    '1.0.1-1',
    '1.2.9-1ubuntu3 = 0:1.2.9-1ubuntu3 = 1.02.9-1ubuntu3',
    '1.2.9-1ubuntu10',
    '1:0.1-1',
    '2:0-1',
  ],
  rpm: [
    '1.0~rc1~git123',
    '1.0~rc1',
    '1.0~rc1^git1',
    '1.0 = 0:1.0 = 1.00',
    '1.0-1.el8',
    '1.0-2.el8_4.1',
    '1.0-10.el8',
    '1.0^git1~pre',
    '1.0^git1',
    '1.0^git2',
    '1.0.rc1',
    '1.0.1',
    '1.0.1a',
    '1.1xyz',
    '1.10 = 1_10',
    '1:0.9-1',
  ],
  apk: [
    '0.1.0_alpha_pre2',
    '0.1.0_alpha',
    '0.1.0_alpha2',
    '1.0_rc1',
    '1.0',
    '1.0_p9-r0',
    '1.0_p10-r0',
    '1.00_beta2',
    '1.02-r1',
    '1.06-r6',
    '1.1_alpha1',
    '1.1',
    '1.1-r0',
    '1.1-r2',
    '1.1-r10',
    '1.1a',
    '1.1a-r1',
    '1.1.0',
    '1.2.4-r4',
    '1.2.4-r5',
    '1.2.10',
    '2.0 = 2.0~deadbeef',
    '6b-r7',
    '006.1',
    '20040923-r2',
  ],
  semver: [
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0 = v1.0.0 = 1.0.0+build = 1.0',
    '1.2.0',
    '1.10.0',
    '18446744073709551616.0.0',
  ],
  pypi: [
    '1.0.dev1',
    '1.0a1.dev2',
    '1.0a1 = 1.0-alpha.1 = v1.0A1',
    '1.0b2.post1.dev1',
    '1.0b2.post1',
    '1.0rc1 = 1.0c1',
    '1.0 = 1 = 1.0.0 = 0!1.0',
    '1.0+abc',
    '1.0+5',
    '1.0.post1.dev1',
    '1.0.post1 = 1.0-1 = 1.0-r1',
    '1.1',
    '1!0.1',
  ],
  maven: [
    '1.0-alpha1 = 1.0-a1',
    '1.0-beta1',
    '1.0-M2',
    '1.0-rc1 = 1.0.CR1',
    '1.0-SNAPSHOT',
    '1.0 = 1 = 1.0.Final = 1.0.0.RELEASE',
    '1.0-sp',
    '1.0-jre',
    '1.0-1',
    '1.0.1',
    '1.10',
  ],
  gem: ['1.0.a', '1.0.b1', '1.0.rc1', '1.0 = 1 = 1.0.0', '1.0.1', '1.10'],
  nuget: ['1.0.0-Alpha', '1.0.0-beta', '1.0.0', '1.0.0.1', '1.0.1'],
};

suite('the order of versions', () => {
  for (const [type, groups] of Object.entries(ORDERED))
    test(`of ${type} is that of its package manager`, () => {
      const all = groups.flatMap((group, rank) => group.split(' = ').map((version) => ({ version, rank })));
      for (const a of all)
        for (const b of all)
          assert.equal(
            Math.sign(compareVersions(type, a.version, b.version) ?? NaN),
            Math.sign(a.rank - b.rank),
            `${a.version} and ${b.version}`,
          );
    });

  test('is not known of a type that is not known here, or of what is not a version there', () => {
    assert.equal(compareVersions('conan', '1', '2'), null);
    const wrong: readonly (readonly [string, string])[] = [
      ['deb', '1:2:3'],
      ['deb', '1-'],
      ['deb', ''],
      ['rpm', 'a b'],
      ['apk', '1.0bc'],
      ['apk', '1.0_foo'],
      ['npm', '(devel)'],
      ['npm', '1.x'],
      ['pypi', 'latest'],
      ['maven', '1.RELEASE-1-x'],
      ['gem', 'x'],
    ];
    for (const [type, version] of wrong) {
      assert.equal(compareVersions(type, version, '1'), null, `${type} ${version}`);
      assert.equal(compareVersions(type, '1', version), null, `${type} ${version}`);
    }
    assert.equal(compareVersions('deb', '1'.repeat(600), '1'), null);
  });

  test('takes no time that grows with a square', () => {
    for (const type of Object.keys(ORDERED))
      for (const unit of ['1.', '~', '-', 'a1', '0', '_p'])
        compareVersions(type, unit.repeat(250), `${unit.repeat(249)}x`);
  });

  const dpkg = hasDpkg() ? false : 'dpkg is not here';
  test('of deb is that of dpkg, for versions by chance', { skip: dpkg }, () => {
    const parts = ['0', '1', '10', '~', 'a', '.', '+', '-1', '~rc1', '2ubuntu1', '+deb12u1', '.0'];
    let seed = 1;
    const next = (below: number): number => (seed = (seed * 48271) % 2147483647) % below;
    const version = (): string =>
      `1${Array.from({ length: 1 + next(5) }, () => parts[next(parts.length)]).join('')}`;
    let compared = 0;
    for (let i = 0; i < runs(20, 150); i += 1) {
      const [a, b] = [version(), version()];
      const order = compareVersions('deb', a, b);
      if (order === null) continue;
      compared += 1;
      const relation = order < 0 ? 'lt' : order > 0 ? 'gt' : 'eq';
      execFileSync('dpkg', ['--compare-versions', a, relation, b], { stdio: 'ignore' });
    }
    assert.ok(compared > 0);
  });
});

function hasDpkg(): boolean {
  try {
    execFileSync('dpkg', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
