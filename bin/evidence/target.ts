import { assertNew } from '../files/index.ts';
import { openParts } from '../terminal/parts.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../terminal/usage.ts';

/** holdTarget refuses a file that cannot be the package's. Throws UsageError. */
export async function holdTarget(out: string, force: boolean, terminal: Terminal): Promise<void> {
  if (!out.endsWith('.zip'))
    throw new UsageError(`--out ${out}: a package is a .zip file`, 'Write --out evidence.zip');
  await assertNew(out, openParts(terminal), force);
}
