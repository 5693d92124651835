import type { FieldFault } from './errors.ts';

/**
 * fieldSentence makes one sentence of a fault of a field, which names the field once: most messages about documents name it
 * themselves. `between` stands behind a name that is put before.
 */
export function fieldSentence({ path, message }: FieldFault, between: ': ' | ' ' = ': '): string {
  return path === '' || names(message, path) ? message : `${path}${between}${message}`;
}

/** A message of a document inside a request knows nothing of the request's own field: `spec.sla` for `policy.spec.sla`. */
function names(message: string, path: string): boolean {
  for (let shown = path; ;) {
    if (stands(message, shown)) return true;
    const [, rest] = /^[^.]+\.(.+\..+)$/.exec(shown) ?? [];
    if (rest === undefined) return false;
    shown = rest;
  }
}

/** As a whole, not as the beginning of another name. */
function stands(message: string, path: string): boolean {
  for (let at = message.indexOf(path); at !== -1; at = message.indexOf(path, at + 1)) {
    const before = message[at - 1] ?? ' ';
    const after = message[at + path.length] ?? ' ';
    if (!/[\w.]/.test(before) && !/\w/.test(after)) return true;
  }
  return false;
}
