import type { PolicyRule } from '../rule.ts';

/** provenanceRules look at builders that can never be accepted, or that nobody asks for. */
export const provenanceRules: PolicyRule = ({ policy }) => {
  const { minLevel, trustedBuilders } = policy.spec.provenance;
  const at = (...rest: PropertyKey[]) => ['spec', 'provenance', ...rest];
  if (minLevel === 0) {
    if (trustedBuilders.length === 0) return [];
    const message = 'builders are trusted, and minLevel is 0, so no provenance is asked for';
    return [
      {
        rule: 'builders-unused',
        level: 'warning',
        path: at('trustedBuilders'),
        message,
        hint: 'Set minLevel to 1, 2 or 3, or take the builders out',
      },
    ];
  }
  if (!trustedBuilders.some(({ level }) => level >= minLevel)) {
    const best = Math.max(...trustedBuilders.map(({ level }) => level));
    const found =
      trustedBuilders.length === 0
        ? 'no builder is trusted'
        : `no builder is credited with more than level ${best}`;
    const message = `minLevel is ${minLevel}, and ${found}, so every image is denied`;
    return [
      {
        rule: 'no-builder',
        level: 'warning',
        path: at('minLevel'),
        message,
        hint: `Trust a builder with level ${minLevel}, or lower minLevel`,
      },
    ];
  }
  return trustedBuilders.flatMap(({ id, level }, i) => {
    if (level >= minLevel) return [];
    const message = `builder ${id} is credited with level ${level}, below minLevel ${minLevel}, so what it builds is never accepted`;
    return [
      {
        rule: 'builder-below-level',
        level: 'warning',
        path: at('trustedBuilders', i, 'level'),
        message,
        hint: `Credit it with level ${minLevel} if you trust it that far, or remove it`,
      },
    ];
  });
};
