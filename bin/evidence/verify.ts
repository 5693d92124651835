import { X509Certificate } from 'node:crypto';
import { withPackage } from '../../src/app/index.ts';
import { isIpoError } from '../../src/base/index.ts';
import {
  toEvidenceKey,
  verifyPackage,
  type EvidenceKey,
  type PackageCheck,
  type PackageVerification,
} from '../../src/evidence/index.ts';
import { readKept, readKeys } from '../ledger/flags.ts';
import { clean } from '../terminal/clean.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { parseOutputs } from '../terminal/output.ts';
import type { Paint } from '../terminal/paint.ts';
import { openParts } from '../terminal/parts.ts';
import { Progress } from '../terminal/progress.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../terminal/usage.ts';
import type { EvidenceVerifyOptions } from './options.ts';
import { FORMATS, writeView } from './view.ts';

/** runEvidenceVerify is `ipo evidence verify`. Exit 4 when something does not match, 5 under --strict when nobody vouched for the key. */
export async function runEvidenceVerify(
  file: string,
  options: EvidenceVerifyOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const parts = openParts(terminal);
  const targets = parseOutputs(options.output, FORMATS, 'table', [
    file,
    ...options.key,
    ...options.checkpoint,
    ...options.tsaCert,
  ]);
  const keys: EvidenceKey[] = [];
  for (const path of options.key) keys.push(toEvidenceKey(await parts.readText(path, 65_536), path));
  const ledgerKeys = await readKeys(options.ledgerKey, parts);
  const kept = await readKept(options.checkpoint, parts, terminal);
  const authorities: string[] = [];
  for (const path of options.tsaCert)
    authorities.push(readCertificate(path, await parts.readText(path, 65_536)));
  const progress = new Progress(terminal, globals, parts.clock.now);
  let result: PackageVerification;
  try {
    result = await withPackage(file, (pkg, { beside }) =>
      verifyPackage(pkg, {
        ...{ keys, ledgerKeys, kept, authorities, beside },
        progress: (rows) => progress.rows(rows),
      }),
    );
  } catch (error) {
    const broken = brokenOf(error);
    if (broken === null) throw error;
    result = broken;
  } finally {
    progress.end();
  }
  const { ledger: _, ...document } = result;
  await writeView(targets, document, (paint) => linesOf(paint, result, kept.length > 0), terminal, globals);
  if (!result.holds) return EXIT.integrity;
  return options.strict === true && !result.vouched ? EXIT.inconclusive : EXIT.done;
}

function readCertificate(path: string, pem: string): string {
  try {
    return new X509Certificate(pem).toString();
  } catch {
    throw new UsageError(
      `--tsa-cert ${clean(path)}: this is not a certificate in PEM`,
      'Give the certificate of the time stamp authority',
    );
  }
}

/** A package that cannot be opened is one that does not match what was signed; what never was a package is wrong usage. */
function brokenOf(error: unknown): PackageVerification | null {
  if (!isIpoError(error) || (error.code !== 'damaged' && error.code !== 'truncated')) return null;
  const checks: PackageCheck[] = [{ check: 'files', state: 'failed', text: error.message }];
  return { holds: false, vouched: false, keyId: null, checks, ledger: null, limits: [] };
}

function linesOf(
  paint: Paint,
  { holds, vouched, checks, limits, keyId }: PackageVerification,
  hasKept: boolean,
): string[] {
  const { chalk } = paint;
  const signs = { held: chalk.green('✓'), failed: chalk.red('✗'), not_checked: chalk.yellow('–') };
  const words = vouched
    ? `✓ The package is as it was signed${vouchedBy(checks, hasKept)}.`
    : `– The parts of the package belong together, and the key ${keyId ?? ''} signed it. Nothing shows whose key this is.`;
  const head = holds ? words : '✗ Verification failed: the package differs from what was signed.';
  const color = holds ? ([chalk.yellow, chalk.green.bold][vouched ? 1 : 0] ?? String) : chalk.red.bold;
  return [
    ...paint.sentence(head, color, 0),
    '',
    ...checks.flatMap(({ check, state, text }) => {
      const [first = '', ...rest] = paint.sentence(clean(text, 2000), String, 15);
      return [`  ${signs[state]} ${check.padEnd(10)} ${first.trimStart()}`, ...rest];
    }),
    ...(limits.length === 0 ? [] : ['', paint.heading('What this does not show')]),
    ...limits.flatMap((limit) => paint.sentence(limit, chalk.dim)),
  ];
}

/** Which of the things that were given vouches for the package: a key, a checkpoint, or both. */
function vouchedBy(checks: readonly PackageCheck[], hasKept: boolean): string {
  const byKey = checks.some(({ check, state }) => check === 'key' && state === 'held')
    ? ' by the key that you gave'
    : '';
  return `${byKey}${hasKept ? ', and its rows match the checkpoint that you gave' : ''}`;
}
