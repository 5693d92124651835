import { byCodeUnit } from '../../base/index.ts';
import { judgeChanges } from '../changes.ts';
import { normaliseRegistry } from '../../image/index.ts';
import { registryCovers } from '../entries.ts';
import type { ParsedPolicy } from '../parse.ts';
import type { Remark } from '../rule.ts';
import type { PolicySpec } from '../schema.ts';

/** PolicyRemark is a remark with the policy that it is told at. */
export interface PolicyRemark extends Remark {
  readonly at: ParsedPolicy;
}

/**
 * overlapRemarks looks at policies that will stand beside each other: the same name twice, and policies of one
 * namespace that contradict. Every pair is told once, at the later of the two.
 */
export function overlapRemarks(policies: readonly ParsedPolicy[]): PolicyRemark[] {
  const remarks: PolicyRemark[] = [];
  const names = new Map<string, ParsedPolicy>();
  const distinct: ParsedPolicy[] = [];
  for (const policy of policies) {
    const first = names.get(policy.policy.name);
    if (first === undefined) {
      names.set(policy.policy.name, policy);
      distinct.push(policy);
    } else remarks.push(sameName(policy, first));
  }
  // With very many policies the pairs are too many to look at; a cluster has a handful.
  for (const [i, later] of distinct.slice(0, 200).entries()) {
    for (const earlier of distinct.slice(0, i)) {
      const where = commonNamespaces(earlier.policy.spec, later.policy.spec);
      if (where !== null) remarks.push(...pairRemarks(earlier, later, where));
    }
  }
  return remarks;
}

function sameName(at: ParsedPolicy, first: ParsedPolicy): PolicyRemark {
  const { name } = at.policy;
  const same = at.policy.revision === first.policy.revision;
  const message = `a policy named ${name} stands in ${first.places.file} already; of two policies with one name, the one applied last ${same ? 'stays' : 'replaces the other'}`;
  return {
    at,
    rule: 'same-name',
    level: 'warning',
    path: ['metadata', 'name'],
    message,
    hint: 'Give each a name of its own, or lint them in separate runs if they are versions of one policy',
  };
}

function pairRemarks(earlier: ParsedPolicy, later: ParsedPolicy, where: string): PolicyRemark[] {
  const remarks: PolicyRemark[] = [];
  const [a, b] = [earlier.policy, later.policy];
  const names = [a.name, b.name].toSorted(byCodeUnit).join(' and ');
  if (a.spec.enforcement === 'Enforce' && b.spec.enforcement === 'Enforce') {
    if (disjoint(a.spec.allowedRegistries, b.spec.allowedRegistries)) {
      const message = `${names} both enforce in ${where}, and no registry is allowed by both, so every image is denied there`;
      remarks.push({
        at: later,
        rule: 'registries-disjoint',
        level: 'warning',
        path: ['spec', 'allowedRegistries'],
        message,
        hint: 'Allow the same registries in both, or part their namespaces',
      });
    }
    for (const [open, shut, at] of [
      [a, b, earlier],
      [b, a, later],
    ] as const) {
      const bypass = open.spec.breakGlass.allowed ? open.spec.breakGlass.groups : [];
      const left = bypass.filter(
        (group) => !shut.spec.breakGlass.allowed || !shut.spec.breakGlass.groups.includes(group),
      );
      if (left.length === 0) continue;
      const message = `group ${left[0]} may bypass ${open.name}, but ${shut.name} also enforces in ${where}, and still denies`;
      remarks.push({
        at,
        rule: 'break-glass-partial',
        level: 'notice',
        path: ['spec', 'breakGlass'],
        message,
        hint: `Add the group to ${shut.name}, if its gates are to be bypassed as well`,
      });
    }
    return remarks;
  }
  if (a.spec.enforcement === b.spec.enforcement) return remarks;
  const [audit, enforce, at] =
    a.spec.enforcement === 'Audit' ? ([a, b, earlier] as const) : ([b, a, later] as const);
  const gates = judgeChanges(enforce.spec, {
    ...audit.spec,
    targetNamespaces: enforce.spec.targetNamespaces,
  }).filter(({ path, direction }) => direction !== 'neither' && GATE.test(path));
  const [first] = gates;
  if (first !== undefined && gates.every(({ direction }) => direction === 'tighter')) {
    const message = `${audit.name} is stricter than ${enforce.name} (${first.path}) but only audits in ${where}; only what ${enforce.name} denies is denied there`;
    remarks.push({
      at,
      rule: 'audit-beside-enforce',
      level: 'notice',
      path: ['spec', 'enforcement'],
      message,
      hint: 'Set enforcement to Enforce once `ipo whatif` shows no image that should be allowed',
    });
  }
  return remarks;
}

/** The fields that decide about an image: not how a policy is applied, nor windows or bypass. */
const GATE = /^spec\.(?!targetNamespaces|enforcement|runtimeReconciliation|sla|breakGlass)/;

/** The namespaces that both govern, in words; null when there are none. */
function commonNamespaces(a: PolicySpec, b: PolicySpec): string | null {
  const [left, right] = [a.targetNamespaces, b.targetNamespaces];
  if (left.length === 0 && right.length === 0) return 'the whole cluster';
  const common = namespacesInBoth(left, right);
  const [first] = common;
  if (first === undefined) return null;
  return common.length === 1
    ? `namespace ${first}`
    : `namespace ${first} and ${common.length - 1} ${common.length === 2 ? 'other' : 'others'}`;
}

function disjoint(left: readonly string[], right: readonly string[]): boolean {
  if (left.length === 0 || right.length === 0) return false;
  const [a, b] = [left.map(normaliseRegistry), right.map(normaliseRegistry)];
  return !a.some((entry) => b.some((other) => registryCovers(entry, other) || registryCovers(other, entry)));
}

/** None is all namespaces. */
function namespacesInBoth(left: readonly string[], right: readonly string[]): readonly string[] {
  if (left.length === 0) return right;
  return right.length === 0 ? left : left.filter((name) => right.includes(name));
}
