import { isDeepStrictEqual } from 'node:util';
import type { Json } from './objects.ts';
import { StatusError } from './status-error.ts';

/** mergePatch applies an RFC 7396 patch. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const made: Json = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete made[key];
    else made[key] = mergePatch(made[key], value);
  }
  return made;
}

/** jsonPatch applies the operations `test`, `add`, `replace` and `remove` of RFC 6902. */
export function jsonPatch(target: Json, operations: readonly Json[]): Json {
  const made = structuredClone(target);
  for (const { op, path, value } of operations) {
    const parts = String(path)
      .split('/')
      .slice(1)
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = parts.pop() ?? '';
    let at: unknown = made;
    for (const part of parts) at = (at as Json | undefined)?.[part];
    if (typeof at !== 'object' || at === null)
      throw invalid(`the server rejected our request: ${String(path)} is not there`);
    const holder = at as Json;
    if (op === 'test') {
      if (!isDeepStrictEqual(holder[last], value)) throw invalid(`testing value ${String(path)} failed`);
    } else if (op === 'remove') delete holder[last];
    else if (op === 'add' || op === 'replace') holder[last] = value;
    else throw invalid(`no operation ${String(op)}`);
  }
  return made;
}

/** Owners tells which manager owns which fields: paths of leaves, a list being one. */
export type Owners = Map<string, Set<string>>;

/** applyPatch applies a configuration on the server's side, as far as lists are atomic. */
export function applyPatch(
  target: Json,
  wanted: Json,
  manager: string,
  force: boolean,
  owners: Owners,
): Json {
  const config = { ...wanted, metadata: pickMeta(wanted['metadata']) };
  const paths = leavesOf(config);
  const made = structuredClone(target);
  const others = [...owners].filter(([name]) => name !== manager);
  for (const [path, value] of paths) {
    const held = others.find(([, owned]) => owned.has(path));
    if (held === undefined || isDeepStrictEqual(readAt(made, path), value)) continue;
    if (!force)
      throw new StatusError(
        409,
        'Conflict',
        `Apply failed with 1 conflict: conflict with "${held[0]}": ${path}`,
        null,
        [{ reason: 'FieldManagerConflict', message: `conflict with "${held[0]}"`, field: path }],
      );
    held[1].delete(path);
  }
  for (const path of owners.get(manager) ?? [])
    if (!paths.has(path) && !others.some(([, owned]) => owned.has(path))) removeAt(made, path);
  for (const [path, value] of paths) writeAt(made, path, value);
  owners.set(manager, new Set(paths.keys()));
  return made;
}

/** tookOver gives a manager the fields that its write changed. */
export function tookOver(before: Json, after: Json, manager: string, owners: Owners): void {
  const own = owners.get(manager) ?? new Set<string>();
  const leaves = leavesOf({ ...after, metadata: pickMeta(after['metadata']) });
  for (const [path, value] of leaves) {
    if (isDeepStrictEqual(readAt(before, path), value)) continue;
    for (const owned of owners.values()) owned.delete(path);
    own.add(path);
  }
  for (const owned of owners.values()) for (const path of owned) if (!leaves.has(path)) owned.delete(path);
  owners.set(manager, own);
}

const SEPARATOR = '\u0000';

function pickMeta(metadata: unknown): Json {
  const { labels, annotations } = (metadata ?? {}) as Json;
  return { ...(labels !== undefined && { labels }), ...(annotations !== undefined && { annotations }) };
}

function leavesOf(object: Json): Map<string, unknown> {
  const value = { ...object, apiVersion: undefined, kind: undefined };
  const found = new Map<string, unknown>();
  const walk = (at: unknown, path: readonly string[]): void => {
    if (isObject(at) && Object.keys(at).length > 0)
      for (const [key, inner] of Object.entries(at)) walk(inner, [...path, key]);
    else if (path.length > 0 && at !== undefined) found.set(path.join(SEPARATOR), at);
  };
  walk(value, []);
  found.delete('metadata');
  return found;
}

function readAt(value: Json, path: string): unknown {
  let at: unknown = value;
  for (const part of path.split(SEPARATOR)) at = isObject(at) ? at[part] : undefined;
  return at;
}

function writeAt(value: Json, path: string, leaf: unknown): void {
  const parts = path.split(SEPARATOR);
  const last = parts.pop() ?? '';
  let at = value;
  for (const part of parts) {
    if (!isObject(at[part])) at[part] = {};
    at = at[part] as Json;
  }
  // An empty map that is applied says that it is there, not that it is empty.
  if (isObject(leaf) && isObject(at[last])) return;
  at[last] = leaf;
}

function removeAt(value: Json, path: string): void {
  const parts = path.split(SEPARATOR);
  const last = parts.pop() ?? '';
  let at: unknown = value;
  for (const part of parts) at = isObject(at) ? at[part] : undefined;
  if (!isObject(at)) return;
  delete at[last];
  if (Object.keys(at).length === 0 && parts.length > 0) removeAt(value, parts.join(SEPARATOR));
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(message: string): StatusError {
  return new StatusError(422, 'Invalid', message);
}
