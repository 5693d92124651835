import { printable } from '../base/index.ts';
import type { ParsedPolicy, PolicyFile } from './parse.ts';
import { toPath } from './paths.ts';
import { placeOf } from './places.ts';
import type { Policy } from './policy.ts';
import { inOrder, type Problem } from './problems.ts';
import { againstRemarks } from './rules/against.ts';
import { breakGlassRules } from './rules/break-glass.ts';
import { gateRules } from './rules/gates.ts';
import { namespaceRules } from './rules/namespaces.ts';
import { overlapRemarks } from './rules/overlap.ts';
import { provenanceRules } from './rules/provenance.ts';
import { registryRules } from './rules/registries.ts';
import { repeatedRules } from './rules/repeated.ts';
import { signerRules } from './rules/signers.ts';
import { vexRules } from './rules/vex.ts';
import { windowRules } from './rules/windows.ts';
import { yamlWordRules } from './rules/yaml-words.ts';
import type { PolicyRule, Remark } from './rule.ts';

/** POLICY_RULES look at one policy each; a new rule is added here and in the catalogue. */
const POLICY_RULES: readonly PolicyRule[] = [
  namespaceRules,
  repeatedRules,
  registryRules,
  gateRules,
  signerRules,
  provenanceRules,
  vexRules,
  windowRules,
  breakGlassRules,
  yamlWordRules,
];

/**
 * lintPolicies gives every problem of the files, file by file and from top to bottom: what the parser refused, what can never work, what
 * contradicts over all files, and, given the policies in effect, what became looser.
 */
export function lintPolicies(files: readonly PolicyFile[], inForce: readonly Policy[] = []): Problem[] {
  const policies = files.flatMap((file) => file.policies);
  const problems = [
    ...files.flatMap((file) => file.problems),
    ...policies.flatMap((policy) =>
      withoutEchoes(POLICY_RULES.flatMap((rule) => rule(policy))).map((remark) => toProblem(remark, policy)),
    ),
    ...[...overlapRemarks(policies), ...againstRemarks(policies, inForce)].map(({ at, ...remark }) =>
      toProblem(remark, at),
    ),
  ];
  const byFile = Map.groupBy(problems, ({ file }) => file);
  return [...new Set(files.map(({ file }) => file))].flatMap((file) => inOrder(byFile.get(file) ?? []));
}

/** What is wrong with an entry is said where it stands first; of an entry that repeats it only that. */
function withoutEchoes(remarks: readonly Remark[]): readonly Remark[] {
  const repeated = remarks.filter(({ rule }) => rule === 'repeated').map(({ path }) => path);
  if (repeated.length === 0) return remarks;
  const repeats = ({ path }: Remark): boolean =>
    repeated.some((entry) => entry.every((step, i) => step === path[i]));
  const saidOf = ({ rule, message }: Remark): boolean =>
    remarks.some((other) => other.rule === rule && other.message === message && !repeats(other));
  return remarks.filter((remark) => remark.rule === 'repeated' || !repeats(remark) || !saidOf(remark));
}

function toProblem(remark: Remark, { places }: ParsedPolicy): Problem {
  const { level, rule, path, message, hint } = remark;
  return {
    level,
    rule,
    path: toPath(path),
    message: printable(message, 500),
    hint: printable(hint, 300),
    file: places.file,
    ...placeOf(places, path),
  };
}
