import { openByteStream, openRandomAccess } from '../../adapters/files/index.ts';
import { openPackage, type Package } from '../../evidence/index.ts';

/** withPackage opens a package for an act, which is told its bytes too. Throws FileError, and what `openPackage` throws. */
export async function withPackage<T>(
  path: string,
  act: (pkg: Package, size: number) => Promise<T>,
): Promise<T> {
  const file = await openRandomAccess(path);
  try {
    return await act(await openPackage(file, gunzip), file.size);
  } finally {
    await file.close();
  }
}

async function* gunzip(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  yield* await openByteStream(chunks);
}
