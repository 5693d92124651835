import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { before, suite, test } from 'node:test';
import { unzip } from '../evidence/open-bytes.ts';
import { entryOf, fileIn, flipped, placesIn, signedPackage } from '../evidence/package-file.ts';
import { counted, turns } from '../runs.ts';
import { ipo, type Ran } from './fake-terminal.ts';

const ROWS = 'admissions.ndjson.gz';
/** Files of which `recompute` reads nothing: it counts no signature, and compares tables that follow from rows by the digests in `evidence.json`. */
const NOT_READ = [
  ...['evidence.json.sig', 'evidence.sigstore.json', 'SHA256SUMS', 'checkpoint.txt', 'key.pub'],
  ...['pods.csv', 'break-glass.csv'],
];

let bytes: Buffer;
const verify = (file: string): Promise<Ran> => ipo(['evidence', 'verify', file]);
const recompute = (file: string): Promise<Ran> => ipo(['evidence', 'recompute', file]);

/** Whether a place is in what a file was compressed to, and the archive that was changed there unpacks to the same files. */
function unpacksAlike(file: string, place: number): boolean {
  const [one, other] = [unzip(bytes), unzip(readFileSync(file))];
  const entries = [...one.keys()].map((name) => entryOf(bytes, name));
  if (!entries.some(({ from, to }) => place >= from && place < to)) return false;
  return one.size === other.size && [...one].every(([name, content]) => other.get(name)?.equals(content));
}

suite('a file with a changed byte', () => {
  before(async () => {
    bytes = await signedPackage(400);
    writeFileSync(fileIn('whole.zip'), bytes);
  });

  test('is a package as it was made without one', async () => {
    const file = fileIn('whole.zip');
    assert.deepEqual([(await verify(file)).code, (await recompute(file)).code], [0, 0]);
  });

  test('is a package that fails both commands with exit 4, wherever the byte stands, and no package in its first four', async (t) => {
    const quiet = NOT_READ.map((name) => entryOf(bytes, name));
    const { from, until } = turns(14, 2000);
    let places = 0;
    for (let turn = from; turn < until; turn += 1) {
      // The first and the fourth byte, then places spread over the file.
      const place = turn < 2 ? turn * 3 : Math.floor(((turn * 0.618_033_988) % 1) * bytes.length);
      const file = flipped(bytes, place);
      const [verified, recomputed] = [await verify(file), await recompute(file)];
      const wanted = place < 4 ? 2 : 4;
      const isQuiet = quiet.some((entry) => place >= entry.from && place < entry.to);
      places += 1;
      // Some bits of the compression, such as lengths of codes that it never uses, change nothing that it unpacks to.
      if (verified.code === 0 && recomputed.code === 0 && unpacksAlike(file, place)) continue;
      const what = `byte ${place}: ${verified.err} ${recomputed.out} ${recomputed.err}`;
      assert.deepEqual([verified.code, recomputed.code], [wanted, isQuiet ? 0 : wanted], what);
      assert.doesNotMatch(`${verified.out}${recomputed.out}`, /cannot be read \(/, what);
    }
    counted(t, { places });
  });

  test('names the rows where it stands among them', async () => {
    const { from, to } = entryOf(bytes, ROWS);
    for (const place of [...placesIn(from, to, 4), from + 2, from + 11, to - 6]) {
      const file = flipped(bytes, place);
      const [verified, recomputed] = [await verify(file), await recompute(file)];
      assert.deepEqual([verified.code, recomputed.code], [4, 4], `byte ${place}`);
      assert.match(recomputed.out, /admissions\.ndjson\.gz/, `byte ${place}`);
      assert.match(verified.out, /✗ rows/, `byte ${place}`);
      assert.doesNotMatch(
        `${verified.out}${recomputed.out}`,
        /is empty|cannot be read \(|-:/,
        `byte ${place}`,
      );
    }
  });

  test('is a damaged export, not an empty one, where the byte stands before its first line', async () => {
    const { from, to } = entryOf(bytes, ROWS);
    const rows = bytes.subarray(from, to);
    for (const place of [2, 3, 11, 12]) {
      const { code, err } = await ipo([
        'ledger',
        'verify',
        '--ledger',
        flipped(rows, place, 'rows.ndjson.gz'),
      ]);
      assert.equal(code, 2, err);
      assert.doesNotMatch(err, /empty/);
      assert.match(err, /rows\.ndjson\.gz:1: the compressed data (is damaged|ends too early)/);
    }
    for (const place of placesIn(rows.length >> 2, rows.length, 6)) {
      const { code, err } = await ipo([
        'ledger',
        'verify',
        '--ledger',
        flipped(rows, place, 'rows.ndjson.gz'),
      ]);
      assert.equal(code, 4, `byte ${place}: ${err}`);
    }
  });
});
