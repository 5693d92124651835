import { decompressed, openBytes, openLedgerDatabase } from '../../src/app/index.ts';
import { isIpoError } from '../../src/base/index.ts';
import {
  fromBase64,
  isUnsigned,
  toBase64,
  verifyDatabase,
  verifyExport,
  verifyProof,
  type ProvedRow,
  type Verification,
  type VerifyOptions,
} from '../../src/ledger/index.ts';
import type { LedgerVerifyOptions } from './options.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { findLedger, type LedgerSource } from './source.ts';
import { parseWhole } from '../terminal/numbers.ts';
import { parseOutputs, writeOutputs } from '../terminal/output.ts';
import { openParts } from '../terminal/parts.ts';
import { Progress } from '../terminal/progress.ts';
import { checkStdin } from '../files/index.ts';
import { withService } from '../service/client.ts';
import { usesColor, type GlobalOptions, type Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../terminal/usage.ts';
import { readKept, readKeys } from './flags.ts';

const FORMATS = ['table', 'json', 'yaml'] as const;
const MAX_PROOF = 4 * 1024 * 1024;

/** runLedgerVerify is `ipo ledger verify`: an export, a database, a service or a single proof. Exit 4 when it does not hold, 1 when nothing of it is signed. */
export async function runLedgerVerify(
  options: LedgerVerifyOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const { key = [], checkpoint = [], proof } = options;
  const source = sourceOf(options, terminal);
  const days = daysOf(options, source);
  const path = source.kind === 'ledger' ? source.path : undefined;
  const inputs = [path, proof, ...checkpoint, ...key];
  const targets = parseOutputs(options.output ?? [], FORMATS, 'table', inputs);
  checkStdin([...inputs, options.tokenStdin === true ? '-' : undefined]);
  const parts = openParts(terminal);
  const keys = await readKeys(key, parts);
  const kept = await readKept(checkpoint, parts, terminal);
  if (proof !== undefined && keys.length === 0 && kept.length === 0) {
    throw new UsageError(
      'a proof cannot be verified without a key or a stored checkpoint',
      'Give the verifier key of the log with --key, or --checkpoint FILE',
    );
  }
  const progress = new Progress(terminal, globals, parts.clock.now);
  let result: Verification | ProvedRow;
  try {
    const how: VerifyOptions = { keys, kept, progress: (rows) => progress.rows(rows) };
    result =
      source.kind === 'proof'
        ? verifyProof(await parts.readText(source.path, MAX_PROOF), nameOf(source.path), how)
        : await verifySource(source, how, days, terminal, (read, size) => progress.bytes(read, size));
  } finally {
    progress.end();
  }
  const render = async (format: (typeof FORMATS)[number], toStdout: boolean) => {
    const document = toDocument(result);
    if (format === 'json') return `${JSON.stringify(document)}\n`;
    if (format === 'yaml') return (await import('../../src/render/index.ts')).toYaml(document);
    const { renderVerification } = await import('./verify-view.ts');
    return renderVerification(result, {
      color: toStdout && usesColor(terminal, globals, 'out'),
      columns: terminal.columns,
      kept: kept.length > 0,
      keyed: keys.length > 0,
    });
  };
  await writeOutputs(targets, render, parts, terminal);
  return exitOf(result, kept.length > 0, options.strict === true);
}

/** What is verified: a ledger, or a single proof. */
function sourceOf(
  options: LedgerVerifyOptions,
  terminal: Terminal,
): LedgerSource | { readonly kind: 'proof'; readonly path: string } {
  const { proof, ledger, database, server } = options;
  if (proof === undefined) return findLedger(options, terminal);
  if ((ledger ?? database ?? server) !== undefined)
    throw new UsageError(
      '--proof and a ledger exclude each other',
      'Give only --proof: a proof is verified by itself',
    );
  return { kind: 'proof', path: proof };
}

function daysOf({ days }: LedgerVerifyOptions, { kind }: ReturnType<typeof sourceOf>): number | undefined {
  if (days === undefined) return undefined;
  if (kind !== 'server')
    throw new UsageError('--days needs a service', 'An export or a database is always verified whole');
  return parseWhole('--days', days, 1, 36_525, 'the period');
}

function nameOf(path: string): string {
  return path === '-' ? 'stdin' : path;
}

/** Strict asks for an answer over every row: one that a signature covers, beside a checkpoint that was stored outside the service. */
function exitOf(result: Verification, isKept: boolean, strict: boolean): ExitCode {
  if (!result.holds) return EXIT.integrity;
  if (isUnsigned(result)) return strict ? EXIT.inconclusive : EXIT.check;
  const { rows, checks } = result;
  const isOpen =
    !isKept ||
    rows.signed < rows.count ||
    checks.some(({ check, state }) => check === 'kept_checkpoint' && state === 'not_checked');
  return strict && isOpen ? EXIT.inconclusive : EXIT.done;
}

async function verifySource(
  source: LedgerSource,
  options: VerifyOptions,
  days: number | undefined,
  terminal: Terminal,
  bytes: (read: number, size: number | null) => void,
): Promise<Verification> {
  if (source.kind === 'ledger') {
    const whole = await openBytes(source.path, terminal.stdin, bytes);
    return verifyExport(whole, nameOf(source.path), options);
  }
  if (source.kind === 'database') {
    const database = await openLedgerDatabase(source.url);
    try {
      return await verifyDatabase(database.tree, source.name, options, database.runs());
    } finally {
      await database.close();
    }
  }
  return withService(terminal, source.flags, async (service) => {
    const { body } = await service.stream('GET /ledger/export', { query: { format: 'gz', days } });
    const prove = async (from: number, to: number) => {
      try {
        const answer = await service.json<{ proof: unknown[] }>('GET /ledger/consistency', {
          query: { from, to },
        });
        return answer.body.proof.map((text) => (typeof text === 'string' ? fromBase64(text) : null) ?? '');
      } catch (error) {
        if (isIpoError(error) && (error.code === 'out_of_range' || error.code === 'integrity')) return null;
        throw error;
      }
    };
    const result = await verifyExport(await decompressed(body), service.server, {
      ...options,
      prove,
      from: 'service',
    });
    return { ...result, subject: 'server' };
  });
}

/** The answer as JSON has it. */
function toDocument(result: Verification | ProvedRow): object {
  const { subject, name, holds, tree, key, rows, checks, firstBad, limits } = result;
  return {
    subject,
    name,
    holds,
    tree: tree === null ? null : { origin: tree.origin, size: tree.size, root: toBase64(tree.root) },
    key,
    rows: { count: rows.count, signed: rows.signed, first_id: rows.first, last_id: rows.last },
    checks,
    first_bad: firstBad,
    limits,
    ...('row' in result ? { row: result.row } : {}),
  };
}
