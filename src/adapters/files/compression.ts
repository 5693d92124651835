/** Compression is how bytes are compressed. */
export type Compression = 'gzip' | 'zstd';

/** What stands at the start of compressed data; the name of a file may say otherwise. No text begins so. */
const STARTS: Readonly<Record<Compression, readonly number[]>> = {
  gzip: [0x1f, 0x8b],
  zstd: [0x28, 0xb5, 0x2f, 0xfd],
};

/** compressionOf gives how bytes are compressed, by the first of them; null where they are not. */
export function compressionOf(bytes: Uint8Array): Compression | null {
  for (const name of ['gzip', 'zstd'] as const)
    if (STARTS[name].every((byte, i) => bytes[i] === byte)) return name;
  return null;
}
