import type { PolicyRule, Remark } from '../rule.ts';

const SYSTEM = new Set(['kube-system', 'kube-public', 'kube-node-lease']);

/** namespaceRules look at namespaces that hold the cluster itself, and at lists with an entry twice. */
export const namespaceRules: PolicyRule = ({ policy }) => {
  const { targetNamespaces, enforcement, deploymentContext, breakGlass, provenance } = policy.spec;
  const remarks: Remark[] = targetNamespaces.flatMap((name, i) => {
    if (!SYSTEM.has(name)) return [];
    const danger =
      enforcement === 'Enforce'
        ? 'a refusal there can keep the cluster itself from starting its parts'
        : 'enforced one day, a refusal there can keep the cluster itself from starting its parts';
    return [
      {
        rule: 'system-namespace',
        level: 'warning',
        path: ['spec', 'targetNamespaces', i],
        message: `${name} is governed; ${danger}`,
        hint: 'Leave it out, and name the namespaces of your workloads',
      },
    ];
  });
  const lists: readonly (readonly [readonly PropertyKey[], readonly string[]])[] = [
    [['spec', 'targetNamespaces'], targetNamespaces],
    [['spec', 'deploymentContext', 'signals'], deploymentContext.signals],
    [['spec', 'breakGlass', 'groups'], breakGlass.groups],
    [
      ['spec', 'provenance', 'trustedBuilders'],
      provenance.trustedBuilders.map(({ id, signer, issuer }) => [id, signer ?? id, issuer ?? '*'].join(' ')),
    ],
  ];
  for (const [path, list] of lists) {
    const seen = new Set<string>();
    for (const [i, entry] of list.entries()) {
      if (seen.has(entry)) {
        const what =
          path.at(-1) === 'trustedBuilders' ? `builder ${provenance.trustedBuilders[i]?.id ?? ''}` : entry;
        remarks.push({
          rule: 'repeated',
          level: 'warning',
          path: [...path, i],
          message: `${what} is listed twice`,
          hint: 'Take one of the two out',
        });
      }
      seen.add(entry);
    }
  }
  return remarks;
};
