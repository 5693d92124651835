import { isDeepStrictEqual } from 'node:util';
import { clean } from './clean.ts';

type Json = Readonly<Record<string, unknown>>;

/** Lines that are shown; a document of 256 KiB can have tens of thousands of labels. */
const MAX_LINES = 100;

/** documentDifference gives a line for each place at which two documents differ as JSON; a list is one place. */
export function documentDifference(before: Json, after: Json): string[] {
  const lines = [...differences('', before, after)];
  const more = lines.length - MAX_LINES;
  return more > 0 ? [...lines.slice(0, MAX_LINES), `and ${more} more`] : lines;
}

function* differences(path: string, before: unknown, after: unknown): Generator<string> {
  if (isMap(before) && isMap(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      yield* differences(path === '' ? key : `${path}.${key}`, own(before, key), own(after, key));
    }
  } else if (!isDeepStrictEqual(before, after)) {
    yield clean(`${path}  ${shown(before)} → ${shown(after)}`, Infinity);
  }
}

function own(map: Json, key: string): unknown {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

function isMap(value: unknown): value is Json {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function shown(value: unknown): string {
  return value === undefined ? 'not set' : JSON.stringify(value);
}
