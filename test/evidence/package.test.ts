import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Ajv } from 'ajv';
import { agreesWithKept, documentSchema, recompute, toEvidenceKey } from '../../src/evidence/index.ts';
import { ipo } from '../cli/fake-terminal.ts';
import { programOf } from '../registry/real-registry.ts';
import { openBytesPackage, unzip } from './open-bytes.ts';

const SHOP = new URL('../../fixtures/ledger/shop.ndjson.gz', import.meta.url).pathname;
const OSCAL = new URL('../../../shared/data/oscal/oscal_assessment-results_schema.json', import.meta.url);
const COSIGN = programOf('cosign', 'COSIGN_BIN');
const NO_COSIGN = 'cosign is neither on the PATH nor named by COSIGN_BIN';
const AT = '2026-11-25T00:00:00Z';

let directory: string;
let key: string;
let zip: Buffer;

const create = (out: string, ...flags: string[]) =>
  ipo(['evidence', 'create', '--ledger', SHOP, '--key', key, '--at', AT, '--out', out, ...flags]);

before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'ipo-evidence-'));
  key = join(directory, 'key.pem');
  execFileSync(
    'openssl',
    ['genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256', '-out', key],
    { stdio: 'ignore' },
  );
  const ran = await create(join(directory, 'a.zip'));
  assert.equal(ran.code, 0, ran.err);
  zip = readFileSync(join(directory, 'a.zip'));
});
after(() => rmSync(directory, { recursive: true, force: true }));

test('a checkpoint that could not be compared vouches for nothing', () => {
  const checks = (state: 'held' | 'not_checked') => ({
    checks: [{ check: 'kept_checkpoint' as const, state, text: '' }],
  });
  assert.equal(agreesWithKept(checks('held')), true);
  assert.equal(agreesWithKept(checks('not_checked')), false);
  assert.equal(agreesWithKept({ checks: [] }), false);
  assert.equal(agreesWithKept(null), false);
});

test('two runs are equal bytes, in another time zone too', async () => {
  const { TZ } = process.env;
  process.env.TZ = 'America/New_York';
  try {
    assert.equal((await create(join(directory, 'b.zip'))).code, 0);
  } finally {
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  }
  assert.ok(readFileSync(join(directory, 'b.zip')).equals(zip));
});

test('another process in another language, time zone and umask gives equal bytes', () => {
  const out = join(directory, 'c.zip');
  const program = new URL('../../bin/ipo.cjs', import.meta.url).pathname;
  const line = 'umask 077; exec "$0" "$@"';
  const args = ['evidence', 'create', '--ledger', SHOP, '--key', key, '--at', AT, '--out', out];
  execFileSync('sh', ['-c', line, process.execPath, program, ...args], {
    env: { ...process.env, TZ: 'Asia/Kathmandu', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' },
    stdio: 'ignore',
  });
  assert.ok(readFileSync(out).equals(zip));
});

test('openssl and sha256sum check it, and the statement is signed', () => {
  const unpacked = mkdtempSync(join(directory, 'x-'));
  const files = unzip(zip);
  for (const [name, content] of files) writeFileSync(join(unpacked, name), content);
  const run = (command: string) => execFileSync('sh', ['-c', command], { cwd: unpacked, encoding: 'utf8' });
  run('base64 -d evidence.json.sig > evidence.json.der');
  const verify = 'openssl dgst -sha256 -verify key.pub -signature';
  assert.match(run(`${verify} evidence.json.der evidence.json`), /Verified OK/);
  assert.doesNotMatch(run('sha256sum -c SHA256SUMS'), /FAILED/);
  const { dsseEnvelope: envelope } = JSON.parse(String(files.get('evidence.sigstore.json'))) as {
    dsseEnvelope: { payload: string; payloadType: string; signatures: { sig: string }[] };
  };
  const payload = Buffer.from(envelope.payload, 'base64');
  const signed = Buffer.concat([
    Buffer.from(`DSSEv1 ${envelope.payloadType.length} ${envelope.payloadType} ${payload.length} `),
    payload,
  ]);
  writeFileSync(join(unpacked, 'pae'), signed);
  writeFileSync(join(unpacked, 'pae.sig'), Buffer.from(envelope.signatures[0]?.sig ?? '', 'base64'));
  assert.match(run(`${verify} pae.sig pae`), /Verified OK/);
  const { subject } = JSON.parse(payload.toString()) as { subject: { name: string }[] };
  assert.deepEqual(
    new Set(subject.map(({ name }) => name)),
    new Set([...files.keys()].filter((name) => name !== 'evidence.sigstore.json')),
  );
});

test('the statement names its key as OpenSSH does, since cosign skips the signature of a key by another name', () => {
  const pem = [
    '-----BEGIN PUBLIC KEY-----',
    'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEXWGBy4UnMk+/teY+D29uGpn73thp',
    'ZoZsEx8Ef5taOrmtGRu0FJ03QYtRLJwnSuloW+b5eeCRPxHZAoy7KuzkHw==',
    '-----END PUBLIC KEY-----',
  ].join('\n');
  assert.equal(toEvidenceKey(pem, 'key').fingerprint, 'SHA256:YDcahR81lOOcQZE6hrqF3XsBtofqiHCTo6tx5G3iMFs');
});

test('cosign verifies each file by the statement', { skip: COSIGN === null && NO_COSIGN }, () => {
  const unpacked = mkdtempSync(join(directory, 'c-'));
  const files = unzip(zip);
  for (const [name, content] of files) writeFileSync(join(unpacked, name), content);
  const cosign = (file: string) => {
    const flags = ['--bundle', 'evidence.sigstore.json', '--key', 'key.pub', '--insecure-ignore-tlog'];
    const args = ['verify-blob-attestation', ...flags, '--type', 'https://ipo.dev/evidence/v1', file];
    const { status, stderr } = spawnSync(COSIGN ?? '', args, { cwd: unpacked, encoding: 'utf8' });
    return { status, stderr };
  };
  for (const name of files.keys())
    if (name !== 'evidence.sigstore.json') {
      const { status, stderr } = cosign(name);
      assert.equal(status, 0, `${name}: ${stderr}`);
      assert.match(stderr, /Verified OK/);
    }
  writeFileSync(join(unpacked, 'pods.csv'), 'changed');
  assert.match(cosign('pods.csv').stderr, /digests do not match/);
});

test('evidence.json is valid by its published schema', () => {
  const validate = new Ajv2020({ strict: false }).compile(documentSchema());
  const document = JSON.parse(String(unzip(zip).get('evidence.json'))) as unknown;
  assert.ok(validate(document), JSON.stringify(validate.errors));
});

test('OSCAL assessment results are valid by the schema of NIST', (t) => {
  if (!existsSync(OSCAL)) return t.skip('the schema of OSCAL is not at hand');
  const schema = JSON.parse(readFileSync(OSCAL, 'utf8')) as object;
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema);
  const results = JSON.parse(String(unzip(zip).get('oscal-assessment-results.json'))) as unknown;
  assert.ok(validate(results), JSON.stringify(validate.errors?.slice(0, 3)));
});

test('a state that was changed and signed again with the right key is found by recompute', async () => {
  const pkg = await openBytesPackage(zip);
  const document = structuredClone(pkg.document);
  (document.attestations[6] as { state: string }).state = 'met';
  const again = await recompute(
    { ...pkg, document, json: Buffer.from(`${JSON.stringify(document)}\n`) },
    '0.0.0',
  );
  assert.equal(again.agrees, false);
  assert.equal(again.differences[0]?.place, 'attestations.admission-enforced.state');
});

test('what cannot be done is said, and nothing is written', async () => {
  const out = join(directory, 'none.zip');
  writeFileSync(
    join(directory, 'rsa.pem'),
    execFileSync('openssl', ['genpkey', '-algorithm', 'RSA'], { stdio: ['ignore', 'pipe', 'ignore'] }),
  );
  writeFileSync(join(directory, 'cut.zip'), zip.subarray(0, zip.length / 2));
  const args = (...flags: string[]) => [
    'evidence',
    'create',
    '--ledger',
    SHOP,
    '--key',
    key,
    '--at',
    AT,
    '--out',
    out,
    ...flags,
  ];
  for (const [command, code, text] of [
    [args('--framework', 'sox'), 2, /unknown framework "sox".*nist-800-53.*essential-eight/s],
    [args('--from', '2026-11-01', '--to', '2027-01-01'), 2, /ends in the future: at 2027-01-01/],
    [args('--from', '2026-11-01', '--to', '2026-10-01'), 2, /ends before/],
    [
      args('--period', '2026-11'),
      2,
      /--period 2026-11 has not ended: it ends at 2026-11-30T.* give --from 2026-11-01T00:00:00Z/s,
    ],
    [args('--period', '2026-Q5'), 2, /not a year, a quarter or a month/],
    [
      ['evidence', 'create', '--ledger', SHOP, '--key', join(directory, 'rsa.pem'), '--out', out],
      2,
      /\(ECDSA on P-256\): it is of the kind rsa/,
    ],
    [['evidence', 'create', '--ledger', SHOP, '--key', join(directory, 'absent'), '--out', out], 3, /absent/],
    [
      ['evidence', 'verify', join(directory, 'cut.zip'), '--key', join(directory, 'rsa.pem')],
      2,
      /rsa\.pem cannot verify packages .*\n {2}Give the public key/,
    ],
    [['evidence', 'verify', join(directory, 'cut.zip')], 4, /Verification failed/],
    [
      ['evidence', 'recompute', join(directory, 'cut.zip')],
      4,
      /Nothing was computed: .*the file is cut off/s,
    ],
    [['evidence', 'show', SHOP], 2, /not an evidence package/],
    [['evidence', 'frameworks', 'soc'], 1, /did you mean soc2/],
  ] as const) {
    const ran = await ipo(command);
    assert.equal(ran.code, code, ran.err);
    assert.match(ran.err + ran.out, text);
  }
  assert.equal(existsSync(out), false);
});

test('a damaged byte in a report is named once, and what hangs on it is not said to be wrong', async () => {
  const pdf = zip.indexOf('evidence.pdf');
  const bad = Buffer.from(zip);
  bad[pdf + 2000] = (bad[pdf + 2000] as number) ^ 1;
  writeFileSync(join(directory, 'bad.zip'), bad);
  const ran = await ipo(['evidence', 'verify', join(directory, 'bad.zip'), '-o', 'json']);
  assert.equal(ran.code, 4);
  const { checks } = JSON.parse(ran.out) as { checks: { check: string; state: string; text: string }[] };
  const of = (state: string) => checks.filter((one) => one.state === state).map(({ check }) => check);
  assert.deepEqual([of('failed'), of('not_checked')], [['files'], ['sums', 'statement']], ran.out);
  const again = await ipo(['evidence', 'recompute', join(directory, 'bad.zip')]);
  assert.equal(again.code, 4);
  assert.match(again.out, /^✗ Nothing was computed: .*evidence\.pdf/);
});

test('a package that was cut off is not one that can be computed again', async () => {
  writeFileSync(join(directory, 'cut.zip'), zip.subarray(0, -500));
  const ran = await ipo(['evidence', 'recompute', join(directory, 'cut.zip')]);
  assert.equal(ran.code, 4);
  assert.match(
    ran.out.replaceAll(/\s+/g, ' '),
    /^✗ Nothing was computed: \S*cut\.zip: the file is cut off, .* Get the package again/,
  );
});

test('a given key or checkpoint is named as what vouches', async () => {
  const pem = join(directory, 'vouch.pem');
  execFileSync('openssl', ['pkey', '-in', key, '-pubout', '-out', pem]);
  const { out } = await ipo(['evidence', 'verify', join(directory, 'a.zip'), '--key', pem]);
  assert.match(out, /^✓ The package is as it was signed by the key that you gave\.\n/);
});

test('a sample of what the source does not have names what can be sampled', async () => {
  const sample = ['evidence', 'sample', join(directory, 'a.zip'), '--seed', 'x', '--population'];
  for (const population of ['triage', 'issues', 'vulnerabilities']) {
    const ran = await ipo([...sample, population]);
    assert.deepEqual([ran.code, ran.out], [1, '']);
    assert.match(
      ran.err,
      new RegExp(
        `a\\.zip: the source of the package has no records of ${population}\n  Populations of this package are admissions, .*pods`,
      ),
    );
  }
});

test('a period before the first row is a package that says so', async () => {
  const out = join(directory, 'early.zip');
  const ran = await create(out, '--period', '2025-10', '-o', 'json');
  assert.equal(ran.code, 0, ran.err);
  assert.match(
    ran.err,
    /^ipo: the export has no rows from 2025-10-01T\S+ to 2025-10-31T\S+, so the package/m,
  );
  const { out: text } = await ipo(['evidence', 'show', out]);
  assert.match(text, /  ·  no rows in the period\n[\d,]+ rows in the package, [\d,]+ signed  ·  key /);
  const summary = JSON.parse(ran.out) as { attestations: { id: string; state: string }[] };
  assert.ok(summary.attestations.every(({ id, state }) => state !== 'met' || id === 'ledger-intact'));
  const shown = JSON.parse((await ipo(['evidence', 'show', out, '-o', 'json'])).out);
  assert.deepEqual([shown.file, shown.bytes], [out, statSync(out).size]);
  assert.deepEqual([shown.rows_in_period, shown.rows > 0], [0, true]);
  assert.equal((await ipo(['evidence', 'verify', out, '--strict'])).code, 5);
  assert.equal((await ipo(['evidence', 'recompute', out])).code, 0);
});

test('a cluster or namespace without a row is warned of, and no attestation says that there was nothing at all', async () => {
  for (const [flag, name] of [
    ['--cluster', 'staging'],
    ['--namespace', 'no-such'],
  ] as const) {
    const out = join(directory, 'nobody.zip');
    const ran = await create(out, '--period', '2026-10', flag, name, '--force', '-o', 'json');
    assert.equal(ran.code, 0, ran.err);
    assert.match(
      ran.err,
      /^ipo: the export has no rows of the requested clusters and namespaces from 2026-10-01T\S+ to 2026-10-31T\S+, so the package/m,
    );
    const { attestations } = JSON.parse(ran.out) as { attestations: { id: string; because: string }[] };
    assert.equal(
      attestations.find(({ id }) => id === 'admission-enforced')?.because,
      `There were no reviewed pods of the requested ${flag.slice(2)}s in the period: nothing was raised, so nothing shows it.`,
    );
    assert.equal((await ipo(['evidence', 'recompute', out])).code, 0);
  }
  const quiet = await create(
    join(directory, 'some.zip'),
    '--period',
    '2026-10',
    '--cluster',
    'staging',
    '-q',
  );
  assert.equal(quiet.err, '');
});

test('a flag that has no effect on a package of an export is rejected', async () => {
  for (const [flag, ...value] of [
    ['--cluster-name', 'foo'],
    ['--cold-image-policy', 'DenyUntilScanned'],
    ['--public-url', 'http://x'],
    ['--no-wait'],
  ] as const) {
    const { code, err } = await create(join(directory, 'idle.zip'), flag, ...value);
    assert.equal(code, 2, err);
    assert.match(err, new RegExp(`^ipo: ${flag} has no effect: `));
  }
  assert.equal(existsSync(join(directory, 'idle.zip')), false);
});

test('the PDF is a PDF/A-3a with its fonts and evidence.json in it, an outline, and the structure that readers aloud follow', () => {
  const files = unzip(zip);
  const pdf = String(files.get('evidence.pdf'));
  assert.match(pdf, /^%PDF-1\.7/);
  for (const part of [
    '/Lang (en)',
    '/MarkInfo',
    '/Marked true',
    '/StructTreeRoot',
    '/Outlines',
    '/DisplayDocTitle true',
    '<pdfaid:part>3</pdfaid:part>',
    '<pdfaid:conformance>A</pdfaid:conformance>',
    '/S /GTS_PDFA1',
    '/AFRelationship /Source',
    `stream\n${String(files.get('evidence.json'))}`,
  ])
    assert.ok(pdf.includes(part), part);
  assert.equal(pdf.split('/FontFile2 ').length - 1, 3);
  assert.doesNotMatch(pdf, /\/BaseFont \/(?:Helvetica|Courier)/);
  const count = (name: string): number => pdf.split(`/S /${name}\n`).length - 1;
  const [tables, rows, heads, sections] = ['Table', 'TR', 'TH', 'H2'].map(count);
  assert.ok((tables ?? 0) >= 15 && (sections ?? 0) >= 20, `${tables} tables, ${sections} sections`);
  assert.ok((rows ?? 0) > (tables ?? 0) && (heads ?? 0) > (tables ?? 0));
  assert.equal(count('H1'), 1);
  assert.equal(count('Figure'), 1);
});
