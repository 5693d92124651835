import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { DIGEST_A, finding, image, policyLine, row, toText } from '../whatif/ledger-text.ts';
import { ipo } from './fake-terminal.ts';

const directory = mkdtempSync(join(tmpdir(), 'ipo-whatif-'));
after(() => rmSync(directory, { recursive: true, force: true }));

function file(name: string, data: string | Uint8Array): string {
  const path = join(directory, name);
  writeFileSync(path, data);
  return path;
}

const LEDGER = toText({
  policies: [policyLine('shop', 'rev-1', true, { enforcement: 'Enforce', severityThreshold: 'NONE' })],
  images: [image(DIGEST_A, [finding('CVE-2026-1', 'CRITICAL')])],
  rows: [row(3), row(2), row(1, { namespace: 'other' })],
});
const POLICY = `apiVersion: ipo.dev/v1
kind: ImagePolicy
metadata: { name: shop }
spec:
  enforcement: Enforce
  targetNamespaces: [shop]
  severityThreshold: CRITICAL
`;
const ledger = file('ledger.ndjson', LEDGER);
const policy = file('policy.yaml', POLICY);
const SHOP = join(import.meta.dirname, '../../fixtures/ledger/shop.ndjson.gz');

describe('ipo whatif', () => {
  test('prints the API’s body as one line of JSON, the same for plain, gzip, zstd and stdin', async () => {
    const plain = await ipo(['whatif', policy, '--ledger', ledger, '-o', 'json']);
    assert.equal(plain.code, 0, plain.err);
    assert.equal(plain.err, '');
    assert.equal(plain.out.trimEnd().includes('\n'), false);
    const body = JSON.parse(plain.out) as Record<string, unknown>;
    assert.deepEqual([body.evaluated, body.would_deny, body.kept, body.run_id], [2, 2, false, null]);
    const zipped = await ipo(['whatif', policy, '-l', file('l.ndjson.gz', gzipSync(LEDGER)), '-o', 'json']);
    const packed = await ipo([
      'whatif',
      policy,
      '-l',
      file('l.ndjson.zst', zstdCompressSync(Buffer.from(LEDGER))),
      '-o',
      'json',
    ]);
    const misnamed = await ipo(['whatif', policy, '-l', file('l.ndjson', gzipSync(LEDGER)), '-o', 'json']);
    const piped = await ipo(['whatif', policy, '-l', '-', '-o', 'json'], { stdin: gzipSync(LEDGER) });
    const draft = await ipo(['whatif', '-', '-l', ledger, '-o', 'json'], { stdin: POLICY });
    for (const other of [zipped, packed, misnamed, piped, draft]) assert.equal(other.out, plain.out);
  });

  test('a time before the first row is answered with the period that the export covers', async () => {
    const early = await ipo(['whatif', policy, '-l', SHOP, '--as-of', '2020-01-01T00:00:00Z']);
    assert.match(early.err, /; the export covers 20\d\d-\S+Z to 20\d\d-\S+Z$/m);
    assert.match(early.out, /--as-of 20\d\d-\S+Z {2}the export covers 20\d\d-/);
    assert.doesNotMatch(early.out, /look further back/);
  });

  test('a time that has not come is warned of, and changes no answer', async () => {
    const later = ['--as-of', '2199-01-01T00:00:00Z'];
    const warning =
      /^ipo: --as-of 2199-01-01T00:00:00Z is in the future; there are no rows after now, and triage is judged as of then$/m;
    for (const args of [
      ['whatif', policy, '-l', ledger],
      ['whatif', policy, policy, '-l', ledger],
      ['whatif', '--self-check', '-l', ledger],
      ['whatif', 'matrix', '-l', ledger],
    ]) {
      const ran = await ipo([...args, ...later]);
      assert.match(ran.err, warning, args.join(' '));
      assert.doesNotMatch((await ipo([...args, ...later, '-q'])).err, warning);
      assert.doesNotMatch((await ipo(args)).err, warning);
    }
  });

  test('the default view speaks of the figures, without colour where no terminal is', async () => {
    const { out, code } = await ipo(['whatif', policy, '--ledger', ledger]);
    assert.equal(code, 0);
    assert.match(out, /2/);
    assert.match(out, /threshold/);
    // oxlint-disable-next-line no-control-regex -- there must be none
    assert.doesNotMatch(out, /\u001b/);
  });

  test('several outputs in one run: files whole, one on stdout', async () => {
    const target = (format: string): string => join(directory, `out-${format}`);
    const formats = ['json', 'yaml', 'markdown', 'html', 'sarif', 'junit', 'github'];
    const { code, out, err } = await ipo([
      'whatif',
      policy,
      '-l',
      ledger,
      '-o',
      'table',
      ...formats.flatMap((f) => ['-o', `${f}=${target(f)}`]),
    ]);
    assert.equal(code, 0, err);
    assert.match(out, /threshold/);
    assert.equal(JSON.parse(readFileSync(target('json'), 'utf8')).would_deny, 2);
    assert.match(readFileSync(target('yaml'), 'utf8'), /^would_deny: 2$/m);
    assert.match(readFileSync(target('markdown'), 'utf8'), /^<!-- ipo-whatif -->/);
    assert.match(readFileSync(target('html'), 'utf8'), /^<!doctype html>/i);
    assert.equal(JSON.parse(readFileSync(target('sarif'), 'utf8')).version, '2.1.0');
    assert.match(readFileSync(target('junit'), 'utf8'), /^<\?xml/);
    assert.match(readFileSync(target('github'), 'utf8'), /^::warning file=.*line=7/m);
    assert.deepEqual(
      readdirSync(directory).filter((name) => name.includes('ipo-tmp')),
      [],
    );
  });
});

describe('the gate of a merge', () => {
  const gate = async (...flags: string[]): Promise<number> =>
    (await ipo(['whatif', policy, '-l', ledger, '-o', 'json', ...flags])).code;

  test('only differences exit with 0', async () => assert.equal(await gate(), 0));
  test('--fail-on exits with 1 above what is tolerated', async () => {
    assert.equal(await gate('--fail-on', 'would_deny'), 1);
    assert.equal(await gate('--fail-on', 'would_deny=1'), 1);
    assert.equal(await gate('--fail-on', 'would_deny=2'), 0);
    assert.equal(await gate('--fail-on', 'would_allow'), 0);
    assert.equal(await gate('--fail-on', 'threshold=1'), 1);
    assert.equal(await gate('--fail-on', 'tag', '--fail-on', 'threshold'), 1);
  });
  test('--strict exits with 5 when rows were left out, undecided, or none was covered', async () => {
    assert.equal(await gate('--strict'), 0);
    assert.equal(await gate('--strict', '--limit', '1'), 5);
    assert.equal(await gate('--strict', '--as-of', '2020-01-01T00:00:00Z'), 5);
    const open = file('open.ndjson', toText({ rows: [row(1, { image: 'Not A Reference' })] }));
    assert.equal((await ipo(['whatif', policy, '-l', open, '--strict'])).code, 5);
  });
  test('edit_would_deny holds what the edit does, not what new scans changed', async () => {
    const same = file(
      'same.yaml',
      POLICY.replace('CRITICAL', 'NONE').replace('  targetNamespaces: [shop]\n', ''),
    );
    assert.equal(await gate('--fail-on', 'edit_would_deny'), 1, 'in effect is NONE, the draft CRITICAL');
    const none = await ipo([
      'whatif',
      same,
      '-l',
      ledger,
      '--fail-on',
      'edit_would_deny',
      '--fail-on',
      'edit_would_allow',
      '-o',
      'json',
    ]);
    assert.equal(none.code, 0);
  });
  test('rows of break-glass count as covered, so --strict passes', async () => {
    const bypassed = file('bypassed.ndjson', toText({ rows: [row(1, { break_glass: true })] }));
    assert.equal((await ipo(['whatif', policy, '-l', bypassed, '--strict', '-o', 'json'])).code, 0);
  });
  test('a check that does not hold outweighs --strict', async () =>
    assert.equal(await gate('--strict', '--limit', '1', '--fail-on', 'would_deny'), 1));
  test('an empty period is said in one sentence', async () => {
    const { code, err } = await ipo([
      'whatif',
      policy,
      '-l',
      ledger,
      '--as-of',
      '2020-01-01T00:00:00Z',
      '-o',
      'json',
    ]);
    assert.equal(code, 0);
    assert.match(err, /^ipo: the ledger has no row of the 30 days before 2020-01-01T00:00:00Z/);
  });
});

describe('bad input: one clear sentence with the place, the documented code, nothing written', () => {
  const long = toText({
    rows: Array.from({ length: 3000 }, (_, i) => row(3000 - i, { requester: `r${Math.imul(i, 48271)}` })),
  });
  const cases: readonly (readonly [name: string, args: readonly string[], code: number, message: RegExp])[] =
    [
      ['no policy', ['whatif'], 2, /no policy given/],
      ['no ledger', ['whatif', policy], 2, /no ledger given/],
      [
        'a policy that is not there',
        ['whatif', join(directory, 'none.yaml'), '-l', ledger],
        3,
        /none\.yaml: no such file/,
      ],
      ['a directory with an invalid policy', ['whatif', directory, '-l', ledger], 2, /bad\.yaml:7:3/],
      [
        'a ledger that is not there',
        ['whatif', policy, '-l', join(directory, 'none')],
        3,
        /none: no such file/,
      ],
      ['a directory as ledger', ['whatif', policy, '-l', directory], 3, /is a directory/],
      [
        'an invalid policy',
        ['whatif', file('bad.yaml', POLICY.replace('CRITICAL', 'CRITICL')), '-l', ledger],
        2,
        /bad\.yaml:7:\d+: spec\.severityThreshold is "CRITICL".*\n\s+Did you mean "CRITICAL"\?/,
      ],
      [
        'an unknown field',
        ['whatif', file('field.yaml', `${POLICY}  runtime: {}\n`), '-l', ledger],
        2,
        /field\.yaml:8:3: unknown field "spec\.runtime"/,
      ],
      [
        'two policies',
        ['whatif', file('two.yaml', `${POLICY}---\n${POLICY}`), '-l', ledger],
        2,
        /two\.yaml:\d+:\d+: the file contains 2 policies/,
      ],
      ['an empty policy file', ['whatif', file('empty.yaml', ''), '-l', ledger], 2, /holds no policy/],
      ['both from stdin', ['whatif', '-', '-l', '-'], 2, /only one input can come from stdin/],
      [
        'days out of range',
        ['whatif', policy, '-l', ledger, '--days', '91'],
        2,
        /--days 91: the period must be a whole number from 1 to 90/,
      ],
      ['days that are no number', ['whatif', policy, '-l', ledger, '--days', '1e1'], 2, /--days 1e1/],
      ['a negative limit', ['whatif', policy, '-l', ledger, '--limit=-1'], 2, /--limit -1/],
      [
        'a time that is none',
        ['whatif', policy, '-l', ledger, '--as-of', 'yesterday'],
        2,
        /--as-of yesterday: this is not an RFC 3339 time/,
      ],
      [
        'an unknown check',
        ['whatif', policy, '-l', ledger, '--fail-on', 'would_denny'],
        2,
        /not a valid count.*\n\s+Did you mean "would_deny"\?/,
      ],
      [
        'a check without a number',
        ['whatif', policy, '-l', ledger, '--fail-on', 'tag=many'],
        2,
        /whole number/,
      ],
      [
        'an unknown format',
        ['whatif', policy, '-l', ledger, '-o', 'jsn'],
        2,
        /not a format of this command.*\n\s+Did you mean "json"\?/,
      ],
      [
        'two results on stdout',
        ['whatif', policy, '-l', ledger, '-o', 'json', '-o', 'table'],
        2,
        /only one result can go to stdout/,
      ],
      ['an empty output path', ['whatif', policy, '-l', ledger, '-o', 'json='], 2, /path after = is empty/],
      [
        'an output that cannot be written',
        ['whatif', policy, '-l', ledger, '-o', `json=${policy}/x`],
        3,
        /cannot be written|not a directory/,
      ],
      [
        'a result over the policy',
        ['whatif', policy, '-l', ledger, '-o', `json=${policy}`],
        2,
        /this file is an input of the same command/,
      ],
      [
        'a result over the ledger',
        ['whatif', policy, '-l', ledger, '-o', `json=${directory}/./ledger.ndjson`],
        2,
        /this file is an input of the same command/,
      ],
      ['an unknown option', ['whatif', policy, '--legder', ledger], 2, /unknown option '--legder'/],
      ['an unknown command', ['wahtif'], 2, /unknown command 'wahtif'/],
      [
        'an unknown source',
        ['whatif', policy, '-l', ledger, '-s', 'shopp'],
        2,
        /source "shopp" is not the name of a policy in effect.*\n\s+Did you mean "shop"\?/,
      ],
      [
        'a truncated gzip',
        ['whatif', policy, '-l', file('cut.gz', gzipSync(long).subarray(0, 3000)), '--limit', '0'],
        2,
        /cut\.gz:\d+: the compressed data ends too early; lines 1 to \d+ are valid/,
      ],
      [
        'a damaged gzip',
        ['whatif', policy, '-l', file('bad.gz', damage(gzipSync(long))), '--limit', '0'],
        2,
        /bad\.gz:\d+: the compressed data is damaged/,
      ],
      [
        'a truncated zstd',
        [
          'whatif',
          policy,
          '-l',
          file('cut.zst', zstdCompressSync(Buffer.from(long)).subarray(0, 2000)),
          '--limit',
          '0',
        ],
        2,
        /cut\.zst:\d+: the compressed data/,
      ],
      [
        'a policy as ledger',
        ['whatif', policy, '-l', policy],
        2,
        /policy\.yaml:1: this is not a ledger export; it looks like a policy/,
      ],
      [
        'a ledger as policy',
        ['whatif', file('l.gz', gzipSync('{}')), '-l', policy],
        2,
        /l\.gz: is gzip data \(a ledger export\?\), not a policy\n {2}Give a ledger export with --ledger/,
      ],
      [
        'an image as ledger',
        ['whatif', policy, '-l', file('x.png', Buffer.from([0x89, 80, 78, 71, 13, 10, 26, 10, 0, 0]))],
        2,
        /x\.png:1: the text is not UTF-8/,
      ],
      ['a self-check with a draft', ['whatif', policy, '-l', ledger, '--self-check'], 2, /takes no policy/],
      [
        'a self-check with a check',
        ['whatif', '-l', ledger, '--self-check', '--fail-on', 'tag'],
        2,
        /--fail-on has no effect/,
      ],
    ];
  for (const [name, args, code, message] of cases) {
    test(name, async () => {
      const target = join(directory, 'never.json');
      const ran = await ipo(
        args.some((arg) => arg.startsWith('-o')) || args.length < 4
          ? args
          : [...args, '-o', `json=${target}`],
      );
      assert.match(ran.err, message);
      assert.equal(ran.code, code);
      assert.doesNotMatch(ran.err, /\n\s+at /, 'no stack trace');
      assert.equal(ran.out, '');
      assert.equal(readdirSync(directory).includes('never.json'), false);
    });
  }
});

describe('bombs end quickly with an error', () => {
  test('ten levels of YAML aliases', async () => {
    const levels = Array.from(
      { length: 10 },
      (_, i) =>
        `l${i + 1}: &l${i + 1} [${Array.from({ length: 10 }, () => (i === 0 ? 'x' : `*l${i}`)).join(', ')}]`,
    );
    const { code, err } = await ipo(['whatif', file('bomb.yaml', levels.join('\n')), '-l', ledger]);
    assert.equal(code, 2);
    assert.match(err, /bomb\.yaml:2:\d+: .*alias/);
  });
  test('JSON 100,000 levels deep, as policy and as ledger', async () => {
    const deep = '{"a":'.repeat(100_000);
    assert.equal((await ipo(['whatif', file('deep.json', deep), '-l', ledger])).code, 2);
    assert.equal(
      (await ipo(['whatif', file('deep2.json', '['.repeat(100_000) + ']'.repeat(100_000)), '-l', ledger]))
        .code,
      2,
    );
    assert.equal((await ipo(['whatif', policy, '-l', file('deep.ndjson', deep)])).code, 2);
  });
  test('a gzip bomb of one endless line, and one of empty lines', async () => {
    const before = process.memoryUsage().rss;
    for (const byte of [120, 10]) {
      const bomb = gzipSync(Buffer.alloc(256 * 1024 * 1024, byte), { level: 1 });
      const { code, err } = await ipo(['whatif', policy, '-l', file(`bomb-${byte}.gz`, bomb)]);
      assert.equal(code, 2);
      assert.match(err, /longer than 16 MiB|line is empty/);
    }
    assert.ok(
      process.memoryUsage().rss - before < 600 * 1024 * 1024,
      'the bomb itself is 256 MiB, the rest is bounded',
    );
  });
});

function damage(bytes: Uint8Array): Uint8Array {
  const copy = Buffer.from(bytes);
  copy.fill(0x55, 600, 700);
  return copy;
}
