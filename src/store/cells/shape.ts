import { createHash } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { LedgerTables } from '../tables/ledger.ts';

/** ShapeFields are what the rows of one shape share, as they are stored. */
export type ShapeFields = Omit<Selectable<LedgerTables['ledger_shapes']>, 'id' | 'hash'>;

/**
 * shapeHash gives the 16 bytes by which equal shapes are one: the beginning of the SHA-256 over the fields as JSON in this order.
 * Texts are hashed in storable form.
 */
export function shapeHash(shape: ShapeFields): Buffer {
  const fields: (string | number | null)[] = [
    shape.kind,
    shape.cluster,
    shape.namespace,
    shape.container,
    shape.image,
    shape.digest,
    shape.allowed,
    shape.review_allowed,
    shape.reason,
    shape.label,
    shape.policy,
    shape.policy_revision,
    shape.break_glass,
    shape.break_glass_reason,
    shape.signals,
    shape.exposed_by,
    shape.subresource,
    shape.pod_level,
    shape.inputs,
  ];
  if (shape.platform !== null) fields.push(shape.platform);
  if (shape.clock_suspect === 1) fields.push('clock_suspect', 1);
  return createHash('sha256').update(JSON.stringify(fields)).digest().subarray(0, 16);
}
