import type { Store } from '../sql/store.ts';

/** JobMarks keep when a job last ended well, whichever replica ran it and before whichever restart. Times are UTC milliseconds. */
export interface JobMarks {
  /** When it last ended well; null when it never did. */
  lastEnd(job: string): Promise<number | null>;
  ended(job: string, at: number): Promise<void>;
}

/** jobMarks keeps them in the settings of the database. */
export function jobMarks(store: Store): JobMarks {
  return {
    async lastEnd(job) {
      const row = await store.read
        .selectFrom('settings')
        .select('value')
        .where('key', '=', keyOf(job))
        .executeTakeFirst();
      const at = row === undefined ? Number.NaN : Number(row.value);
      return Number.isFinite(at) ? at : null;
    },
    ended: (job, at) =>
      store.write(async (transaction) => {
        const value = String(at);
        await transaction
          .insertInto('settings')
          .values({ key: keyOf(job), value })
          .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
          .execute();
      }),
  };
}

function keyOf(job: string): string {
  return `job.${job}.ended_at`;
}
