import { CatalogueError } from './catalogue-error.ts';

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

/** MIN_SHARE is how many of the entries that are kept a new catalogue must at least have. CISA takes few out, ever. */
export const MIN_SHARE = 0.8;

/**
 * checkCatalogue holds that a catalogue may replace one of `kept` entries (0 for none): one that is empty, or shrunk by much, would call
 * exploited findings harmless. Throws CatalogueError `invalid_report`.
 */
export function checkCatalogue(
  { entries }: Pick<KevCatalogue, 'entries'>,
  kept: number,
  acceptShrunk = false,
): void {
  if (entries.length === 0)
    throw new CatalogueError(
      'invalid_report',
      'the catalogue of known exploited vulnerabilities is empty',
      'See what kev.source leads to; the catalogue that is kept stays in use',
    );
  if (acceptShrunk || entries.length >= kept * MIN_SHARE) return;
  throw new CatalogueError(
    'invalid_report',
    `the catalogue of known exploited vulnerabilities has shrunk from ${kept} to ${entries.length} entries, so it is not used`,
    'See what kev.source leads to; if it is right, POST /api/v1/catalogues/refresh?accept_shrunk=true takes it',
  );
}
