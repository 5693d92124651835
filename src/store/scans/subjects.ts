import { sql } from 'kysely';
import type { ScanSubjects } from '../../scan/index.ts';
import { wantedPlatforms } from '../facts/node-platforms.ts';
import type { Store } from '../sql/store.ts';
import { run, type Row } from '../sql/run.ts';

/** Names that are given of one digest. */
const MAX_NAMES = 1000;

/** scanSubjects tells under which names digests were seen, of those whose registries may be asked. */
export function scanSubjects({ read }: Pick<Store, 'read'>): ScanSubjects {
  return {
    async namesOf(digest) {
      const rows = await run(
        read,
        sql<
          Row<'image_names', 'name'>
        >`select name from image_names where digest = ${digest} and not_asked is null order by last_seen_at desc, name limit ${MAX_NAMES}`,
      );
      return rows.map(({ name }) => name);
    },
    nodePlatforms: () => wantedPlatforms(read),
  };
}

/** forgiveAttempt takes an attempt back of a scan that was put back: it came to nothing, and not for the image. */
export function forgiveAttempt(store: Store): (digest: string) => Promise<void> {
  return (digest) =>
    store.write(async (transaction) => {
      await run(
        transaction,
        sql`update scan_queue set attempts = attempts - 1 where digest = ${digest} and claimed_at is null and attempts > 0`,
      );
    });
}
