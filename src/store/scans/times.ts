import { sql } from 'kysely';
import type { Digest } from '../../base/index.ts';
import type { Store } from '../sql/store.ts';
import { run, type Row } from '../sql/run.ts';

/** scanTimes gives the time of the scan in use of a digest in milliseconds; null for none, and where it does not say. */
export function scanTimes({ read }: Pick<Store, 'read'>): (digest: Digest) => Promise<number | null> {
  return async (digest) => {
    const [scan] = await run(
      read,
      sql<Row<'scans', 'scanned_at'>>`select scanned_at from scans where digest = ${digest} and current = 1`,
    );
    return scan?.scanned_at ?? null;
  };
}
