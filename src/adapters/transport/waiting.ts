/** Headers are those of an answer, names in lower case. */
export type Headers = Readonly<Record<string, string | undefined>>;

/** Milliseconds to keep quiet when a provider says to slow down but not for how long. */
const UNSAID = 60_000;
const SECOND = 1000;
/** No provider's window is longer than a day; what asks for more is a mistake or worse. */
const LONGEST = 24 * 3_600_000;

/**
 * toWait gives the milliseconds that a provider asks for before the next call, or null when it does not ask: `Retry-After` in seconds
 * or as a date; else, with nothing left of the limit, its reset time (seconds since 1970, or ISO 8601); else a minute when
 * `limited`. At least a second, at most a day.
 */
export function toWait(headers: Headers, limited: boolean, now: number): number | null {
  const after = headers['retry-after']?.trim() ?? '';
  if (/^\d{1,12}(?:\.\d{1,6})?$/.test(after)) return bounded(Math.ceil(Number(after) * SECOND));
  const date = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(after)
    ? Date.parse(after)
    : Number.NaN;
  if (!Number.isNaN(date)) return bounded(date - now);
  if (!limited) return null;
  const spent = (headers['x-ratelimit-remaining'] ?? headers['ratelimit-remaining'])?.trim() === '0';
  const reset = toTime(headers['x-ratelimit-reset'] ?? headers['ratelimit-reset']);
  return spent && reset !== null ? bounded(reset - now) : UNSAID;
}

function toTime(text: string | undefined): number | null {
  const said = text?.trim() ?? '';
  if (/^\d{1,11}$/.test(said)) return Number(said) * SECOND;
  if (!/^\d{4}-\d{2}-\d{2}T[\d:.]{5,15}(?:Z|[+-]\d{2}:?\d{2})?$/.test(said)) return null;
  const time = Date.parse(/(?:Z|[+-]\d{2}:?\d{2})$/.test(said) ? said : `${said}Z`);
  return Number.isNaN(time) ? null : time;
}

function bounded(ms: number): number {
  return Math.min(Math.max(ms, SECOND), LONGEST);
}
