import { gunzipSync, inflateRawSync } from 'node:zlib';
import { IpoError } from '../../src/base/index.ts';
import { openPackage, type Package } from '../../src/evidence/index.ts';

/** openBytesPackage opens a package that is in memory. */
export function openBytesPackage(bytes: Buffer, name = 'p.zip'): Promise<Package> {
  const archive = {
    name,
    size: bytes.length,
    read: async (at: number, length: number) => bytes.subarray(at, at + length),
  };
  return openPackage(archive, async function* gunzip(chunks) {
    const all: Uint8Array[] = [];
    for await (const chunk of chunks) all.push(chunk);
    try {
      yield gunzipSync(Buffer.concat(all));
    } catch {
      // As the program says it, which reads files.
      throw new IpoError('damaged', 'the rows cannot be unpacked');
    }
  });
}

/** unzip reads an archive without any code of ours. */
export function unzip(bytes: Buffer): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (let at = 0; bytes.readUInt32LE(at) === 0x04034b50;) {
    const [method, packed, length] = [
      bytes.readUInt16LE(at + 8),
      bytes.readUInt32LE(at + 18),
      bytes.readUInt16LE(at + 26),
    ];
    const name = bytes.toString('latin1', at + 30, at + 30 + length);
    const data = bytes.subarray(at + 30 + length, at + 30 + length + packed);
    files.set(name, method === 0 ? data : inflateRawSync(data));
    at += 30 + length + packed;
  }
  return files;
}

/** tableOf reads a CSV as a spreadsheet does; a leading apostrophe is its mark of text. */
export function tableOf(text: string | undefined): Record<string, string>[] | null {
  if (text === undefined) return null;
  const rows = [...text.matchAll(/(?:(?:"(?:[^"]|"")*"|[^",\r\n]*),?)*\r\n/g)].map(([line]) =>
    [...line.slice(0, -2).matchAll(/("(?:[^"]|"")*"|[^",]*)(?:,|$)/g)].map(([, cell = '']) => {
      const plain = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
      return /^'[=+\-@\t\r']/.test(plain) ? plain.slice(1) : plain;
    }),
  );
  const [head = [], ...body] = rows;
  return body.map((cells) => Object.fromEntries(head.map((name, i) => [name, cells[i] ?? ''])));
}
