import { isDigest } from '../../base/index.ts';
import { parseReference } from '../../image/index.ts';
import type { NewRow } from '../../ledger/index.ts';
import { insertMany, insertNow, runText, type Cell } from '../sql/dialect.ts';
import { inChunks } from '../sql/marks.ts';
import { shapeHash, type ShapeFields } from './shape.ts';
import { toShapeRow, type ShapeRow } from './shapes.ts';
import type { SqliteConnection } from '../sql/sqlite-connection.ts';
import { storableText } from '../sql/storable.ts';

/** Interned is a shape as appends use it. */
export interface Interned {
  readonly id: number;
  readonly row: ShapeRow;
  /** The sha256 digest that the image resolved to, or that its reference names; null for none. */
  readonly digest: string | null;
  /** Name and tag of the image as they are listed; null when the reference does not parse. */
  readonly name: string | null;
}

type Executor = Parameters<typeof runText>[0];

const TYPES = {
  hash: 'blob',
  kind: 'text',
  cluster: 'text',
  namespace: 'text',
  container: 'text',
  image: 'text',
  digest: 'text',
  allowed: 'integer',
  review_allowed: 'integer',
  reason: 'text',
  label: 'text',
  policy: 'text',
  policy_revision: 'text',
  break_glass: 'integer',
  break_glass_reason: 'text',
  signals: 'text',
  exposed_by: 'text',
  subresource: 'text',
  pod_level: 'integer',
  inputs: 'text',
  platform: 'text',
  clock_suspect: 'integer',
} as const;

const [, ...FIELDS] = Object.keys(TYPES) as ['hash', ...(keyof ShapeFields)[]];

/**
 * internShapes finds or makes the shapes of rows, in their order. It must run under the lock of the ledger's head, so that no two
 * make the same one; what it gives may be remembered once the transaction is committed.
 */
export async function internShapes(transaction: Executor, rows: readonly NewRow[]): Promise<Interned[]> {
  const made = rows.map(makeShape);
  const ids = await findShapes(transaction, made);
  const added = missingOf(made, ids);
  if (added.length > 0) {
    await insertMany(transaction, 'ledger_shapes', TYPES, cellsOf(added));
    for (const [hash, id] of await findShapes(transaction, added)) ids.set(hash, id);
  }
  return made.map((shape) => toInterned(shape, ids));
}

/** internShapesNow is internShapes on SQLite, where it need not wait. */
export function internShapesNow(sqlite: SqliteConnection, rows: readonly NewRow[]): Interned[] {
  const made = rows.map(makeShape);
  const ids = findShapesNow(sqlite, made);
  const added = missingOf(made, ids);
  if (added.length > 0) {
    insertNow(sqlite, 'ledger_shapes', TYPES, cellsOf(added));
    for (const [hash, id] of findShapesNow(sqlite, added)) ids.set(hash, id);
  }
  return made.map((shape) => toInterned(shape, ids));
}

interface MadeShape {
  readonly fields: ShapeFields;
  readonly hash: Buffer;
}

function makeShape(row: NewRow): MadeShape {
  const fields = fieldsOf(row);
  return { fields, hash: shapeHash(fields) };
}

function missingOf(made: readonly MadeShape[], ids: ReadonlyMap<string, number>): readonly MadeShape[] {
  const missing = new Map<string, MadeShape>();
  for (const shape of made) {
    const hash = shape.hash.toString('latin1');
    if (!ids.has(hash)) missing.set(hash, shape);
  }
  return [...missing.values()];
}

function cellsOf(made: readonly MadeShape[]): Cell[][] {
  return made.map(({ hash, fields }) => [hash, ...FIELDS.map((name) => fields[name])]);
}

function toInterned({ fields, hash }: MadeShape, ids: ReadonlyMap<string, number>): Interned {
  const row = toShapeRow(fields);
  return { id: ids.get(hash.toString('latin1')) as number, row, ...imageOf(row) };
}

const SHAPES = (marks: string): string => `select id, hash from ledger_shapes where hash in (${marks})`;

function findShapesNow(sqlite: SqliteConnection, made: readonly MadeShape[]): Map<string, number> {
  const ids = new Map<string, number>();
  for (const { marks, cells } of inChunks(made.map(({ hash }) => hash)))
    for (const [id, hash] of sqlite.cells(SHAPES(marks), cells) as [number, Buffer][])
      ids.set(hash.toString('latin1'), id);
  return ids;
}

async function findShapes(transaction: Executor, made: readonly MadeShape[]): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  for (const { marks, cells } of inChunks(made.map(({ hash }) => hash))) {
    const found = await runText<{ id: number; hash: Buffer }>(transaction, SHAPES(marks), cells);
    for (const { id, hash } of found) ids.set(hash.toString('latin1'), id);
  }
  return ids;
}

/** internNames finds or makes the ids of requesters; the same holds as for shapes. */
export async function internNames(
  transaction: Executor,
  names: ReadonlySet<string>,
): Promise<Map<string, number>> {
  const ids = await findNames(transaction, [...names]);
  const missing = [...names].filter((name) => !ids.has(name));
  if (missing.length === 0) return ids;
  await insertMany(
    transaction,
    'ledger_names',
    { name: 'text' },
    missing.map((name) => [name]),
  );
  for (const [name, id] of await findNames(transaction, missing)) ids.set(name, id);
  return ids;
}

async function findNames(transaction: Executor, names: readonly string[]): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  for (const { marks, cells } of inChunks(names)) {
    const found = await runText<{ id: number; name: string }>(
      transaction,
      `select id, name from ledger_names where name in (${marks})`,
      cells,
    );
    for (const { id, name } of found) ids.set(name, id);
  }
  return ids;
}

function fieldsOf(row: NewRow): ShapeFields {
  const text = (value: string | null | undefined): string | null =>
    value === null || value === undefined ? null : storableText(value);
  return {
    kind: text(row.kind) ?? 'review',
    cluster: text(row.cluster),
    namespace: text(row.namespace),
    container: text(row.container),
    image: text(row.image),
    digest: text(row.digest),
    allowed: row.allowed ? 1 : 0,
    review_allowed: (row.review_allowed ?? row.allowed) ? 1 : 0,
    reason: storableText(row.reason),
    label: text(row.label),
    policy: text(row.policy),
    policy_revision: text(row.policy_revision) ?? '',
    break_glass: row.break_glass === true ? 1 : 0,
    break_glass_reason: text(row.break_glass_reason),
    signals: row.signals ? JSON.stringify(row.signals.map(storableText)) : null,
    exposed_by: text(row.exposed_by),
    subresource: text(row.subresource),
    pod_level: row.pod_level === true ? 1 : 0,
    inputs: text(row.inputs),
    platform: text(row.platform || null),
    clock_suspect: row.clock_suspect === true ? 1 : 0,
  };
}

/** imageOf gives the digest that an image resolved to, else the one that its reference names, and the name under which it is kept. */
export function imageOf({
  image,
  digest,
}: Pick<ShapeRow, 'image' | 'digest'>): Pick<Interned, 'digest' | 'name'> {
  const reference = image === null || image === undefined ? null : parseReference(image);
  if (reference === null || 'fault' in reference) return { digest: digest ?? null, name: null };
  const named = reference.digest !== null && isDigest(reference.digest) ? reference.digest : null;
  return {
    digest: digest ?? named,
    name: reference.tag === null ? reference.name : `${reference.name}:${reference.tag}`,
  };
}
