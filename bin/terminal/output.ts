import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { nearest } from '../../src/base/index.ts';
import type { CliParts } from '../../src/app/index.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage.ts';

/** OutputTarget is one `-o FORMAT[=PATH]`; path null or `-` is stdout. */
export interface OutputTarget<F extends string> {
  readonly format: F;
  readonly path: string | null;
}

/** What to write for a value that looks like the name of a file. */
function fileHint(value: string, formats: readonly string[]): string | undefined {
  if (value.includes('=') || !/[./\\]/.test(value)) return undefined;
  const format = formats.find((known) => value.endsWith(`.${known}`)) ?? formats[0];
  return `To write a file: -o ${format}=${value}`;
}

/** parseTarget reads one value of `-o`. Throws UsageError. */
function parseTarget<F extends string>(value: string, formats: readonly F[], hint?: string): OutputTarget<F> {
  const equals = value.indexOf('=');
  const name = equals === -1 ? value : value.slice(0, equals);
  const path = equals === -1 ? null : value.slice(equals + 1);
  const format = formats.find((known) => known === name);
  if (format === undefined) {
    const close = nearest(name, formats);
    throw new UsageError(
      `-o ${name}: not a format of this command; it writes ${formats.join(', ')}`,
      close === null ? (hint ?? fileHint(value, formats)) : `Did you mean "${close}"?`,
    );
  }
  if (path === '')
    throw new UsageError(
      `-o ${value}: the path after = is empty`,
      `Write -o ${name}=PATH, or -o ${name} for stdout`,
    );
  return { format, path: path === '-' ? null : path };
}

/**
 * parseOneOutput reads `-o` of a command that writes one document: FORMAT[=PATH], or the name of a file, whose ending says the format
 * (`endings`, the longest first), or `-`. Null where it was not given. Throws UsageError.
 */
export function parseOneOutput<F extends string>(
  values: readonly string[],
  formats: readonly F[],
  standard: F,
  endings: Readonly<Record<string, F>>,
): OutputTarget<F> | null {
  const [value, second] = values;
  if (value === undefined) return null;
  if (second !== undefined)
    throw new UsageError('-o is given twice, but this command writes one document', 'Give it only once');
  if (value === '-') return { format: standard, path: null };
  const formatOf = (path: string): F | undefined =>
    Object.entries(endings).find(([ending]) => path.endsWith(ending))?.[1];
  const named = value.includes('=') ? undefined : formatOf(value);
  if (named !== undefined) return { format: named, path: value };
  if (value.startsWith('/dev/')) return { format: standard, path: value };
  const target = parseTarget(
    value,
    formats,
    `The ending of the file gives the format: ${Object.keys(endings).join(', ')}`,
  );
  const says = target.path === null ? undefined : formatOf(target.path);
  if (says !== undefined && says !== target.format)
    throw new UsageError(
      `-o ${value}: the name of the file ends in ${says}`,
      `Write -o ${says}=${target.path}`,
    );
  return target;
}

/**
 * parseOutputs reads the values of `-o`, checks them against the formats of the command, and gives the default where
 * there is none. Only one result may go to stdout, and none over one of the `inputs` of the run. Throws UsageError.
 */
export function parseOutputs<F extends string>(
  values: readonly string[],
  formats: readonly F[],
  standard: F,
  inputs: readonly (string | undefined)[] = [],
): readonly OutputTarget<F>[] {
  const targets = values.map((value) => parseTarget(value, formats));
  if (targets.filter(({ path }) => path === null).length > 1) {
    throw new UsageError(
      'only one result can go to stdout',
      'Give each other result a file: -o html=report.html',
    );
  }
  const paths = targets.flatMap(({ path }) => (path === null ? [] : [path]));
  const twice = paths.find((path, i) => paths.indexOf(path) !== i);
  if (twice !== undefined) throw new UsageError(`two results cannot be written to ${twice}`);
  const read = new Set(inputs.flatMap((path) => (path === undefined || path === '-' ? [] : [whereIs(path)])));
  const clash = targets.find(({ path }) => path !== null && read.has(whereIs(path)));
  if (clash?.path) {
    throw new UsageError(
      `-o ${clash.format}=${clash.path}: this file is an input of the same command`,
      'Name another file for the result',
    );
  }
  return targets.length === 0 ? [{ format: standard, path: null }] : targets;
}

function whereIs(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path); // not there yet, so it is nothing that is read
  }
}

/**
 * writeOutputs renders every target before it writes the first, so that a fault leaves nothing half-done; files first, stdout last.
 * `render` gets `toStdout`, since colour is only for a terminal.
 */
export async function writeOutputs<F extends string>(
  targets: readonly OutputTarget<F>[],
  render: (format: F, toStdout: boolean) => string | Promise<string>,
  parts: Pick<CliParts, 'writeFile'>,
  terminal: Pick<Terminal, 'out'>,
): Promise<void> {
  const rendered: { path: string | null; text: string }[] = [];
  for (const { format, path } of targets) rendered.push({ path, text: await render(format, path === null) });
  for (const { path, text } of rendered) if (path !== null) await parts.writeFile(path, text);
  for (const { path, text } of rendered) if (path === null) terminal.out(text);
}
