import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { before, suite, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { sql } from 'kysely';
import { DAY_MS, isIpoError, sha256Hex } from '../../src/base/index.ts';
import {
  openPackage,
  recompute,
  toEvidenceKey,
  toEvidenceSigner,
  verifyPackage,
  type EvidenceDocument,
  type EvidenceSigner,
} from '../../src/evidence/index.ts';
import { readBundle, statementText, writeBundle } from '../../src/evidence/package/bundle.ts';
import { inOrder, predicateOf, sumsText, writeReports } from '../../src/evidence/package/make.ts';
import { packWhole } from '../../src/evidence/package/pack.ts';
import { writeZip } from '../../src/evidence/package/zip-write.ts';
import type { Staged } from '../../src/evidence/ports.ts';
import { parseKept } from '../../src/ledger/index.ts';
import { recordScan } from '../../src/store/scans/scans.ts';
import { run } from '../../src/store/sql/run.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { NOW } from '../decision/arbitraries.ts';
import { counted, TORTURE, turns } from '../runs.ts';
import { sqlite } from '../store/engines.ts';
import { digestOf, finding, scanOf } from '../store/image-records.ts';
import { arbitraryMade, fill } from '../store/made-ledger.ts';
import { openBytesPackage, unzip } from './open-bytes.ts';
import { packageOfStore } from './of-store.ts';
import { SIGNER } from './source.ts';

const FROM = NOW - 365 * DAY_MS;
const OTHER = toEvidenceSigner(
  generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString(),
  'another key',
);
type Files = Map<string, Buffer>;

let zip: Buffer;
let files: Files;
/** The checkpoint of the ledger, as somebody stored it; and a package of another ledger, signed with the right key. */
let stored: string;
let another: Buffer;

async function storeOf(seed: number): Promise<Store> {
  const stop: (() => unknown)[] = [];
  const store = await sqlite.open({ after: (act: () => unknown) => void stop.push(act) } as never);
  const [made] = fc.sample(
    arbitraryMade.filter(({ rows }) => rows.length > 12 && rows.some((row) => row.break_glass === true)),
    { seed, numRuns: 1 },
  );
  assert.ok(made !== undefined);
  await fill(store, made);
  for (const [cves, at] of [
    [['CVE-2026-1', 'CVE-2026-2'], NOW - 20 * DAY_MS],
    [['CVE-2026-2'], NOW - 10 * DAY_MS],
  ] as const) {
    const scan = {
      ...scanOf(cves.map((cve) => finding(cve, 'CRITICAL', { fixed: '2' }))),
      scannedAt: new Date(at).toISOString(),
    };
    await store.write((transaction) =>
      recordScan(transaction, { digest: digestOf(1), names: ['a/b:1'], source: null, scan, at }),
    );
  }
  await store.write(async (transaction) => {
    await run(
      transaction,
      sql`insert into triage (digest, cve, reason, triaged_by, account_id, severity, created_at, "until")
        values (${digestOf(1)}, 'CVE-2026-2', 'not reachable', 'Ann', 'abcdefghijklmnop', 'HIGH', ${NOW - 5 * DAY_MS}, ${NOW + DAY_MS})`,
    );
    await run(
      transaction,
      sql`insert into tracking (kind, digest, cve, generation, channel_id, channel_kind, image, clusters, severity, summary, state, reason, attempts, marker, claimed_at, opened_at, closed_at, issue_key, issue_url)
        values ('finding', ${digestOf(1)}, 'CVE-2026-1', 1, 'c', 'github', 'a/b:1', '["c1"]', 'CRITICAL', 0, 'closed', 'fixed', 1, 'm', ${NOW - 20 * DAY_MS}, ${NOW - 20 * DAY_MS}, ${NOW - 10 * DAY_MS}, '1', 'https://t.example/1')`,
    );
  });
  return store;
}

before(async () => {
  const period = { from: FROM, to: NOW, now: NOW + DAY_MS };
  zip = await packageOfStore(await storeOf(7), period);
  files = unzip(zip);
  stored = String(files.get('checkpoint.txt'));
  another = await packageOfStore(await storeOf(8), period);
});

/** Files that were packed; most tests change one. */
const packed = new Map<string, WeakMap<Buffer, Promise<Staged>>>();

function packOnce(name: string, content: Buffer): Promise<Staged> {
  let known = packed.get(name);
  if (known === undefined) packed.set(name, (known = new WeakMap()));
  let staged = known.get(content);
  if (staged === undefined) known.set(content, (staged = packAgain(name, content)));
  return staged;
}

async function packAgain(name: string, content: Buffer): Promise<Staged> {
  const one = await packWhole(name, content);
  if (name !== 'admissions.ndjson.gz') return one;
  // Rows are a compressed file already, which an archive stores as it is.
  return {
    ...{ ...one, method: 'store', packed: content.length },
    async *read() {
      yield content;
    },
  };
}

async function zipOf(changed: ReadonlyMap<string, Buffer>): Promise<Buffer> {
  const staged: Staged[] = [];
  for (const [name, content] of changed) staged.push(await packOnce(name, content));
  const chunks: Uint8Array[] = [];
  for await (const chunk of writeZip(inOrder(staged))) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const documentOf = (of: Files): EvidenceDocument =>
  JSON.parse(String(of.get('evidence.json'))) as EvidenceDocument;
const sums = (of: Files): void => {
  const listed = [...of]
    .filter(([name]) => name !== 'SHA256SUMS' && name !== 'evidence.sigstore.json')
    .map(([name, content]) => ({ name, sha256: sha256Hex(content) }));
  of.set('SHA256SUMS', Buffer.from(sumsText(listed)));
};

/** Makes everything again that depends on what was changed, as somebody who has a key could. */
async function resigned(of: Files, signer: EvidenceSigner, reports = true): Promise<void> {
  const document = documentOf(of) as { -readonly [K in keyof EvidenceDocument]: EvidenceDocument[K] };
  of.set('key.pub', Buffer.from(signer.pem));
  (document.generation as { key_id: string }).key_id = signer.id;
  document.files = document.files.flatMap(({ name }) => {
    const content = of.get(name);
    return content === undefined ? [] : [{ name, sha256: sha256Hex(content), size: content.length }];
  });
  const made = await writeReports(document, document.files);
  of.set('evidence.json', Buffer.from(made.json));
  if (reports) for (const [name, content] of made.reports) of.set(name, Buffer.from(content));
  const signature = signer.sign(Buffer.from(made.json)).toString('base64');
  of.set('evidence.json.sig', Buffer.from(`${signature}\n`));
  sums(of);
  const listed = inOrder(
    [...of]
      .filter(([name]) => name !== 'evidence.sigstore.json')
      .map(([name, content]) => ({ name, sha256: sha256Hex(content) })),
  );
  of.set(
    'evidence.sigstore.json',
    Buffer.from(writeBundle(statementText(listed, predicateOf(document)), signer)),
  );
}

test('a signature whose base64 has bits that nobody reads is not that of a package', () => {
  const { predicate } = JSON.parse(statementText([], predicateOf(documentOf(files)))) as never;
  const bundles = Array.from({ length: 16 }, (_, i) =>
    writeBundle(statementText([{ name: `${i}`, sha256: '' }], predicate), SIGNER),
  );
  // A signature has 70 to 72 bytes; 72 fill whole groups of base64.
  const bundle = bundles.find((text) => /=","keyid/.test(text)) ?? '';
  const key = toEvidenceKey(SIGNER.pem, 'key.pub');
  assert.equal(readBundle(bundle, key).fault, null);
  const other = bundle.replace(
    /(.)(=+","keyid)/,
    (_, last: string, end: string) => `${String.fromCharCode(last.charCodeAt(0) + 1)}${end}`,
  );
  assert.equal(readBundle(other, key).fault, 'it is not in the form of a package');
});

/**
 * What finds a change: the checks of `verify` that fail, `opening` where it is no package any more, and the first place of `recompute`.
 * Once what is `wanted` is among them, only the full count looks on.
 */
async function findersOf(bytes: Buffer, wanted?: RegExp): Promise<readonly string[]> {
  const found: string[] = [];
  const isEnough = (): boolean => !TORTURE && found.some((one) => wanted?.test(one) === true);
  try {
    const pkg = await openBytesPackage(bytes);
    const { checks } = await verifyPackage(pkg, { keys: [], ledgerKeys: [], kept: [] });
    found.push(...checks.flatMap(({ check, state }) => (state === 'failed' ? [check] : [])));
    if (isEnough()) return found;
    const given = await verifyPackage(pkg, {
      ...{ keys: [toEvidenceKey(SIGNER.pem, 'key')], ledgerKeys: [] },
      kept: parseKept(stored, 'checkpoint.txt'),
    });
    for (const { check, state } of given.checks)
      if (state === 'failed' && !found.includes(check)) found.push(`${check} given`);
    if (isEnough()) return found;
    const again = await recompute(pkg, '0.0.0');
    const [first] = again.differences;
    if (first !== undefined) found.push(`recompute ${first.place}`);
  } catch (error) {
    if (!isIpoError(error)) throw error;
    found.push(found.length === 0 ? 'opening' : 'recompute');
  }
  return found;
}

const edit = (of: Files, name: string, act: (text: string) => string): void => {
  const before = String(of.get(name));
  const after = act(before);
  assert.notEqual(after, before, `${name} is changed`);
  of.set(name, Buffer.from(after));
};
const editJson = (of: Files, act: (document: Record<string, never>) => void): void =>
  edit(of, 'evidence.json', (text) => {
    const document = JSON.parse(text) as Record<string, never>;
    act(document);
    return `${JSON.stringify(document)}\n`;
  });
const editRows = (of: Files, act: (lines: string[]) => string[]): void => {
  const lines = gunzipSync(of.get('admissions.ndjson.gz') as Buffer)
    .toString()
    .split('\n');
  const after = act(lines).join('\n');
  assert.notEqual(after, lines.join('\n'));
  of.set('admissions.ndjson.gz', gzipSync(after));
};
const dropLine = (text: string): string =>
  text
    .split('\r\n')
    .filter((_, i) => i !== 1)
    .join('\r\n');

/** Each change, how far it is covered up, and what must find it. */
const CHANGES: readonly (readonly [
  what: string,
  act: (of: Files) => void | Promise<void>,
  finder: RegExp,
])[] = [
  ['a line of a table is taken out', (of) => edit(of, 'pods.csv', dropLine), /^files$/],
  [
    'a cell of a table is changed and its sum mended',
    (of) => (edit(of, 'triage.csv', (text) => text.replace('not reachable', 'agreed')), sums(of)),
    /^(files|statement)$/,
  ],
  ['a file is taken out', (of) => void of.delete('pods.csv'), /^files$/],
  ['a file is taken out and its sum with it', (of) => (of.delete('pods.csv'), sums(of)), /^files$/],
  ['two tables change places', (of) => swap(of, 'triage.csv', 'issues.csv'), /^files$/],
  [
    'the words of README.txt are changed and its sum mended',
    (of) => (edit(of, 'README.txt', (text) => text.replace('fingerprint', 'name')), sums(of)),
    /^statement$/,
  ],
  [
    'the report is another one and its sum mended',
    (of) => (edit(of, 'evidence.html', (text) => text.replaceAll('gap', 'met')), sums(of)),
    /^statement$/,
  ],
  ['a state is changed and all sums mended', (of) => (editJson(of, setState), sums(of)), /^signature$/],
  [
    'the signature is that of another key',
    (of) =>
      void of.set(
        'evidence.json.sig',
        Buffer.from(`${OTHER.sign(of.get('evidence.json') as Buffer).toString('base64')}\n`),
      ),
    /^signature$/,
  ],
  [
    'the key is another one',
    (of) => (of.set('key.pub', Buffer.from(OTHER.pem)), sums(of)),
    /^(key|signature)$/,
  ],
  [
    'a state is changed and everything signed with another key',
    (of) => (editJson(of, setState), resigned(of, OTHER)),
    /^key given$/,
  ],
  ['nothing is changed and everything signed with another key', (of) => resigned(of, OTHER), /^key given$/],
  [
    'a state is changed and signed with the right key',
    (of) => (editJson(of, setState), resigned(of, SIGNER)),
    /^recompute attestations\.[a-z-]+\.state$/,
  ],
  [
    'a count of admissions is changed and signed with the right key',
    (of) => (editJson(of, (document) => addTo(document, 'admissions', 'denied')), resigned(of, SIGNER)),
    /^recompute admissions\.denied$/,
  ],
  [
    'a bypass is left out of the document and signed with the right key',
    (of) => (
      editJson(of, ({ break_glass: section }: Record<string, { items: unknown[] }>) => section?.items.pop()),
      resigned(of, SIGNER)
    ),
    /^recompute break_glass\.items/,
  ],
  [
    'a requirement counts as met and is signed with the right key',
    (of) => (
      editJson(of, ({ requirements }: Record<string, { requirements: { state: string }[] }[]>) => {
        const one = requirements?.[0]?.requirements.find(({ state }) => state !== 'met');
        if (one !== undefined) one.state = 'met';
      }),
      resigned(of, SIGNER)
    ),
    /^recompute requirements\./,
  ],
  [
    'a row is taken out and everything signed with the right key',
    (of) => (
      editRows(of, (lines) =>
        lines.filter((line, i) => i !== lines.findIndex((one) => one.includes('"row"')) || line === ''),
      ),
      resigned(of, SIGNER)
    ),
    /^rows$/,
  ],
  [
    'a row is changed and everything signed with the right key',
    (of) => (
      editRows(of, (lines) =>
        lines.map((line) =>
          line
            .replace('"type":"row"', '"type":"row"')
            .replace(/"namespace":"[^"]*"/, '"namespace":"nowhere"'),
        ),
      ),
      resigned(of, SIGNER)
    ),
    /^rows$/,
  ],
  [
    'a pod is taken out of its table and everything signed with the right key',
    (of) => (edit(of, 'pods.csv', dropLine), resigned(of, SIGNER)),
    /^tables$/,
  ],
  [
    'a bypass is taken out of its table and everything signed with the right key',
    (of) => (edit(of, 'break-glass.csv', dropLine), resigned(of, SIGNER)),
    /^tables$/,
  ],
  [
    'a finding is taken out of its table and everything signed with the right key',
    (of) => (edit(of, 'vulnerabilities.csv', dropLine), resigned(of, SIGNER)),
    /^recompute /,
  ],
  [
    'an issue is taken out of its table and everything signed with the right key',
    (of) => (edit(of, 'issues.csv', dropLine), resigned(of, SIGNER)),
    /^recompute /,
  ],
  [
    'the report says other words and is signed with the right key',
    async (of) => {
      edit(of, 'evidence.html', (text) => text.replace('Attestations', 'Certificates'));
      await resigned(of, SIGNER, false);
    },
    /^recompute evidence\.html$/,
  ],
  [
    'the checkpoint is that of another ledger',
    (of) => (of.set('checkpoint.txt', unzip(another).get('checkpoint.txt') as Buffer), resigned(of, SIGNER)),
    /^checkpoint$/,
  ],
  [
    'the package is made anew of another ledger and signed with the right key',
    (of) => {
      of.clear();
      for (const [name, content] of unzip(another)) of.set(name, content);
    },
    /^rows given$/,
  ],
];

function swap(of: Files, a: string, b: string): void {
  const [first, second] = [of.get(a) as Buffer, of.get(b) as Buffer];
  of.set(a, second);
  of.set(b, first);
}

function setState({ attestations }: Record<string, { state: string }[]>): void {
  const one = attestations?.find(({ state }) => state !== 'met');
  if (one !== undefined) one.state = 'met';
}

function addTo(document: Record<string, Record<string, number>>, section: string, name: string): void {
  const counts = document[section] as Record<string, number>;
  counts[name] = (counts[name] ?? 0) + 1;
}

suite('a package that somebody changed', () => {
  test('is found by nothing as long as it is as it was made', async () => {
    assert.deepEqual(await findersOf(zip), []);
    assert.ok((await zipOf(files)).equals(zip), 'and the tests pack as the program does');
  });

  for (const [what, act, finder] of CHANGES)
    test(`is found where ${what}`, async () => {
      const of: Files = new Map(files);
      await act(of);
      const found = await findersOf(await zipOf(of), finder);
      assert.ok(
        found.some((one) => finder.test(one)),
        `found by ${found.join(', ') || 'nothing'}`,
      );
    });

  test('is damaged, and ends nothing, where its file cannot be read on', async () => {
    const from = zip.indexOf('pods.csv') + 'pods.csv'.length;
    const archive = {
      ...{ name: 'p.zip', size: zip.length },
      read: async (at: number, length: number) => {
        if (at === from) throw Object.assign(new Error('input/output error'), { code: 'EIO' });
        return zip.subarray(at, at + length);
      },
    };
    const pkg = await openPackage(archive, (chunks) => chunks);
    const { checks } = await verifyPackage(pkg, { keys: [], ledgerKeys: [], kept: [] });
    const said = checks.flatMap(({ check, text }) => (check === 'files' ? [text] : []));
    assert.ok(said.includes('p.zip: pods.csv cannot be unpacked'), said.join());
  });

  test('is damaged where its rows are another kind of text', async () => {
    for (const text of ['', '{"type":"header","format":"ipo.ledger/2"}\n', 'no rows\n']) {
      const bytes = await zipOf(new Map([...files, ['admissions.ndjson.gz', gzipSync(text)]]));
      const pkg = await openBytesPackage(bytes);
      await assert.rejects(recompute(pkg, '0.0.0'), { code: 'damaged' }, text);
      const { checks } = await verifyPackage(pkg, { keys: [], ledgerKeys: [], kept: [] });
      const failed = checks.filter(({ check, state }) => check === 'rows' && state === 'failed');
      assert.match(failed[0]?.text ?? '', /^admissions\.ndjson\.gz:1: /, text);
    }
  });

  test('is found where a file is added, whatever its name', async () => {
    for (const name of ['notes.txt', '../evidence.json', 'a/b', '.hidden', 'SHA256SUMS2'])
      assert.deepEqual(await findersOf(await zipOf(new Map([...files, [name, Buffer.from('x')]]))), [
        'opening',
      ]);
  });

  test('is found where any byte of any file is another one, although the archive is packed again', async (t) => {
    const { from, until } = turns(6, 200);
    let flips = 0;
    for (const [name, content] of files)
      for (let turn = from; turn < until; turn += 1) {
        const changed = Buffer.from(content);
        const place =
          Math.floor((((turn * 0.618_033_988 + name.length * 0.414_213) % 1) + 1) * 0.5 * content.length) %
          content.length;
        changed[place] = (changed[place] ?? 0) ^ (1 << (turn % 8));
        const bytes = await zipOf(new Map([...files, [name, changed]]));
        const found = await openBytesPackage(bytes)
          .then((pkg) => verifyPackage(pkg, { keys: [], ledgerKeys: [], kept: [] }))
          .then(
            ({ holds }) => !holds,
            (error: unknown) => isIpoError(error) || Promise.reject(error),
          );
        assert.ok(found, `${name}, byte ${place}`);
        flips += 1;
      }
    counted(t, { flips });
  });

  test('is found where any byte of the archive is another one', async (t) => {
    const options = { keys: [toEvidenceKey(SIGNER.pem, 'key.pub')], ledgerKeys: [], kept: [] };
    const { from, until } = turns(12, 200);
    for (let turn = from; turn < until; turn += 1) {
      const place = ((turn + 1) * 48_271) % 2_147_483_647;
      const changed = Buffer.from(zip);
      const at = place % zip.length;
      changed[at] = (changed[at] ?? 0) ^ (1 << (place % 8));
      const found = await openBytesPackage(changed)
        .then((pkg) => verifyPackage(pkg, options))
        .then(
          ({ holds }) => !holds,
          (error: unknown) => isIpoError(error) || Promise.reject(error),
        );
      assert.ok(found, `byte ${at}`);
    }
    counted(t, { places: until - from });
  });
});
