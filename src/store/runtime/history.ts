import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql, type RawBuilder } from 'kysely';
import {
  fieldReader,
  parsePriority,
  readLastVerdict,
  type FieldReader,
  type LastVerdict,
  type Priority,
  type RecordedEvent,
  type RuntimeHistory,
  type Subject,
} from '../../runtime/index.ts';
import { readCells, run, type Executor } from '../sql/run.ts';
import type { Store } from '../sql/store.ts';

/** Ids that one query looks through, in one turn of the event loop. */
const SPAN = 5_000;
/** Lists of tags and priorities that are kept; a detector has a few hundred. */
const MOST_KEPT = 10_000;

/** runtimeHistory reads decided events of a database in the order in which they were decided. */
export function runtimeHistory({ read }: Pick<Store, 'read'>): RuntimeHistory {
  return {
    recorded: (cluster, since, fields) =>
      readRecorded(read, { cluster, since, fields: fields.size === 0 ? null : fieldReader(fields) }),
  };
}

/** RecordedQuery says which decided events are read. */
export interface RecordedQuery {
  readonly cluster: string | null;
  /** UTC milliseconds; by their own time. */
  readonly since: number;
  /** Null where nobody asks for output fields. */
  readonly fields: FieldReader | null;
  /** A further condition. */
  readonly where?: RawBuilder<unknown>;
}

/** readRecorded reads decided events as rules and runtime policies judged them, in the order of their ids, in pages. */
export async function* readRecorded(
  read: Executor,
  { cluster, since, fields, where = sql`1 = 1` }: RecordedQuery,
): AsyncGenerator<readonly RecordedEvent[]> {
  const [bounds] = await run(
    read,
    sql<{
      first: number | null;
      last: number | null;
    }>`select min(id) as first, max(id) as last from runtime_events where at >= ${Math.ceil(since)}`,
  );
  const toEvent = openRows(fields);
  for (let from = bounds?.first ?? 1; from <= (bounds?.last ?? 0); from += SPAN) {
    const rows = await readCells(
      read,
      sql`select id, at, kind, rule, priority, source, host, tags, ${fields === null ? sql`null` : sql`fields`} as fields,
          digest, namespace, image, pod, pod_uid, workload, effect, matched_rule, alerted, last_verdict, signed
        from runtime_events where id >= ${from} and id < ${from + SPAN} and at >= ${Math.ceil(since)}
          and decided_at is not null and cluster is not distinct from ${cluster} and ${where} order by id`,
    );
    yield (rows as readonly Cells[]).map(toEvent);
    await nextTurn();
  }
}

type Cells = readonly [
  id: number,
  at: number,
  kind: string,
  rule: string,
  priority: string,
  source: string | null,
  host: string | null,
  tags: string | null,
  fields: string | null,
  digest: string | null,
  namespace: string | null,
  image: string | null,
  pod: string | null,
  podUid: string | null,
  workload: string | null,
  effect: string | null,
  matchedRule: string | null,
  alerted: number,
  lastVerdict: string | null,
  signed: number | null,
];

const NO_FIELDS: Subject['fields'] = new Map();
const NO_TAGS: readonly string[] = [];

/** Events repeat their tags and priorities, which are read once. Output fields are read when a rule first asks for them. */
function openRows(reader: FieldReader | null): (cells: Cells) => RecordedEvent {
  const tagsOf = once((text) => JSON.parse(text) as readonly string[]);
  const priorityOf = once((text): Priority => parsePriority(text) ?? 'Debug');
  return (cells) => ({
    id: cells[0],
    image: cells[11],
    pod: cells[12],
    podUid: cells[13],
    workload: cells[14],
    effect: cells[15],
    recorded: cells[15],
    rule: cells[16],
    alerted: cells[17] === 1,
    subject: new RecordedSubject(cells, tagsOf, priorityOf, reader),
  });
}

/** RecordedSubject is a subject whose output fields are read when they are asked for. */
class RecordedSubject implements Subject {
  readonly at: number;
  readonly kind: Subject['kind'];
  readonly rule: string;
  readonly priority: Priority;
  readonly source: string;
  readonly host: string;
  readonly tags: readonly string[];
  readonly digest: string | null;
  readonly namespace: string | null;
  readonly lastVerdict: LastVerdict;
  readonly signed: boolean;
  readonly #reader: FieldReader | null;
  readonly #text: string | null;
  #fields: Subject['fields'] | null = null;

  constructor(
    cells: Cells,
    tagsOf: (text: string) => readonly string[],
    priorityOf: (text: string) => Priority,
    reader: FieldReader | null,
  ) {
    const kind = cells[2];
    this.at = cells[1];
    this.kind = kind === 'heartbeat' || kind === 'test' ? kind : 'event';
    this.rule = cells[3];
    this.priority = priorityOf(cells[4]);
    this.source = cells[5] ?? '';
    this.host = cells[6] ?? '';
    this.tags = cells[7] === null ? NO_TAGS : tagsOf(cells[7]);
    this.digest = cells[9];
    this.namespace = cells[10];
    this.lastVerdict = readLastVerdict(cells[18]);
    this.signed = cells[19] === 1;
    this.#reader = reader;
    this.#text = cells[8];
  }

  get fields(): Subject['fields'] {
    if (this.#fields === null)
      this.#fields = this.#reader === null || this.#text === null ? NO_FIELDS : this.#reader(this.#text);
    return this.#fields;
  }
}

/** Keeps what a text is read to. */
function once<Value>(read: (text: string) => Value): (text: string) => Value {
  const kept = new Map<string, Value>();
  return (text) => {
    const known = kept.get(text);
    if (known !== undefined) return known;
    const value = read(text);
    if (kept.size < MOST_KEPT) kept.set(text, value);
    return value;
  };
}
