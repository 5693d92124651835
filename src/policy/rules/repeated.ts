import { keyId } from '../public-key.ts';
import type { PolicyRule } from '../rule.ts';

/** repeatedRules look at lists that hold an entry twice; those of registries and signers have rules of their own. */
export const repeatedRules: PolicyRule = ({ policy }) => {
  const { targetNamespaces, deploymentContext, breakGlass, provenance } = policy.spec;
  const lists: readonly List[] = [
    { path: ['spec', 'targetNamespaces'], entries: targetNamespaces },
    { path: ['spec', 'deploymentContext', 'signals'], entries: deploymentContext.signals },
    { path: ['spec', 'breakGlass', 'groups'], entries: breakGlass.groups },
    {
      path: ['spec', 'provenance', 'trustedBuilders'],
      entries: provenance.trustedBuilders.map(({ id, signer, identityRegExp, issuer, issuerRegExp, key }) =>
        JSON.stringify([
          id,
          key === undefined ? (identityRegExp ?? { signer: signer ?? id }) : keyId(key),
          issuer ?? '*',
          issuerRegExp ?? '*',
        ]),
      ),
      names: provenance.trustedBuilders.map(({ id }) => `builder ${id}`),
    },
  ];
  return lists.flatMap(({ path, entries, names = entries }) =>
    repeatedAt(entries).map((i) => ({
      rule: 'repeated',
      level: 'warning',
      path: [...path, i],
      message: `${names[i]} is listed twice`,
      hint: 'Take one of the two out',
    })),
  );
};

/** One list of a policy: what makes two entries the same, and what an entry is called where that is not it. */
interface List {
  readonly path: readonly PropertyKey[];
  readonly entries: readonly string[];
  readonly names?: readonly string[];
}

/** Where an entry stands that was there before. */
function repeatedAt(entries: readonly string[]): readonly number[] {
  const seen = new Set<string>();
  return entries.flatMap((entry, i) => {
    const again = seen.has(entry);
    seen.add(entry);
    return again ? [i] : [];
  });
}
