import { parseAllDocuments } from 'yaml';
import { withService } from '../service/client.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { parseOutputs, writeOutputs } from '../terminal/output.ts';
import { openParts } from '../terminal/parts.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { ServiceFlags } from '../service/index.ts';

/** ConfigExportOptions are the flags of `ipo config export`. */
export interface ConfigExportOptions extends ServiceFlags {
  readonly output: readonly string[];
}

/** runConfigExport is `ipo config export`. */
export async function runConfigExport(options: ConfigExportOptions, terminal: Terminal): Promise<ExitCode> {
  const targets = parseOutputs(options.output, ['yaml', 'json'], 'yaml');
  const { text } = await withService(terminal, options, (service) => service.text('GET /config/export'));
  const json = () => {
    const documents = parseAllDocuments(text).map((one) => one.toJS({ maxAliasCount: 0 }) as unknown);
    return `${JSON.stringify({ documents })}\n`;
  };
  await writeOutputs(targets, (format) => (format === 'json' ? json() : text), openParts(terminal), terminal);
  return EXIT.done;
}
