import type { ReceivedEvent, RuntimeIntake } from '../../runtime/index.ts';
import { noteDetector } from '../history/cluster-days.ts';
import { insertReturning, type Cell } from '../sql/dialect.ts';
import type { Store } from '../sql/store.ts';
import { takeTurn } from '../sql/take-turn.ts';

const COLUMNS = {
  at: 'integer',
  source: 'text',
  rule: 'text',
  priority: 'text',
  output: 'text',
  tags: 'text',
  fields: 'text',
  cluster: 'text',
  received_at: 'integer',
  event_key: 'text',
  host: 'text',
  time: 'text',
  kind: 'text',
  truncated: 'integer',
} as const;

/** runtimeIntake keeps events in a database, in the order in which they came; they are joined and decided by their leader. */
export function runtimeIntake(store: Store): RuntimeIntake {
  return {
    append: (cluster, events) => {
      const once = new Map(events.map((one) => [one.event.key, one]));
      // Before the transaction, whose end reviews wait for.
      const cells = [...once.values()].map((one) => toCells(cluster, one));
      return store.write(async (transaction) => {
        await takeTurn(transaction, 'runtime_events');
        const returned = await insertReturning(
          transaction,
          'runtime_events',
          COLUMNS,
          cells,
          'on conflict (event_key) do nothing returning kind, received_at',
        );
        // On SQLite a row that is there already gives nothing in its place.
        const fresh = returned.filter((row) => row !== undefined);
        const came = Math.max(0, ...fresh.map(([, at]) => Number(at)));
        const count = (kind: string): number => fresh.filter(([one]) => one === kind).length;
        const signs = { events: count('event'), heartbeats: count('heartbeat') };
        if (signs.events + signs.heartbeats > 0)
          await noteDetector(transaction, { cluster, at: came, ...signs });
        return fresh.length;
      });
    },
    dropped: (cluster, at, count) =>
      store.write((transaction) =>
        noteDetector(transaction, { cluster, at, events: 0, heartbeats: 0, dropped: count }),
      ),
  };
}

function toCells(cluster: string, { event, receivedAt }: ReceivedEvent): readonly Cell[] {
  const { at, source, rule, priority, output, tags, fieldsText, key, host, time, kind, truncated } = event;
  return [
    ...[
      at,
      source,
      rule,
      priority,
      output,
      JSON.stringify(tags),
      fieldsText,
      cluster === '' ? null : cluster,
    ],
    ...[receivedAt, key, host, time, kind, truncated ? 1 : 0],
  ];
}
