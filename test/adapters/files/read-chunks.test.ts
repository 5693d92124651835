import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openByteStream, readBounded } from '../../../src/adapters/files/index.ts';
import { openFile } from '../../../src/adapters/files/read-chunks.ts';

const directory = mkdtempSync(join(tmpdir(), 'ipo-chunks-'));
after(() => rmSync(directory, { recursive: true, force: true }));
const file = join(directory, 'file');

async function read(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts); // at the end alone: what was given must not change
}

test('a file of any size is given whole, in chunks of at most the length that was asked for', async () => {
  for (const size of [0, 1, 65_535, 65_536, 65_537, 262_143, 262_144, 262_145, 1_000_003]) {
    const bytes = Buffer.from(Array.from({ length: size }, (_, i) => (i * 31) % 251));
    writeFileSync(file, bytes);
    const opened = await openFile(file);
    assert.equal(opened.size, size);
    for await (const chunk of (await openFile(file)).chunks(65_536)) assert.ok(chunk.length <= 65_536);
    assert.ok((await read(opened.chunks(65_536))).equals(bytes), `${size} bytes`);
    assert.ok((await read(await openByteStream(file))).equals(bytes), `${size} bytes as a stream`);
  }
});

test('a reader that stops early lets the file go', async (t) => {
  writeFileSync(file, Buffer.alloc(3_000_000, 'a'));
  for await (const chunk of (await openFile(file)).chunks(65_536)) {
    assert.equal(chunk.length, 65_536);
    break;
  }
  if (process.platform !== 'linux') return t.skip('open files are listed by /proc');
  const isHeld = (): boolean =>
    readdirSync('/proc/self/fd').some((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`) === file;
      } catch {
        return false; // the one that lists them
      }
    });
  while (isHeld()) await new Promise((resolve) => setImmediate(resolve));
  return undefined;
});

test('a pipe is read as its writer writes', { skip: process.platform === 'win32' }, async () => {
  const pipe = join(directory, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const write = async (): Promise<void> => {
    const handle = await open(pipe, 'w');
    await handle.write('spec: ');
    await handle.write('{}\n');
    await handle.close();
  };
  const writing = write();
  assert.equal(await readBounded(pipe, 100), 'spec: {}\n');
  await writing;
});

test('a directory and a missing file are faults of the file system', async () => {
  await assert.rejects(openFile(directory), { code: 'EISDIR' });
  await assert.rejects(openFile(join(directory, 'none')), { code: 'ENOENT' });
  await assert.rejects(readBounded(directory, 100), { code: 'unreadable' });
  await assert.rejects(openByteStream(directory), { code: 'unreadable' });
});
