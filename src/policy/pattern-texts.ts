/** patternTexts gives the patterns that a part of a policy names, wherever it names them. */
export function patternTexts(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([key, value]) => {
    if (typeof value !== 'string') return patternTexts(value);
    return key.endsWith('RegExp') ? [value] : [];
  });
}
