import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decompressed, openReplayDatabase, writeLong, type CliParts } from '../../src/app/index.ts';
import { PolicyError, placeOf, type ParsedPolicy } from '../../src/policy/index.ts';
import { runWhatIfs, sourceOf, type ReplaySource } from '../../src/whatif/index.ts';
import { findDatabase, readPolicies, withDirectories } from '../files/index.ts';
import { withService } from '../service/client.ts';
import type { ExitCode } from '../terminal/exit.ts';
import { openParts } from '../terminal/parts.ts';
import { Progress } from '../terminal/progress.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../terminal/usage.ts';
import { parseParameters, toDraft, warnAhead, type Parameters } from './answer.ts';
import { checkFlags } from './flags.ts';
import type { WhatIfOptions } from './options.ts';
import { periodQuery } from './period-query.ts';
import { serverFlags } from './server.ts';
import { deliverSeveral, parseSeveral } from './several-answer.ts';

/**
 * runSeveral is `ipo whatif` with several policies: one reading of the ledger answers on each, and on all of them together. The ledger of a
 * service is exported first, since one request of it replays one draft.
 */
export async function runSeveral(
  paths: readonly string[],
  options: WhatIfOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  checkOne(options);
  const parameters = parseParameters(options);
  const parts = openParts(terminal);
  warnAhead(parameters.asOf, parts, terminal, globals);
  const drafts = await readDrafts(paths, parts);
  const wanted = parseSeveral(options, [...paths, options.ledger]);
  const progress = new Progress(terminal, globals, parts.clock.now);
  const replay = async (source: ReplaySource, asOf: number) => {
    const result = await runWhatIfs(
      drafts.map(({ policy }) => policy),
      { ...parameters, asOf },
      source,
      (rows) => progress.rows(rows),
    );
    progress.end();
    const of = drafts.map(({ places }) => toDraft(places));
    return deliverSeveral(result, of, wanted, parts, terminal, globals);
  };
  const overExport = async (path: string) => {
    const ledger = await parts.openLedger(path, (read, size) => progress.bytes(read, size));
    try {
      return await replay(sourceOf(ledger), parameters.asOf ?? ledger.header.exportedAt);
    } finally {
      await ledger.close();
    }
  };
  try {
    if (options.ledger !== undefined) {
      checkFlags(options, '--ledger');
      return await overExport(options.ledger);
    }
    if (options.database !== undefined) {
      checkFlags(options, '--database');
      const url = findDatabase(options.database, terminal.env);
      const database = await openReplayDatabase(url, options.coldImagePolicy ?? 'AllowAndScan');
      try {
        return await replay(database.source, parameters.asOf ?? parts.clock.now());
      } finally {
        await database.close();
      }
    }
    checkFlags(options, '--server');
    return await withExport(options, parameters, terminal, overExport);
  } finally {
    progress.end();
  }
}

/** What is said of one draft says nothing of several. */
function checkOne({ selfCheck, source, keep }: WhatIfOptions): void {
  const [flag] = [selfCheck && '--self-check', source !== undefined && '--source', keep && '--keep'].filter(
    (one) => typeof one === 'string',
  );
  if (flag !== undefined)
    throw new UsageError(
      `${flag} takes one policy, and several are given`,
      'Run the command once for each policy',
    );
}

async function readDrafts(paths: readonly string[], parts: CliParts): Promise<readonly ParsedPolicy[]> {
  const found: ParsedPolicy[] = [];
  for (const path of await withDirectories(paths, 'policy', parts))
    found.push(...(await readPolicies(path, parts)));
  const seen = new Map<string, string>();
  for (const { policy, places } of found) {
    const first = seen.get(policy.name);
    if (first !== undefined)
      throw new PolicyError([
        {
          level: 'error',
          rule: 'same-name',
          path: 'metadata.name',
          message: `two policies are called "${policy.name}": the other one is in ${first}`,
          hint: 'Give one of them, or rename one',
          file: places.file,
          ...placeOf(places, ['metadata', 'name']),
        },
      ]);
    seen.set(policy.name, places.file);
  }
  return found;
}

/** The rows of the period, in a file that is gone afterwards. */
async function withExport<T>(
  options: WhatIfOptions,
  { days, asOf }: Parameters,
  terminal: Terminal,
  use: (path: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'ipo-whatif-'));
  const path = join(folder, 'ledger.ndjson');
  try {
    await withService(terminal, serverFlags(options, terminal), async (service) => {
      const { body } = await service.stream('GET /ledger/export', { query: periodQuery(asOf, days) });
      await writeLong(path, await decompressed(body));
    });
    return await use(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
