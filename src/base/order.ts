/** byCodeUnit orders names the same on every machine: no locale, plain code units. */
export function byCodeUnit(a: string, b: string): number {
  if (a < b) return -1;
  return a > b ? 1 : 0;
}
