import { openRandomAccess } from '../../adapters/files/index.ts';
import { openPackage, type Package, type RowsBeside } from '../../evidence/index.ts';
import { gunzip } from './gunzip.ts';
import { rowsBeside, type RowsThreadOptions } from './rows-thread.ts';

/** PackageFile is the file of an opened package. */
export interface PackageFile {
  readonly bytes: number;
  /** Verifies its rows in a thread; null where that is of no use. */
  readonly beside: RowsBeside | null;
}

/** withPackage opens a package for an act, which is told its file too. Throws FileError, and what `openPackage` throws. */
export async function withPackage<T>(
  path: string,
  act: (pkg: Package, file: PackageFile) => Promise<T>,
  options: RowsThreadOptions = {},
): Promise<T> {
  const file = await openRandomAccess(path);
  let beside: RowsBeside | null = null;
  try {
    const pkg = await openPackage(file, gunzip);
    beside = rowsBeside(file, pkg.document.ledger.rows, options);
    return await act(pkg, { bytes: file.size, beside });
  } finally {
    await beside?.end();
    await file.close();
  }
}
