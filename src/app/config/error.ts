import { IpoError } from '../../base/index.ts';

/** ConfigProblem is one thing wrong with the configuration; `file` is where it stands: a file, a variable or a flag. */
export interface ConfigProblem {
  readonly file: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  /** As `ledger.spool.maxRows`; empty for the whole. */
  readonly path: string;
  readonly message: string;
  readonly hint: string | null;
}

/** ConfigError carries everything that is wrong with a configuration, the first in its message. No value is repeated. */
export class ConfigError extends IpoError {
  override readonly name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly [ConfigProblem, ...ConfigProblem[]]) {
    const [{ file, line, column, message, hint }] = problems;
    super('invalid_config', message, { place: { file, line, column }, hint: hint ?? undefined });
    this.problems = problems;
  }
}
