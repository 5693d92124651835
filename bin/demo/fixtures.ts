import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { getAsset, getAssetKeys, isSea } from 'node:sea';
import { zstdDecompressSync } from 'node:zlib';

/**
 * fixturesFolder gives where the shop's ledger and drafts lie: beside the program, in the package and in a checkout alike. The standalone
 * program has them in itself, and writes them into `directory`.
 */
export async function fixturesFolder(directory: string): Promise<string> {
  if (isSea()) {
    for (const name of getAssetKeys().filter((key) => key.startsWith('fixtures/'))) {
      const path = join(directory, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, zstdDecompressSync(Buffer.from(getAsset(name))));
    }
    return join(directory, 'fixtures');
  }
  const candidates = [join(import.meta.dirname, '../fixtures'), join(import.meta.dirname, '../../fixtures')];
  return candidates.find((path) => existsSync(join(path, 'ledger'))) ?? candidates[0] ?? '';
}
