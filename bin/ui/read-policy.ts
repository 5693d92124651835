import type { CliParts } from '../../src/app/index.ts';
import { parsePolicies, PolicyError, type ParsedPolicy, type Problem } from '../../src/policy/index.ts';

/** One byte more than a policy may have, so that the parser says what is wrong and where. */
const READ_AT_MOST = 1_048_576;

/** readPolicies reads the valid policies of a file. Throws PolicyError with every problem, or FileError. */
export async function readPolicies(path: string, parts: CliParts): Promise<readonly ParsedPolicy[]> {
  const file = path === '-' ? 'stdin' : path;
  const { policies, problems } = parsePolicies(await parts.readText(path, READ_AT_MOST), file);
  const [first, ...more] = problems;
  if (first !== undefined) throw new PolicyError([first, ...more]);
  return policies;
}

/** readOnePolicy reads a file that holds exactly one policy, as a what-if needs it. */
export async function readOnePolicy(path: string, parts: CliParts): Promise<ParsedPolicy> {
  const policies = await readPolicies(path, parts);
  const [only, second] = policies;
  if (only === undefined || second !== undefined)
    throw new PolicyError([severalPolicies(path, policies.length, second)]);
  return only;
}

function severalPolicies(path: string, count: number, second: ParsedPolicy | undefined): Problem {
  const end = second?.places.document.contents?.range?.[0] ?? 0;
  const { line, col } = second?.places.lines.linePos(end) ?? { line: 1, col: 1 };
  return {
    level: 'error',
    rule: 'one-policy',
    path: '',
    message: `the file holds ${count} policies; a what-if takes exactly one`,
    hint: 'Put the draft into a file of its own',
    file: path === '-' ? 'stdin' : path,
    line,
    column: col,
  };
}
