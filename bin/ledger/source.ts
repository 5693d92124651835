import { findDatabase } from '../files/index.ts';
import type { LedgerFlags } from './source-flags.ts';
import { readServiceConfig } from '../service/config.ts';
import type { ServiceFlags } from '../service/flags.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../terminal/usage.ts';

/** LedgerSource is where the ledger is. */
export type LedgerSource =
  | { readonly kind: 'ledger'; readonly path: string }
  | { readonly kind: 'database'; readonly url: string; readonly name: string }
  | { readonly kind: 'server'; readonly flags: ServiceFlags };

/** findLedger settles where the ledger is: in an export, in a database, else at the service. Throws UsageError. */
export function findLedger(
  options: LedgerFlags,
  { env }: Pick<Terminal, 'env'>,
  sources = 'an export with --ledger FILE, a database with --database URL, or a service with --server URL',
): LedgerSource {
  const { ledger, database, server, tokenStdin, ca } = options;
  const named = [
    ...(ledger === undefined ? [] : ['--ledger']),
    ...(database === undefined ? [] : ['--database']),
    ...(server === undefined ? [] : ['--server']),
  ];
  if (named.length > 1)
    throw new UsageError(`${named.join(' and ')} exclude each other`, 'Name one source of the ledger');
  const calls = ledger === undefined && database === undefined;
  for (const [flag, given] of [
    ['--token-stdin', tokenStdin],
    ['--ca', ca],
  ] as const)
    if (!calls && given !== undefined)
      throw new UsageError(`${flag} needs a service, and ${named[0]} calls none`);
  if (ledger !== undefined) {
    if (ledger === '')
      throw new UsageError('--ledger "": the path is empty', 'Give an export, or - for stdin');
    return { kind: 'ledger', path: ledger };
  }
  if (database !== undefined) {
    const url = findDatabase(database === true ? undefined : database, env);
    return { kind: 'database', url, name: url.startsWith('sqlite:') ? url : 'the database' };
  }
  if (
    server === undefined &&
    (env['IPO_SERVER'] ?? '').trim() === '' &&
    readServiceConfig(env).current === null
  ) {
    throw new UsageError('no ledger given', `Give ${sources}`);
  }
  return { kind: 'server', flags: serviceFlags(options) };
}

function serviceFlags({ server, tokenStdin, ca }: LedgerFlags): ServiceFlags {
  return {
    ...(typeof server === 'string' && { server }),
    ...(tokenStdin && { tokenStdin }),
    ...(ca !== undefined && { ca }),
  };
}
