import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isIpoError } from '../../src/base/index.ts';
import { parseKept, verifyExport, type LedgerRow, type SignedCheckpoint } from '../../src/ledger/index.ts';
import { growing } from './grown.ts';
import { MemoryTree } from './memory-tree.ts';
import { bytesOf, sealedExport } from './sealed.ts';
import {
  forged,
  KEPT,
  keys,
  mustFind,
  other,
  places,
  ROWS,
  SIGNED,
  signer,
  TIMES,
  type Found,
  type Pick,
} from './tampering.ts';

const CASES = 60 * TIMES;
const memory = new MemoryTree();
for (const [i, size] of SIGNED.entries()) {
  memory.grow(size - (SIGNED[i - 1] ?? 0));
  await growing(memory, signer).checkpoint();
}
const checkpoints = await memory.checkpoints(0, 10);
const kept = parseKept(checkpoints[1]?.note ?? '', 'kept');

async function writeExport(tree: MemoryTree, sign = signer): Promise<string[]> {
  return sealedExport(tree, tree.all, (await tree.newestCheckpoint()) as SignedCheckpoint, sign);
}
const whole = await writeExport(memory);
/** Line of a row: the header is line 0, the newest row line 1. */
const lineOf = (id: number): number => ROWS - id + 1;

type Json = Record<string, unknown>;

/** Lines with one of them changed as a value. */
function changed(lines: readonly string[], at: number, change: (value: Json) => void): string[] {
  const value = JSON.parse(lines.at(at) ?? '') as Json;
  change(value);
  return lines.with(at, JSON.stringify(value));
}

const announce = (lines: readonly string[], rows: number): string[] =>
  changed(lines, 0, (header) => (header.rows = rows));

/** A ledger of other rows from `row` on, in which everything fits again. */
async function rewritten(row: number, sign: typeof signer, rows: number): Promise<string[]> {
  const fork = new MemoryTree();
  for (const [i, size] of SIGNED.entries()) fork.grow(size - (SIGNED[i - 1] ?? 0));
  const changes = fork.all.slice(row - 1, row - 1 + rows);
  if (changes.length > 0) fork.rewrite(changes.map((one): LedgerRow => ({ ...one, pod: 'forged' })));
  await growing(fork, sign).checkpoint();
  return writeExport(fork, sign);
}

function flip(text: string, bit: number): string {
  const bytes = Buffer.from(text, 'base64');
  const at = bit % bytes.length;
  bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit & 7));
  return bytes.toString('base64');
}

const onExport: Readonly<
  Record<string, (pick: Pick) => [readonly string[], Found] | Promise<[readonly string[], Found]>>
> = {
  'edit body': ({ row }) => [changed(whole, lineOf(row), (value) => (value.requester = 'somebody')), { row }],
  'edit decision': ({ row }) => [
    changed(whole, lineOf(row), (value) => (value.allowed = !value.allowed)),
    { row },
  ],
  delete: ({ row }) => [announce(whole.toSpliced(lineOf(row), 1), ROWS - 1), { row, exact: true }],
  insert: ({ row, another }) => {
    const copy = changed(whole, lineOf(another), (value) => (value.id = row))[lineOf(another)] ?? '';
    return [announce(whole.toSpliced(lineOf(row), 0, copy), ROWS + 1), { row }];
  },
  reorder: ({ row, another }) => {
    const line = whole[lineOf(row)] ?? '';
    const at = another === row ? row + 1 : another;
    return [whole.toSpliced(lineOf(row), 1).toSpliced(lineOf(at), 0, line), { row: null }];
  },
  swap: ({ row, another }) => {
    const [low, high] = row < another ? [row, another] : [another === row ? row - 1 : another, row];
    const [a, b] = [low, high].map((id) => JSON.parse(whole[lineOf(id)] ?? '') as Json) as [Json, Json];
    const lines = whole.with(lineOf(low), JSON.stringify({ ...b, id: low }));
    return [lines.with(lineOf(high), JSON.stringify({ ...a, id: high })), { row: low }];
  },
  'truncate tail': ({ row }) => [
    announce(whole.toSpliced(1, ROWS - row), row),
    { row: row + 1, exact: true },
  ],
  'restore older': async ({ row }) => {
    const size = Math.min(row, KEPT - 1);
    const older = new MemoryTree();
    older.grow(size);
    await growing(older, signer).checkpoint();
    return [await writeExport(older), { row: size + 1, exact: true }];
  },
  'replace key': async () => [await rewritten(1, other, 0), { row: null }],
  fork: async ({ row, bit }) => {
    const from = (row % KEPT) + 1;
    return [await rewritten(from, signer, 1 + bit), { row: from }];
  },
  'edit checkpoint': (pick) => [
    changed(whole, -1, (value) => (value.note = forged(value.note as string, pick))),
    { row: null },
  ],
  'edit proof': async ({ row, bit }) => {
    const first = Math.min(row, ROWS - 10);
    const part = await sealedExport(
      memory,
      memory.all.slice(first, ROWS - 5),
      checkpoints.at(-1) as SignedCheckpoint,
      signer,
    );
    const at = bit % 3 === 0 ? -1 : 0;
    return [
      changed(part, at, (value) => {
        const list = (
          at === -1 ? value.edges : (value.tree as Json)[bit % 3 === 1 ? 'left' : 'right']
        ) as string[];
        if (list.length > 0) list[bit % list.length] = flip(list[bit % list.length] ?? '', bit);
        else value.rows = -1;
      }),
      { row: null },
    ];
  },
};

for (const [name, change] of Object.entries(onExport)) {
  test(`${name} is found in an export`, async () => {
    await fc.assert(
      fc.asyncProperty(places, async (pick) => {
        const [lines, found] = await change(pick);
        const result = await verifyExport(bytesOf(lines), 'export', { keys, kept }).catch(
          (error: unknown) => {
            if (isIpoError(error)) return error.code;
            throw error;
          },
        );
        // Of rows in the wrong order any may be called the first that is not in its place.
        if (name === 'reorder')
          assert.ok(typeof result !== 'string' && !result.holds && result.firstBad !== null);
        else mustFind(result, found, name);
      }),
      { numRuns: CASES },
    );
  });
}

test('a replaced key is found by what was kept, without being told the key', async () => {
  const result = await verifyExport(bytesOf(await rewritten(1, other, 0)), 'export', { keys: [], kept });
  assert.equal(result.holds, false);
});
