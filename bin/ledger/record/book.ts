import { readReports, type CliParts } from '../../../src/app/index.ts';
import { eachOf, parseDuration, printable } from '../../../src/base/index.ts';
import { FactBook } from '../../../src/checks/index.ts';
import { parseReference } from '../../../src/image/index.ts';
import type { LedgerRow } from '../../../src/ledger/index.ts';
import { asReferences } from '../../../src/recording/index.ts';
import type { ScanReport } from '../../../src/scan/index.ts';
import { LazyRegistry } from '../../check/lazy-registry.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { UsageError } from '../../terminal/usage.ts';
import type { LedgerRecordOptions } from './options.ts';

/** Images that registries are asked about at once. */
const AT_ONCE = 8;

/** openBook gathers what reports, the catalogue and registries tell of the images of rows. Throws FileError and ReportError. */
export async function openBook(
  rows: readonly Omit<LedgerRow, 'id'>[],
  own: readonly ScanReport[],
  options: LedgerRecordOptions,
  io: { parts: CliParts; terminal: Terminal; say: (text: string) => void },
): Promise<FactBook> {
  const { parts, terminal, say } = io;
  const given: ScanReport[] = [];
  for (const path of new Set(options.trivy)) given.push(...(await readReports(path, parts)));
  const kev = options.kev === undefined ? null : await parts.readKev(options.kev);
  const book = new FactBook({
    images: new Map(),
    reports: [...own, ...given],
    kev,
    byName: true,
    platform: null,
  });
  if (options.registry === true) await askRegistries(asReferences(rows), book, options, terminal, say);
  return book;
}

async function askRegistries(
  references: readonly string[],
  book: FactBook,
  options: LedgerRecordOptions,
  terminal: Terminal,
  say: (text: string) => void,
): Promise<void> {
  const { registryTimeout = '30s' } = options;
  const timeout = parseDuration(registryTimeout);
  if (timeout === null || timeout < 1000 || timeout > 600_000)
    throw new UsageError(
      `--registry-timeout ${printable(registryTimeout)}: not a duration from 1s to 10m`,
      'Write it as 30s',
    );
  const registry = new LazyRegistry(options, timeout, terminal.env);
  const said = new Map<string, number>();
  try {
    await eachOf(references, AT_ONCE, async (text) => {
      const reference = parseReference(text);
      if ('fault' in reference) return;
      const answer = await registry.ask(reference);
      book.learn(reference, answer);
      for (const problem of answer.problems) said.set(problem, (said.get(problem) ?? 0) + 1);
    });
  } finally {
    await registry.close();
  }
  for (const [problem, count] of said) say(count === 1 ? problem : `${problem} (${count} images)`);
}
