import type { Digest } from '../../base/index.ts';
import { runText } from '../sql/dialect.ts';
import type { Store } from '../sql/store.ts';

/** scanTimes gives the time of the scan in use of a digest in milliseconds; null for none, and where it does not say. */
export function scanTimes({ read }: Pick<Store, 'read'>): (digest: Digest) => Promise<number | null> {
  return async (digest) => {
    const [scan] = await runText<{ scanned_at: number | null }>(
      read,
      'select scanned_at from scans where digest = ? and current = 1',
      [digest],
    );
    return scan?.scanned_at ?? null;
  };
}
