import { documentSchema } from '../../src/evidence/index.ts';
import { toYaml } from '../../src/render/index.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { parseOutputs, writeOutputs } from '../terminal/output.ts';
import { openParts } from '../terminal/parts.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { EvidenceShowOptions } from './options.ts';

/** runEvidenceSchema is `ipo evidence schema`. */
export async function runEvidenceSchema(options: EvidenceShowOptions, terminal: Terminal): Promise<ExitCode> {
  const targets = parseOutputs(options.output, ['json', 'yaml'] as const, 'json');
  const schema = documentSchema();
  await writeOutputs(
    targets,
    async (format) => (format === 'json' ? `${JSON.stringify(schema, null, 2)}\n` : toYaml(schema)),
    openParts(terminal),
    terminal,
  );
  return EXIT.done;
}
