import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { insertMany, runText, type Cell } from '../sql/dialect.ts';
import { createIndex, createTable, type AnyDatabase } from '../sql/schema.ts';
import { shapeHash, type ShapeFields } from '../cells/shape.ts';
import { packUid } from '../cells/uid.ts';
import type { Migration } from './migration.ts';

/** Rows that are carried over at a time. */
const PAGE = 2000;
/** Rows whose times one entry of `ledger_spans` covers. */
const SPAN = 4096;
/** Shapes that are remembered while rows are carried over; the oldest goes first and is found again by its hash. */
const REMEMBERED = 50_000;

/**
 * The ledger gets a Merkle tree, whose leaves need numbers without a gap in the order of time. What rows share is kept once, names of
 * requesters as pseudonyms. The leader builds the tree over the carried rows when it starts.
 */
export const tamperEvidentLedger: Migration = {
  name: '0009-tamper-evident-ledger',
  release: '0.3.4',
  summary: 'Tamper-evident ledger: gapless rows, Merkle tree, checkpoints',
  async up(db) {
    await createRows(db);
    await createTree(db);
    await number(db);
    const size = await carryOver(db);
    await db.insertInto('ledger_head').values({ id: 1, size }).execute();
    await db.insertInto('ledger_tree').values({ id: 1, size: 0 }).execute();
    await db.schema.dropTable('ledger_order').execute();
    await db.schema.dropTable('ledger').execute();
    await createIndex(db, 'ledger_shapes', ['digest']);
  },
};

async function createRows(db: AnyDatabase): Promise<void> {
  await createTable(db, 'ledger_shapes', {
    id: 'id',
    hash: 'blob!',
    kind: 'text!',
    cluster: 'text',
    namespace: 'text',
    container: 'text',
    image: 'text',
    digest: 'text',
    allowed: 'integer!',
    review_allowed: 'integer!',
    reason: 'text!',
    label: 'text',
    policy: 'text',
    policy_revision: 'text!',
    break_glass: 'integer!',
    break_glass_reason: 'text',
  });
  await createIndex(db, 'ledger_shapes', ['hash'], { unique: true });
  await createTable(db, 'ledger_names', { id: 'id', name: 'text!' });
  await createIndex(db, 'ledger_names', ['name'], { unique: true });
  await createTable(
    db,
    'ledger_rows',
    {
      id: 'integer!',
      at: 'integer!',
      shape: 'integer!',
      pod: 'text',
      pod_uid: 'blob',
      review_uid: 'blob',
      part: 'integer!',
      requester: 'integer',
    },
    { key: ['id'] },
  );
  await createTable(db, 'ledger_head', { id: 'integer!', size: 'integer!' }, { key: ['id'] });
  await createTable(db, 'ledger_uids', { segment: 'integer!', prints: 'blob!' }, { key: ['segment'] });
  await createTable(
    db,
    'ledger_spans',
    { span: 'integer!', min_at: 'integer!', max_at: 'integer!' },
    { key: ['span'] },
  );
}

async function createTree(db: AnyDatabase): Promise<void> {
  await createTable(db, 'ledger_tree', { id: 'integer!', size: 'integer!' }, { key: ['id'] });
  await createTable(
    db,
    'ledger_tiles',
    { level: 'integer!', tile: 'integer!', hashes: 'blob!' },
    { key: ['level', 'tile'] },
  );
  await createTable(
    db,
    'checkpoints',
    { size: 'integer!', root: 'blob!', note: 'text!', at: 'integer!' },
    { key: ['size'] },
  );
  await createTable(
    db,
    'checkpoint_anchors',
    {
      sink: 'text!',
      size: 'integer!',
      at: 'integer!',
      last_error: 'text',
      refused: 'text',
      note: 'text',
    },
    { key: ['sink'] },
  );
}

/** The API server sends a review again when no answer came, so a uid can stand twice; all its rows count on as parts. */
async function number(db: AnyDatabase): Promise<void> {
  await createTable(
    db,
    'ledger_order',
    { id: 'integer!', old: 'integer!', part: 'integer!' },
    { key: ['id'] },
  );
  await sql`
    insert into ledger_order (id, old, part)
    select row_number() over (order by at, id), id,
      case when review_uid is null then 0 else row_number() over (partition by review_uid order by at, id) - 1 end
    from ledger
  `.execute(db);
}

type WideRow = Omit<
  ShapeFields,
  'signals' | 'exposed_by' | 'subresource' | 'pod_level' | 'inputs' | 'platform' | 'clock_suspect'
> & {
  readonly new_id: number;
  readonly part: number;
  readonly at: number;
  readonly pod: string | null;
  readonly pod_uid: string | null;
  readonly review_uid: string | null;
  readonly requester: string | null;
};

/** Gives the number of rows. */
async function carryOver(db: AnyDatabase): Promise<number> {
  const shapes = new Interned(db, 'ledger_shapes');
  const names = new Interned(db, 'ledger_names');
  let last = 0;
  for (;;) {
    const page = await runText<WideRow>(
      db,
      `select o.id as new_id, o.part, l.at, l.kind, l.cluster, l.namespace, l.container, l.image, l.digest, l.allowed,
         l.review_allowed, l.reason, l.label, l.policy, l.policy_revision, l.break_glass, l.break_glass_reason, l.pod,
         l.pod_uid, l.review_uid, l.requester
       from ledger_order o join ledger l on l.id = o.old where o.id > ? order by o.id limit ${PAGE}`,
      [last],
    );
    if (page.length === 0) break;
    const rows: Cell[][] = [];
    for (const row of page) rows.push(await narrow(row, shapes, names));
    await insertMany(db, 'ledger_rows', ROW_TYPES, rows);
    last = page.at(-1)?.new_id ?? last;
  }
  await sql`
    insert into ledger_spans (span, min_at, max_at)
    select (id - 1) / ${sql.lit(SPAN)}, min(at), max(at) from ledger_rows group by (id - 1) / ${sql.lit(SPAN)}
  `.execute(db);
  return last;
}

const ROW_TYPES = {
  id: 'integer',
  at: 'integer',
  shape: 'integer',
  pod: 'text',
  pod_uid: 'blob',
  review_uid: 'blob',
  part: 'integer',
  requester: 'integer',
} as const;

async function narrow(row: WideRow, shapes: Interned, names: Interned): Promise<Cell[]> {
  const { new_id, part, at, pod, pod_uid, review_uid, requester, ...shape } = row;
  const hash = shapeHash({
    ...shape,
    signals: null,
    exposed_by: null,
    subresource: null,
    pod_level: 0,
    inputs: null,
    platform: null,
    clock_suspect: 0,
  });
  const name = requester === null ? null : pseudonym(requester);
  return [
    new_id,
    at,
    await shapes.idOf('hash', hash, hash.toString('base64'), { hash, ...shape }),
    pod,
    pod_uid === null ? null : packUid(pod_uid),
    review_uid === null ? null : packUid(review_uid),
    part,
    name === null ? null : await names.idOf('name', name, name, { name }),
  ];
}

/** "As the API server gave them when they start with `system:`, and otherwise as `k8s-user:<first 16 hex of SHA-256>`." */
function pseudonym(requester: string): string {
  if (requester.startsWith('system:') || /^k8s-user:[0-9a-f]{16}$/.test(requester)) return requester;
  return `k8s-user:${createHash('sha256').update(requester).digest('hex').slice(0, 16)}`;
}

/** Interned keeps equal values of a table once. */
class Interned {
  readonly #db: AnyDatabase;
  readonly #table: string;
  readonly #ids = new Map<string, number>();

  constructor(db: AnyDatabase, table: string) {
    this.#db = db;
    this.#table = table;
  }

  async idOf(
    column: string,
    value: Cell,
    key: string,
    fields: Readonly<Record<string, Cell>>,
  ): Promise<number> {
    const kept = this.#ids.get(key);
    if (kept !== undefined) return kept;
    const [found] = await runText<{ id: number }>(
      this.#db,
      `select id from "${this.#table}" where "${column}" = ?`,
      [value],
    );
    const columns = Object.keys(fields);
    const [row] =
      found === undefined
        ? await runText<{ id: number }>(
            this.#db,
            `insert into "${this.#table}" (${columns.map((name) => `"${name}"`).join(', ')})
             values (${columns.map(() => '?').join(', ')}) returning id`,
            Object.values(fields),
          )
        : [found];
    if (row === undefined) throw new TypeError(`no row of ${this.#table} came back`);
    if (this.#ids.size >= REMEMBERED) {
      const [oldest] = this.#ids.keys();
      if (oldest !== undefined) this.#ids.delete(oldest);
    }
    this.#ids.set(key, row.id);
    return row.id;
  }
}
