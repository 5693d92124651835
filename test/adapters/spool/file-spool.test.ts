import assert from 'node:assert/strict';
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, test, type TestContext } from 'node:test';
import fc from 'fast-check';
import { decodeRecords, encodeRecord, MAGIC } from '../../../src/adapters/spool/record.ts';
import { isOnDiskOf, openFileSpool } from '../../../src/adapters/spool/index.ts';
import { lockSpool } from '../../../src/app/running/spool-lock.ts';
import type { LedgerEntry, Spool } from '../../../src/ledger/index.ts';
import { listen, newRow, review, uidOf, type Spoken } from '../../ledger/parts.ts';
import { runs } from '../../runs.ts';

const noOtherDisk = existsSync('/proc/self/status') ? false : 'this system has no disk of that kind';
const notRoot = process.geteuid?.() === 0 ? false : 'only root gives files away';

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'ipo-spool-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

let opened: Spool[] = [];
afterEach(async () => {
  for (const spool of opened) await spool.close();
  opened = [];
});

async function open(
  directory: string,
  more: { maxRows?: number; maxBytes?: number; log?: Spoken } = {},
): Promise<Spool> {
  const spool = await openFileSpool({ directory, log: listen(), ...more });
  opened.push(spool);
  return spool;
}

const files = (directory: string): string[] => readdirSync(directory).filter((name) => name.endsWith('.log'));
const uids = (entries: Iterable<LedgerEntry>): (string | null)[] => Array.from(entries, ({ uid }) => uid);

test('what was kept is there after a crash, in order, until it is let go', async (t) => {
  const directory = folder(t);
  const first = await open(directory);
  assert.equal(await first.append([review(1, 2), review(2)]), 2);
  assert.equal(await first.append([{ uid: 'é\0\ud800', rows: [newRow({ reason: 'ü' })] }]), 1);
  const second = await open(directory); // the first was not closed
  assert.deepEqual(
    [...second.entries()],
    [review(1, 2), review(2), { uid: 'é\0\ud800', rows: [newRow({ reason: 'ü' })] }],
  );
  assert.equal(second.rows, 4);
  assert.deepEqual(uids(second.peek(1)), [uidOf(1)]);
  assert.deepEqual(uids(second.peek(3)), [uidOf(1), uidOf(2)]);
  await second.append([review(4)]);
  await second.drop(2);
  assert.deepEqual(uids(second.entries()), ['é\0\ud800', uidOf(4)]);
  const third = await open(directory);
  assert.equal(uids(third.entries()).at(-1), uidOf(4), 'what was let go may come back, what waits is there');
  await third.drop(uids(third.entries()).length);
  assert.deepEqual(files(directory), []);
  assert.equal((await open(directory)).rows, 0);
});

test('nobody else may read it', async (t) => {
  const directory = join(folder(t), 'spool');
  await (await open(directory)).append([review(1)]);
  const modes = [directory, ...files(directory).map((name) => join(directory, name))].map(
    (path) => statSync(path).mode & 0o077,
  );
  assert.deepEqual(modes, [0, 0]);
});

test('it takes as many rows and bytes as it may, and no more', async (t) => {
  const byRows = await open(folder(t), { maxRows: 5 });
  assert.equal(await byRows.append([review(1, 3), review(2, 2), review(3)]), 2);
  assert.equal(await byRows.append([review(3)]), 0);
  await byRows.drop(1);
  assert.equal(await byRows.append([review(3)]), 1);
  const directory = folder(t);
  const byBytes = await open(directory, { maxBytes: 4000 });
  let taken = 0;
  for (let n = 0; n < 20; n += 1) taken += await byBytes.append([review(n)]);
  const size = files(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);
  assert.ok(taken > 3 && taken < 10 && size <= 4000, `${taken} reviews in ${size} bytes`);
});

test('what was put back leaves the disk while more comes', async (t) => {
  const directory = folder(t);
  const spool = await open(directory);
  const large = { reason: 'x'.repeat(100_000) };
  let most = 0;
  for (let n = 0; n < 60; n += 1) {
    await spool.append([review(n, 1, large)]);
    if (n >= 5) await spool.drop(1);
    most = Math.max(most, files(directory).length);
  }
  assert.ok(most <= 3, `${most} files of a mebibyte for half a mebibyte of rows`);
});

test('a file whose entries were put back takes the next ones where more come soon, and holds only those', async (t) => {
  const directory = folder(t);
  const spool = await open(directory);
  for (let n = 0; n < 5; n += 1) {
    assert.equal(await spool.append([review(n), review(n + 100)]), 2);
    await spool.drop(2, true);
  }
  assert.equal(files(directory).length, 1);
  assert.equal(await spool.append([review(7)]), 1);
  const again = await open(directory);
  assert.deepEqual(uids(again.entries()), [uidOf(7)]);
  await spool.drop(1);
  assert.deepEqual(files(directory), []);
});

test('a write that was cut off at any place leaves what was answered before it', async (t) => {
  const directory = folder(t);
  const spool = await open(directory);
  await spool.append([review(1), review(2)]);
  const [name = ''] = files(directory);
  const path = join(directory, name);
  const answered = statSync(path).size;
  await spool.append([review(3)]);
  const whole = readFileSync(path);
  for (let size = 0; size < whole.length; size += size < answered ? 37 : 1) {
    truncateSync(path, 0);
    writeFileSync(path, whole.subarray(0, size));
    const log = listen();
    const left = uids((await open(directory, { log })).entries());
    const lost = size < answered;
    assert.deepEqual(left, [uidOf(1), uidOf(2)].slice(0, lost ? left.length : 2));
    if (size > answered)
      assert.deepEqual(log.lines, ['warn a write to the spool was cut off before it was answered']);
    writeFileSync(path, whole);
  }
});

test('a review that the disk lost is told, and the file kept', async (t) => {
  const directory = folder(t);
  const spool = await open(directory);
  await spool.append([review(1), review(2), review(3)]);
  const [name = ''] = files(directory);
  const bytes = readFileSync(join(directory, name));
  const at = bytes.indexOf(uidOf(2));
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(join(directory, name), bytes);
  const log = listen();
  assert.deepEqual(uids((await open(directory, { log })).entries()), [uidOf(1), uidOf(3)]);
  assert.ok(log.lines.some((line) => line.startsWith('error the spool lost reviews')));
  assert.deepEqual(readFileSync(join(directory, `${name}.damaged`)), bytes);
});

test('one bit that the disk turned costs at most the review it stands in, and never in silence', () => {
  const kept = [1, 2, 3].map((n) => review(n));
  const records = kept.map(encodeRecord);
  const whole = Buffer.concat([MAGIC, ...records]);
  let from = MAGIC.length;
  const ranges = records.map((record) => [from, (from += record.length)] as const);
  for (let bit = 0; bit < whole.length * 8; bit += 1) {
    const bytes = Buffer.from(whole);
    const at = bit >> 3;
    bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit & 7));
    const { entries, damaged, torn } = decodeRecords(bytes);
    const others = kept.filter((_, i) => at < (ranges[i]?.[0] ?? 0) || at >= (ranges[i]?.[1] ?? 0));
    const found = uids(entries);
    for (const uid of uids(others)) assert.ok(found.includes(uid), `bit ${bit} costs another review`);
    assert.ok(damaged > 0 || torn > 0, `bit ${bit} is not told`);
    // Of the last record alone a turned length may look like a write that was cut off.
    if (torn > 0) assert.ok(at >= (ranges[2]?.[0] ?? 0), `bit ${bit} counts as cut off`);
  }
});

test('no damage to its files makes it fail, or give what was not kept', async (t) => {
  const kept = [1, 2, 3, 4].map((n) => review(n, (n % 3) + 1));
  const directory = folder(t);
  await (await open(directory)).append(kept);
  const [name = ''] = files(directory);
  const path = join(directory, name);
  const whole = readFileSync(path);
  const damage = fc.array(
    fc.record({
      at: fc.nat({ max: whole.length - 1 }),
      bytes: fc.uint8Array({ minLength: 1, maxLength: 12 }),
    }),
    { minLength: 1, maxLength: 3 },
  );
  await fc.assert(
    fc.asyncProperty(damage, fc.nat({ max: whole.length }), async (places, size) => {
      const bytes = Buffer.from(whole);
      for (const place of places) bytes.set(place.bytes.subarray(0, bytes.length - place.at), place.at);
      writeFileSync(path, bytes.subarray(0, Math.max(size, 1)));
      const found = uids((await open(directory)).entries());
      const order = uids(kept).filter((uid) => found.includes(uid));
      assert.deepEqual(found, order);
    }),
    { numRuns: runs(200) },
  );
});

test('a review that can never be stored is set aside with the reason', async (t) => {
  const directory = folder(t);
  const spool = await open(directory);
  await spool.append([review(1), review(2)]);
  await spool.setAside('too long');
  assert.deepEqual(uids(spool.entries()), [uidOf(2)]);
  const [line = ''] = readFileSync(join(directory, 'refused.ndjson'), 'utf8').split('\n');
  assert.deepEqual(JSON.parse(line), { reason: 'too long', ...review(1) });
});

test('what root makes in a spool belongs to whom the spool belongs', { skip: notRoot }, async (t) => {
  const directory = folder(t);
  const first = await open(directory);
  await first.append([review(1), review(2)]);
  await first.close();
  opened = [];
  const [segment = ''] = readdirSync(directory);
  const path = join(directory, segment);
  const bytes = readFileSync(path);
  bytes[bytes.length - 40] = (bytes[bytes.length - 40] ?? 0) ^ 1;
  writeFileSync(path, bytes);
  chownSync(directory, 65_534, 65_534);
  const unlock = await lockSpool(directory);
  const spool = await open(directory);
  await spool.setAside('too long');
  await spool.append([review(3)]);
  unlock();
  const owners = readdirSync(directory)
    .toSorted()
    .filter((name) => name !== segment)
    .map((name) => [name.replace(/\d+/, 'N'), statSync(join(directory, name)).uid]);
  assert.deepEqual(owners, [
    ['refused.ndjson', 65_534],
    ['spool-N.log.damaged', 65_534],
    ['spool-N.log', 65_534],
    ['spool.lock', 65_534],
  ]);
});

test('a directory that cannot be used is told', async (t) => {
  const path = join(folder(t), 'file');
  writeFileSync(path, '');
  await assert.rejects(open(path), { code: 'unreadable' });
});

test('a disk that refuses is told, nothing is kept, and it goes on when the disk does', async (t) => {
  const directory = folder(t);
  const spool = await open(directory);
  rmSync(directory, { recursive: true });
  await assert.rejects(spool.append([review(1)]), { code: 'unwritable' });
  assert.equal(spool.rows, 0);
  (await open(directory)) satisfies Spool; // makes the directory again
  assert.equal(await spool.append([review(2)]), 1);
  assert.deepEqual(uids((await open(directory)).entries()), [uidOf(2)]);
});

test(
  'a spool is as durable as a database on the same disk, and as none on another',
  { skip: noOtherDisk },
  (t) => {
    const directory = folder(t);
    assert.equal(isOnDiskOf(directory, join(directory, 'ipo.db')), true);
    assert.equal(isOnDiskOf(directory, '/proc/self/status'), false);
    assert.equal(isOnDiskOf(directory, null), false);
  },
);
