import type { PolicyRule } from '../rule.ts';

const SYSTEM = new Set(['kube-system', 'kube-public', 'kube-node-lease']);

/** namespaceRules look at namespaces that hold the cluster itself. */
export const namespaceRules: PolicyRule = ({ policy }) => {
  const { targetNamespaces, enforcement } = policy.spec;
  return targetNamespaces.flatMap((name, i) => {
    if (!SYSTEM.has(name)) return [];
    const danger =
      enforcement === 'Enforce'
        ? 'a denial there can keep components of the cluster from starting'
        : 'once the policy enforces, a denial there can keep components of the cluster from starting';
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
};
