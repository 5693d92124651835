import * as z from 'zod/mini';
import { FeedError } from './feed-error.ts';

/** MAX_CATALOGUE_BYTES bounds the catalogue; it has about 1.6 MB. */
export const MAX_CATALOGUE_BYTES = 32 * 1024 * 1024;

const HINT = 'Give known_exploited_vulnerabilities.json as CISA publishes it';

const catalogue = z.object({ vulnerabilities: z.array(z.unknown()) });
const entry = z.object({ cveID: z.string().check(z.regex(/^CVE-[0-9]{4}-[0-9]{4,19}$/)) });

/**
 * parseKevCatalogue reads the JSON of CISA's catalogue of known exploited vulnerabilities and gives its CVE ids. An
 * empty catalogue is refused: it would call every finding harmless. Throws FeedError `invalid_report`.
 */
export function parseKevCatalogue(text: string, file: string): ReadonlySet<string> {
  const fail = (message: string, cause?: unknown): never => {
    throw new FeedError('invalid_report', file, message, HINT, cause);
  };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    fail('the catalogue of known exploited vulnerabilities is not JSON, or was cut off', error);
  }
  const result = catalogue.safeParse(value);
  if (!result.success) return fail('this is no catalogue of known exploited vulnerabilities');
  const { vulnerabilities } = result.data;
  if (vulnerabilities.length === 0) return fail('the catalogue of known exploited vulnerabilities is empty');
  return new Set(
    vulnerabilities.map((value, i) => {
      const read = entry.safeParse(value); // one by one, so that the first fault is the last
      return read.success ? read.data.cveID : fail(`vulnerabilities.${i} is not as the catalogue has it`);
    }),
  );
}
