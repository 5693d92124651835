import { printable } from '../base/index.ts';

/** Path is the way from the top of a document to a value: names of fields and places in lists. */
export type Path = readonly PropertyKey[];

/** toPath writes a path as people read it: `spec.signature.keys[0]`. */
export function toPath(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    const name = printable(String(step), 80);
    return text === '' ? name : `${text}.${name}`;
  }, '');
}

/** valueAt gives the value at a path, or undefined; names of Object.prototype are nothing special. */
export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (at, step) =>
      at !== null && typeof at === 'object' && Object.hasOwn(at, step)
        ? (at as Record<PropertyKey, unknown>)[step]
        : undefined,
    value,
  );
}

/** quote shows a foreign value on one line, as JSON and cut short. */
export function quote(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`;
  if (value !== null && typeof value === 'object') return 'a mapping';
  return value === undefined ? 'nothing' : printable(JSON.stringify(value), 60);
}
