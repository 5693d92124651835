import {
  exportLines,
  proveRange,
  type LedgerRow,
  type NoteSigner,
  type SignedCheckpoint,
} from '../../src/ledger/index.ts';
import type { TreeReader } from '../../src/ledger/tree-ports.ts';
import { NOW } from './grown.ts';

/** sealedExport writes the rows of a range as an export with its tree and its signed checkpoint, line by line. */
export async function sealedExport(
  reader: TreeReader,
  rows: readonly LedgerRow[],
  checkpoint: SignedCheckpoint,
  signer: Pick<NoteSigner, 'vkey'>,
): Promise<string[]> {
  const newest = rows.toSorted((a, b) => b.id - a.id);
  const [first, last] = [newest.at(-1)?.id ?? checkpoint.size + 1, newest[0]?.id ?? checkpoint.size];
  const { tree, seal } = await proveRange(reader, checkpoint, signer.vkey, first, last);
  const header = {
    exportedAt: NOW,
    cluster: 'shop-eu',
    coldImagePolicy: 'AllowAndScan',
    rows: newest.length,
    images: 0,
    from: null,
    to: null,
    tree,
  } as const;
  let text = '';
  for await (const block of exportLines({ header, policies: [], images: [], rows: [newest], seal }))
    text += block;
  return text.trimEnd().split('\n');
}

/** bytesOf gives lines as the bytes of a file, in pieces. */
export async function* bytesOf(lines: readonly string[], size = 65_536): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
