import { checkSize } from './edition.ts';

/** KevEntry is one vulnerability that is known to be exploited. */
export interface KevEntry {
  /** In upper case. */
  readonly cve: string;
  /** When it came into the catalogue, `YYYY-MM-DD`; null where the catalogue does not say. */
  readonly dateAdded: string | null;
  /** Until when it has to be repaired, likewise. */
  readonly dueDate: string | null;
}

/** KevCatalogue is the catalogue of known exploited vulnerabilities as CISA publishes it. */
export interface KevCatalogue {
  /** Such as `2026.08.07`; null where it does not say. */
  readonly version: string | null;
  /** Milliseconds; null likewise. */
  readonly releasedAt: number | null;
  /** Each CVE once. */
  readonly entries: readonly KevEntry[];
}

/** checkCatalogue holds that a catalogue may replace one of `kept` entries (0 for none). Throws CatalogueError `invalid_report`. */
export function checkCatalogue(
  { entries }: Pick<KevCatalogue, 'entries'>,
  kept: number,
  acceptShrunk = false,
): void {
  const size = {
    noun: 'the catalogue of known exploited vulnerabilities',
    short: 'the catalogue',
    unit: 'entries',
    setting: 'kev.source',
    entries: entries.length,
  };
  checkSize(size, kept, acceptShrunk);
}
