import type { FoundStamp, ScanStamp } from '../../trackers/index.ts';

/** MadeScan is a scan that was just recorded and is in use; times are UTC milliseconds. */
export interface MadeScan {
  readonly id: number;
  /** Null where the report does not say: then it counts from when it was recorded, and shows no age. */
  readonly scannedAt: number | null;
  readonly stamp: ScanStamp;
  readonly version: string | null;
  /** When all of the image was scanned at least: where platforms are scanned by themselves, the time of the oldest; null as above. */
  readonly wholeAt: number | null;
  /** What it was compared with: the scan that it replaced, or null. */
  readonly replaced: FoundStamp | null;
  /** CVEs that only platforms had which are not scanned any more, since no node has them. */
  readonly gone?: ReadonlySet<string>;
}

/** HistoryCause is why findings changed: a scan, the catalogue, or platforms that no node has any more. */
export type HistoryCause = MadeScan | 'catalogue' | 'platforms';

/** Episode is a row of `finding_history`, without its image. */
export interface Episode {
  readonly cve: string;
  readonly first_seen_at: number;
  readonly first_scan: number | null;
  readonly rank: number;
  readonly worst: number;
  readonly package: string;
  readonly fixed: string | null;
  readonly others: string | null;
  readonly fixable_at: number | null;
  readonly exploited_at: number | null;
  readonly exploited_until: number | null;
  readonly unreported_at: number | null;
  readonly found_scanner: string | null;
  readonly found_db_at: number | null;
  readonly found_scan_at: number | null;
  readonly ended_at: number | null;
  readonly ended_scan: number | null;
  readonly ended_by: string | null;
}

/** TYPES are the columns of `finding_history` with their types. */
export const TYPES = {
  image: 'integer',
  cve: 'text',
  first_seen_at: 'integer',
  first_scan: 'integer',
  rank: 'integer',
  worst: 'integer',
  package: 'text',
  fixed: 'text',
  others: 'text',
  fixable_at: 'integer',
  exploited_at: 'integer',
  exploited_until: 'integer',
  unreported_at: 'integer',
  found_scanner: 'text',
  found_db_at: 'integer',
  found_scan_at: 'integer',
  ended_at: 'integer',
  ended_scan: 'integer',
  ended_by: 'text',
} as const;

/** COLUMNS are those of an episode. */
export const [, ...COLUMNS] = Object.keys(TYPES) as ['image', ...(keyof Episode)[]];
