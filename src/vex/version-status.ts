import { isInRange } from '../versions/index.ts';
import { toList, toObject, toText } from './json.ts';
import type { Limit } from './limited.ts';
import { isSuppressing, type VexStatus } from './statement.ts';

/** VersionStatus is what a CycloneDX document says of some versions of what a vulnerability affects. */
export interface VersionStatus {
  /** Null for an entry that cannot be read: it may be about any version. */
  readonly limit: Limit | null;
  readonly status: 'affected' | 'unaffected' | 'unknown';
}

/** readVersions reads `affects[].versions`; null where there are none. An entry without a status is `affected`, as the schema has it. */
export function readVersions(value: unknown): readonly VersionStatus[] | null {
  if (value === undefined || value === null) return null;
  if (!Array.isArray(value)) return [{ limit: null, status: 'unknown' }];
  if (value.length === 0) return null;
  return toList(value).map((one): VersionStatus => {
    const entry = toObject(one);
    const [version, range] = [toText(entry?.version), toText(entry?.range)];
    const status = entry?.status ?? 'affected';
    const isKnown = status === 'affected' || status === 'unaffected';
    return {
      limit: limitOf(version, range),
      status: isKnown ? status : 'unknown',
    };
  });
}

/**
 * statusUnder is what an analysis says of versions with a status of their own: it takes something out only of those that are `unaffected`.
 * Where the two contradict each other, nothing is taken out.
 */
export function statusUnder(state: VexStatus, { status }: Pick<VersionStatus, 'status'>): VexStatus {
  if (status === 'affected') return 'affected';
  return status === 'unaffected' || !isSuppressing(state) ? state : 'under_investigation';
}

/**
 * statusOf is what an analysis says of a product in a version that is known under some names (its version, its digest). One that `versions`
 * does not name is not looked at; an entry that cannot be told to be about another version counts, unless it would take something out.
 */
export function statusOf(
  state: VexStatus,
  versions: readonly VersionStatus[],
  known: readonly string[],
  type: string | null,
): VexStatus {
  const about = versions.filter(({ limit, status }) => {
    const matches = known.map((version) => isWithin(limit, version, type));
    return matches.includes(true) || (status !== 'unaffected' && matches.includes(null));
  });
  const [first] = about;
  if (first === undefined) return isSuppressing(state) ? 'under_investigation' : state;
  const worst =
    about.find(({ status }) => status === 'affected') ?? about.find(({ status }) => status === 'unknown');
  return statusUnder(state, worst ?? first);
}

function isWithin(limit: Limit | null, version: string, type: string | null): boolean | null {
  if (limit === null) return null;
  return 'version' in limit ? limit.version === version : isInRange(limit.range, type, version);
}

function limitOf(version: string | null, range: string | null): VersionStatus['limit'] {
  if (version !== null) return range === null ? { version } : null;
  return range === null ? null : { range };
}
