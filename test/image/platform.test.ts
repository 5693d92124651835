import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import {
  formatPlatform,
  neededEntries,
  normalisePlatform,
  parsePlatform,
  platformEntries,
  selectPlatform,
  type Descriptor,
  type Platform,
} from '../../src/image/index.ts';
import { runs } from '../runs.ts';

const platformOf = (text: string, osVersion: string | null = null): Platform => ({
  ...(parsePlatform(text) ?? assert.fail(text)),
  osVersion,
});

const digestOf = (digit: string): string => `sha256:${digit.repeat(64)}`;

/** An entry as it is written, not yet normalised; the name stands in the digest. */
function entry(text: string, osVersion: string | null = null, annotations = {}): Descriptor {
  const [os = '', architecture = '', variant = null] = text.split('/');
  return {
    ...{
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      digest: text,
      size: 1,
      artifactType: null,
      annotations,
    },
    platform: text === '' ? null : { os, architecture, variant, osVersion },
  };
}

const pick = (entries: readonly string[], wanted: string): string | undefined =>
  selectPlatform(
    entries.map((text) => entry(text)),
    platformOf(wanted),
  )?.digest;

suite('platforms', () => {
  test('each has one name', () => {
    for (const [text, wanted] of [
      ['linux/x86_64', 'linux/amd64'],
      ['Linux/AMD64/v1', 'linux/amd64'],
      ['linux/amd64/v3', 'linux/amd64/v3'],
      ['linux/aarch64', 'linux/arm64'],
      ['linux/arm64/v8', 'linux/arm64'],
      ['linux/arm64/8', 'linux/arm64'],
      ['linux/armhf', 'linux/arm/v7'],
      ['linux/arm/7', 'linux/arm/v7'],
      ['linux/i386', 'linux/386'],
      ['macos/arm64', 'darwin/arm64'],
    ] as const)
      assert.equal(formatPlatform(platformOf(text)), wanted);
    for (const text of [
      '',
      'linux',
      'linux/',
      '/amd64',
      'linux/a/b/c',
      'linux/a b',
      `linux/${'a'.repeat(40)}`,
    ])
      assert.equal(parsePlatform(text), null, text);
  });

  test('a node gets the best that it can run, and nothing else', () => {
    const all = [
      'linux/amd64',
      'linux/arm64/v8',
      'linux/arm/v7',
      'linux/arm/v6',
      'linux/arm/v5',
      'linux/s390x',
      'windows/amd64',
    ];
    assert.equal(pick(all, 'linux/amd64'), 'linux/amd64');
    assert.equal(pick(all, 'linux/arm64'), 'linux/arm64/v8');
    assert.equal(pick(all, 'linux/arm'), 'linux/arm/v7');
    assert.equal(pick(all, 'linux/arm/v6'), 'linux/arm/v6');
    assert.equal(pick(['linux/arm/v5', 'linux/arm/v6'], 'linux/arm/v7'), 'linux/arm/v6');
    assert.equal(pick(['linux/arm/v7'], 'linux/arm/v6'), undefined);
    assert.equal(pick(['linux/arm/v6', 'linux/arm/v7'], 'linux/arm64'), 'linux/arm/v7');
    assert.equal(pick(['linux/amd64/v3', 'linux/amd64/v2', 'linux/amd64'], 'linux/amd64'), 'linux/amd64');
    assert.equal(
      pick(['linux/amd64/v2', 'linux/amd64/v3', 'linux/amd64'], 'linux/amd64/v3'),
      'linux/amd64/v3',
    );
    assert.equal(pick(['linux/amd64/v2'], 'linux/amd64'), undefined);
    assert.equal(pick(['linux/arm64', 'linux/arm64'], 'linux/arm64'), 'linux/arm64');
    assert.equal(pick(all, 'linux/riscv64'), undefined);
    assert.equal(pick(['', 'unknown/unknown'], 'linux/amd64'), undefined);
  });

  test('an annotation hides no image from the scan that a node would run', () => {
    const marked = entry('linux/amd64', null, { 'vnd.docker.reference.type': 'attestation-manifest' });
    const image = { ...entry('linux/amd64'), digest: digestOf('b') };
    const first = { ...marked, digest: digestOf('a') };
    assert.equal(selectPlatform([first, image], platformOf('linux/amd64'))?.digest, first.digest);
    assert.deepEqual(platformEntries([first, image]), [{ platform: 'linux/amd64', digest: first.digest }]);
    const attestation = { ...first, platform: { ...platformOf('linux/amd64'), os: 'unknown' } };
    assert.deepEqual(platformEntries([attestation]), []);
  });

  test('an image whose platform is not said is needed where a node has no other', () => {
    const unnamed = { ...entry(''), digest: digestOf('a') };
    const arm = { ...entry('linux/arm64'), digest: digestOf('b') };
    const entries = platformEntries([unnamed, arm]);
    const names = (nodes: string[]) => neededEntries(entries, nodes).map(({ platform }) => platform);
    assert.deepEqual(names(['linux/arm64']), ['linux/arm64']);
    assert.deepEqual(names(['linux/amd64', 'linux/arm64']), ['linux/arm64', 'unknown/unknown']);
    const signature = { ...unnamed, mediaType: 'application/vnd.oci.empty.v1+json' };
    assert.deepEqual(platformEntries([signature, arm]).length, 1);
  });

  test('no list of an index is so long, and no digest so strange, that an image of it is overlooked', () => {
    const many = Array.from({ length: 64 }, (_, i) => ({
      ...entry(`linux/made${i}`),
      digest: digestOf('a'),
    }));
    const dirty = { ...entry('linux/amd64'), digest: digestOf('b') };
    for (const entries of [
      platformEntries([...many, dirty]),
      platformEntries([{ ...dirty, digest: `sha512:${'b'.repeat(128)}` }]),
    ])
      assert.deepEqual(
        neededEntries(entries, ['linux/amd64']).map(({ platform }) => platform),
        ['unknown/unknown'],
      );
  });

  test('Windows runs images of its own build', () => {
    const builds = [entry('windows/amd64', '10.0.17763.1'), entry('windows/amd64', '10.0.20348.2')];
    assert.equal(
      selectPlatform(builds, platformOf('windows/amd64', '10.0.20348.99'))?.platform?.osVersion,
      '10.0.20348.2',
    );
    assert.equal(selectPlatform(builds, platformOf('windows/amd64', '10.0.1.1')), null);
    assert.equal(selectPlatform(builds, platformOf('windows/amd64'))?.platform?.osVersion, '10.0.17763.1');
  });

  test('whatever an index says, what is picked is of the operating system and of nothing unknown', () => {
    const word = fc.oneof(
      fc.constantFrom(
        'linux',
        'windows',
        'unknown',
        'amd64',
        'arm',
        'arm64',
        'v7',
        '__proto__',
        'constructor',
      ),
      fc.string(),
    );
    const platform = fc.record({
      ...{ os: word, architecture: word },
      ...{ variant: fc.option(word), osVersion: fc.option(word) },
    });
    fc.assert(
      fc.property(fc.array(fc.option(platform)), platform, (platforms, wanted) => {
        const found = selectPlatform(
          platforms.map((one, i) => ({ ...entry('linux/a'), digest: String(i), platform: one })),
          wanted,
        );
        if (found === null) return;
        assert.ok(found.platform !== null);
        const [own, other] = [normalisePlatform(found.platform), normalisePlatform(wanted)];
        assert.equal(own.os, other.os);
        assert.notEqual(own.os, 'unknown');
        assert.ok(
          own.architecture === other.architecture ||
            (own.architecture === 'arm' && other.architecture === 'arm64'),
        );
      }),
      { numRuns: runs(10_000) },
    );
  });
});
