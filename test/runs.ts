/** FACTOR is how many times more `npm run torture` asks of a property than the test command does. */
const FACTOR = process.env.IPO_TORTURE === '1' ? 40 : 1;

/** runs gives the number of cases of a property: as many as given, or many more under `npm run torture`. */
export function runs(usual: number): number {
  return usual * FACTOR;
}
