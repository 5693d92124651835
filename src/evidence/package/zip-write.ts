import type { Staged } from '../ports.ts';

/** The first day that an archive can name: no entry says when it was made, so that equal content is equal bytes. */
const DATE = 0x0021;
const VERSION = 20;
/** From here on sizes need another form of archive. */
const MAX_ARCHIVE = 0xffff_ffff;

/** EntryHead is what an archive says of an entry. */
export type EntryHead = Pick<Staged, 'name' | 'size' | 'crc' | 'method' | 'packed'>;

/** localHeader writes what stands before the bytes of an entry. */
export function localHeader(entry: EntryHead): Buffer {
  const name = Buffer.from(entry.name, 'latin1');
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x0403_4b50, 0);
  header.writeUInt16LE(VERSION, 4);
  common(entry, name, header, 8);
  return Buffer.concat([header, name]);
}

/** centralHeader writes the line of an entry in the directory of an archive. */
export function centralHeader(entry: EntryHead, offset: number): Buffer {
  const name = Buffer.from(entry.name, 'latin1');
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x0201_4b50, 0);
  header.writeUInt16LE(VERSION, 4);
  header.writeUInt16LE(VERSION, 6);
  common(entry, name, header, 10);
  header.writeUInt32LE(offset, 42);
  return Buffer.concat([header, name]);
}

/** endRecord writes the end of an archive. */
export function endRecord(entries: number, size: number, offset: number): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x0605_4b50, 0);
  end.writeUInt16LE(entries, 8);
  end.writeUInt16LE(entries, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(offset, 16);
  return end;
}

function common({ method, crc, packed, size }: EntryHead, name: Buffer, header: Buffer, at: number): void {
  header.writeUInt16LE(method === 'store' ? 0 : 8, at);
  header.writeUInt16LE(0, at + 2);
  header.writeUInt16LE(DATE, at + 4);
  header.writeUInt32LE(crc, at + 6);
  header.writeUInt32LE(packed, at + 10);
  header.writeUInt32LE(size, at + 14);
  header.writeUInt16LE(name.length, at + 18);
}

/** writeZip writes an archive of files in the order that they are given. Throws a RangeError for one of 4 GiB and more. */
export async function* writeZip(files: readonly Staged[]): AsyncGenerator<Uint8Array, void, undefined> {
  const directory: Buffer[] = [];
  let offset = 0;
  for (const file of files) {
    if (offset + file.packed > MAX_ARCHIVE || file.size > MAX_ARCHIVE)
      throw new RangeError('the package would be larger than 4 GiB');
    directory.push(centralHeader(file, offset));
    const header = localHeader(file);
    yield header;
    for await (const chunk of file.read()) yield chunk;
    offset += header.length + file.packed;
  }
  const whole = Buffer.concat(directory);
  yield whole;
  yield endRecord(files.length, whole.length, offset);
}
