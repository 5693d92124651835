import { DAY_MS, IpoError, isIpoError, parseTime } from '../../src/base/index.ts';
import { openBytes, type CliParts } from '../../src/app/index.ts';
import {
  keptOfExport,
  MAX_KEPT,
  parseKept,
  parseVkey,
  TreeError,
  VKEY_HINT,
  type KeptCheckpoint,
} from '../../src/ledger/index.ts';
import type { PeriodFlags } from './options.ts';
import { parseWhole } from '../terminal/numbers.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../terminal/usage.ts';

/** MAX_DAYS is how far back a period reaches: a hundred years. */
const MAX_DAYS = 36_525;
const MAX_KEY_FILE = 65_536;
const WHAT_A_KEY_IS =
  'A verifier key is NAME+8 hex digits+base64; copy it whole from what `ipo ledger checkpoint --verify` prints, or name a file that holds it';

/** Period is a closed period of milliseconds; undefined is open. `days` stands when it was asked for so. */
export interface Period {
  readonly days: number | undefined;
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** parsePeriod reads `--days`, `--from` and `--to`. Throws UsageError. */
export function parsePeriod({ days, from, to }: PeriodFlags): Period {
  if (days !== undefined && (from !== undefined || to !== undefined)) {
    throw new UsageError('--days excludes --from and --to', 'Give --days, or --from and --to');
  }
  const period = {
    days: days === undefined ? undefined : parseWhole('--days', days, 1, MAX_DAYS, 'the period'),
    from: timeOf('--from', from),
    to: timeOf('--to', to),
  };
  if (period.from !== undefined && period.to !== undefined && period.from > period.to)
    throw new UsageError('the period ends before it begins', 'Give --from before --to');
  return period;
}

/** endsOf gives the ends of a period, counted back from `now` where it was asked for in days. */
export function endsOf(
  { days, from, to }: Period,
  now: number,
): { from: number | undefined; to: number | undefined } {
  return days === undefined ? { from, to } : { from: now - days * DAY_MS, to: now };
}

function timeOf(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const at = parseTime(text);
  if (Number.isNaN(at))
    throw new UsageError(`${flag} ${text}: this is not an RFC 3339 time`, 'Write it as 2026-11-20T06:00:00Z');
  return at;
}

/** readKeys reads verifier's keys: each written out, or a file with one a line. Throws UsageError, TreeError `format`, FileError. */
export async function readKeys(
  values: readonly string[],
  parts: CliParts,
): Promise<ReturnType<typeof parseVkey>[]> {
  const keys = [];
  for (const value of values) {
    if (/^[^\s+]+\+[0-9a-f]{8}\+\S+$/.test(value)) keys.push(keyOf(undefined, value));
    else {
      const lines = (await textOfKeys(value, parts))
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '' && !line.startsWith('#'));
      if (lines.length === 0) throw new UsageError(`--key ${value}: the file contains no key`, WHAT_A_KEY_IS);
      keys.push(...lines.map((line) => keyOf(value, line)));
    }
  }
  return keys;
}

/** A value that is not a key is read as the name of a file; which of the two was meant is not known. */
async function textOfKeys(value: string, parts: CliParts): Promise<string> {
  try {
    return await parts.readText(value, MAX_KEY_FILE);
  } catch (error) {
    if (!isIpoError(error) || error.code !== 'unreadable') throw error;
    const message = `${error.message}, and not a verifier key`;
    throw new IpoError('unreadable', message, { hint: WHAT_A_KEY_IS, cause: error });
  }
}

/** Several files may be given, so a key that cannot be read names its own. */
function keyOf(file: string | undefined, line: string): ReturnType<typeof parseVkey> {
  try {
    return parseVkey(line);
  } catch (error) {
    if (!(error instanceof TreeError)) throw error;
    const hint = error.hint === VKEY_HINT ? WHAT_A_KEY_IS : error.hint;
    throw new TreeError('format', error.message, { place: file === undefined ? undefined : { file }, hint });
  }
}

/** readKept reads checkpoints that were stored outside the service. Throws TreeError `format`, FileError. */
export async function readKept(
  paths: readonly string[],
  parts: CliParts,
  terminal: Pick<Terminal, 'stdin'>,
): Promise<KeptCheckpoint[]> {
  const kept: KeptCheckpoint[] = [];
  for (const path of paths) {
    const name = path === '-' ? 'stdin' : path;
    if (/\.ndjson(\.gz|\.zst)?$/.test(path))
      kept.push(await keptOfExport(await openBytes(path, terminal.stdin), name));
    else kept.push(...parseKept(await textOf(path, parts), name));
  }
  return kept;
}

async function textOf(path: string, parts: CliParts): Promise<string> {
  try {
    return await parts.readText(path, MAX_KEPT);
  } catch (error) {
    if (!isIpoError(error) || error.code !== 'not_text') throw error;
    throw new UsageError(`${path}: not a checkpoint`, 'An export ends in .ndjson, .ndjson.gz or .ndjson.zst');
  }
}
