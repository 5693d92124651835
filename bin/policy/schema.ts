import { loadAuthoring } from '../../src/policy/index.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { parseOutputs, writeOutputs } from '../terminal/output.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { openParts } from '../terminal/parts.ts';

/** PolicySchemaOptions are the flags of `ipo policy schema`. */
export interface PolicySchemaOptions {
  readonly output: readonly string[];
}

/** runPolicySchema is `ipo policy schema`. */
export async function runPolicySchema(options: PolicySchemaOptions, terminal: Terminal): Promise<ExitCode> {
  const targets = parseOutputs(options.output, ['json'], 'json');
  const { policyJsonSchema } = await loadAuthoring();
  // Indented, unlike other JSON: people keep this file beside their policies and read its changes.
  const text = `${JSON.stringify(policyJsonSchema(), null, 2)}\n`;
  await writeOutputs(targets, () => text, openParts(terminal), terminal);
  return EXIT.done;
}
