import { formatTime } from '../base/index.ts';
import {
  CatalogueError,
  type CatalogueRefresh,
  type CatalogueState,
  type KevChange,
  type ReleaseChange,
} from '../catalogues/index.ts';
import type { DatabaseRefresh, VulnerabilityDatabaseState } from '../scan/index.ts';
import type { CataloguesRefreshedBody } from './contract/catalogues.ts';

type CatalogueBody = CataloguesRefreshedBody['catalogues'][number];

/** toKevBody tells what came of asking for the catalogue of known exploited vulnerabilities. Throws `unavailable` while the service stops. */
export function toKevBody(
  { outcome, fault, change, images }: CatalogueRefresh<KevChange>,
  state: CatalogueState,
): CatalogueBody {
  return {
    name: 'kev',
    outcome: ended(outcome),
    ...faultOf(fault),
    ...(state.version !== null && { version: state.version }),
    entries: state.entries,
    added: change.added,
    removed: change.removed,
    images,
    ...timesOf(state),
  };
}

/** toReleaseBody is the same for the release data of operating systems. */
export function toReleaseBody(
  { outcome, fault, change, images }: CatalogueRefresh<ReleaseChange>,
  state: CatalogueState,
): CatalogueBody {
  return {
    name: 'end_of_life',
    outcome: ended(outcome),
    ...faultOf(fault),
    entries: state.entries,
    changed: change,
    images,
    ...timesOf(state),
  };
}

/** toDatabaseBody is the same for the vulnerability database of the scanner. */
export function toDatabaseBody(
  { outcome, fault }: DatabaseRefresh,
  state: VulnerabilityDatabaseState,
): CatalogueBody {
  return {
    name: 'trivy_db',
    outcome: ended(outcome),
    ...faultOf(fault),
    ...(state.version !== null && { version: state.version }),
    ...(state.updatedAt !== null && { updated_at: formatTime(state.updatedAt) }),
    ...timesOf(state),
  };
}

function ended<T extends string>(outcome: T): Exclude<T, 'stopped'> {
  if (outcome === 'stopped') throw new CatalogueError('unavailable', 'the service is stopping');
  return outcome as Exclude<T, 'stopped'>;
}

function faultOf(fault: CatalogueRefresh<unknown>['fault']): Pick<CatalogueBody, 'message' | 'hint'> {
  return {
    ...(fault !== null && { message: fault.message }),
    ...(fault?.hint !== undefined && { hint: fault.hint }),
  };
}

function timesOf({
  fetchedAt,
  checkedAt,
}: {
  readonly fetchedAt: number | null;
  readonly checkedAt: number | null;
}): Pick<CatalogueBody, 'fetched_at' | 'checked_at'> {
  return {
    ...(fetchedAt !== null && { fetched_at: formatTime(fetchedAt) }),
    ...(checkedAt !== null && { checked_at: formatTime(checkedAt) }),
  };
}
