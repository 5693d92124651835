import {
  listFiles,
  openByteStream,
  readBounded,
  readStreamBounded,
  writeWhole,
} from '../../adapters/files/index.ts';
import type { Clock } from '../../base/index.ts';
import type { TrivyReport } from '../../adapters/trivy/index.ts';
import { readExport, type LedgerExport } from '../../ledger/index.ts';
import { withLateScavenges } from './late-scavenges.ts';

/** Stdin is the standard input as bytes. */
export type Stdin = AsyncIterable<Uint8Array>;

/** CliParts is what the commands act through; tests give other ones. `-` as a path is stdin. */
export interface CliParts {
  readonly clock: Clock;
  /** Reads a text of at most `max` bytes. Throws FileError. */
  readText(path: string, max: number): Promise<string>;
  /** The files below a directory whose names end so, in the order of their paths; null where it is none. Throws FileError. */
  listFiles(path: string, endings: readonly string[]): Promise<readonly string[] | null>;
  /** Opens a ledger export, plain or compressed. Throws FileError or LedgerError. */
  openLedger(path: string, progress?: (read: number, size: number | null) => void): Promise<LedgerExport>;
  /** Reads a report of Trivy. Throws FileError, or ReportError `invalid_report`. */
  readTrivy(path: string): Promise<TrivyReport>;
  /** Reads the CVE ids of the catalogue of known exploited vulnerabilities. Throws FileError, or `invalid_report`. */
  readKev(path: string): Promise<ReadonlySet<string>>;
  /** Writes a file whole or not at all. Throws FileError. */
  writeFile(path: string, data: string | Uint8Array): Promise<void>;
}

/** buildCli joins the parts of the command line: real files, the real clock. */
export function buildCli(stdin: Stdin): CliParts {
  const readText: CliParts['readText'] = (path, max) =>
    path === '-' ? readStreamBounded(stdin, 'stdin', max) : readBounded(path, max);
  return {
    clock: { now: () => Date.now() },
    readText,
    listFiles,
    readTrivy: async (path) => {
      const { MAX_REPORT_BYTES, parseTrivyReport } = await import('../../adapters/trivy/index.ts');
      return parseTrivyReport(await readText(path, MAX_REPORT_BYTES), path === '-' ? 'stdin' : path);
    },
    readKev: async (path) => {
      const { MAX_CATALOGUE_BYTES, parseKevCatalogue } = await import('../../adapters/feeds/index.ts');
      return parseKevCatalogue(await readText(path, MAX_CATALOGUE_BYTES), path === '-' ? 'stdin' : path);
    },
    openLedger: async (path, progress) => {
      const chunks = await openByteStream(path === '-' ? stdin : path, progress);
      return readExport(withLateScavenges(chunks), path === '-' ? 'stdin' : path);
    },
    writeFile: writeWhole,
  };
}
