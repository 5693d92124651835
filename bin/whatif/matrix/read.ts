import { decompressed, type CliParts } from '../../../src/app/index.ts';
import { openPopulation, type Population } from '../../../src/advice/index.ts';
import type { PolicySpec } from '../../../src/policy/index.ts';
import { readExport, type LedgerExport } from '../../../src/ledger/index.ts';
import { MAX_DAYS, sourceOf } from '../../../src/whatif/index.ts';
import { withService } from '../../service/client.ts';
import type { ServiceFlags } from '../../service/index.ts';
import { parseWhole } from '../../terminal/numbers.ts';
import { Progress } from '../../terminal/progress.ts';
import type { GlobalOptions, Terminal } from '../../terminal/terminal.ts';
import { UsageError } from '../../terminal/usage.ts';
import { parseMoment, warnAhead } from '../answer.ts';
import { periodQuery } from '../period-query.ts';

/** LedgerChoice says over which ledger advice is given. */
export interface LedgerChoice extends Omit<ServiceFlags, 'server'> {
  readonly ledger?: string;
  readonly server?: string | true;
  readonly days: string;
  readonly asOf?: string;
}

/** readPopulation reads the ledger that is chosen: an export, or what a service exports. Throws UsageError, FileError, LedgerError, ServiceError. */
export async function readPopulation(
  choice: LedgerChoice,
  base: PolicySpec | null,
  parts: CliParts,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<Population> {
  const { ledger, server } = choice;
  if (ledger !== undefined && server !== undefined)
    throw new UsageError('--ledger and --server exclude each other', 'Name the one ledger that is meant');
  const days = parseWhole('--days', choice.days, 1, MAX_DAYS, 'the period');
  const asOf = choice.asOf === undefined ? null : parseMoment('--as-of', choice.asOf);
  warnAhead(asOf, parts, terminal, globals);
  const progress = new Progress(terminal, globals, parts.clock.now);
  const take = async (opened: LedgerExport): Promise<Population> => {
    try {
      return await openPopulation(
        sourceOf(opened),
        { asOf: asOf ?? opened.header.exportedAt, days, namespaces: base?.targetNamespaces ?? [] },
        (rows) => progress.rows(rows),
      );
    } finally {
      progress.end();
      await opened.close();
    }
  };
  if (ledger !== undefined)
    return take(await parts.openLedger(ledger, (read, size) => progress.bytes(read, size)));
  if (server === undefined)
    throw new UsageError(
      'no ledger given',
      'Name an export: --ledger FILE (or - for stdin), or a service: --server URL',
    );
  const { tokenStdin, ca } = choice;
  const flags = {
    ...(typeof server === 'string' && { server }),
    ...(tokenStdin && { tokenStdin }),
    ...(ca !== undefined && { ca }),
  };
  return withService(terminal, flags, async (service) => {
    const { body } = await service.stream('GET /ledger/export', { query: periodQuery(asOf, days) });
    return take(await readExport(await decompressed(body), service.server));
  });
}
