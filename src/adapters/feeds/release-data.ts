import * as z from 'zod/mini';
import { DAY_MS, parseTime, JsonKeyError, parseStrictJson } from '../../base/index.ts';
import { RELEASE_PRODUCTS, type OsRelease, type ReleaseData } from '../../catalogues/index.ts';
import { FeedError } from './feed-error.ts';

/** More than these are not releases of one operating system. */
const MAX_RELEASES = 2000;
const HINT =
  'Give the answer of https://endoflife.date/api/v1/products/full, or an object of lists of cycles by product';

/** A day, or whether it has come; null where there is none. */
const end = z.nullish(z.union([z.string(), z.boolean()]));
const name = z.string().check(z.minLength(1), z.maxLength(100));
/** As the API's first version and the site's own files have it. */
const cycle = z.object({
  cycle: z.optional(name),
  releaseCycle: z.optional(name),
  eol: end,
  eoes: end,
  extendedSupport: end,
});
/** As the API's version 1 has it. */
const release = z.object({
  name,
  isEol: z.nullish(z.boolean()),
  eolFrom: z.nullish(z.string()),
  isEoes: z.nullish(z.boolean()),
  eoesFrom: z.nullish(z.string()),
});
const product = z.object({ name, releases: z.array(z.unknown()) });

/**
 * readReleaseData reads when operating systems end: the answer of endoflife.date's API v1 for one or all products, or an object with a list
 * of cycles for each product (`{"debian":[{"releaseCycle":"12","eol":"2026-07-11"}]}`, also with the keys of the API's version 0). What
 * else is published there is left out; a release that cannot be understood refuses the whole. Throws FeedError `invalid_report`.
 */
export function readReleaseData(text: string, file: string): ReleaseData {
  const fail = (message: string, cause?: unknown): never => {
    throw new FeedError('invalid_report', file, message, HINT, cause);
  };
  let value: unknown;
  try {
    value = parseStrictJson(text);
  } catch (error) {
    if (error instanceof JsonKeyError)
      fail(`the release data of operating systems is damaged: ${error.message}`, error);
    fail('the release data of operating systems is not JSON, or was cut off', error);
  }
  if (Array.isArray(value)) fail('the release data is a list that does not say of which operating system');
  if (value === null || typeof value !== 'object')
    return fail('this is not release data of operating systems');
  const found = new Map<string, OsRelease>();
  for (const [of, releases] of 'result' in value ? resultsOf(value.result, fail) : Object.entries(value)) {
    if (!RELEASE_PRODUCTS.has(of)) continue;
    if (!Array.isArray(releases)) return fail(`${of} is not a list of releases`);
    if (releases.length > MAX_RELEASES) return fail(`${of} has more than ${MAX_RELEASES} releases`);
    for (const [i, raw] of (releases as unknown[]).entries()) {
      const one = readRelease(of, raw);
      if (one === null) return fail(`${of}.${i} is not a release as endoflife.date has it`);
      const key = `${of} ${one.release}`;
      if (!found.has(key)) found.set(key, one);
    }
  }
  if (found.size === 0) fail('the release data knows none of the operating systems that images have');
  return { releases: [...found.values()], releasedAt: madeAt(value) };
}

/** As the API's version 1 says it. */
function madeAt(value: object): number | null {
  const { generated_at: at } = value as { generated_at?: unknown };
  const ms = typeof at === 'string' ? parseTime(at) : NaN;
  return Number.isNaN(ms) ? null : Math.floor(ms);
}

function* resultsOf(value: unknown, fail: (message: string) => never): Generator<[string, unknown]> {
  for (const [i, raw] of (Array.isArray(value) ? (value as unknown[]) : [value]).entries()) {
    const read = product.safeParse(raw);
    if (read.success) yield [read.data.name, read.data.releases];
    else {
      const { name: of } = (raw ?? {}) as { name?: unknown };
      if (typeof of !== 'string' || RELEASE_PRODUCTS.has(of))
        fail(`result.${i} is not a product with its releases`);
    }
  }
}

function readRelease(of: string, raw: unknown): OsRelease | null {
  const isNew = raw !== null && typeof raw === 'object' && ('isEol' in raw || 'eolFrom' in raw);
  if (isNew) {
    const read = release.safeParse(raw);
    if (!read.success) return null;
    const { name: number, isEol, eolFrom, isEoes, eoesFrom } = read.data;
    return toRelease(of, number, eolFrom ?? isEol, eoesFrom ?? isEoes);
  }
  const read = cycle.safeParse(raw);
  if (!read.success) return null;
  const { eol, eoes, extendedSupport } = read.data;
  const number = read.data.releaseCycle ?? read.data.cycle;
  // A release without a word of its end is none that says anything.
  if (number === undefined || eol === undefined) return null;
  // The API's version 0 says by true that there is longer support, and by false that there is none.
  const none = extendedSupport === false ? null : extendedSupport;
  return toRelease(of, number, eol, eoes ?? (extendedSupport === true ? false : none));
}

/** Support that has not ended, with no day on which it will: 9999-12-31. */
const NEVER = 253_402_214_400_000;

type End = string | boolean | null | undefined;

function toRelease(of: string, number: string, ends: End, extended: End): OsRelease | null {
  const [endsAt, longer] = [endOf(ends), endOf(extended)];
  if (endsAt === undefined || longer === undefined) return null;
  return { product: of, release: number, endsAt, extendedEndsAt: extended === false ? NEVER : longer };
}

/** The day itself is still supported; undefined where the text is not a day. */
function endOf(value: End): number | null | undefined {
  if (value === null || value === undefined || value === false) return null;
  if (value === true) return 0;
  if (!/^\d{4}-\d{2}-\d{2}$/.test(value)) return undefined;
  const day = parseTime(`${value}T00:00:00Z`);
  return Number.isNaN(day) ? undefined : day + DAY_MS;
}
