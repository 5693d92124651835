import { sql } from 'kysely';
import type { KnownAlert } from '../../trackers/index.ts';
import { run, type Executor, type Row } from '../sql/run.ts';

const PLACES = 10;

interface Counted {
  readonly first: number | null;
  readonly last: number | null;
  readonly count: number;
}

interface Place extends Row<'runtime_events', 'cluster' | 'namespace' | 'workload'> {
  readonly last: number;
}

/** readAlert reads what is stored of the events of a rule on an image; null for none. */
export async function readAlert(read: Executor, digest: string, rule: string): Promise<KnownAlert | null> {
  const same = sql`digest = ${digest} and rule = ${rule}`;
  const [counted] = await run(
    read,
    sql<Counted>`select min(at) as first, max(at) as last, count(*) as count from runtime_events where ${same}`,
  );
  const [newest] = await run(
    read,
    sql<
      Row<'runtime_events', 'image' | 'priority'>
    >`select image, priority from runtime_events where ${same} order by alerted desc, at desc, id desc limit 1`,
  );
  if (newest === undefined || counted === undefined || counted.first === null || counted.last === null)
    return null;
  const places = await run(
    read,
    sql<Place>`select cluster, namespace, workload, max(at) as last from runtime_events where ${same}
      group by cluster, namespace, workload order by max(at) desc, namespace, workload limit ${PLACES}`,
  );
  const { first, last, count } = counted;
  return { digest, rule, ...newest, first, last, count, places };
}
