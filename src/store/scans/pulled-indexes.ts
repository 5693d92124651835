import { sql } from 'kysely';
import type { Digest } from '../../base/index.ts';
import type { ImageOfIndex, PulledImage, PulledIndexes } from '../../reconcile/index.ts';
import { inChunks } from '../sql/marks.ts';
import type { Store } from '../sql/store.ts';
import { run } from '../sql/run.ts';

interface Found {
  readonly image: Digest;
  readonly name: string;
  readonly index: Digest;
  readonly platform: string;
  /** The newest review of the index, and of the image by itself; 0: none. */
  readonly reviewed: number;
  readonly own: number;
}

/**
 * pulledIndexes finds the indexes that images were scanned as part of. Where there are several of the same name, and where an image was
 * reviewed by itself too, what was reviewed last counts: that is what the tag names.
 */
export function pulledIndexes({ read }: Pick<Store, 'read'>): PulledIndexes {
  return {
    async of(images) {
      const names = new Set(images.map(keyOf));
      const best = new Map<string, Found>();
      for (const { cells } of inChunks(images)) {
        const digests = sql.join(cells.map(({ digest }) => digest));
        const named = sql.join(cells.map(({ name }) => name));
        const rows = await run(
          read,
          sql<Found>`select p.image, n.name, p.digest as "index", p.platform, coalesce(i.last_row_id, 0) as reviewed,
             coalesce(o.last_row_id, 0) as own
           from scan_platforms p join images i on i.digest = p.digest join image_names n on n.digest = p.digest
             left join images o on o.digest = p.image
           where p.image in (${digests}) and n.name in (${named}) and p.image <> p.digest and p.platform <> ''
           order by p.digest`,
        );
        for (const row of rows) {
          const key = keyOf({ name: row.name, digest: row.image });
          if (!names.has(key) || row.own > row.reviewed) continue;
          if ((best.get(key)?.reviewed ?? -1) < row.reviewed) best.set(key, row);
        }
      }
      return [...best.values()].map(({ image, name, index, platform }): ImageOfIndex => ({
        name,
        digest: image,
        index,
        platform,
      }));
    },
  };
}

const keyOf = ({ name, digest }: PulledImage): string => `${name}@${digest}`;
