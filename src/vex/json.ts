/** Json is an object of a document that others wrote. */
export type Json = Readonly<Record<string, unknown>>;

/** toObject gives a value that is an object, else null. */
export function toObject(value: unknown): Json | null {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Json) : null;
}

/** toList gives a value that is a list, else an empty one. */
export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

/** toText gives a text that is not empty, else null. */
export function toText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** toTexts gives those of several values that are texts and not empty. */
export function toTexts(...values: readonly unknown[]): string[] {
  return values.filter((value): value is string => toText(value) !== null);
}
