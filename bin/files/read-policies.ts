import { IpoError, isIpoError } from '../../src/base/index.ts';
import type { CliParts } from '../../src/app/index.ts';
import {
  MAX_POLICY_BYTES,
  parsePolicies,
  parseRecordedPolicy,
  placeOf,
  PolicyError,
  type ParsedPolicy,
  type Policy,
  type PolicyFile,
  type Problem,
} from '../../src/policy/index.ts';
import { UsageError } from '../terminal/usage.ts';

/** More than a policy file may have, so that the parser says what is wrong and where. */
const READ_AT_MOST = MAX_POLICY_BYTES * 4;

/** SourceText is a policy file as read; the text is null when it is none that can be read as text. */
export interface SourceText {
  readonly text: string | null;
  readonly file: PolicyFile;
}

/**
 * readPolicyText reads a policy file with all its problems. That it is too large or not UTF-8 is a problem of the
 * file like any other; a file that cannot be read at all throws FileError `unreadable`.
 */
export async function readPolicyText(path: string, parts: CliParts): Promise<SourceText> {
  const name = path === '-' ? 'stdin' : path;
  try {
    const text = await parts.readText(path, READ_AT_MOST);
    return { text, file: parsePolicies(text, name) };
  } catch (error) {
    if (!isIpoError(error) || (error.code !== 'too_large' && error.code !== 'not_text')) throw error;
    const [rule, message, hint] =
      error.code === 'too_large'
        ? ([
            'size',
            `the file is larger than ${MAX_POLICY_BYTES / 1024} KiB, the maximum for a policy file`,
            'Check that it is the right file',
          ] as const)
        : (['encoding', 'the file is not UTF-8 text', 'Save it as UTF-8'] as const);
    const problem = {
      level: 'error',
      rule,
      path: '',
      message,
      hint,
      file: name,
      line: 1,
      column: 1,
    } as const;
    return { text: null, file: { file: name, policies: [], problems: [problem], invalid: 1 } };
  }
}

/** checkStdin refuses a command line that would read stdin twice. Throws UsageError. */
export function checkStdin(paths: readonly (string | undefined)[]): void {
  if (paths.filter((path) => path === '-').length > 1) {
    throw new UsageError('only one input can come from stdin', 'Name a file for each of the others');
  }
}

/** readInForce reads the policies in effect, from a policy file or a ledger export. Throws PolicyError, LedgerError, FileError. */
export async function readInForce(path: string, parts: CliParts): Promise<readonly Policy[]> {
  const text = await parts.readText(path, READ_AT_MOST).catch((error: unknown) => {
    if (path !== '-' && isIpoError(error) && (error.code === 'too_large' || error.code === 'not_text'))
      return null;
    throw error;
  });
  if (text !== null && !/^\s*\{\s*"type"\s*:/.test(text)) {
    const { policies, problems } = parsePolicies(text, path === '-' ? 'stdin' : path);
    const [first, ...more] = problems;
    if (first !== undefined) throw new PolicyError([first, ...more]);
    return policies.map(({ policy }) => policy);
  }
  if (path === '-')
    throw new UsageError(
      '--against -: a ledger export cannot come from stdin',
      'Save the export, and name the file',
    );
  const ledger = await parts.openLedger(path);
  await ledger.close();
  return ledger.policies.flatMap(({ name, revision, current, document }) => {
    const policy = current ? parseRecordedPolicy(document, name, revision) : null;
    return policy === null ? [] : [policy];
  });
}

/** readPolicies reads the valid policies of a file. Throws PolicyError with every problem, or FileError. */
export async function readPolicies(path: string, parts: CliParts): Promise<readonly ParsedPolicy[]> {
  const file = path === '-' ? 'stdin' : path;
  let text: string;
  try {
    text = await parts.readText(path, READ_AT_MOST);
  } catch (error) {
    if (isIpoError(error) && error.code === 'too_large')
      throw new IpoError('too_large', error.message, {
        hint: `A policy file has at most ${MAX_POLICY_BYTES / 1024} KiB; give a ledger export with --ledger`,
        cause: error,
      });
    const [, packed] = /: is (gzip|zstd) data/.exec((error as Error).message) ?? [];
    throw packed === undefined ? error : isNoPolicy(file, `${packed} data (a ledger export?)`, error);
  }
  if (/^\s*\{\s*"type"\s*:\s*"header"/.test(text)) throw isNoPolicy(file, 'a ledger export');
  const { policies, problems } = parsePolicies(text, file);
  const [first, ...more] = problems;
  if (first !== undefined) throw new PolicyError([first, ...more]);
  return policies;
}

/** A ledger that stands where the policy belongs: the two are easily given the wrong way round. */
function isNoPolicy(file: string, what: string, cause?: unknown): IpoError {
  return new IpoError('not_text', `${file}: is ${what}, not a policy`, {
    hint: 'Give a ledger export with --ledger',
    cause,
  });
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
  const { line, column } = second === undefined ? { line: 1, column: 1 } : placeOf(second.places, []);
  return {
    level: 'error',
    rule: 'one-policy',
    path: '',
    message: `the file contains ${count} policies; a what-if takes exactly one`,
    hint: 'Put the draft into a file of its own',
    file: path === '-' ? 'stdin' : path,
    line,
    column,
  };
}
