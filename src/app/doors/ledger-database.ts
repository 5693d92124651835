import { openByteStream, writeStreamWhole } from '../../adapters/files/index.ts';
import type { ExportParts, ExportRequest, LeafRun, LedgerReader, TreeReader } from '../../ledger/index.ts';
import type { Stdin } from './build.ts';
import { hashRows } from './hash-rows.ts';

/** LedgerDatabase is a service's database as the commands on its ledger see it: only for reading. Close it in the end. */
export interface LedgerDatabase {
  readonly ledger: LedgerReader;
  readonly tree: TreeReader;
  /** All rows as the tree sees them, in runs, the lowest first; hashed in threads where they are many. */
  runs(): AsyncIterable<readonly LeafRun[]>;
  /** Gives the parts of an export. */
  export(request: ExportRequest): Promise<ExportParts>;
  close(): Promise<void>;
}

/** openLedgerDatabase opens a database only for reading; its schema must be that of this program. Throws StoreError. */
export async function openLedgerDatabase(url: string): Promise<LedgerDatabase> {
  const { ledgerExport, ledgerReader, ledgerTree, openStore } = await import('../../store/index.ts');
  const store = await openStore({ url, readOnly: true, poolSize: 2 });
  const tree = ledgerTree(store);
  return {
    ledger: ledgerReader(store),
    tree,
    runs: () => hashRows(url, tree),
    export: (request) => ledgerExport(store, request),
    close: () => store.close(),
  };
}

/** openBytes opens a file, or stdin by the name `-`, as bytes, decompressed. Throws FileError. */
export function openBytes(
  path: string,
  stdin: Stdin,
  progress?: (read: number, size: number | null) => void,
  chunkSize?: number,
): Promise<AsyncIterable<Uint8Array>> {
  return openByteStream(path === '-' ? stdin : path, progress, chunkSize);
}

/** decompressed gives bytes that may be compressed as they were before. Throws FileError `damaged` or `truncated`. */
export function decompressed(chunks: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  return openByteStream(chunks);
}

/** writeLong writes a file of any length whole or not at all, compressed as its name says. Throws FileError. */
export function writeLong(path: string, chunks: AsyncIterable<string | Uint8Array>): Promise<void> {
  return writeStreamWhole(path, chunks);
}
