import * as z from 'zod/mini';
import { parseTime, printable, JsonKeyError, parseStrictJson } from '../../base/index.ts';
import type { KevCatalogue, KevEntry } from '../../catalogues/index.ts';
import { FeedError } from './feed-error.ts';

/** MAX_CATALOGUE_BYTES bounds the catalogue, also once unpacked; it has about 1.6 MB. */
export const MAX_CATALOGUE_BYTES = 64 * 1024 * 1024;

/** It has 1,662; a list with more entries is not a catalogue of exploited vulnerabilities. */
const MAX_ENTRIES = 200_000;

const HINT = 'Give known_exploited_vulnerabilities.json as CISA publishes it';

const catalogue = z.object({ vulnerabilities: z.array(z.unknown()), count: z.optional(z.unknown()) });
const release = z.object({ catalogVersion: z.optional(z.unknown()), dateReleased: z.optional(z.unknown()) });
const date = z.optional(z.nullable(z.string()));
const entry = z.object({
  cveID: z.string().check(z.regex(/^CVE-[0-9]{4}-[0-9]{4,19}$/i)),
  dateAdded: date,
  dueDate: date,
});

/**
 * readKevCatalogue reads the JSON of CISA's catalogue of known exploited vulnerabilities, strictly where it matters: an entry without an
 * id, a date that is none, or another number of entries than it says of itself, and the whole is refused, as is one without entries, which
 * would call every finding harmless. Of two entries on one CVE the first counts. Throws FeedError `invalid_report`.
 */
export function readKevCatalogue(text: string, file: string): KevCatalogue {
  const fail = (message: string, cause?: unknown): never => {
    throw new FeedError('invalid_report', file, message, HINT, cause);
  };
  let value: unknown;
  try {
    value = parseStrictJson(text);
  } catch (error) {
    if (error instanceof JsonKeyError)
      fail(`the catalogue of known exploited vulnerabilities is damaged: ${error.message}`, error);
    fail('the catalogue of known exploited vulnerabilities is not JSON, or was cut off', error);
  }
  const result = catalogue.safeParse(value);
  if (!result.success) return fail('this is not a catalogue of known exploited vulnerabilities');
  const { vulnerabilities, count } = result.data;
  const { length } = vulnerabilities;
  if (length === 0) return fail('the catalogue of known exploited vulnerabilities is empty');
  if (length > MAX_ENTRIES) return fail(`the catalogue has more than ${MAX_ENTRIES} entries`);
  if (count !== undefined && count !== length)
    return fail(
      `the catalogue has ${length} entries, which is not the count that it says: it was cut or edited`,
    );
  const entries = new Map<string, KevEntry>();
  for (const [i, raw] of vulnerabilities.entries()) {
    const read = entry.safeParse(raw); // one by one, so that the first fault is the last
    if (!read.success) return fail(`vulnerabilities.${i} is not as the catalogue has it`);
    const dateAdded = dateOf(read.data.dateAdded);
    const dueDate = dateOf(read.data.dueDate);
    if (dateAdded === undefined || dueDate === undefined)
      return fail(`vulnerabilities.${i} holds a date that is none`);
    const cve = read.data.cveID.toUpperCase();
    if (!entries.has(cve)) entries.set(cve, { cve, dateAdded, dueDate });
  }
  return { ...releaseOf(value), entries: [...entries.values()] };
}

/** parseKevCatalogue reads the same and gives its CVE ids, in upper case. */
export function parseKevCatalogue(text: string, file: string): ReadonlySet<string> {
  return new Set(readKevCatalogue(text, file).entries.map(({ cve }) => cve));
}

/** A day as it is written into issues, where nothing but digits comes through; undefined where the text is none. */
function dateOf(text: string | null | undefined): string | null | undefined {
  if (text === undefined || text === null || text === '') return null;
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(parseTime(`${text}T00:00:00Z`)) ? text : undefined;
}

/** What is told of the catalogue; findings do not depend on it. */
function releaseOf(value: unknown): Pick<KevCatalogue, 'version' | 'releasedAt'> {
  const { catalogVersion, dateReleased } = release.parse(value);
  const at = typeof dateReleased === 'string' ? parseTime(dateReleased) : NaN;
  return {
    version: typeof catalogVersion === 'string' ? printable(catalogVersion, 100) : null,
    releasedAt: Number.isNaN(at) ? null : Math.floor(at),
  };
}
