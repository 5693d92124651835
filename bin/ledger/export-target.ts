import type { CliParts } from '../../src/app/index.ts';
import { assertNew } from '../files/index.ts';
import { parseOneOutput } from '../terminal/output.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../terminal/usage.ts';

const EXPORTS = ['ndjson', 'ndjson.gz', 'ndjson.zst'] as const;
const ENDINGS = { '.ndjson.gz': 'ndjson.gz', '.ndjson.zst': 'ndjson.zst', '.ndjson': 'ndjson' } as const;

/** exportTarget reads where an export goes: the path of a file, or null for stdout. Throws UsageError. */
export async function exportTarget(
  { output, force }: { readonly output: readonly string[]; readonly force?: true },
  parts: CliParts,
  terminal: Terminal,
): Promise<string | null> {
  const target = parseOneOutput(output, EXPORTS, 'ndjson', ENDINGS);
  const path = target?.path ?? null;
  if (target === null && terminal.tty.out) {
    throw new UsageError(
      'an export cannot be printed to a terminal',
      'Name a file: -o ledger.ndjson.gz (or -o ndjson for stdout)',
    );
  }
  if (target !== null && path === null && target.format !== 'ndjson')
    throw new UsageError(
      'a compressed export cannot be printed to a terminal',
      `Write -o ${target.format}=ledger.${target.format}`,
    );
  if (path !== null && !/\.ndjson(\.gz|\.zst)?$/.test(path) && !path.startsWith('/dev/'))
    throw new UsageError(
      `-o ${path}: not a valid name of an export`,
      'Use the ending .ndjson, .ndjson.gz or .ndjson.zst',
    );
  if (path !== null) await assertNew(path, parts, force === true);
  return path;
}
