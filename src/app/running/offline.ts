/** ASKS_NOBODY are the settings, by path, with which a service calls nothing outside of itself: for demonstrations and tests. */
export const ASKS_NOBODY: readonly (readonly [path: string, value: string])[] = [
  ['kev.source', 'off'],
  ['endOfLife.source', 'off'],
  ['scanner.kind', 'off'],
  ['registries.tags', 'ignore'],
  ['registries.proofs', 'ignore'],
  ['sigstore.trustRoot', 'off'],
];

/** asksNobody gives them as variables of the environment. */
export function asksNobody(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    ASKS_NOBODY.map(([path, value]) => [
      `IPO_${path
        .replaceAll('.', '_')
        .replace(/[a-z][A-Z]/g, ([a, b]) => `${a}_${b}`)
        .toUpperCase()}`,
      value,
    ]),
  );
}
