import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import {
  claimsAbout,
  concernOf,
  DigestIndex,
  coverOf,
  coversPackage,
  parsePurl,
  readVex,
  type VexClaim,
  type VexProduct,
  type VexStatus,
} from '../../src/vex/index.ts';

const DATA = join(import.meta.dirname, '../../../shared/data/vex');
const skip = existsSync(DATA) ? false : 'shared/data/vex is not here';

const WEB = `sha256:${'a'.repeat(64)}`;
const OTHER = `sha256:${'b'.repeat(64)}`;
const encoded = (digest: string): string => encodeURIComponent(digest);
const NAMES = ['ghcr.io/acme/web', 'docker.io/library/nginx'];

suite('which product is the image', () => {
  /** What a name is in a document of a source, and in one that is attached to the image. */
  const table: readonly (readonly [string, string, string])[] = [
    [`pkg:oci/web@${encoded(WEB)}`, 'covers', 'covers'],
    [`pkg:oci/web@${WEB}?repository_url=ghcr.io/acme/web`, 'covers', 'covers'],
    [`pkg:oci/web@${encoded(WEB.toUpperCase().replace('SHA', 'sha'))}`, 'covers', 'covers'],
    [`pkg:oci/elsewhere@${encoded(WEB)}?repository_url=evil.example/x`, 'covers', 'covers'],
    [`pkg:oci/web@${encoded(OTHER)}`, 'other', 'other'],
    [`pkg:oci/web@${encoded(OTHER)}?checksum=${WEB}`, 'other', 'other'],
    [`pkg:oci/web@${encoded(`sha512:${'a'.repeat(128)}`)}`, 'other', 'other'],
    ['pkg:oci/web@1.2', 'other', 'other'],
    ['pkg:oci/web?repository_url=ghcr.io%2Facme%2Fweb', 'no_digest', 'covers'],
    ['pkg:oci/web?repository_url=ghcr.io/acme', 'no_digest', 'covers'],
    ['pkg:oci/web?repository_url=https://ghcr.io/acme/web/', 'no_digest', 'covers'],
    ['pkg:oci/web?repository_url=ghcr.io/acme/web&tag=v1', 'no_digest', 'covers'],
    ['pkg:oci/nginx?repository_url=index.docker.io/library/nginx', 'no_digest', 'covers'],
    ['pkg:oci/web?repository_url=mirror.example/acme/web', 'other', 'covers'],
    ['pkg:oci/web', 'other', 'covers'],
    ['pkg:oci/web-evil?repository_url=ghcr.io/acme/web-evil', 'other', 'other'],
    ['pkg:docker/library/nginx@1.27', 'no_digest', 'covers'],
    ['pkg:docker/nginx@1.27', 'no_digest', 'covers'],
    [`pkg:docker/acme/web@${encoded(WEB)}`, 'covers', 'covers'],
    ['nginx', 'no_digest', 'covers'],
    ['ghcr.io/acme/web:v1', 'no_digest', 'covers'],
    [`ghcr.io/acme/web@${WEB}`, 'covers', 'covers'],
    [`ghcr.io/acme/web@${OTHER}`, 'other', 'other'],
    [WEB.slice(7), 'covers', 'covers'],
    [`${WEB.slice(7)}0`, 'none', 'none'],
    ['pkg:golang/github.com/acme/web@v1', 'none', 'covers'],
    ['CSAFPID-0001', 'none', 'none'],
    ['', 'none', 'none'],
    ['pkg:oci/%zz', 'none', 'none'],
  ];
  for (const [name, alone, attached] of table) {
    const product: VexProduct = { names: [name], hashes: [], parts: null };
    test(`${name} of a source: ${alone}`, () =>
      assert.equal(concernOf(product, { digest: WEB, names: NAMES, attached: false }).kind, alone));
    test(`${name} of what is attached: ${attached}`, () =>
      assert.equal(concernOf(product, { digest: WEB, names: NAMES, attached: true }).kind, attached));
  }

  const attached = { digest: WEB, names: NAMES, attached: true };
  test('a hash decides, whatever the name says', () => {
    const name = `pkg:oci/web@${encoded(WEB)}`;
    assert.equal(concernOf({ names: [name], hashes: [OTHER.slice(7)], parts: null }, attached).kind, 'other');
    assert.equal(concernOf({ names: ['x'], hashes: [WEB.slice(7)], parts: null }, attached).kind, 'covers');
  });
  test('no product is what the document is attached to', () => {
    assert.equal(concernOf(null, attached).kind, 'covers');
    assert.equal(concernOf(null, { ...attached, attached: false }).kind, 'none');
  });
  test('a package that is attached to the image is a part of it, but its own parts are not looked for', () => {
    const name = 'pkg:golang/github.com/acme/lib@v1';
    assert.deepEqual(concernOf({ names: [name], hashes: [], parts: null }, attached), {
      kind: 'covers',
      parts: [name],
    });
    assert.equal(concernOf({ names: [name], hashes: [], parts: ['pkg:golang/x'] }, attached).kind, 'none');
  });
  test('where no name is known, what is attached may be named by any repository', () =>
    assert.equal(
      concernOf({ names: ['pkg:oci/x'], hashes: [], parts: null }, { ...attached, names: [] }).kind,
      'covers',
    ));
});

suite('which of several statements rules', () => {
  const claim = (
    status: VexStatus,
    at: number | null,
    part: string | null = null,
    document = 0,
  ): VexClaim => ({
    id: 'CVE-1',
    status,
    at,
    part,
    document,
  });
  const whole = { id: 'CVE-1', parts: null, document: 0 };
  const table: readonly (readonly [string, readonly VexClaim[], readonly object[]])[] = [
    ['one that takes out', [claim('not_affected', 1)], [{ ...whole, status: 'not_affected' }]],
    ['the newer', [claim('affected', 1), claim('fixed', 2)], [{ ...whole, status: 'fixed' }]],
    [
      'the newer, whatever the order',
      [claim('fixed', 2), claim('affected', 1)],
      [{ ...whole, status: 'fixed' }],
    ],
    ['a newer that takes it back', [claim('fixed', 1), claim('under_investigation', 2)], []],
    ['the careful one of one time', [claim('fixed', 1), claim('affected', 1)], []],
    ['the careful one of one time, in the other order', [claim('affected', 1), claim('fixed', 1)], []],
    ['the careful one where it has no time', [claim('fixed', 9), claim('affected', null)], []],
    ['the careful one where the other has no time', [claim('fixed', null), claim('affected', 1)], []],
    ['one without a time alone', [claim('fixed', null)], [{ ...whole, status: 'fixed' }]],
    ['a part', [claim('fixed', 1, 'a')], [{ ...whole, status: 'fixed', parts: ['a'] }]],
    [
      'two parts',
      [claim('fixed', 1, 'b'), claim('fixed', 2, 'a')],
      [{ ...whole, status: 'fixed', parts: ['a', 'b'] }],
    ],
    [
      'a part that is affected later than the whole is not',
      [claim('fixed', 1), claim('affected', 2, 'a')],
      [],
    ],
    ['a part that is affected at the same time', [claim('fixed', 1), claim('affected', 1, 'a')], []],
    [
      'a whole that is newer than its affected part',
      [claim('affected', 1, 'a'), claim('fixed', 2)],
      [{ ...whole, status: 'fixed' }],
    ],
    ['a whole that is affected later than its part', [claim('fixed', 1, 'a'), claim('affected', 2)], []],
    [
      'a part that is newer than the affected whole',
      [claim('affected', 1), claim('fixed', 2, 'a')],
      [{ ...whole, status: 'fixed', parts: ['a'] }],
    ],
    [
      'one part of which another is affected',
      [claim('affected', 3, 'b'), claim('fixed', 2, 'a')],
      [{ ...whole, status: 'fixed', parts: ['a'] }],
    ],
    [
      'a part that is written otherwise and said to be affected later: it is left out of what is covered',
      [claim('fixed', 1, 'pkg:apk/alpine/a'), claim('affected', 2, 'pkg:apk/alpine/a@1')],
      [{ ...whole, status: 'fixed', parts: ['pkg:apk/alpine/a'], except: ['pkg:apk/alpine/a@1'] }],
    ],
    [
      'a version of a part of which the part says another thing at the same time',
      [claim('fixed', 1, 'pkg:apk/alpine/a@2'), claim('affected', 1, 'pkg:apk/alpine/a')],
      [{ ...whole, status: 'fixed', parts: ['pkg:apk/alpine/a@2'] }],
    ],
    [
      'a version of a part of which the part says another thing later',
      [claim('fixed', 1, 'pkg:apk/alpine/a@2'), claim('affected', 2, 'pkg:apk/alpine/a')],
      [{ ...whole, status: 'fixed', parts: ['pkg:apk/alpine/a@2'], except: ['pkg:apk/alpine/a'] }],
    ],
    [
      'the document that says it',
      [claim('affected', 1, null, 0), claim('fixed', 2, null, 1)],
      [{ ...whole, status: 'fixed', document: 1 }],
    ],
  ];
  for (const [name, claims, expected] of table) test(name, () => assert.deepEqual(coverOf(claims), expected));
});

suite('which finding a part covers', () => {
  const found = (
    name: string,
    installed: string,
    purl: string | null,
    distribution: string | null = null,
  ) => ({
    ...{ package: name, installed, purl, distribution },
  });
  const MUSL = found('musl', '1.2.4-r4', 'pkg:apk/alpine/musl@1.2.4-r4?arch=x86_64&distro=3.18.4');
  const BASH = found('bash', '5.2', 'pkg:deb/debian/bash@5.2?arch=amd64&distro=debian-12.5');
  const RPM = found('bash', '1:5.2-1', 'pkg:rpm/redhat/bash@5.2-1?arch=x86_64&epoch=1&distro=redhat-9.4');
  const NET = found('golang.org/x/net', 'v0.27.0', 'pkg:golang/golang.org/x/net@v0.27.0');
  const table: readonly (readonly [string, ReturnType<typeof found>, boolean])[] = [
    // Another type, namespace or distribution is another package.
    ['pkg:apk/alpine/musl', MUSL, true],
    ['pkg:deb/debian/musl', MUSL, false],
    ['pkg:apk/wolfi/musl', MUSL, false],
    ['pkg:apk/musl', MUSL, false],
    ['pkg:deb/debian/bash', BASH, true],
    ['pkg:deb/ubuntu/bash', BASH, false],
    ['pkg:deb/Debian/bash', BASH, true],
    ['pkg:npm/bash', BASH, false],
    ['pkg:deb/debian/bash?distro=debian-12', BASH, true],
    ['pkg:deb/debian/bash?distro=bookworm', BASH, true],
    ['pkg:deb/debian/bash?distro=12.5', BASH, true],
    ['pkg:deb/debian/bash?distro=debian-12.4', BASH, false],
    ['pkg:deb/debian/bash?distro=debian-11', BASH, false],
    ['pkg:deb/debian/bash?distro=bullseye', BASH, false],
    ['pkg:deb/debian/bash?distro=ubuntu-12', BASH, false],
    ['pkg:deb/debian/bash?distro=debian-1', BASH, false],
    ['pkg:apk/alpine/musl?distro=alpine-3.18', MUSL, true],
    ['pkg:apk/alpine/musl?distro=3.1', MUSL, false],
    ['pkg:rpm/rhel/bash?distro=rhel-9', RPM, true],
    ['pkg:rpm/centos/bash', RPM, false],
    ['pkg:deb/debian/bash?arch=x86_64', BASH, true],
    ['pkg:deb/debian/bash?arch=arm64', BASH, false],
    ['pkg:deb/debian/bash?arch=source', BASH, false],
    ['pkg:deb/debian/bash?classifier=x', BASH, false],
    ['pkg:deb/debian/bash?download_url=https://x', BASH, true],
    // What is known of the distribution beside the package URL; where nobody says it, it is not told.
    ['pkg:deb/debian/bash?distro=debian-12', found('bash', '5.2', 'pkg:deb/debian/bash', '12.5'), true],
    ['pkg:deb/debian/bash?distro=debian-12', found('bash', '5.2', 'pkg:deb/debian/bash', '11.9'), false],
    ['pkg:deb/debian/bash?distro=debian-12', found('bash', '5.2', 'pkg:deb/debian/bash'), false],
    // Versions.
    ['pkg:deb/debian/bash@5.2', BASH, true],
    ['pkg:deb/debian/bash@0:5.2', BASH, true],
    ['pkg:deb/debian/bash@5.1', BASH, false],
    ['pkg:rpm/redhat/bash@5.2-1?epoch=1&arch=x86_64', RPM, true],
    ['pkg:rpm/redhat/bash@5.2-1', RPM, false],
    ['pkg:golang/golang.org/x/net@v0.27.0', NET, true],
    ['pkg:golang/golang.org/x/net@0.27.0', NET, true],
    ['pkg:golang/golang.org/x/crypto', NET, false],
    ['pkg:golang/stdlib@1.22.1', found('stdlib', 'v1.22.1', 'pkg:golang/stdlib@1.22.1'), true],
    ['pkg:npm/%40scope/name@1.0.0', found('@scope/name', '1.0.0', 'pkg:npm/%40scope/name@1.0.0'), true],
    ['pkg:npm/@scope/name@1.0.0', found('@scope/name', '1.0.0', 'pkg:npm/%40scope/name@1.0.0'), true],
    ['pkg:npm/name', found('@scope/name', '1.0.0', 'pkg:npm/%40scope/name@1.0.0'), false],
    ['pkg:maven/org.acme/core@2', found('org.acme:core', '2', 'pkg:maven/org.acme/core@2'), true],
    ['pkg:maven/org.evil/core@2', found('org.acme:core', '2', 'pkg:maven/org.acme/core@2'), false],
    ['pkg:maven/org.acme/core@2?type=jar', found('org.acme:core', '2', 'pkg:maven/org.acme/core@2'), true],
    ['pkg:pypi/Some_Package', found('some-package', '1', 'pkg:pypi/some.package@1'), true],
    [
      'pkg:deb/ubuntu/libstdc%2B%2B6@12.3',
      found('libstdc++6', '12.3', 'pkg:deb/ubuntu/libstdc%2B%2B6'),
      true,
    ],
    // A range of versions.
    ['pkg:apk/alpine/musl?vers=vers:apk/<1.2.4-r5', MUSL, true],
    ['pkg:apk/alpine/musl?vers=vers:alpine/>=1.2|<1.2.4-r4', MUSL, false],
    ['pkg:apk/alpine/musl?vers=vers:deb/<9', MUSL, false],
    ['pkg:apk/alpine/musl?vers=<9', MUSL, false],
    // The source package, where the scanner says it.
    [
      'pkg:deb/debian/openssl@3.0.2?arch=source',
      found('libssl3', '3.0.2', 'pkg:deb/debian/libssl3@3.0.2?upstream=openssl'),
      true,
    ],
    [
      'pkg:deb/debian/openssl?arch=source',
      found('libssl3', '3.0.2', 'pkg:deb/debian/libssl3@3.0.2?upstream=gnutls'),
      false,
    ],
    // Without a type nobody can say; a name says no more than a name.
    ['pkg:deb/debian/bash', found('bash', '5', null), false],
    ['bash', found('bash', '5', null), true],
    ['pkg:deb', found('bash', '5', null), false],
  ];
  for (const [part, finding, covers] of table)
    test(`${part} ${covers ? 'covers' : 'does not cover'} ${finding.purl ?? finding.package} ${finding.distribution ?? ''}`, () =>
      assert.equal(coversPackage([part], finding), covers));
  test('the whole covers every package', () => assert.ok(coversPackage(null, found('x', '1', null))));
  test('no part covers none', () => assert.ok(!coversPackage([], found('x', '1', null))));
  test('what a statement is not about is not covered, nor what cannot be told to be another', () => {
    const of = (except: string) => coversPackage(['pkg:apk/alpine/musl'], MUSL, [except]);
    assert.ok(!of('pkg:apk/alpine/musl@1.2.4-r4'));
    assert.ok(!of('pkg:apk/alpine/musl?vers=unreadable'));
    assert.ok(!of('pkg:apk/%zz'));
    assert.ok(of('pkg:apk/alpine/musl@9.9'));
    assert.ok(of('pkg:deb/debian/musl'));
  });
});

suite('real documents about images', { skip }, () => {
  const cover = (file: string, digest: string, names: readonly string[], attached = false) => {
    const read = readVex(readFileSync(join(DATA, file)));
    assert.ok('statements' in read);
    return coverOf(claimsAbout(read, { digest, names, attached }).claims);
  };
  const ALPINE = 'sha256:124c7d2707904eea7431fffe91522a01e5a861a624ee31d03372cc1d138a3126';
  const NGINX = 'sha256:13d22ec63300e16014d4a42aed735207a8b33c223cff19627dd3042e5a10a3a0';

  test('OpenVEX 0.2.0: two parts of one digest', () => {
    const found = cover('openvex/go-vex-v0.2.0.json', ALPINE, []);
    assert.deepEqual(
      found.map(({ id, status }) => `${id} ${status}`),
      [
        'CVE-2023-1255 fixed',
        'CVE-2023-2650 fixed',
        'CVE-2023-2975 fixed',
        'CVE-2023-3446 not_affected',
        'CVE-2023-3817 not_affected',
      ],
    );
    assert.deepEqual(found[0]?.parts, [
      'pkg:apk/alpine/libcrypto3@3.0.8-r3',
      'pkg:apk/alpine/libssl3@3.0.8-r3',
    ]);
    assert.deepEqual(cover('openvex/go-vex-v0.2.0.json', OTHER, ['docker.io/library/alpine']), []);
  });
  test('OpenVEX: aliases count as the vulnerability', () =>
    assert.deepEqual(
      cover('openvex/vexctl-2vulns.json', NGINX, []).map(({ id }) => id),
      ['CVE-2007-5686', 'CVE-2023-27103', 'SNYK-DEBIAN12-LIBDE265-3361563', 'SNYK-DEBIAN12-SHADOW-1559391'],
    ));
  test('a real producer of an image: attached it covers parts, from a source without the digest nothing', () => {
    const names = ['docker.io/aquasec/trivy'];
    const attached = cover('openvex/vexhub-oci-trivy.json', WEB, names, true);
    assert.deepEqual(attached.find(({ id }) => id === 'CVE-2023-42363')?.parts, [
      'pkg:apk/alpine/busybox',
      'pkg:apk/alpine/busybox-binsh',
      'pkg:apk/alpine/ssl_client',
    ]);
    assert.deepEqual(cover('openvex/vexhub-oci-trivy.json', WEB, names), []);
    assert.deepEqual(cover('openvex/vexhub-oci-trivy.json', WEB, ['docker.io/library/nginx'], true), []);
  });
  test('a statement about other software takes nothing out of an image', () => {
    for (const file of [
      'csaf/2022-evd-uc-02-na-001.json',
      'csaf/rhsa-2022_0011.json',
      'openvex/trivy-openvex.json',
    ])
      assert.deepEqual(cover(file, WEB, NAMES), []);
    // Attached, a package is one in the image, and no more than it is covered.
    const [found] = cover('openvex/trivy-openvex.json', WEB, NAMES, true);
    assert.deepEqual(found?.parts, ['pkg:maven/org.springframework.boot/spring-boot@2.6.0']);
  });
});

test('an index of a document finds what a walk over all of it finds', () => {
  const product = (...names: string[]): VexProduct => ({ names, hashes: [], parts: null });
  const statement = (id: string, ...products: VexProduct[]) =>
    ({ ids: [id], status: 'fixed', at: 1, products }) as const;
  const document = {
    format: 'openvex',
    statements: [
      statement('CVE-1', product(`pkg:oci/web@${encoded(WEB)}`), product(`pkg:oci/web@${OTHER}`)),
      statement('CVE-2', product(`pkg:oci/web@${encoded(OTHER)}`)),
      statement('CVE-3', { names: [], hashes: [WEB.slice(7)], parts: ['a'] }),
      statement('CVE-4', product('pkg:oci/web?repository_url=ghcr.io/acme')),
      statement('CVE-5', product('ghcr.io/acme/web:v1')),
      statement('CVE-6', product('pkg:golang/web')),
      { ids: ['CVE-7'], status: 'fixed', at: 1, products: null },
    ],
  } as const;
  const index = new DigestIndex(document);
  for (const digest of [WEB, OTHER, `sha256:${'c'.repeat(64)}`]) {
    const target = { digest, names: NAMES, attached: false };
    const narrowed = claimsAbout(index.narrow(digest, NAMES), target);
    const walked = claimsAbout(document, target);
    assert.deepEqual([narrowed.claims, narrowed.withoutDigest], [walked.claims, walked.withoutDigest]);
  }
  assert.equal(index.narrow(WEB, []).statements.length, 2);
});

test('a package URL is taken apart and decoded', () => {
  assert.deepEqual(parsePurl('PKG:OCI/debian@sha256%3Aff?repository_url=docker.io%2Flibrary%2Fdebian&tag='), {
    type: 'oci',
    namespace: '',
    name: 'debian',
    version: 'sha256:ff',
    qualifiers: new Map([['repository_url', 'docker.io/library/debian']]),
  });
  for (const text of [
    '',
    'pkg:',
    'pkg:oci',
    'pkg:oci/',
    'oci/debian',
    'pkg:oci/a%',
    'pkg:oci/a@%zz',
    `pkg:oci/${'a'.repeat(5000)}`,
  ])
    assert.equal(parsePurl(text), null, text);
});
