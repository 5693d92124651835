/** byCodeUnit orders names the same on every machine: no locale, plain code units. */
export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
