import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { isIpoError } from '../../src/base/index.ts';
import {
  isUnsigned,
  keptOfExport,
  leafText,
  parseKept,
  parseVkey,
  verifyDatabase,
  verifyExport,
  verifyProof,
  writeTlogProof,
  type SignedCheckpoint,
  type Verification,
} from '../../src/ledger/index.ts';
import { proveConsistency, proveInclusion } from '../../src/ledger/tiles.ts';
import { growing, makeSigner } from './grown.ts';
import { MemoryTree } from './memory-tree.ts';
import { bytesOf, sealedExport } from './sealed.ts';

const signer = makeSigner();
const keys = [parseVkey(signer.vkey)];
const STEPS = [40, 260, 400, 400];
const tree = new MemoryTree();
const signed: SignedCheckpoint[] = [];
for (const count of STEPS) {
  tree.grow(count);
  const checkpoint = await growing(tree, signer).checkpoint();
  if (checkpoint !== null) signed.push(checkpoint);
}
const newest = signed.at(-1) as SignedCheckpoint;
const SIZE = 1100;
const notes = signed.map(({ note }) => note);
const keptOf = (...which: number[]) => which.flatMap((i) => parseKept(notes[i] ?? '', `kept-${i}`));

/** The export of the rows from `first` to `last`. */
const exportOf = (first: number, last = SIZE): Promise<string[]> =>
  sealedExport(tree, tree.all.slice(first - 1, last), newest, signer);

const check = (lines: readonly string[], options: Partial<Parameters<typeof verifyExport>[2]> = {}) =>
  verifyExport(bytesOf(lines, 10_000), 'ledger.ndjson', { keys, kept: [], ...options });

/** Which checks failed. */
const failed = ({ checks }: Verification): string[] =>
  checks.flatMap(({ check: name, state }) => (state === 'failed' ? [name] : []));
const state = ({ checks }: Verification, name: string): string | undefined =>
  checks.find((one) => one.check === name)?.state;

async function codeOf(act: Promise<unknown>): Promise<string> {
  try {
    await act;
  } catch (error) {
    if (isIpoError(error)) return error.code;
    throw error;
  }
  return 'none';
}

suite('an export', () => {
  test('holds, whichever part of the ledger it is and whatever was kept', async () => {
    for (const [first, last] of [
      [1, 1100],
      [1, 1],
      [1, 256],
      [2, 1100],
      [257, 1100],
      [300, 700],
      [300, 301],
      [257, 512],
      [1025, 1100],
      [1100, 1100],
      [1101, 1100],
    ] as const) {
      const result = await check(await exportOf(first, last), { kept: keptOf(0, 1, 2, 3) });
      assert.deepEqual(failed(result), [], `${first} to ${last}: ${JSON.stringify(result.checks)}`);
      assert.equal(result.holds, true);
      assert.equal(result.rows.count, last - first + 1);
      assert.equal(result.tree?.root, newest.root);
      assert.equal(result.key, signer.vkey);
      assert.equal(result.firstBad, null);
    }
  });

  test('is held against given checkpoints that its rows do not reach by a proof, where one can be had', async () => {
    const lines = await exportOf(900);
    assert.equal(state(await check(lines, { kept: keptOf(1) }), 'kept_checkpoint'), 'not_checked');
    const prove = (before: number, size: number) => proveConsistency(tree, before, size);
    assert.equal(state(await check(lines, { kept: keptOf(1), prove }), 'kept_checkpoint'), 'held');
    const lying = async (before: number, size: number) => (await prove(before, size)).toReversed();
    assert.equal(state(await check(lines, { kept: keptOf(1), prove: lying }), 'kept_checkpoint'), 'failed');
    const silent = async () => null;
    assert.equal(
      state(await check(lines, { kept: keptOf(1), prove: silent }), 'kept_checkpoint'),
      'not_checked',
    );
  });

  test('without a given checkpoint or a key says what the check cannot show', async () => {
    const bare = await check(await exportOf(1), { keys: [] });
    assert.equal(bare.holds, true);
    assert.equal(bare.limits.length, 2);
    assert.match(bare.limits.join(), /it stays possible that the newest rows were cut off/);
    assert.match(bare.limits.join(), /nothing shows whose key/);
    assert.deepEqual((await check(await exportOf(1), { kept: keptOf(0) })).limits, []);
    assert.equal((await check(await exportOf(5))).limits.length, 2);
  });

  test('that was never signed was not tampered with, unless a key or a given checkpoint asks for a signature', async () => {
    const [head = '', ...rest] = await exportOf(1);
    const { tree: _, ...header } = JSON.parse(head) as Record<string, unknown>;
    const lines = [JSON.stringify(header), ...rest.slice(0, -1)];
    const bare = await check(lines, { keys: [] });
    assert.deepEqual([bare.holds, state(bare, 'signature')], [true, 'not_checked']);
    assert.deepEqual([isUnsigned(bare), bare.rows.count, bare.rows.signed], [true, SIZE, 0]);
    assert.deepEqual(failed(await check(lines)), ['signature'], 'a key is given');
    const kept = await check(lines, { keys: [], kept: keptOf(2) });
    assert.equal(state(kept, 'kept_checkpoint'), 'held');
    assert.equal(kept.holds, false);
    // A part of what a signature needs is more than never signed.
    assert.deepEqual(failed(await check([head, ...rest.slice(0, -1)], { keys: [] })), ['signature']);
    assert.deepEqual(failed(await check([JSON.stringify(header), ...rest], { keys: [] })), ['signature']);
    const whole = await check(await exportOf(1));
    assert.deepEqual([isUnsigned(whole), whole.rows.signed], [false, SIZE]);
  });

  test('without rows has nothing that could fail, unless a given checkpoint proves that there were some', async () => {
    const [head = ''] = await exportOf(1);
    const { tree: _, ...header } = JSON.parse(head) as Record<string, unknown>;
    const none = [JSON.stringify({ ...header, rows: 0 })];
    const empty = await check(none);
    assert.deepEqual([empty.holds, state(empty, 'signature')], [true, 'not_checked']);
    assert.deepEqual(failed(await check(none, { kept: keptOf(0) })), ['kept_checkpoint']);
    assert.deepEqual(failed(await check([JSON.stringify(header)])), ['rows', 'signature']);
  });

  test('of rows with fields of a later release is hashed as it stands', async () => {
    const later = new MemoryTree();
    later.grow(300);
    await growing(later, signer).checkpoint();
    const lines = await sealedExport(
      later,
      later.all,
      (await later.newestCheckpoint()) as SignedCheckpoint,
      signer,
    );
    assert.equal((await check(lines)).holds, true);
    // Another order of the keys and other spellings are the same row; one field more is another.
    const shuffled = lines.map((line) => {
      const value = JSON.parse(line) as Record<string, unknown>;
      return value.type === 'row'
        ? JSON.stringify(Object.fromEntries(Object.entries(value).toReversed()), null, 1).replaceAll(
            '\n',
            ' ',
          )
        : line;
    });
    assert.equal((await check(shuffled)).holds, true);
    const more = lines.map((line) => line.replace('"id":17,', '"id":17,"clock_suspect":true,'));
    const result = await check(more);
    assert.deepEqual(failed(result), ['tree']);
    assert.deepEqual([result.firstBad?.from, result.firstBad?.to], [1, 256]);
  });

  test('that is none is refused', async () => {
    assert.equal(await codeOf(check(['{"a":1}'])), 'format');
    assert.equal(await codeOf(check([])), 'empty');
    assert.equal(await codeOf(check(['not json'])), 'format');
  });

  test('in which many rows are missing is told so at once', async () => {
    const [head = '', ...rest] = await exportOf(1);
    const header = JSON.parse(head) as { tree: Record<string, unknown> };
    header.tree.size = Number.MAX_SAFE_INTEGER;
    header.tree.last_id = Number.MAX_SAFE_INTEGER;
    const result = await check([JSON.stringify(header), ...rest]);
    assert.equal(result.holds, false);
    assert.equal(result.firstBad?.from, 1101);
  });

  test('that was kept shows where a later one was rewritten', async () => {
    const fork = new MemoryTree();
    for (const count of STEPS) fork.grow(count);
    fork.rewrite(fork.all.slice(600).map((row) => ({ ...row, reason: 'known exploited: CVE-2021-44228' })));
    const checkpoint = (await growing(fork, signer).checkpoint()) as SignedCheckpoint;
    const lines = await sealedExport(fork, fork.all, checkpoint, signer);
    assert.equal((await check(lines)).holds, true, 'nothing inside shows it');
    const between = await check(lines, { kept: keptOf(0, 1, 2) });
    assert.deepEqual(failed(between), ['kept_checkpoint']);
    assert.deepEqual([between.firstBad?.from, between.firstBad?.to], [301, 700]);
    const kept = [await keptOfExport(bytesOf(await exportOf(1)), 'earlier.ndjson')];
    const exact = await check(lines, { kept });
    assert.deepEqual([exact.firstBad?.from, exact.firstBad?.to], [513, 768]);
  });
});

suite('what was kept', () => {
  test('is one note, several one after another, or a proof', async () => {
    for (const text of [notes.join(''), notes.join('\n'), notes.join('\n\n\n'), `${notes.join('\n')}\n\n`]) {
      assert.deepEqual(
        parseKept(text, 'anchor').map(({ checkpoint }) => checkpoint.size),
        [40, 300, 700, 1100],
      );
    }
    const proof = writeTlogProof({
      index: 3,
      proof: await proveInclusion(tree, 3, SIZE),
      note: newest.note,
      extra: null,
    });
    assert.equal(parseKept(proof, 'row.tlog-proof')[0]?.note, newest.note);
    for (const bad of ['', '\n\n', 'words', notes.join('words\n')])
      assert.throws(() => parseKept(bad, 'x'), { code: 'format' }, bad);
    assert.equal(await codeOf(keptOfExport(bytesOf((await exportOf(1)).slice(0, -1)), 'x')), 'format');
    assert.equal(await codeOf(keptOfExport(bytesOf([]), 'x')), 'format');
  });

  test('of another log, or by another key, does not agree', async () => {
    const lines = await exportOf(1);
    for (const other of [makeSigner(), makeSigner('ipo.example/ledger/other')]) {
      const foreign = new MemoryTree();
      foreign.grow(SIZE);
      const checkpoint = (await growing(foreign, other).checkpoint()) as SignedCheckpoint;
      const result = await check(lines, { kept: parseKept(checkpoint.note, 'kept') });
      assert.deepEqual(failed(result), ['kept_checkpoint']);
      assert.equal(result.firstBad, null);
    }
  });
});

suite('a proof', () => {
  const text = async (id: number, size = SIZE, note = newest.note): Promise<string> =>
    writeTlogProof({
      index: id - 1,
      proof: await proveInclusion(tree, id - 1, size),
      note,
      extra: Buffer.from(leafText(tree.all[id - 1] ?? tree.all[0]!)),
    });

  test('holds under a key, or a checkpoint that was kept, and gives its row', async () => {
    for (const id of [1, 2, 256, 257, 1100]) {
      const result = verifyProof(await text(id), 'row.tlog-proof', { keys, kept: [] });
      assert.deepEqual(failed(result), []);
      assert.equal(result.row?.['id'], id);
      assert.equal(result.row?.['namespace'], tree.all[id - 1]?.namespace);
      assert.equal(verifyProof(await text(id), 'row', { keys: [], kept: keptOf(3) }).holds, true);
    }
  });

  test('does not hold for another row, under another key, or beside another given checkpoint', async () => {
    const good = await text(500);
    const other = leafText({ ...tree.all[499]!, pod: 'another' });
    const changed = good.replace(/^extra .*$/m, `extra ${Buffer.from(other).toString('base64')}`);
    assert.deepEqual(failed(verifyProof(changed, 'row', { keys, kept: [] })), ['proof']);
    assert.deepEqual(failed(verifyProof(good, 'row', { keys: [parseVkey(makeSigner().vkey)], kept: [] })), [
      'signature',
    ]);
    assert.deepEqual(failed(verifyProof(good, 'row', { keys: [], kept: keptOf(0) })), ['kept_checkpoint']);
    const forked = new MemoryTree();
    for (const count of STEPS) forked.grow(count);
    forked.rewrite([{ ...forked.all[9]!, pod: 'another' }]);
    const note = (await growing(forked, signer).checkpoint())?.note ?? '';
    assert.deepEqual(failed(verifyProof(good, 'row', { keys, kept: parseKept(note, 'kept') })), [
      'kept_checkpoint',
    ]);
  });

  test('without its row is refused', async () => {
    const bare = (await text(5)).replace(/^extra .*\n/m, '');
    assert.throws(() => verifyProof(bare, 'row', { keys, kept: [] }), { code: 'format' });
  });
});

suite('a database', () => {
  const options = { keys: [], kept: [] };
  const openRows = ({ checks }: Verification): string =>
    checks.find(({ check: name, state: of }) => name === 'signed_rows' && of === 'not_checked')?.text ?? '';

  test('holds, before and after its first checkpoint and while it grows, and tells signed rows from others', async () => {
    const young = new MemoryTree();
    const empty = await verifyDatabase(young, 'db', options);
    assert.deepEqual([empty.holds, isUnsigned(empty), openRows(empty)], [true, false, '']);
    young.grow(300);
    const unsigned = await verifyDatabase(young, 'db', options);
    assert.deepEqual([unsigned.holds, isUnsigned(unsigned)], [true, true]);
    assert.equal(openRows(unsigned), 'no row is signed yet (300 rows)');
    await growing(young, signer).checkpoint();
    young.grow(10);
    const grown = await verifyDatabase(young, 'db', options);
    assert.deepEqual(
      [grown.holds, grown.tree?.size, grown.key, grown.rows],
      [true, 300, signer.vkey, { count: 310, signed: 300, first: 1, last: 310 }],
    );
    assert.equal(openRows(grown), 'rows after 300 are not signed yet (10 rows)');
    assert.match(grown.limits.join(), /may have been added or changed by anyone who can write/);
    const result = await verifyDatabase(tree, 'db', { keys, kept: keptOf(0, 1, 2, 3) });
    assert.deepEqual([result.holds, result.limits, result.tree?.size], [true, [], SIZE]);
    assert.deepEqual([result.rows.signed, openRows(result)], [SIZE, '']);
  });

  test('never counts a row as signed that was put behind the last checkpoint, whatever was kept', async () => {
    const forged = new MemoryTree();
    forged.grow(351);
    const checkpoint = await growing(forged, signer).checkpoint();
    forged.growAs(1, 7);
    const kept = parseKept(checkpoint?.note ?? '', 'kept');
    const found = await verifyDatabase(forged, 'db', { keys, kept });
    assert.deepEqual([found.holds, found.rows.count, found.rows.signed], [true, 352, 351]);
    assert.equal(openRows(found), 'rows after 351 are not signed yet (1 row)');
  });

  test('whose stored checkpoints are gone is signed as far as one that was kept agrees', async () => {
    const bare = new MemoryTree();
    bare.grow(300);
    const checkpoint = await growing(bare.copy(), signer).checkpoint();
    bare.grow(20);
    const found = await verifyDatabase(bare, 'db', { keys, kept: parseKept(checkpoint?.note ?? '', 'kept') });
    assert.deepEqual([found.holds, found.rows.signed, isUnsigned(found)], [true, 300, false]);
  });
});
