import { openReplayDatabase, type ReplayDatabase } from '../../src/app/index.ts';
import { runSelfCheck, runWhatIf } from '../../src/whatif/index.ts';
import type { WhatIfOptions } from './options.ts';
import { findDatabase, readOnePolicy } from '../files/index.ts';
import type { ExitCode } from '../terminal/exit.ts';
import { openParts } from '../terminal/parts.ts';
import { Progress } from '../terminal/progress.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import { deliver, parseParameters, parseWanted, toDraft, warnAhead } from './answer.ts';
import { checkFlags, draftPath } from './flags.ts';
import { deliverSelfCheck, parseSelfCheck } from './self-check.ts';

/** runWhatIfOnDatabase is `ipo whatif --database`: the replay of a service's ledger on this machine, with no service asked. */
export async function runWhatIfOnDatabase(
  policyPath: string | undefined,
  options: WhatIfOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const selfCheck = options.selfCheck === true ? parseSelfCheck(policyPath, options) : null;
  const wanted = parseWanted(selfCheck === null ? options : {}, [policyPath]);
  const parameters = parseParameters(options);
  checkFlags(options, '--database');
  const url = findDatabase(options.database, terminal.env);
  const parts = openParts(terminal);
  warnAhead(parameters.asOf, parts, terminal, globals);
  const draft = selfCheck === null ? await readOnePolicy(draftPath(policyPath, options), parts) : null;
  const replayed = { ...parameters, asOf: parameters.asOf ?? parts.clock.now() };
  const progress = new Progress(terminal, globals, parts.clock.now);
  const rows = (count: number): void => progress.rows(count);
  const database = await openReplayDatabase(url, options.coldImagePolicy ?? 'AllowAndScan');
  try {
    if (draft === null || selfCheck !== null) return await check(database);
    const { policy, places } = draft;
    const request = { draft: policy, ...replayed, source: options.source ?? null };
    const result = await runWhatIf(request, database.source, rows);
    progress.end();
    const answer = { result, json: JSON.stringify(result), draft: toDraft(places) };
    return await deliver(answer, wanted, parts, terminal, globals);
  } finally {
    progress.end();
    await database.close();
  }

  async function check({ source }: ReplayDatabase): Promise<ExitCode> {
    const result = await runSelfCheck(replayed, source, rows);
    progress.end();
    const name = url.startsWith('sqlite:') ? url : 'the database';
    return deliverSelfCheck(result, name, options.strict === true, selfCheck ?? [], parts, terminal, globals);
  }
}
