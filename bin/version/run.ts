import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { openOutcome } from '../terminal/outcome.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { COMMIT, VERSION } from '../terminal/version.ts';

/** VersionOptions are the flags of `ipo version`. */
export interface VersionOptions {
  readonly output: readonly string[];
}

/** runVersion is `ipo version`. */
export async function runVersion({ output }: VersionOptions, terminal: Terminal): Promise<ExitCode> {
  const { version: node, platform, arch } = process;
  const body = { version: VERSION, commit: COMMIT, node, platform: `${platform}/${arch}` };
  const lines = [
    `ipo       ${VERSION}`,
    `commit    ${COMMIT ?? 'unknown'}`,
    `Node.js   ${node}`,
    `platform  ${body.platform}`,
    '',
  ];
  await openOutcome(output, terminal).write(body, lines.join('\n'));
  return EXIT.done;
}
