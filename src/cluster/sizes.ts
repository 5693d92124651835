/** cut shortens a text to this many UTF-16 units, with an ellipsis as the last. */
export function cut(value: string, max = 256): string {
  if (value.length <= max) return value;
  const short = value.slice(0, max - 1);
  // Half a surrogate pair is not valid text.
  return `${/[\uD800-\uDBFF]$/.test(short) ? short.slice(0, -1) : short}…`;
}

/**
 * fitting gives the first items that together take this many bytes at most, as the API server writes them: it turns some letters into six,
 * so that a text can take six times its length.
 */
export function fitting<T>(items: readonly T[], bytes: number): readonly T[] {
  let left = bytes;
  const end = items.findIndex((item) => {
    left -= Buffer.byteLength(JSON.stringify(item).replaceAll(/[<>&\u2028\u2029]/g, '\\u0000')) + 1;
    return left < 0;
  });
  return end < 0 ? items : items.slice(0, end);
}
