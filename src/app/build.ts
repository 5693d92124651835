import { openByteStream, readBounded, readStreamBounded, writeWhole } from '../adapters/files/index.ts';
import type { Clock } from '../base/index.ts';
import { readExport, type LedgerExport } from '../ledger/index.ts';

/** Stdin is the standard input as bytes. */
export type Stdin = AsyncIterable<Uint8Array>;

/** CliParts is what the commands act through; tests give other ones. `-` as a path is stdin. */
export interface CliParts {
  readonly clock: Clock;
  /** Reads a text of at most `max` bytes. Throws FileError. */
  readText(path: string, max: number): Promise<string>;
  /** Opens a ledger export, plain or compressed. Throws FileError or LedgerError. */
  openLedger(path: string, progress?: (read: number, size: number | null) => void): Promise<LedgerExport>;
  /** Writes a file whole or not at all. Throws FileError. */
  writeFile(path: string, data: string | Uint8Array): Promise<void>;
}

/** buildCli joins the parts of the command line: real files, the real clock. */
export function buildCli(stdin: Stdin): CliParts {
  return {
    clock: { now: () => Date.now() },
    readText: (path, max) => (path === '-' ? readStreamBounded(stdin, 'stdin', max) : readBounded(path, max)),
    openLedger: async (path, progress) =>
      readExport(await openByteStream(path === '-' ? stdin : path, progress), path === '-' ? 'stdin' : path),
    writeFile: writeWhole,
  };
}
