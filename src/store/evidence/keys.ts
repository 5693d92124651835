import { sql } from 'kysely';
import type { KeyRecords } from '../../evidence/index.ts';
import { run, type Row } from '../sql/run.ts';
import type { Store } from '../sql/store.ts';

/** One row of the settings stands for the question which key signs. */
const HELD = 'evidence.key';

/** keyRecords keep the public keys of packages in a database. */
export function keyRecords(store: Store): KeyRecords {
  return {
    list: async () => {
      const rows = await run(
        store.read,
        sql<
          Row<'evidence_keys', 'key_id' | 'pem' | 'from_at' | 'until_at'>
        >`select key_id, pem, from_at, until_at from evidence_keys order by from_at desc, key_id`,
      );
      return rows.map(({ key_id: id, pem, from_at: from, until_at: until }) => ({ id, pem, from, until }));
    },
    haveSigned: async () => {
      const found = await run(
        store.read,
        sql<Row<'evidence_packages', 'id'>>`select id from evidence_packages
          where state = 'done' and exists (select 1 from evidence_keys) limit 1`,
      );
      return found.length > 0;
    },
    use: ({ id, pem }, at) =>
      store.write(async (transaction) => {
        await run(
          transaction,
          sql`insert into settings (key, value) values (${HELD}, ${id}) on conflict (key) do update set value = excluded.value`,
        );
        const signs = await run(
          transaction,
          sql<
            Row<'evidence_keys', 'key_id'>
          >`select key_id from evidence_keys where until_at is null and key_id = ${id}`,
        );
        if (signs.length > 0) return;
        // The clock may have been set back since the last change.
        await run(
          transaction,
          sql`update evidence_keys set until_at = case when from_at > ${at} then from_at else ${at} end where until_at is null`,
        );
        await run(
          transaction,
          sql`insert into evidence_keys (key_id, pem, from_at) values (${id}, ${pem}, ${at})
            on conflict (key_id, from_at) do update set until_at = null`,
        );
      }),
  };
}
