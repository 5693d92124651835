/** spread prints the worst of some figures, with their median. */
export function spread(
  values: readonly number[] | undefined,
  worst: (...values: number[]) => number,
): string {
  const sorted = [...(values ?? [])].toSorted((a, b) => a - b);
  return `${worst(...sorted).toFixed(2)} (median ${(sorted[sorted.length >> 1] ?? NaN).toFixed(2)})`;
}
