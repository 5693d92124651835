import type { AccountNames } from '../../accounts/index.ts';
import type { Store } from '../sql/store.ts';

/** A list names few accounts; of more than these the others keep their ids. */
const MOST = 500;

/** accountNames reads the names of accounts, or their addresses where they have none; an anonymised account has neither. */
export function accountNames(store: Store): AccountNames {
  return async (ids) => {
    const wanted = [...new Set(ids)].slice(0, MOST);
    if (wanted.length === 0) return new Map();
    const rows = await store.read
      .selectFrom('accounts')
      .select(['id', 'name', 'email'])
      .where('id', 'in', wanted)
      .execute();
    return new Map(
      rows.flatMap(({ id, name, email }) => {
        const shown = name ?? email;
        return shown === null ? [] : [[id, shown] as const];
      }),
    );
  };
}
