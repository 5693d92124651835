import { runText } from './dialect.ts';
import type { Store } from './store.ts';

/** FenceHolder is the newest leadership that was given out, and the name that it was raised under. */
export interface FenceHolder {
  readonly fence: number;
  readonly holder: string;
}

/** readFence gives the newest leadership over this database; null before the first. */
export async function readFence({ read }: Pick<Store, 'read'>): Promise<FenceHolder | null> {
  const [row] = await runText<{ value: number; holder: string | null }>(
    read,
    `select value, holder from fences where name = 'leader'`,
    [],
  );
  return row === undefined ? null : { fence: row.value, holder: row.holder ?? '' };
}
