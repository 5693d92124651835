import type { CliParts } from '../../src/app/index.ts';
import { MAX_POLICY_BYTES, PolicyError } from '../../src/policy/index.ts';
import {
  parseRuntimeFile,
  type WrittenRuntimePolicy,
  type RuntimeProblem,
  type RuntimeRule,
} from '../../src/runtime/index.ts';

/** ReadDraft is what a file of rules and runtime policies holds; rules are null where it has no RuntimeRules. */
export interface ReadDraft {
  readonly rules: readonly RuntimeRule[] | null;
  readonly policies: readonly WrittenRuntimePolicy[];
}

/** readDraft reads RuntimeRules and RuntimePolicy documents. Throws FileError, and PolicyError with every problem and its place. */
export async function readDraft(path: string, parts: CliParts): Promise<ReadDraft> {
  const text = await parts.readText(path, MAX_POLICY_BYTES * 4);
  const { rules, policies, problems } = parseRuntimeFile(text, path === '-' ? 'stdin' : path);
  const [first, ...more] = problems.map(toProblem);
  if (first !== undefined) throw new PolicyError([first, ...more]);
  return { rules, policies };
}

function toProblem(problem: RuntimeProblem) {
  return { ...problem, level: 'error', rule: 'value', hint: null } as const;
}
