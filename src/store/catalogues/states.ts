import { sql } from 'kysely';
import type { Store } from '../sql/store.ts';
import { run } from '../sql/run.ts';

/** CatalogueStates tell how fresh what findings come from is; UTC milliseconds, null where it is not known. */
export interface CatalogueStates {
  /** The catalogue of known exploited vulnerabilities. */
  readonly kev: {
    readonly version: string | null;
    readonly entries: number | null;
    readonly fetchedAt: number | null;
    readonly checkedAt: number | null;
    /** Why the last attempt to fetch it failed, or null. */
    readonly lastError: string | null;
  };
  /** The vulnerability database: when it was made, and when it was last seen to be the newest, or a scan with it recorded. */
  readonly trivyDb: {
    readonly updatedAt: number | null;
    readonly checkedAt: number | null;
    readonly fetchedAt: number | null;
    /** Why the last attempt to fetch it failed, or null. */
    readonly lastError: string | null;
  };
}

/** catalogueStates reads them: as they were fetched, and what imported scans say of the database that they were made with. */
export async function catalogueStates(store: Store): Promise<CatalogueStates> {
  const rows = await store.read
    .selectFrom('catalogue_states')
    .select(['name', 'version', 'entries', 'updated_at', 'fetched_at', 'checked_at', 'last_error'])
    .execute();
  // Each is the end of an index: there are scans without end.
  const [scanned] = await run(
    store.read,
    sql<{
      updated_at: number | null;
      recorded_at: number | null;
    }>`select (select max(db_updated_at) from scans where db_updated_at is not null) as updated_at,
      (select max(recorded_at) from scans where db_updated_at is not null) as recorded_at`,
  );
  const kev = rows.find(({ name }) => name === 'kev');
  const trivy = rows.find(({ name }) => name === 'trivy_db');
  return {
    kev: {
      version: kev?.version ?? null,
      entries: kev?.entries ?? null,
      fetchedAt: kev?.fetched_at ?? null,
      checkedAt: kev?.checked_at ?? null,
      lastError: kev?.last_error ?? null,
    },
    trivyDb: {
      updatedAt: newest(trivy?.updated_at, scanned?.updated_at),
      checkedAt: newest(trivy?.checked_at, scanned?.recorded_at),
      fetchedAt: trivy?.fetched_at ?? null,
      lastError: trivy?.last_error ?? null,
    },
  };
}

function newest(...times: readonly (number | null | undefined)[]): number | null {
  const known = times.filter((time) => time !== null && time !== undefined);
  return known.length === 0 ? null : Math.max(...known);
}
