import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { oneLine } from '../../src/base/index.ts';
import { advisoryUrl, toAdvisory, toFoundAt, type RatedBy } from '../../src/findings/index.ts';

const V2 = 'AV:N/AC:M/Au:N/C:N/I:P/A:N';
const V31 = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H';
const V40 = 'CVSS:4.0/AV:N/AC:L/AT:P/PR:N/UI:N/VC:L/VI:L/VA:N/SC:N/SI:N/SA:N';
const rated = (source: unknown, vector: unknown, score: unknown): RatedBy => ({ source, vector, score });
const cvss = (vendor: unknown, ...ratings: RatedBy[]) =>
  toAdvisory({ title: null, url: null, ratings, vendor })?.cvss ?? null;

suite('which rating counts', () => {
  const nvd = rated('nvd', V31, 9.8);
  const old = rated('nvd', V2, 4.3);
  const ghsa = rated('ghsa', V40, 6.3);
  for (const [what, vendor, ratings, expected] of [
    ['that of whoever gave the severity', 'ghsa', [nvd, ghsa], ['ghsa', '4.0', 6.3]],
    ['else that of NVD', 'debian', [ghsa, nvd], ['nvd', '3.1', 9.8]],
    ['else the first source by name', 'debian', [rated('redhat', V31, 7), ghsa], ['ghsa', '4.0', 6.3]],
    ['of one source the newest version of CVSS', 'nvd', [old, nvd], ['nvd', '3.1', 9.8]],
    [
      'a score without a vector where there is nothing better',
      'nvd',
      [rated('nvd', null, 5), old],
      ['nvd', '2.0', 4.3],
    ],
    ['a score alone', null, [rated(undefined, null, 5.94)], ['', null, 5.9]],
  ] as const)
    test(what, () => {
      const found = cvss(vendor, ...ratings);
      assert.deepEqual([found?.source, found?.version, found?.score], expected);
    });

  test('what cannot be a rating is none', () => {
    for (const one of [
      ...[rated('nvd', V31, -1), rated('nvd', V31, 10.1), rated('nvd', V31, '9.8'), rated('nvd', null, 0)],
      ...[rated('nvd', V31, NaN), rated('nvd', 'CVSS:9.9/AV:N/AC:L/PR:N', 5), rated('nvd', V31, null)],
    ])
      assert.equal(cvss('nvd', one), null, JSON.stringify(one));
    const odd = cvss('x', rated('<b>@all', '](https://evil.example)', 5));
    assert.deepEqual(odd, { version: null, score: 5, vector: null, source: '' });
  });
});

test('only an https address of a named host without credentials leads anywhere', () => {
  for (const url of [
    'https://avd.aquasec.com/nvd/cve-2024-24790',
    'https://nvd.nist.gov/vuln/detail/CVE-2024-24790?x=1#y',
    'https://github.com/advisories/GHSA-aaaa-bbbb-cccc',
  ])
    assert.equal(advisoryUrl(url), url);
  for (const url of [
    ...['http://nvd.nist.gov/', 'javascript:alert(1)', 'https://user:pw@nvd.nist.gov/', 'https://10.0.0.1/x'],
    ...[
      'https://[::1]/',
      'https://localhost/',
      'https://nvd.nist.gov:8443/',
      'https://nvd.nist.gov/a b',
      'nvd',
    ],
    ...[
      'https://nvd.nist.gov/\n',
      'https://nvd.nist.gov\\@evil.example',
      'https://n\u202e.example/',
      null,
      7,
      '',
    ],
    `https://nvd.nist.gov/${'a'.repeat(600)}`,
  ])
    assert.equal(advisoryUrl(url), null, String(url));
});

test('texts are one line of what can be seen, and bounded', () => {
  const title = toAdvisory({
    title: `a\u202e\n b${'c'.repeat(9999)}`,
    url: null,
    ratings: [],
    vendor: null,
  })?.title;
  assert.match(title ?? '', /^a bc+…$/);
  assert.equal(title?.length, 300);
  assert.equal(toAdvisory({ title: '\u200b', url: 1, ratings: [], vendor: {} }), null);
  const layer = `sha256:${'a'.repeat(64)}`;
  assert.deepEqual(toFoundAt({ target: 'Node.js', path: 'app/package.json', layer }), {
    ...{ target: 'Node.js', path: 'app/package.json', layer },
  });
  assert.deepEqual(
    toFoundAt({ target: 7, path: `p${'x'.repeat(999)}`, layer: 'sha256:1' })?.path?.length,
    500,
  );
  assert.equal(toFoundAt({ target: '', path: null, layer: 'latest' }), null);
});

test('an address is given as a parser of addresses writes it, and any that it takes of a named host is given', () => {
  const piece = fc.constantFrom(
    ...[
      'a',
      'b1',
      'nvd',
      'xn--a',
      'xn--mgba',
      '-',
      '.',
      '..',
      '/',
      '//',
      '/./',
      '/../',
      '%2e',
      '%41',
      'A',
      '0',
    ],
    ...[
      ':443',
      '@',
      '?',
      '#',
      '?q=1',
      '#f',
      '~',
      "'",
      '"',
      '<',
      '|',
      '_',
      '+',
      ',',
      ';',
      '=',
      '&',
      '$',
      '!',
      '(',
      '*',
    ],
    ...['é', '^', '`', '{', 'cve-2024-1', '.com', '.example/'],
  );
  const named = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/;
  const url = fc
    .tuple(fc.constantFrom('https://', 'https://nvd.example', 'https://nvd.example/'), fc.array(piece))
    .map(([begin, rest]) => begin + rest.join(''));
  fc.assert(
    fc.property(url, (text) => {
      const parsed = /^[!-~]+$/.test(text) && URL.canParse(text) ? new URL(text) : null;
      const { username, password, port, hostname } = parsed ?? {};
      const isTaken = parsed !== null && username === '' && password === '' && port === '';
      assert.equal(advisoryUrl(text), isTaken && named.test(hostname ?? '') ? parsed.href : null);
    }),
    { numRuns: 2000 },
  );
});

test('of plain texts oneLine leaves every one as it is that a longer look would', () => {
  const piece = fc.constantFrom(
    'a',
    'B7',
    ' ',
    '  ',
    '\t',
    '\n',
    '~',
    '!',
    'é',
    'e\u0301',
    '\u200b',
    '\u00a0',
    '\x7f',
  );
  const looked = (text: string): string => oneLine(`\u200b${text}`, 1000);
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const text = pieces.join('');
      assert.equal(oneLine(text, 1000), looked(text));
    }),
  );
});
