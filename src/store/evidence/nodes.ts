import { sql } from 'kysely';
import type { SourceFacts } from '../../evidence/index.ts';
import { run, type Row } from '../sql/run.ts';
import type { Store } from '../sql/store.ts';

/**
 * nodesOf gives the nodes of the clusters that are wanted, all where none is named, and what their licences allow together. A cluster without
 * a name is always wanted, and one that was removed never is. The count is null where none was ever counted; the ceiling is where one of the
 * clusters has none.
 */
export async function nodesOf(
  store: Pick<Store, 'read'>,
  wanted: readonly string[],
): Promise<NonNullable<SourceFacts['nodes']>> {
  const counted = await run(
    store.read,
    sql<Row<'nodes', 'cluster' | 'count' | 'ceiling'>>`select cluster, count, ceiling from nodes
      where not exists (select 1 from clusters c where c.name = nodes.cluster and c.forgotten_at is not null)`,
  );
  const found = counted.filter(
    ({ cluster }) => wanted.length === 0 || cluster === '' || wanted.includes(cluster),
  );
  const ceilings = found.flatMap(({ ceiling }) => (ceiling === null ? [] : [ceiling]));
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return {
    count: found.length === 0 ? null : sum(found.map(({ count }) => count)),
    ceiling: ceilings.length === 0 || ceilings.length < found.length ? null : sum(ceilings),
  };
}
