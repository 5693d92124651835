import assert from 'node:assert/strict';
import { copyFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, suite, test } from 'node:test';
import { withPackage } from '../../src/app/evidence/with-package.ts';
import type { RowsThreadOptions } from '../../src/app/evidence/rows-thread.ts';
import { isIpoError } from '../../src/base/index.ts';
import { recompute, verifyPackage, type VerifyPackageOptions } from '../../src/evidence/index.ts';
import { parseKept, parseVkey, type NoteKey } from '../../src/ledger/index.ts';
import { useBuiltPrograms } from '../built-programs.ts';
import { entryOf, fileIn, flipped, placesIn, signedPackage } from '../evidence/package-file.ts';
import { makeSigner } from '../ledger/grown.ts';
import { SIGNER } from '../store/made-ledger.ts';

useBuiltPrograms();

/** Threads take turns on one processor too, which is slower and gives the same. */
const THREAD: RowsThreadOptions = { atLeast: 1, processors: 2 };
const NO_THREAD: RowsThreadOptions = { atLeast: Infinity };
const NONE = { keys: [], ledgerKeys: [], kept: [] };

let bytes: Buffer;
let whole: string;

type Known = Omit<VerifyPackageOptions, 'beside' | 'progress'>;

/** What a command says of a file, or what it throws. */
async function said<T>(act: Promise<T>): Promise<unknown> {
  try {
    return await act;
  } catch (error) {
    if (!isIpoError(error)) throw error;
    return { code: error.code, message: error.message, place: error.place, hint: error.hint };
  }
}

const verifyBy = (file: string, how: RowsThreadOptions, known: Known = NONE): Promise<unknown> =>
  said(
    withPackage(
      file,
      (pkg, { beside }) => {
        assert.equal(beside !== null, how === THREAD);
        return verifyPackage(pkg, { ...known, beside });
      },
      how,
    ),
  );
const recomputeBy = (file: string, how: RowsThreadOptions): Promise<unknown> =>
  said(withPackage(file, (pkg, { beside }) => recompute(pkg, '0.0.0', undefined, beside), how));

async function sameBothWays(file: string, what: string, known: Known = NONE): Promise<unknown[]> {
  const [verified, recomputed] = [await verifyBy(file, NO_THREAD, known), await recomputeBy(file, NO_THREAD)];
  assert.deepEqual(await verifyBy(file, THREAD, known), verified, `verify, ${what}`);
  assert.deepEqual(await recomputeBy(file, THREAD), recomputed, `recompute, ${what}`);
  return [verified, recomputed];
}

suite('rows of a package that are verified in a thread', () => {
  before(async () => {
    bytes = await signedPackage(700);
    writeFileSync((whole = fileIn('whole.zip')), bytes);
  });

  test('give the same answer as without it, whatever keys and checkpoints are known', async () => {
    const [verified, recomputed] = await sameBothWays(whole, 'as it was made');
    assert.deepEqual(
      [(verified as { holds: boolean }).holds, (recomputed as { agrees: boolean }).agrees],
      [true, true],
    );
    const kept = await withPackage(whole, async (pkg) =>
      parseKept(String(await pkg.read('checkpoint.txt')), 'kept.txt'),
    );
    const own = { keys: [], ledgerKeys: [parseVkey(SIGNER.vkey)], kept };
    const [given] = await sameBothWays(whole, 'with its key', own);
    assert.equal((given as { vouched: boolean }).vouched, true);
    const [other] = await sameBothWays(whole, 'with another key', {
      ...own,
      ledgerKeys: [parseVkey(makeSigner().vkey)],
    });
    assert.equal((other as { holds: boolean }).holds, false);
  });

  test('give the same answer as without it where a byte is another one', async () => {
    const { from, to } = entryOf(bytes, 'admissions.ndjson.gz');
    const [first, ...more] = [from + 12, ...placesIn(from, to, 5), entryOf(bytes, 'pods.csv').from + 5];
    for (const place of more) {
      const file = flipped(bytes, place);
      assert.deepEqual(await verifyBy(file, THREAD), await verifyBy(file, NO_THREAD), `byte ${place}`);
    }
    for (const place of [first ?? 0, to - 200]) await sameBothWays(flipped(bytes, place), `byte ${place}`);
  });

  test('are those of the file that was opened, whatever its path leads to meanwhile', async () => {
    const file = fileIn('replaced.zip');
    copyFileSync(whole, file);
    const other = fileIn('other.zip');
    writeFileSync(other, await signedPackage(50));
    const result = await withPackage(
      file,
      (pkg, { beside }) => {
        renameSync(other, file);
        return verifyPackage(pkg, { ...NONE, beside });
      },
      THREAD,
    );
    assert.deepEqual([result.holds, result.ledger?.rows.count], [true, 700]);
  });

  test('are read together with the others where they are few, or there is one processor', async () => {
    for (const how of [{}, { atLeast: 701, processors: 8 }, { atLeast: 1, processors: 1 }])
      assert.equal(await withPackage(whole, async (_, { beside }) => beside, how), null);
  });
});

test('a thread that dies, breaks or gives no answer is an error that says what to do', async () => {
  const file = fileIn('few.zip');
  writeFileSync(file, await signedPackage(300));
  const how = { ...THREAD, entry: join(import.meta.dirname, 'rows-worker-fake.ts') };
  for (const [name, why] of [
    ['die', /exit 7/],
    ['throw', /a defect/],
    ['end', /exit 0/],
  ] as const) {
    const ledgerKeys = [{ ...makeSigner(), name, sign: undefined }] as unknown as NoteKey[];
    const gone = (error: unknown): boolean => {
      assert.ok(isIpoError(error));
      assert.equal(error.code, 'unavailable');
      assert.match(error.message, why);
      assert.match(error.hint ?? '', /run the command again/);
      return true;
    };
    const verifying = withPackage(
      file,
      (pkg, { beside }) => verifyPackage(pkg, { ...NONE, ledgerKeys, beside }),
      how,
    );
    await assert.rejects(verifying, gone);
  }
  const recomputing = withPackage(file, (pkg, { beside }) => recompute(pkg, '0.0.0', undefined, beside), how);
  await assert.rejects(recomputing, { code: 'unavailable' });
});
