import type { CountedFinding } from './cve-totals.ts';
import { insertMany, runText, type Cell } from './dialect.ts';

type Executor = Parameters<typeof runText>[0];

/** StoredFinding is a finding as it is kept. */
export interface StoredFinding extends CountedFinding {
  readonly severity: string;
  readonly installed: string;
  readonly purl: string | null;
  readonly platforms: string | null;
}

const FINDING = {
  scan_id: 'integer',
  ordinal: 'integer',
  cve: 'text',
  severity: 'text',
  rank: 'integer',
  package: 'text',
  installed: 'text',
  fixed: 'text',
  known_exploited: 'integer',
  purl: 'text',
  platforms: 'text',
} as const;

/** insertFindings writes the findings of a scan, in their order. */
export async function insertFindings(
  transaction: Executor,
  scan: number,
  found: readonly StoredFinding[],
): Promise<void> {
  await insertMany(
    transaction,
    'findings',
    FINDING,
    found.map((finding, i) => cellsOf(scan, i, finding)),
  );
}

function cellsOf(scan: number, ordinal: number, finding: StoredFinding): Cell[] {
  const { cve, severity, rank, package: name, installed, fixed, known_exploited, purl, platforms } = finding;
  return [scan, ordinal, cve, severity, rank, name, installed, fixed, known_exploited, purl, platforms];
}

/**
 * storedFindings gives the findings of a scan with all that is kept of them. Those of the current scan of a digest are its findings over
 * all of its platforms.
 */
export async function storedFindings(transaction: Executor, scan: number): Promise<StoredFinding[]> {
  return runText<StoredFinding>(
    transaction,
    `select cve, severity, rank, package, installed, fixed, known_exploited, purl, platforms
     from findings where scan_id = ? order by ordinal`,
    [scan],
  );
}
