import { createHash } from 'node:crypto';
import { parseTime } from '../base/index.ts';
import { compose } from './compose.ts';
import { requestOf, toSource, type Package } from './package/open.ts';

/** tableSums gives the digests that the tables of a package have when they are made again from what is inside. */
export async function tableSums(pkg: Package): Promise<ReadonlyMap<string, string>> {
  const { document } = pkg;
  const { source, close } = await toSource(pkg);
  const sums = new Map<string, string>();
  try {
    await compose(source, requestOf(document), parseTime(document.made_at), {
      open: async (name) => {
        const hash = createHash('sha256');
        return {
          write: async (text) => void hash.update(text),
          end: async () => void sums.set(name, hash.digest('hex')),
        };
      },
      verifyRows: async () => ({
        holds: true,
        tree: null,
        key: null,
        rows: { count: 0, signed: 0, first: null, last: null },
      }),
    });
  } finally {
    await close();
  }
  return sums;
}
