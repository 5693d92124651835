import { sql } from 'kysely';
import type { Declaration, DeclarationStore } from '../../evidence/index.ts';
import { run, type Executor, type Row } from '../sql/run.ts';
import type { Store } from '../sql/store.ts';

/** One row of the settings stands for the question how many there are. */
const HELD = 'declarations';

/** declarationStore keeps what the organisation says of itself in a database. */
export function declarationStore(store: Store): DeclarationStore {
  return {
    list: () => readDeclarations(store.read),
    add: ({ id, statement, declaredBy, declaredAt, validUntil }, most) =>
      store.write(async (transaction) => {
        await run(
          transaction,
          sql`insert into settings (key, value) values (${HELD}, 'held') on conflict (key) do update set value = 'held'`,
        );
        const [counted] = await run(
          transaction,
          sql<{ total: number }>`select count(*) as total from declarations`,
        );
        if ((counted?.total ?? 0) >= most) return false;
        await run(
          transaction,
          sql`insert into declarations (id, statement, declared_by, declared_at, valid_until)
            values (${id}, ${statement}, ${declaredBy}, ${declaredAt}, ${validUntil})`,
        );
        return true;
      }),
    end: (id, at) =>
      store.write(async (transaction) => {
        const ended = await run(
          transaction,
          sql`update declarations set valid_until = ${at} where id = ${id} and (valid_until is null or valid_until > ${at}) returning id`,
        );
        return ended.length > 0;
      }),
  };
}

/** readDeclarations gives all, in the order in which they were made. */
export async function readDeclarations(read: Executor): Promise<Declaration[]> {
  const rows = await run(
    read,
    sql<
      Row<'declarations', 'id' | 'statement' | 'declared_by' | 'declared_at' | 'valid_until'>
    >`select id, statement, declared_by, declared_at, valid_until from declarations order by declared_at, id`,
  );
  return rows.map((row) => ({
    id: row.id,
    statement: row.statement,
    declaredBy: row.declared_by,
    declaredAt: row.declared_at,
    validUntil: row.valid_until,
  }));
}
