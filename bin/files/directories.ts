import type { CliParts } from '../../src/app/index.ts';
import { clean } from '../terminal/clean.ts';
import { UsageError } from '../terminal/usage.ts';

/** What the files of a directory end in to be read from it. */
const ENDINGS = ['.yaml', '.yml', '.json'];
/** Tests of policies stand beside them, and are not policies. */
const TESTS = /\.test\.(?:ya?ml|json)$/;

/** isTestFile tells a file of test cases by its name. */
export function isTestFile(path: string): boolean {
  return TESTS.test(path);
}

/**
 * withDirectories puts the files below a directory in its place, in the order of their paths, each file once; `what` names what is looked
 * for in them. Throws UsageError for a directory without any, and FileError.
 */
export async function withDirectories(
  paths: readonly string[],
  what: string,
  parts: Pick<CliParts, 'listFiles'>,
  endings: readonly string[] = ENDINGS,
): Promise<readonly string[]> {
  const files = new Set<string>();
  for (const path of paths) {
    const found = path === '-' ? null : await filesIn(path, endings, parts);
    if (found?.length === 0)
      throw new UsageError(
        `${clean(path)}: the directory contains no ${what} file`,
        `Files must end in ${endings.join(', ')}`,
      );
    for (const file of found ?? [path]) files.add(file);
  }
  return [...files];
}

async function filesIn(
  path: string,
  endings: readonly string[],
  parts: Pick<CliParts, 'listFiles'>,
): Promise<readonly string[] | null> {
  const found = await parts.listFiles(path, endings);
  return endings === ENDINGS ? (found?.filter((file) => !isTestFile(file)) ?? null) : found;
}
