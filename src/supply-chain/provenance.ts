import { PROVENANCE_TYPES, statedBuilder } from '../facts/index.ts';
import type { Statement } from './statement.ts';

/** isProvenance tells whether a statement claims to be a provenance that is read here. */
function isProvenance(statement: Statement): boolean {
  return PROVENANCE_TYPES.some((type) => type === statement.predicateType);
}

/** builderOf gives the builder id that a provenance claims; null when the statement is not a provenance or names none. */
export function builderOf(statement: Statement, payload: Uint8Array): string | null {
  return isProvenance(statement) ? statedBuilder(Buffer.from(payload)) : null;
}
