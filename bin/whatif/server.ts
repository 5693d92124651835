import { formatTime } from '../../src/base/index.ts';
import type { WhatIfOptions } from './options.ts';
import { clean } from '../terminal/clean.ts';
import type { ExitCode } from '../terminal/exit.ts';
import { openParts } from '../terminal/parts.ts';
import { checkStdin, readOnePolicy } from '../files/index.ts';
import { withService } from '../service/client.ts';
import { readServiceConfig } from '../service/config.ts';
import type { ServiceFlags } from '../service/flags.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../terminal/usage.ts';
import { deliver, parseParameters, parseWanted, toDraft, warnAhead } from './answer.ts';
import { askWhatIf } from './ask.ts';
import { checkFlags, draftPath } from './flags.ts';

/** runWhatIfOnServer is `ipo whatif --server`: the service replays its own ledger; outputs and exit codes are as offline. */
export async function runWhatIfOnServer(
  policyPath: string | undefined,
  options: WhatIfOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  if (options.selfCheck === true) {
    throw new UsageError(
      '--self-check cannot use a service',
      'Give an export with --ledger FILE, or a database with --database URL',
    );
  }
  const wanted = parseWanted(options, [policyPath]);
  const parameters = parseParameters(options);
  const path = draftPath(policyPath, options);
  const flags = serverFlags(options, terminal);
  checkFlags(options, '--server');
  checkStdin([path, options.tokenStdin === true ? '-' : undefined]);
  const parts = openParts(terminal);
  warnAhead(parameters.asOf, parts, terminal, globals);
  const draft = await readOnePolicy(path, parts);
  const answer = await withService(terminal, flags, (service) =>
    askWhatIf(service, {
      policy: draft.written,
      days: parameters.days,
      limit: parameters.limit,
      source: options.source,
      as_of: parameters.asOf === null ? undefined : formatTime(parameters.asOf),
      keep: options.keep === true,
    }),
  );
  const code = await deliver({ ...answer, draft: toDraft(draft.places) }, wanted, parts, terminal, globals);
  sayKept(options.keep === true, answer.result.run_id, terminal, globals);
  return code;
}

/** sayKept tells under which id a run was kept, or that it was not although it was asked for. */
export function sayKept(asked: boolean, id: string | null, terminal: Terminal, globals: GlobalOptions): void {
  if (!asked || globals.quiet) return;
  const said =
    id === null
      ? 'the service did not store the run: the answer is too large'
      : `stored as run ${clean(id)}; show it with ipo whatif show ${clean(id)}`;
  terminal.err(`ipo: ${said}\n`);
}

/** serverFlags gives which service is asked. Without any ledger named, it must be known from elsewhere. Throws UsageError. */
export function serverFlags({ server, tokenStdin, ca }: WhatIfOptions, { env }: Terminal): ServiceFlags {
  const known = (env['IPO_SERVER'] ?? '').trim() !== '' || readServiceConfig(env).current !== null;
  if (server === undefined && !known) {
    throw new UsageError(
      'no ledger given',
      'Give an export with --ledger FILE (or - for stdin), or a service with --server URL',
    );
  }
  return {
    ...(typeof server === 'string' && { server }),
    ...(tokenStdin && { tokenStdin }),
    ...(ca !== undefined && { ca }),
  };
}
