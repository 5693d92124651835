import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import {
  parseLossless,
  parsePriority,
  toFields,
  type RecordedEvent,
  type RuntimeHistory,
} from '../../runtime/index.ts';
import { run } from '../sql/run.ts';
import type { Store } from '../sql/store.ts';
import type { EventRow } from './events.ts';

/** Rows that one query reads. */
const SPAN = 5_000;

/** runtimeHistory reads decided events of a database in the order in which they were decided. */
export function runtimeHistory({ read }: Pick<Store, 'read'>): RuntimeHistory {
  return {
    async *recorded(cluster, since, fields) {
      const [bounds] = await run(
        read,
        sql<{
          first: number | null;
          last: number | null;
        }>`select min(id) as first, max(id) as last from runtime_events where at >= ${Math.ceil(since)}`,
      );
      for (let from = bounds?.first ?? 1; from <= (bounds?.last ?? 0); from += SPAN) {
        const rows = await run(
          read,
          sql<EventRow>`select * from runtime_events where id >= ${from} and id < ${from + SPAN} and at >= ${Math.ceil(since)}
            and decided_at is not null and cluster is not distinct from ${cluster} order by id`,
        );
        yield rows.map((row) => toRecordedEvent(row, fields));
        await nextTurn();
      }
    },
  };
}

const NO_FIELDS = new Map<string, string | null>();

/** toRecordedEvent reads a decided event as rules and runtime policies judged it; without `fields` it has none, which saves reading them. */
export function toRecordedEvent(row: EventRow, fields: boolean): RecordedEvent {
  const { id, at, rule, digest, namespace, image, pod, workload, effect, source, host } = row;
  const verdict = row.last_verdict;
  return {
    id,
    image,
    pod,
    workload,
    effect,
    recorded: effect,
    podUid: row.pod_uid,
    rule: row.matched_rule,
    alerted: row.alerted === 1,
    subject: {
      at,
      rule,
      digest,
      namespace,
      source: source ?? '',
      host: host ?? '',
      kind: row.kind === 'heartbeat' || row.kind === 'test' ? row.kind : 'event',
      priority: parsePriority(row.priority) ?? 'Debug',
      tags: row.tags === null ? [] : (JSON.parse(row.tags) as readonly string[]),
      fields:
        fields && row.fields !== null
          ? toFields(parseLossless(row.fields) as Readonly<Record<string, unknown>>)
          : NO_FIELDS,
      lastVerdict: verdict === 'allowed' || verdict === 'refused' ? verdict : 'none',
      signed: row.signed === 1,
    },
  };
}
