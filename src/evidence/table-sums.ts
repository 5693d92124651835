import { createHash } from 'node:crypto';
import { readTriage, writeRows, type ComposeDeps } from './compose.ts';
import { Governing } from './governing.ts';
import { requestOf, toSource, type Package } from './package/open.ts';

/** summing takes files of a package as a composition writes them, and keeps only their digests, by name. */
export function summing(): {
  readonly sums: ReadonlyMap<string, string>;
  readonly open: ComposeDeps['open'];
} {
  const sums = new Map<string, string>();
  return {
    sums,
    open: async (name) => {
      const hash = createHash('sha256');
      return {
        write: async (text) => void hash.update(text),
        end: async () => void sums.set(name, hash.digest('hex')),
      };
    },
  };
}

/** tableSums gives the digests that the tables of a package have which follow from its rows, when they are made again of these. `progress` is told the rows read so far. */
export async function tableSums(
  pkg: Package,
  rows: AsyncIterable<Uint8Array>,
  progress: (rows: number) => void = () => undefined,
): Promise<ReadonlyMap<string, string>> {
  const { source, close } = await toSource(pkg, rows);
  const { sums, open } = summing();
  const nothing = (): void => undefined;
  try {
    const triage = (await readTriage(source)) ?? [];
    const asked = {
      request: requestOf(pkg.document),
      governing: new Governing(source.rows.policies),
      triage,
    };
    await writeRows(
      source,
      asked,
      { open, progress },
      { row: nothing, admitted: nothing, pod: nothing, bypass: nothing },
    );
  } finally {
    await close();
  }
  return sums;
}
