import type { ErrorCode, IpoError } from '../../src/base/index.ts';
import type { PolicyError } from '../../src/policy/index.ts';
import { ChoiceError } from './choice.ts';
import type { GlobalOptions, Terminal } from './terminal.ts';

/** A problem has its place itself, or is an error that has one. */
type Problem = PolicyError['problems'][number] | IpoError;

/** EXIT lists every exit code; the output format never changes them. */
export const EXIT = {
  done: 0,
  /** Done, and a check did not hold; or what was named by its id or name is not there. */
  check: 1,
  /** Wrong usage, an invalid policy or export. */
  usage: 2,
  /** Something outside failed: file, server, credential, network. */
  outside: 3,
  /** An integrity check failed. */
  integrity: 4,
  /** Inconclusive under `--strict`. */
  inconclusive: 5,
} as const;

/** ExitCode is one of the documented codes. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const CODES: Readonly<Record<ErrorCode, ExitCode>> = {
  usage: EXIT.usage,
  invalid_policy: EXIT.usage,
  invalid_facts: EXIT.usage,
  invalid_report: EXIT.usage,
  invalid_manifest: EXIT.usage,
  unknown_source: EXIT.usage,
  out_of_range: EXIT.usage,
  damaged: EXIT.usage,
  truncated: EXIT.usage,
  format: EXIT.usage,
  empty: EXIT.usage,
  too_large: EXIT.usage,
  not_text: EXIT.usage,
  unreadable: EXIT.outside,
  unwritable: EXIT.outside,
  invalid_request: EXIT.usage,
  invalid_config: EXIT.usage,
  unauthenticated: EXIT.outside,
  bad_credentials: EXIT.outside,
  forbidden: EXIT.outside,
  locked_out: EXIT.outside,
  not_found: EXIT.check,
  conflict: EXIT.outside,
  precondition_failed: EXIT.outside,
  precondition_required: EXIT.usage,
  rate_limited: EXIT.outside,
  unavailable: EXIT.outside,
  network: EXIT.outside,
  server_fault: EXIT.outside,
  port_taken: EXIT.outside,
  key_missing: EXIT.outside,
  migration: EXIT.outside,
  integrity: EXIT.integrity,
};

/** report prints a fault as `ipo: place: what is wrong. What to do.` and gives the exit code that belongs to it. */
export async function report(
  error: unknown,
  terminal: Terminal,
  options: Pick<GlobalOptions, 'verbose'>,
  program = 'ipo',
): Promise<ExitCode> {
  const { clean: cleaned } = await import('./clean.ts'); // loads a part of the core, which a start without a fault does not need
  const clean = (text: string): string => cleaned(text, 1000);
  if (!isExpected(error)) {
    const message = clean(error instanceof Error ? error.message : String(error));
    terminal.err(
      `${program}: unexpected error: ${message}\nPlease report it, with the output of the same command under --verbose.\n`,
    );
    if (options.verbose && error instanceof Error) terminal.err(`${error.stack ?? ''}\n`);
    return EXIT.outside;
  }
  const faults = await faultsOf(error);
  for (const { place, message, hint } of faults) {
    const where = [place?.file, place?.line, place?.column].filter((part) => part !== undefined);
    // Names and values of the input stand in all three, so none may speak to the terminal or to a CI system.
    terminal.err(
      `${program}: ${where.map((part) => `${clean(String(part))}:`).join('')}${where.length > 0 ? ' ' : ''}${clean(message)}\n`,
    );
    if (hint !== null && hint !== undefined) terminal.err(`  ${asSentence(clean(hint))}\n`);
  }
  if (options.verbose) terminal.err(`${error.stack ?? ''}\n`);
  return CODES[error.code];
}

type Fault = Pick<IpoError, 'message' | 'place' | 'hint'>;

const WITH_PROBLEMS: readonly ErrorCode[] = ['invalid_policy', 'invalid_config', 'invalid_manifest'];

/** All that an error reports: the problems of a document, each with its place, or the error itself. */
async function faultsOf(error: IpoError): Promise<readonly Fault[]> {
  if (error instanceof ChoiceError) return [await withMeant(error)];
  if (!WITH_PROBLEMS.includes(error.code) || !('problems' in error)) return [error];
  return (error.problems as readonly Problem[]).map((problem) => ({
    place: 'place' in problem ? problem.place : problem,
    message: problem.message,
    hint: problem.hint ?? undefined,
  }));
}

/** A choice that was misspelt is named. */
async function withMeant({ message, value, choices }: ChoiceError): Promise<Fault> {
  const { nearest } = await import('../../src/base/index.ts');
  const meant = nearest(value, choices);
  return { message, place: undefined, hint: meant === null ? undefined : `Did you mean "${meant}"?` };
}

/** asSentence ends a hint with a period where it has no end of its own. */
export function asSentence(hint: string): string {
  return /[.?!…]$/.test(hint) ? hint : `${hint}.`;
}

/** By its shape: the classes would load a part of the core into every start, `--version` included. */
function isExpected(error: unknown): error is IpoError {
  return (
    error instanceof Error &&
    'code' in error &&
    Object.hasOwn(CODES, String(error.code)) &&
    'place' in error &&
    'hint' in error
  );
}
