import { diffPolicies, type PolicyChange } from './diff.ts';
import { directionOf, type Direction } from './direction.ts';
import { entriesOf } from './entries.ts';
import type { PolicySpec } from './schema.ts';

export type { Direction } from './direction.ts';

/** FieldChange is one field that differs, what the change does, and for a list its entries that came and went. */
export interface FieldChange extends PolicyChange {
  readonly direction: Direction;
  /** Null where the field is not a list. */
  readonly entries: EntryChanges | null;
}

/** EntryChanges are the entries of a list that came, went, or kept their name and changed. */
export interface EntryChanges {
  readonly added: readonly unknown[];
  readonly removed: readonly unknown[];
  readonly changed: readonly { readonly before: unknown; readonly after: unknown }[];
}

/** judgeChanges gives the fields in which two specs differ in meaning, with the direction of each. */
export function judgeChanges(before: PolicySpec, after: PolicySpec): FieldChange[] {
  return diffPolicies(before, after).map((change) => ({
    ...change,
    direction: directionOf(change.path, before, after),
    entries:
      Array.isArray(change.before) && Array.isArray(change.after)
        ? compareEntries(change.path, change.before, change.after)
        : null,
  }));
}

function compareEntries(path: string, before: readonly unknown[], after: readonly unknown[]): EntryChanges {
  const [left, right] = [entriesOf(path, before), entriesOf(path, after)];
  const removed = [...left].flatMap(([key, entry]) => (right.has(key) ? [] : [entry]));
  const added = [...right].flatMap(([key, entry]) => (left.has(key) ? [] : [entry]));
  const changed: { before: unknown; after: unknown }[] = [];
  for (const entry of removed.slice()) {
    const name = nameOf(entry);
    const twin = name === null ? undefined : added.find((other) => nameOf(other) === name);
    if (twin === undefined) continue;
    changed.push({ before: entry, after: twin });
    removed.splice(removed.indexOf(entry), 1);
    added.splice(added.indexOf(twin), 1);
  }
  return { added, removed, changed };
}

/** What an entry is called by: the id of a builder, the predicate of an attestation, the identity of a signer or its pattern. */
function nameOf(entry: unknown): string | null {
  if (entry === null || typeof entry !== 'object') return null;
  const { id, predicateType, identity, identityRegExp } = entry as Record<string, unknown>;
  const name = id ?? predicateType ?? identity ?? identityRegExp;
  return typeof name === 'string' ? name : null;
}
