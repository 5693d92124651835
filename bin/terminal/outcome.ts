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
}

/** openOutcome reads `-o` of a command that changes something: before anything is changed, so that a wrong one changes nothing. Throws UsageError. */
export function openOutcome(output: readonly string[], terminal: Terminal): Outcome {
  const targets = parseOutputs(output, ['table', 'json', 'yaml'], 'table');
  return {
    isText: targets.every(({ format }) => format === 'table'),
    write: (body, text) => {
      const forms = {
        table: () => text,
        json: () => `${JSON.stringify(body)}\n`,
        yaml: () => toYaml(body),
      };
      return writeOutputs(targets, (format) => forms[format](), openParts(terminal), terminal);
    },
  };
}
