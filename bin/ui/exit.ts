import type { IpoError } from '../../src/base/index.ts';
import type { PolicyError } from '../../src/policy/index.ts';
import type { GlobalOptions, Terminal } from './terminal.ts';

/** EXIT lists every exit code; the output format never changes them. */
export const EXIT = {
  done: 0,
  /** Done, and a check did not hold. */
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

const CODES: Readonly<Record<string, ExitCode>> = {
  usage: EXIT.usage,
  unknown_source: EXIT.usage,
  out_of_range: EXIT.usage,
  invalid_policy: EXIT.usage,
  invalid_facts: EXIT.usage,
  invalid_report: EXIT.usage,
  invalid_manifest: EXIT.usage,
  damaged: EXIT.usage,
  truncated: EXIT.usage,
  format: EXIT.usage,
  empty: EXIT.usage,
  damaged_stream: EXIT.usage,
  too_large: EXIT.usage,
  not_text: EXIT.usage,
  unreadable: EXIT.outside,
  unwritable: EXIT.outside,
};

/** report prints a fault as `ipo: place: what is wrong. What to do.` and gives the exit code that belongs to it. */
export function report(
  error: unknown,
  terminal: Terminal,
  options: Pick<GlobalOptions, 'verbose'>,
): ExitCode {
  if (!isExpected(error)) {
    const message = error instanceof Error ? error.message : String(error);
    terminal.err(
      `ipo: unexpected fault: ${message}\nPlease report it, with the output of the same command under --verbose.\n`,
    );
    if (options.verbose && error instanceof Error) terminal.err(`${error.stack ?? ''}\n`);
    return EXIT.outside;
  }
  if (error.code === 'invalid_policy') {
    for (const { file, line, column, message, hint } of (error as PolicyError).problems) {
      terminal.err(
        `ipo: ${file}:${line}:${column}: ${message}\n${hint === null ? '' : `  ${asSentence(hint)}\n`}`,
      );
    }
    return EXIT.usage;
  }
  const { place } = error;
  const where =
    place === undefined
      ? ''
      : `${[place.file, place.line, place.column].filter((part) => part !== undefined).join(':')}: `;
  terminal.err(
    `ipo: ${where}${error.message}\n${error.hint === undefined ? '' : `  ${asSentence(error.hint)}\n`}`,
  );
  if (options.verbose) terminal.err(`${error.stack ?? ''}\n`);
  return CODES[error.code] ?? EXIT.outside;
}

/** asSentence ends a hint with a period where it has no end of its own. */
export function asSentence(hint: string): string {
  return /[.?!…]$/.test(hint) ? hint : `${hint}.`;
}

/** By its shape: the classes would load a part of the core into every start, `--version` included. */
function isExpected(error: unknown): error is IpoError {
  return error instanceof Error && 'code' in error && 'place' in error && 'hint' in error;
}
