import { randomBytes } from 'node:crypto';

/** KeptPath is the end of a path by which the webhook is called, with the certificate that it came with (its fingerprint). */
export interface KeptPath {
  readonly token: string;
  readonly certificate: string | null;
}

/** KeptPaths is what the leader keeps: what the API server calls by, what it will, and what it may still call by. */
export interface KeptPaths {
  readonly current: KeptPath;
  /** `at` is when it was written, in milliseconds: replicas take it from then on. */
  readonly next: (KeptPath & { readonly at: number }) | null;
  readonly previous: readonly { readonly token: string; readonly until: number }[];
}

/** PathTimes are periods in milliseconds. */
export interface PathTimes {
  /** A path is taken by replicas for so long before the API server is told of it. */
  readonly announce: number;
  /** And for so long after the API server was told of the next. */
  readonly overlap: number;
}

/** PATH_TIMES: a replica reads the Secret every second or two, an API server hears of a configuration within seconds. */
const PATH_TIMES: PathTimes = { announce: 60_000, overlap: 3_600_000 };

/** PathStep is the next thing to do: `keep` writes the Secret, `publish` the path of the webhook configuration. */
export type PathStep =
  | { readonly kind: 'none' }
  | { readonly kind: 'keep'; readonly paths: KeptPaths }
  | { readonly kind: 'publish'; readonly token: string };

const TOKEN = /^[A-Za-z0-9_-]{22,128}$/;
/** What the API server takes in the path of a Service: it holds each segment to a name of DNS in lower case. */
const OF_SERVICE = /^[a-z0-9]{22,128}$/;
/** Earlier paths that are kept; each lasts an hour at most. */
const MOST_PREVIOUS = 8;

/** newToken makes the end of a path: 128 random bits. */
function newToken(): string {
  return randomBytes(16).toString('hex');
}

/** isToken tells whether a text is long enough, and fit for a path. */
export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/**
 * planPath gives the next step. With another certificate comes another path: replicas take it first, then the API server is told of it, and
 * the one before is taken for a while, so that no review is lost. `live` are the ends of the paths that the API server calls by now,
 * empty where there is none; null without a configuration. What stands there is taken over where nothing is kept.
 */
export function planPath(
  kept: KeptPaths | null,
  live: readonly string[] | null,
  certificate: string | null,
  at: number,
  make: () => string = newToken,
  times: PathTimes = PATH_TIMES,
): PathStep {
  if (kept === null) {
    const token = live?.find(isToken) ?? make();
    return { kind: 'keep', paths: { current: { token, certificate }, next: null, previous: [] } };
  }
  const { current, next } = kept;
  const previous = kept.previous.filter(({ until }) => until > at);
  // Earlier releases made ends that no API server takes for a Service. Nobody calls by such a one: it is replaced at once.
  if (!OF_SERVICE.test(current.token) && !live?.includes(current.token))
    return { kind: 'keep', paths: { current: { token: make(), certificate }, next: null, previous } };
  // A clock that was set back says nothing of how long ago that was.
  if (next !== null && next.at > at) return { kind: 'keep', paths: { ...kept, next: { ...next, at } } };
  if (next !== null && at - next.at >= times.announce) {
    const gone = { token: current.token, until: at + times.overlap };
    const { token, certificate: of } = next;
    const earlier = [gone, ...previous].slice(0, MOST_PREVIOUS);
    return { kind: 'keep', paths: { current: { token, certificate: of }, next: null, previous: earlier } };
  }
  // What the API server still calls by is taken until it was told of another, however long that fails.
  const calledBy = kept.previous.filter(({ token }) => live?.includes(token));
  if (calledBy.some(({ until }) => until - at < times.overlap / 2)) {
    const until = at + times.overlap;
    const longer = kept.previous.map((one) => (calledBy.includes(one) ? { ...one, until } : one));
    return { kind: 'keep', paths: { ...kept, previous: longer.filter((one) => one.until > at) } };
  }
  if (live?.some((token) => token !== current.token)) return { kind: 'publish', token: current.token };
  if (next === null && certificate !== null && certificate !== current.certificate)
    return { kind: 'keep', paths: { current, next: { token: make(), certificate, at }, previous } };
  return previous.length < kept.previous.length
    ? { kind: 'keep', paths: { ...kept, previous } }
    : { kind: 'none' };
}

/** takenOf gives the ends of paths that a replica takes. */
export function takenOf({ current, next, previous }: KeptPaths, at: number): readonly string[] {
  const earlier = previous.filter(({ until }) => until > at).map(({ token }) => token);
  return [current.token, ...(next === null ? [] : [next.token]), ...earlier];
}

/** toPathData writes them as data of a Secret; `path` is the whole current path, for calls to the webhook by hand. */
export function toPathData(paths: KeptPaths, base: string): Readonly<Record<string, string>> {
  return { path: `${base}/${paths.current.token}`, paths: JSON.stringify(paths) };
}

/** readPathData reads them back; null where there are none, or what is there was not written so. */
export function readPathData(data: Readonly<Record<string, string>>): KeptPaths | null {
  try {
    const { current, next, previous } = JSON.parse(data['paths'] ?? '') as KeptPaths;
    const tokens = [current, ...(next === null ? [] : [next]), ...previous].map(({ token }) => token);
    const times = [...(next === null ? [] : [next.at]), ...previous.map(({ until }) => until)];
    if (!tokens.every((token) => isToken(token)) || !times.every(Number.isFinite)) return null;
    return { current, next, previous };
  } catch {
    return null;
  }
}
