import { DAY_MS, formatTime, IpoError, nearest } from '../base/index.ts';
import { FRAMEWORK_IDS, type FrameworkId } from './frameworks/ids.ts';

/** MAX_DAYS is the longest period of a package. */
export const MAX_DAYS = 400;

/** EvidenceRequest is what a package is asked to show. Times are UTC milliseconds; both ends belong to the period. */
export interface EvidenceRequest {
  readonly from: number;
  readonly to: number;
  /** In the order of the catalogue. */
  readonly frameworks: readonly FrameworkId[];
  /** Empty for all. */
  readonly clusters: readonly string[];
  readonly namespaces: readonly string[];
  readonly includeRuntimeRaw: boolean;
}

/** EvidenceWish is a request as it comes in: frameworks by name, and what is left out. */
export interface EvidenceWish {
  readonly from: number;
  readonly to: number;
  readonly frameworks?: readonly string[] | undefined;
  readonly clusters?: readonly string[] | undefined;
  readonly namespaces?: readonly string[] | undefined;
  readonly includeRuntimeRaw?: boolean | undefined;
}

/** toRequest checks a wish at a time. `installed` are the frameworks where none is named. Throws IpoError `invalid_request`. */
export function toRequest(
  wish: EvidenceWish,
  now: number,
  installed: readonly string[] = [],
): EvidenceRequest {
  const { from, to } = wish;
  if (!(from <= to))
    throw fault(
      `the period begins at ${formatTime(from)} and ends before that, at ${formatTime(to)}`,
      'Swap the two ends',
    );
  if (to > now)
    throw fault(
      `the period ends in the future: at ${formatTime(to)}; it is ${formatTime(now)} now`,
      'End the period at or before now',
    );
  if (to - from > MAX_DAYS * DAY_MS)
    throw fault(`the period is longer than ${MAX_DAYS} days`, 'Make several packages');
  const named = wish.frameworks !== undefined && wish.frameworks.length > 0 ? wish.frameworks : installed;
  return {
    from,
    to,
    frameworks: toFrameworks(named),
    clusters: sorted(wish.clusters),
    namespaces: sorted(wish.namespaces),
    includeRuntimeRaw: wish.includeRuntimeRaw === true,
  };
}

/** isWithin tells whether a time is of the period: its last millisecond is of it as a whole, since rows of an API server have microseconds. */
export function isWithin(at: number, { from, to }: Pick<EvidenceRequest, 'from' | 'to'>): boolean {
  return at >= from && Math.floor(at) <= to;
}

/** isAsked tells whether a row of a time is of the period, and of the clusters and namespaces that were asked for. */
export function isAsked(
  row: { readonly cluster?: string | null | undefined; readonly namespace?: string | null | undefined },
  at: number,
  request: EvidenceRequest,
): boolean {
  const { clusters, namespaces } = request;
  return (
    isWithin(at, request) &&
    (clusters.length === 0 || clusters.includes(row.cluster ?? '')) &&
    (namespaces.length === 0 || namespaces.includes(row.namespace ?? ''))
  );
}

/** toFrameworks reads names of frameworks; none stands for all. Throws IpoError `invalid_request`, which names the thirteen. */
function toFrameworks(names: readonly string[]): readonly FrameworkId[] {
  for (const name of names) {
    if (FRAMEWORK_IDS.some((id) => id === name)) continue;
    const near = nearest(name, FRAMEWORK_IDS);
    const meant = near === null || near === undefined ? '' : ` (did you mean ${near}?)`;
    throw fault(
      `unknown framework "${name.slice(0, 80)}"${meant}; the frameworks are ${FRAMEWORK_IDS.join(', ')}`,
    );
  }
  return names.length === 0 ? FRAMEWORK_IDS : FRAMEWORK_IDS.filter((id) => names.includes(id));
}

function sorted(names: readonly string[] | undefined): readonly string[] {
  return [...new Set(names ?? [])].toSorted();
}

function fault(message: string, hint?: string): IpoError {
  return new IpoError('invalid_request', message, { hint });
}
