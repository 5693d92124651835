import { existsSync } from 'node:fs';
import { openRegistryFacts, readFileProofs } from '../../src/app/index.ts';
import { IpoError, isDigest, parseDuration, printable } from '../../src/base/index.ts';
import { parseReference, type ImageReference } from '../../src/image/index.ts';
import { openPattern, openPublicKey } from '../../src/policy/index.ts';
import {
  judgeRelease,
  judgeReleaseFile,
  type ReleaseCheck,
  type ReleaseSigners,
} from '../../src/releases/index.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { openOutcome } from '../terminal/outcome.ts';
import { openParts } from '../terminal/parts.ts';
import { renderRows } from '../terminal/rows.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../terminal/usage.ts';
import { VERSION } from '../terminal/version.ts';
import type { ReleaseOptions } from './print.ts';

/** ReleaseVerifyOptions are the flags of `ipo release verify`. */
export interface ReleaseVerifyOptions extends ReleaseOptions {
  readonly key?: string;
  readonly identity?: string;
  readonly identityRegexp?: string;
  readonly issuer?: string;
  readonly strict?: true;
  readonly sums?: string;
  readonly trustRoot?: string;
  readonly insecureRegistry?: readonly string[];
  readonly registryCa?: string;
  readonly registryTimeout: string;
}

/** Bytes of a file with a public key. */
const MAX_KEY = 64 * 1024;

/**
 * runReleaseVerify is `ipo release verify`. Exit 2 for a tag, 3 when something could not be asked, 4 when a check fails, 5 under `--strict`
 * when nobody was named for a signature that is there.
 */
export async function runReleaseVerify(
  named: string,
  options: ReleaseVerifyOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  if (options.sums !== undefined || isPath(named) || existsSync(named))
    return verifyFile(named, options, terminal, globals);
  return verifyImage(named, options, terminal, globals);
}

/** What can only be a path: an image has a name that begins with a letter or a digit. */
function isPath(named: string): boolean {
  return /^(?:\/|\.)/.test(named);
}

async function verifyFile(
  file: string,
  options: ReleaseVerifyOptions,
  terminal: Terminal,
  { quiet }: GlobalOptions,
): Promise<ExitCode> {
  const outcome = openOutcome(options.output, terminal);
  const signers = await readSigners(options, terminal);
  const proofs = await readFileProofs({
    file,
    env: terminal.env,
    sums: options.sums ?? null,
    trustRoot: options.trustRoot ?? null,
  });
  const checks = judgeReleaseFile(proofs, proofs.sums, proofs, signers);
  if (!quiet) for (const problem of proofs.problems) terminal.err(`ipo: ${printable(problem)}\n`);
  await outcome.write({ file, sha256: proofs.sha256, checks }, await table(checks, terminal));
  return exitOf(checks, options.strict === true);
}

async function verifyImage(
  image: string,
  options: ReleaseVerifyOptions,
  terminal: Terminal,
  { quiet }: GlobalOptions,
): Promise<ExitCode> {
  const outcome = openOutcome(options.output, terminal);
  const reference = parseReference(image);
  if ('fault' in reference)
    throw new UsageError(
      `${printable(image) || '""'} cannot be read as an image reference: it ${reference.fault}`,
      'Give an image by digest, or a file of a release',
    );
  const signers = await readSigners(options, terminal);
  const registry = await openRegistryFacts({
    env: terminal.env,
    timeout: timeoutOf(options),
    userAgent: `ipo/${VERSION}`,
    vex: [],
    insecure: options.insecureRegistry ?? [],
    caFile: options.registryCa ?? null,
    trustRoot: options.trustRoot ?? null,
  });
  try {
    if (reference.digest === null) throw await tagRefused(reference, (tag) => registry.resolve(tag));
    const { digest, outcome: found, problems, remarks, ...held } = await registry.ask(reference);
    if (found === 'absent')
      throw new IpoError('not_found', `${printable(image)} is not in its registry`, { hint: problems[0] });
    if (found === 'unknown' || digest === null || !isDigest(digest))
      throw new IpoError('unavailable', `${printable(image)} could not be read: ${problems.join('; ')}`);
    const checks = judgeRelease(digest, held, signers);
    if (!quiet) for (const problem of [...problems, ...remarks]) terminal.err(`ipo: ${printable(problem)}\n`);
    await outcome.write({ image: reference.text, digest, checks }, await table(checks, terminal));
    return exitOf(checks, options.strict === true);
  } finally {
    await registry.close();
  }
}

async function tagRefused(
  reference: ImageReference,
  resolve: (tag: ImageReference) => Promise<{ digest: string | null; problems: readonly string[] }>,
): Promise<UsageError> {
  const { digest, problems } = await resolve(reference);
  const stands =
    digest === null
      ? `The digest of the tag could not be read: ${problems.join('; ') || 'there is no such image'}`
      : `The tag points to ${reference.name}@${digest} now; compare this digest with the release notes, then verify it`;
  return new UsageError(`${printable(reference.text)} is a tag, and a tag can be moved`, stands);
}

async function readSigners(options: ReleaseVerifyOptions, terminal: Terminal): Promise<ReleaseSigners> {
  const { key, identity, identityRegexp, issuer } = options;
  const pattern = identityRegexp;
  if (key === undefined && identity === undefined && pattern === undefined)
    throw new UsageError(
      'no signer given',
      'Give the published key with --key FILE, the identity of the build with --identity and --issuer, or both',
    );
  if (issuer !== undefined && identity === undefined && pattern === undefined)
    throw new UsageError('--issuer belongs to an identity', 'Give --identity or --identity-regexp with it');
  if (pattern !== undefined) {
    const opened = openPattern(pattern);
    if (typeof opened === 'string' || opened === null)
      throw new UsageError(`--identity-regexp ${printable(pattern)} is not a valid RE2 pattern`);
  }
  let pem: string | null = null;
  if (key !== undefined) {
    pem = await openParts(terminal).readText(key, MAX_KEY);
    if (openPublicKey(pem) === null)
      throw new UsageError(
        `${printable(key)} holds no public key that can be read`,
        'Give a PEM file: -----BEGIN PUBLIC KEY-----',
      );
  }
  const keyless =
    identity === undefined && pattern === undefined ? null : { identity, identityRegExp: pattern, issuer };
  return { key: pem === null ? null : { key: pem }, keyless };
}

function timeoutOf({ registryTimeout }: ReleaseVerifyOptions): number {
  const timeout = parseDuration(registryTimeout);
  if (timeout !== null && timeout >= 1000 && timeout <= 600_000) return timeout;
  throw new UsageError(
    `--registry-timeout ${printable(registryTimeout)} is not a duration from 1s to 10m`,
    'Write it as 60s',
  );
}

function table(checks: readonly ReleaseCheck[], terminal: Terminal): Promise<string> {
  const columns = [{ heading: 'check' }, { heading: 'state' }, { heading: 'because', flex: 1 }];
  const rows = checks.map(({ check, state, because }) => [check.replaceAll('_', ' '), state, because]);
  return renderRows(columns, rows, '', terminal);
}

function exitOf(checks: readonly ReleaseCheck[], strict: boolean): ExitCode {
  const has = (state: ReleaseCheck['state']): boolean => checks.some((one) => one.state === state);
  if (has('failed')) return EXIT.integrity;
  if (has('unknown')) return EXIT.outside;
  return strict && has('unvouched') ? EXIT.inconclusive : EXIT.done;
}
