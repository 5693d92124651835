import { loadAuthoring, parsePolicies } from '../../src/policy/index.ts';
import { clean } from '../terminal/clean.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { assertNew } from '../files/index.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import { parseOutputs, writeOutputs } from '../terminal/output.ts';
import { openParts } from '../terminal/parts.ts';
import { UsageError } from '../terminal/usage.ts';

/** PolicyInitOptions are the flags of `ipo policy init`. */
export interface PolicyInitOptions {
  readonly out?: string;
  readonly force?: true;
  readonly enforce?: true;
  readonly namespaces?: string;
  readonly registries?: string;
  readonly output: readonly string[];
}

/** runPolicyInit is `ipo policy init`: it asks nothing, so that it does the same in a terminal and in a script. */
export async function runPolicyInit(
  name: string,
  options: PolicyInitOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const { out, force, enforce } = options;
  const targets = parseOutputs(options.output, ['yaml', 'json'], 'yaml');
  if (out !== undefined && options.output.length > 0)
    throw new UsageError('--out and -o exclude each other', 'Leave one of them out');
  if (force && out === undefined)
    throw new UsageError('--force needs --out', 'Add --out FILE, or leave --force out');
  if (out === '' || out === '-')
    throw new UsageError(`--out ${out || '""'}: not a valid file name`, 'Leave --out out to print to stdout');
  const namespaces = toList('--namespaces', options.namespaces);
  const registries = toList('--registries', options.registries);
  const { starterPolicy } = await loadAuthoring();
  const text = starterPolicy({ name, enforce: enforce === true, namespaces, registries });
  const [fault] = parsePolicies(text, 'policy').problems;
  if (fault !== undefined) throw new UsageError(fault.message, fault.hint ?? undefined);
  const parts = openParts(terminal);
  if (out === undefined) {
    const { policies } = parsePolicies(text, 'policy');
    const forms = { yaml: () => text, json: () => `${JSON.stringify(policies[0]?.written)}\n` };
    await writeOutputs(targets, (format) => forms[format](), parts, terminal);
    return EXIT.done;
  }
  await assertNew(out, parts, force === true);
  await parts.writeFile(out, text);
  if (!globals.quiet) terminal.err(`ipo: wrote ${clean(out)}; next: ipo policy lint ${clean(out)}\n`);
  return EXIT.done;
}

function toList(flag: string, value: string | undefined): string[] {
  if (value === undefined) return [];
  const entries = value.split(',').map((entry) => entry.trim());
  if (entries.some((entry) => entry === '')) {
    throw new UsageError(`${flag} ${value || '""'}: an entry is empty`, `Write ${flag} a,b without spaces`);
  }
  return entries;
}
