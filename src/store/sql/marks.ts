import { sql, type RawBuilder } from 'kysely';

/** CHUNK is how many values of a list go into one statement at most. */
export const CHUNK = 256;

/**
 * inChunks cuts a list for `in (…)`: each part comes with its question marks, and is filled up with its last value to a power of
 * two, so that there are few different statements to prepare.
 */
export function* inChunks<T>(
  values: readonly T[],
): Generator<{ readonly marks: string; readonly cells: readonly T[] }> {
  for (let from = 0; from < values.length; from += CHUNK) {
    const part = values.slice(from, from + CHUNK);
    let size = 1;
    while (size < part.length) size *= 2;
    const last = part.at(-1) as T;
    yield {
      marks: Array(size).fill('?').join(', '),
      cells: [...part, ...Array<T>(size - part.length).fill(last)],
    };
  }
}

/**
 * inLists cuts values for `in (…)` into lists, each filled up with its last value to a power of two, so that there are few different
 * statements to prepare.
 */
export function* inLists(values: readonly (string | number)[]): Generator<RawBuilder<unknown>> {
  for (let from = 0; from < values.length; from += CHUNK) {
    const part = values.slice(from, from + CHUNK);
    let size = 1;
    while (size < part.length) size *= 2;
    yield sql.join([...part, ...Array<unknown>(size - part.length).fill(part.at(-1))]);
  }
}
