import { sql } from 'kysely';
import type { LedgerRow } from '../../ledger/index.ts';
import { inLists } from '../sql/marks.ts';
import type { ShapeFields } from './shape.ts';
import { StoreError } from '../sql/store-error.ts';
import { run, type Executor, type Row } from '../sql/run.ts';

/** ShapeRow is a row of the ledger without what is a single row's own; those fields are there, and empty. */
export type ShapeRow = LedgerRow;

const COLUMNS = sql`id, kind, cluster, namespace, container, image, digest, allowed, review_allowed, reason, label, policy,
  policy_revision, break_glass, break_glass_reason, signals, exposed_by, subresource, pod_level, inputs, platform, clock_suspect`;

/** toShapeRow gives the fields of a shape as rows have them, every field present. */
export function toShapeRow(shape: ShapeFields): ShapeRow {
  return {
    id: 0,
    kind: shape.kind,
    time: '',
    review_uid: null,
    cluster: shape.cluster,
    namespace: shape.namespace,
    pod: null,
    pod_uid: null,
    container: shape.container,
    image: shape.image,
    digest: shape.digest,
    allowed: shape.allowed === 1,
    review_allowed: shape.review_allowed === 1,
    reason: shape.reason,
    label: shape.label,
    policy: shape.policy,
    policy_revision: shape.policy_revision,
    break_glass: shape.break_glass === 1,
    break_glass_reason: shape.break_glass_reason,
    signals: shape.signals === null ? null : (JSON.parse(shape.signals) as string[]),
    exposed_by: shape.exposed_by,
    subresource: shape.subresource,
    requester: null,
    pod_level: shape.pod_level === 1,
    inputs: shape.inputs,
    ...(shape.platform !== null && { platform: shape.platform }),
    ...(shape.clock_suspect === 1 && { clock_suspect: true }),
  };
}

/** Beyond this many characters the shapes that were read are forgotten and read again. */
const MAX_CHARS = 32 * 1024 * 1024;

/**
 * Shapes gives shapes by their ids, one object for all rows of a shape as long as it is remembered. They never change, so
 * what was read stays true; memory is bounded.
 */
export class Shapes {
  readonly #read: Executor;
  #known = new Map<number, ShapeRow>();
  #chars = 0;

  constructor(read: Executor) {
    this.#read = read;
  }

  /** The shapes of these ids, all of which must be there. */
  async load(ids: ReadonlySet<number>): Promise<ReadonlyMap<number, ShapeRow>> {
    const shapes = new Map<number, ShapeRow>();
    const missing: number[] = [];
    for (const id of ids) {
      const known = this.#known.get(id);
      if (known === undefined) missing.push(id);
      else shapes.set(id, known);
    }
    if (missing.length > 0) await this.#find(missing, shapes);
    return shapes;
  }

  async #find(missing: readonly number[], into: Map<number, ShapeRow>): Promise<void> {
    if (this.#chars > MAX_CHARS) {
      this.#known = new Map();
      this.#chars = 0;
    }
    for (const marks of inLists(missing)) {
      const found = await run(
        this.#read,
        sql<
          ShapeFields & Row<'ledger_shapes', 'id'>
        >`select ${COLUMNS} from ledger_shapes where id in (${marks})`,
      );
      for (const { id, ...fields } of found) {
        const shape = toShapeRow(fields);
        into.set(id, shape);
        this.#known.set(id, shape);
        this.#chars += 1000 + fields.reason.length + (fields.image?.length ?? 0);
      }
    }
    const lost = missing.find((id) => !into.has(id));
    if (lost !== undefined) {
      throw new StoreError('damaged', `shape ${lost} of a row of the ledger is not there`, {
        hint: 'Find out more with: ipo ledger verify --database URL',
      });
    }
  }
}
