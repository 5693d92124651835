import { IpoError, parseTime } from '../base/index.ts';

/** FactsError says which field of recorded facts cannot be read, and why. */
export class FactsError extends IpoError {
  override readonly name = 'FactsError';
  constructor(path: string, found: string) {
    super('invalid_facts', `${path} ${found}`);
  }
}

/** Json is an object as it was parsed. */
export type Json = Readonly<Record<string, unknown>>;

/** object reads a JSON object. */
export function object(value: unknown, path: string): Json {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new FactsError(path, 'is not an object');
  }
  return value as Json;
}

/** list reads a list. */
export function list(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new FactsError(path, 'is not a list');
  return value as unknown[];
}

/** nullableList reads a list; null for none. */
export function nullableList<T>(
  value: unknown,
  path: string,
  parse: (entry: unknown, path: string) => T,
): T[] | null {
  if (value === null || value === undefined) return null;
  return list(value, path).map((entry, i) => parse(entry, `${path}[${i}]`));
}

/** string reads a text. */
export function string(value: unknown, path: string): string {
  if (typeof value !== 'string') throw new FactsError(path, 'is not a text');
  return value;
}

/** optionalString reads a text; null for none. */
export function optionalString(value: unknown, path: string): string | null {
  return value === null || value === undefined ? null : string(value, path);
}

/** optionalBoolean reads true or false; null for none. */
export function optionalBoolean(value: unknown, path: string): boolean | null {
  if (value === null || value === undefined) return null;
  if (typeof value !== 'boolean') throw new FactsError(path, 'is not true or false');
  return value;
}

/** time reads an RFC 3339 time; null for none. */
export function time(value: unknown, path: string): string | null {
  const text = optionalString(value, path);
  if (text !== null && Number.isNaN(parseTime(text))) throw new FactsError(path, 'is not an RFC 3339 time');
  return text;
}
