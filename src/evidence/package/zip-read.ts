import { crc32, createInflateRaw } from 'node:zlib';
import { Readable } from 'node:stream';
import { IpoError } from '../../base/index.ts';
import { centralHeader, endRecord, localHeader, type EntryHead } from './zip-write.ts';

/** Archive is a file that can be read at any place. */
export interface Archive {
  readonly name: string;
  readonly size: number;
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** Entry is a file in an archive. */
export interface Entry extends EntryHead {
  /** Its content, checked against its checksum and size. Throws IpoError `damaged`. */
  content(): AsyncGenerator<Uint8Array, void, undefined>;
}

const AGAIN = 'Get the package again, and compare its digest';

/** What is larger may be at most so many times as large as what it was packed to: no text of ours is packed better. */
const MAX_RATIO = 200;
const SMALL = 64 * 1024 * 1024;
const MAX_ENTRIES = 64;
const MAX_DIRECTORY = 64 * 1024;
const CHUNK = 256 * 1024;

/** Other names than these are not files of a package: no directory, no path, nothing hidden. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** mostOf gives the most bytes that so many packed ones of a package may stand for. */
export function mostOf(packed: number): number {
  return Math.max(SMALL, packed * MAX_RATIO);
}

/**
 * openZip reads the directory of an archive and holds it to the form that `writeZip` gives it, byte for byte: each entry once, one
 * after another, nothing between, before or behind them. Throws IpoError `damaged` or `truncated` with what is wrong.
 */
export async function openZip(archive: Archive): Promise<readonly Entry[]> {
  const wrong = (
    message: string,
    code: 'damaged' | 'truncated' | 'format' = 'damaged',
    hint = AGAIN,
  ): IpoError => new IpoError(code, `${archive.name}: ${message}`, { hint });
  // Tools that pack files write other fields, so that their archives never compare.
  const repacked = (where: string): IpoError =>
    wrong(
      `the ZIP file was packed again by another program, or was changed: ${where}`,
      'damaged',
      'Use the original file',
    );
  const start = Buffer.from(await archive.read(0, Math.min(4, archive.size)));
  if (archive.size < 22 || start.readUInt32LE(0) !== 0x0403_4b50)
    throw wrong(
      'this is not an evidence package (a ZIP file)',
      'format',
      'Give the ZIP file that `ipo evidence create` or the service made',
    );
  const end = Buffer.from(await archive.read(archive.size - 22, 22));
  if (end.readUInt32LE(0) !== 0x0605_4b50)
    throw wrong('the file is cut off, or something was added at its end', 'truncated');
  const [count, size, offset] = [end.readUInt16LE(10), end.readUInt32LE(12), end.readUInt32LE(16)];
  if (count > MAX_ENTRIES || size > MAX_DIRECTORY || offset + size + 22 !== archive.size)
    throw repacked('its directory does not describe it');
  if (!endRecord(count, size, offset).equals(end)) throw repacked('its end is not in the form of a package');
  const directory = Buffer.from(await archive.read(offset, size));
  const entries: Entry[] = [];
  const names = new Set<string>();
  let [at, place] = [0, 0];
  for (let i = 0; i < count; i += 1) {
    const head = readHead(directory, at, wrong);
    if (names.has(head.name)) throw wrong(`the file ${head.name} is in it twice`);
    names.add(head.name);
    const central = centralHeader(head, place);
    if (!central.equals(directory.subarray(at, at + central.length)))
      throw repacked(`its directory is not in the form of a package, at ${head.name}`);
    const local = localHeader(head);
    if (!local.equals(Buffer.from(await archive.read(place, local.length))))
      throw wrong(`the directory and the archive do not agree about ${head.name}`);
    if (head.size > mostOf(head.packed))
      throw wrong(
        `${head.name} would be ${head.size} bytes, ${Math.floor(head.size / Math.max(1, head.packed))} times its compressed size: more than in any package`,
      );
    if (head.method === 'store' && head.size !== head.packed)
      throw wrong(`the sizes of ${head.name} do not agree`);
    const from = place + local.length;
    entries.push({ ...head, content: () => contentOf(archive, head, from, wrong) });
    place = from + head.packed;
    at += central.length;
  }
  if (at !== size || place !== offset) throw wrong('there are bytes between its files');
  return entries;
}

type Wrong = (message: string) => IpoError;

function readHead(directory: Buffer, at: number, wrong: Wrong): EntryHead {
  if (directory.length < at + 46) throw wrong('its directory is cut off');
  const length = directory.readUInt16LE(at + 28);
  const name = directory.toString('latin1', at + 46, at + 46 + length);
  if (!NAME.test(name))
    throw wrong(`a file in it has a name that no package has: ${JSON.stringify(name.slice(0, 80))}`);
  const method = directory.readUInt16LE(at + 10);
  if (method !== 0 && method !== 8) throw wrong(`${name} is compressed in a way that packages do not use`);
  return {
    name,
    method: method === 0 ? 'store' : 'deflate',
    crc: directory.readUInt32LE(at + 16),
    packed: directory.readUInt32LE(at + 20),
    size: directory.readUInt32LE(at + 24),
  };
}

async function* contentOf(
  archive: Archive,
  { name, method, crc, packed, size }: EntryHead,
  from: number,
  wrong: Wrong,
): AsyncGenerator<Uint8Array, void, undefined> {
  let [read, sum] = [0, 0];
  const raw = rawBytes(archive, from, packed);
  const chunks = method === 'store' ? raw : inflated(raw);
  try {
    for await (const chunk of chunks) {
      read += chunk.length;
      if (read > size) throw wrong(`${name} is longer than the archive says`);
      sum = crc32(chunk, sum);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof IpoError) throw error;
    throw wrong(`${name} cannot be unpacked`);
  }
  if (read !== size || sum !== crc)
    throw wrong(`${name} does not have the size and the CRC-32 that the archive states for it`);
}

function inflated(raw: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const inflate = createInflateRaw({ chunkSize: CHUNK });
  // A pipe leaves a fault of its source to nobody, which would end the process.
  const packed = Readable.from(raw, { objectMode: true }).on('error', (error) => inflate.destroy(error));
  return packed.pipe(inflate);
}

async function* rawBytes(archive: Archive, from: number, length: number): AsyncGenerator<Uint8Array> {
  for (let at = from; at < from + length; at += CHUNK)
    yield await archive.read(at, Math.min(CHUNK, from + length - at));
}

/** readWhole reads a small file of an archive. Throws IpoError `damaged`, also for one that is larger than `max`. */
export async function readWhole(entry: Entry, max: number): Promise<Buffer> {
  if (entry.size > max)
    throw new IpoError('damaged', `${entry.name} is larger than ${max} bytes, the maximum in a package`);
  const chunks: Uint8Array[] = [];
  for await (const chunk of entry.content()) chunks.push(chunk);
  return Buffer.concat(chunks);
}
