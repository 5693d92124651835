import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatTime } from '../../src/base/index.ts';
import {
  describeReports,
  planImport,
  retryAt,
  MAX_ATTEMPTS,
  type ImportTarget,
  type ScanReport,
} from '../../src/scan/index.ts';
import { withDatabase } from '../../src/scan/given-database.ts';
import { AT, digestOf, finding, scanOf } from '../store/image-records.ts';

const [A, B] = [digestOf(1), digestOf(2)];

function report(more: Partial<ScanReport> = {}): ScanReport {
  return {
    file: 'report.json',
    artifact: 'nginx:1.27',
    type: 'container_image',
    names: ['docker.io/library/nginx:1.27'],
    digests: [{ name: 'docker.io/library/nginx', digest: A }],
    imageId: null,
    source: null,
    scan: scanOf([]),
    ...more,
  };
}

function madeWith(database: number, scannedAt = AT): ScanReport['scan'] {
  const scanner = { name: 'trivy', version: '1', dbUpdatedAt: formatTime(database) };
  return scanOf([], { scannedAt: formatTime(scannedAt), scanner });
}

const bare = report({ names: [], digests: [], artifact: 'image.tar' });
const two = report({
  names: ['docker.io/library/nginx:1.27', 'ghcr.io/acme/nginx:1.27'],
  digests: [
    { name: 'docker.io/library/nginx', digest: A },
    { name: 'ghcr.io/acme/nginx', digest: B },
  ],
});

for (const [what, one, target, expected] of [
  ['a report says itself which image it is about', report(), {}, [[A, 'docker.io/library/nginx:1.27']]],
  [
    'each digest gets the names of its own repository',
    two,
    {},
    [
      [A, 'docker.io/library/nginx:1.27'],
      [B, 'ghcr.io/acme/nginx:1.27'],
    ],
  ],
  [
    'an image that is named picks its repository out of several',
    two,
    { image: 'ghcr.io/acme/nginx' },
    [[B, 'ghcr.io/acme/nginx:1.27']],
  ],
  [
    'a name that is given is added',
    report(),
    { image: 'nginx:stable' },
    [[A, 'docker.io/library/nginx:1.27', 'docker.io/library/nginx:stable']],
  ],
  ['a report without a digest takes the one that is given', bare, { digest: A }, [[A]]],
  [
    'or that of the reference, with its name',
    bare,
    { image: `ghcr.io/acme/web@${B}` },
    [[B, `ghcr.io/acme/web@${B}`]],
  ],
  ['a digest and a tag', bare, { digest: A, image: 'ghcr.io/acme/web:2' }, [[A, 'ghcr.io/acme/web:2']]],
  ['one digest of several can be picked', two, { digest: B }, [[B, 'ghcr.io/acme/nginx:1.27']]],
] as readonly (readonly [string, ScanReport, ImportTarget, readonly (readonly string[])[]])[]) {
  test(what, () => {
    assert.deepEqual(
      planImport(withDatabase(one, target.databaseAt, AT), target, AT).map(({ digest, names }) => [
        digest,
        ...names,
      ]),
      expected,
    );
  });
}

for (const [what, one, target, code, message] of [
  [
    'a report without a digest',
    bare,
    {},
    'invalid_request',
    /^the report of image\.tar names no registry digest$/,
  ],
  [
    'a tag does not help a report without a digest',
    bare,
    { image: 'nginx:1' },
    'invalid_request',
    /names no registry digest/,
  ],
  [
    'a clean report cannot stand for another image',
    report(),
    { digest: B },
    'invalid_request',
    /is about sha256:0+1, not about sha256:0+2$/,
  ],
  ['nor by the digest of a reference', report(), { image: `nginx@${B}` }, 'invalid_request', /not about/],
  [
    'two digests that differ',
    bare,
    { digest: A, image: `nginx@${B}` },
    'invalid_request',
    /^digest is sha256:0+1, image names sha256:0+2$/,
  ],
  ['a digest that is none', bare, { digest: 'sha256:12' }, 'invalid_request', /is not sha256: with 64/],
  ['an image that is none', bare, { image: 'a b' }, 'invalid_request', /^image "a b" has/],
  [
    'a digest of another algorithm',
    bare,
    { image: `nginx@sha512:${'a'.repeat(128)}` },
    'invalid_request',
    /facts are kept by sha256/,
  ],
  [
    'a report from the future',
    report({ scan: scanOf([], { scannedAt: formatTime(AT + 2 * 86_400_000) }) }),
    {},
    'invalid_report',
    /is in the future$/,
  ],
  [
    'a database from the future',
    report({ scan: madeWith(AT + 2 * 86_400_000) }),
    {},
    'invalid_report',
    /^the report says that its database was made at \S+, which is in the future$/,
  ],
  [
    'a database made days after the scan',
    report({ scan: madeWith(AT - 86_400_000, AT - 3 * 86_400_000) }),
    {},
    'invalid_report',
    /^the report says that its database was made at \S+, after the scan of \S+$/,
  ],
  [
    'an id without an end',
    report({ scan: scanOf([finding('C'.repeat(201))]) }),
    {},
    'invalid_report',
    /more than 200 characters/,
  ],
  ...['filesystem', 'repository', 'vm', 'cyclonedx', 'spdx', 'directory', 'aws_account', ''].flatMap((type) =>
    [{ digest: A }, { image: `nginx@${A}` }, {}].map(
      (target) =>
        [
          `a report of type "${type}" for ${JSON.stringify(target).slice(0, 30)}`,
          report({ type, digests: [], names: [], artifact: 'src' }),
          target,
          'invalid_report',
          /^the report of src is of .+, not of a container image$/,
        ] as const,
    ),
  ),
  [
    'the id of the image in place of its digest',
    report({ digests: [], imageId: A }),
    { digest: A },
    'invalid_request',
    /^sha256:0+1 is the id of the image \(the digest of its configuration\)/,
  ],
] as readonly (readonly [string, ScanReport, ImportTarget, string, RegExp])[]) {
  test(`${what} is refused`, () => {
    assert.throws(
      () => planImport(withDatabase(one, target.databaseAt, AT), target, AT),
      (error: Error & { code?: string }) => {
        assert.equal(error.code, code);
        assert.match(error.message, message);
        return true;
      },
    );
  });
}

test('what reports say is told without a digest too; a target is for only one report', () => {
  assert.deepEqual(
    describeReports([report(), two, bare], {}, AT).map(({ digest, image }) => [digest, image]),
    [
      [A, 'docker.io/library/nginx:1.27'],
      [A, 'docker.io/library/nginx:1.27'],
      [B, 'ghcr.io/acme/nginx:1.27'],
      [null, 'image.tar'],
    ],
  );
  assert.throws(() => describeReports([bare, bare], { digest: A }, AT), { code: 'invalid_request' });
});

test('a scan that fails is due again later and later, and at last given up', () => {
  const waits = Array.from({ length: MAX_ATTEMPTS }, (_, i) => retryAt(i + 1, AT)).map((at) =>
    at === null ? null : (at - AT) / 60_000,
  );
  assert.deepEqual(waits, [1, 2, 4, 8, 16, 32, 64, null]);
});
