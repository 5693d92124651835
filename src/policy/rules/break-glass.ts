import type { PolicyRule, Remark } from '../rule.ts';

/** Groups that hold everybody, or controllers that start pods for everybody. */
const OPEN: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'system:authenticated': 'everybody who can reach the API server with a credential',
    'system:unauthenticated': 'everybody who can reach the API server',
    'system:serviceaccounts': 'every service account, the controllers that start pods for others among them',
    'system:serviceaccounts:kube-system':
      'the controllers that start the pods of every Deployment, Job and DaemonSet',
    'system:nodes': 'every kubelet',
    'system:bootstrappers': 'every node that is about to join',
  }),
);

/** breakGlassRules look at a bypass that is open to everybody, or to nobody. */
export const breakGlassRules: PolicyRule = ({ policy }) => {
  const { allowed, groups } = policy.spec.breakGlass;
  const remarks: Remark[] = [];
  if (allowed && groups.length === 0) {
    remarks.push({
      rule: 'break-glass-nobody',
      level: 'warning',
      path: ['spec', 'breakGlass', 'allowed'],
      message: 'break-glass is allowed, and no group is named, so nobody can use it',
      hint: 'Name the group of those on call, or set allowed to false',
    });
  }
  if (!allowed && groups.length > 0) {
    remarks.push({
      rule: 'break-glass-off',
      level: 'warning',
      path: ['spec', 'breakGlass', 'groups'],
      message: 'groups are named, and breakGlass.allowed is false, so nobody can use it',
      hint: 'Set allowed to true, or take the groups out',
    });
  }
  for (const [i, group] of groups.entries()) {
    const path = ['spec', 'breakGlass', 'groups', i];
    const namespace = /^system:serviceaccounts:(.+)$/.exec(group)?.[1];
    const who =
      OPEN.get(group) ??
      (namespace === undefined
        ? undefined
        : `every service account of ${namespace}, also when it starts pods for others`);
    if (who !== undefined) {
      remarks.push({
        rule: 'break-glass-open',
        level: 'warning',
        path,
        message: `group ${group} is ${who}: anyone who can create a pod there bypasses the policy`,
        hint: 'Name a group of people, as your identity provider gives it',
      });
    } else if (group === 'system:masters') {
      remarks.push({
        rule: 'break-glass-masters',
        level: 'notice',
        path,
        message:
          'group system:masters holds cluster administrators, whom a certificate names and nobody can remove',
        hint: 'Prefer a group of your identity provider',
      });
    } else if (/^system:(serviceaccount|node):/.test(group) || group.includes('*')) {
      const what = group.includes('*')
        ? 'holds a *, and groups are matched exactly'
        : 'is the name of one user, not of a group';
      remarks.push({
        rule: 'break-glass-no-group',
        level: 'warning',
        path,
        message: `"${group}" ${what}, so nobody is in it`,
        hint: 'Name a group as the API server gives it',
      });
    }
  }
  return remarks;
};
