import { toYaml } from '../../src/render/index.ts';
import { parseOutputs, writeOutputs } from './output.ts';
import { openParts } from './parts.ts';
import type { Terminal } from './terminal.ts';

/** Outcome writes what a command has done. */
export interface Outcome {
  /** Whether only the text is wanted, so that no body needs to be read for it. */
  readonly isText: boolean;
  /** Writes it: `text` as it stands for people, `body` as JSON or YAML. */
  write(body: unknown, text: string): Promise<void>;
  /** Writes what the service answered, its JSON as it came; the table is only drawn where it is wanted. */
  answer(answered: Answered, table: () => string | Promise<string>): Promise<void>;
}

/** Answered is a body of the service, with the text it was read from. */
export interface Answered {
  readonly body: unknown;
  readonly text: string;
}

/**
 * openOutcome reads `-o` before anything is changed, so that a wrong one changes nothing; `inputs` are files that no output may be.
 * Throws UsageError.
 */
export function openOutcome(
  output: readonly string[],
  terminal: Terminal,
  inputs: readonly (string | undefined)[] = [],
): Outcome {
  const targets = parseOutputs(output, ['table', 'json', 'yaml'], 'table', inputs);
  const write = (forms: Readonly<Record<'table' | 'json' | 'yaml', () => string | Promise<string>>>) =>
    writeOutputs(targets, (format) => forms[format](), openParts(terminal), terminal);
  return {
    isText: targets.every(({ format }) => format === 'table'),
    write: (body, text) =>
      write({ table: () => text, json: () => `${JSON.stringify(body)}\n`, yaml: () => toYaml(body) }),
    answer: ({ body, text }, table) => write({ table, json: () => `${text}\n`, yaml: () => toYaml(body) }),
  };
}
