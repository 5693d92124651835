import { agreesWithKept } from './vouched.ts';
import { createHash } from 'node:crypto';
import { isIpoError } from '../base/index.ts';
import { readCheckpoint, type KeptCheckpoint, type NoteKey, type Verification } from '../ledger/index.ts';
import { PACKAGE_CHECKS, placed, readSafely, type PackageCheck, type Say } from './checks.ts';
import { readBundle, statementText } from './package/bundle.ts';
import { holdsSignature, toEvidenceKey, type EvidenceKey } from './package/key.ts';
import { inOrder, predicateOf, sumsText } from './package/make.ts';
import type { Package } from './package/open.ts';
import { TIMESTAMP_FILE } from './package/timestamp.ts';
import { judgeTimestamp } from './verify-timestamp.ts';
import { POPULATIONS } from './records.ts';
import { readRows, type RowsBeside, type RowsOutcome } from './rows-beside.ts';
import { tableSums } from './table-sums.ts';

/** PackageVerification is the answer to whether a package is as it was signed. */
export interface PackageVerification {
  readonly holds: boolean;
  /** Whether a key or a checkpoint stored outside the service vouches for it. */
  readonly vouched: boolean;
  readonly keyId: string | null;
  readonly checks: readonly PackageCheck[];
  readonly ledger: Verification | null;
  readonly limits: readonly string[];
}

/** VerifyPackageOptions are what a verifier knows from elsewhere. */
export interface VerifyPackageOptions {
  /** Keys of packages, one of which must have signed. */
  readonly keys: readonly EvidenceKey[];
  /** Keys of ledgers, and checkpoints that were kept. */
  readonly ledgerKeys: readonly NoteKey[];
  readonly kept: readonly KeptCheckpoint[];
  /** Certificates of time stamp authorities in PEM. */
  readonly authorities?: readonly string[];
  /** Verifies the rows beside the reading of the tables, where they are many. */
  readonly beside?: RowsBeside | null;
  readonly progress?: (rows: number) => void;
}

const FIXED = [
  'README.txt',
  'evidence.json',
  'evidence.pdf',
  'evidence.html',
  'oscal-assessment-results.json',
  'evidence.json.sig',
  'SHA256SUMS',
  'evidence.sigstore.json',
];

/** verifyPackage looks whether a package is as it was signed. Nothing is fetched. Every fault is part of the answer, but for what `beside` throws. */
export async function verifyPackage(
  pkg: Package,
  options: VerifyPackageOptions,
): Promise<PackageVerification> {
  const checks: PackageCheck[] = [];
  const held = (check: PackageCheck['check'], text: string): void =>
    void checks.push({ check, state: 'held', text });
  const failed = (check: PackageCheck['check'], text: string): void =>
    void checks.push({ check, state: 'failed', text });
  const { rows, outcome } = readRows(pkg, { keys: options.ledgerKeys, kept: options.kept }, options.beside);
  // While one waits for what the other threads uncompress, another goes on.
  const [sums, ledger] = await Promise.all([
    contentSums(pkg, failed),
    judgeRows(pkg, outcome, options.kept.length > 0, held, failed, checks),
    judgeTables(pkg, rows, options.progress, held, failed),
  ]);
  judgeFiles(pkg, sums, held, failed);
  const key = await judgeSignatures(pkg, sums, options, held, failed, checks);
  await judgeTimestamp(pkg, options, held, failed, checks);
  const holds = checks.every(({ state }) => state !== 'failed');
  const vouched = holds && (options.keys.length > 0 || agreesWithKept(ledger));
  return {
    holds,
    vouched,
    keyId: key?.id ?? null,
    checks: checks.toSorted((a, b) => PACKAGE_CHECKS.indexOf(a.check) - PACKAGE_CHECKS.indexOf(b.check)),
    ledger,
    limits: vouched
      ? []
      : [
          'Nobody vouched for the key in the package: anyone can make a package and sign it with a key of their own. Compare the key with one that you were given another way (--key), or the checkpoint with one that was stored outside the service (--checkpoint).',
        ],
  };
}

/** The digest of each file, as it is in the archive. */
async function contentSums(pkg: Package, failed: Say): Promise<ReadonlyMap<string, string>> {
  const sums = new Map<string, string>();
  for (const [name, entry] of pkg.entries) {
    const hash = createHash('sha256');
    try {
      for await (const chunk of entry.content()) hash.update(chunk);
      sums.set(name, hash.digest('hex'));
    } catch (error) {
      if (!isIpoError(error)) throw error;
      failed('files', error.message);
    }
  }
  return sums;
}

function judgeFiles(
  { entries, document }: Package,
  sums: ReadonlyMap<string, string>,
  held: Say,
  failed: Say,
): void {
  const expected = new Set([...FIXED, ...document.files.map(({ name }) => name)]);
  const missing = [...expected].filter((name) => !entries.has(name));
  const added = [...entries.keys()].filter((name) => !expected.has(name) && name !== TIMESTAMP_FILE);
  if (missing.length > 0) failed('files', `missing: ${missing.join(', ')}`);
  if (added.length > 0) failed('files', `added: ${added.join(', ')}`);
  const other = document.files.filter(
    ({ name, sha256, size }) =>
      entries.has(name) && (sums.get(name) !== sha256 || entries.get(name)?.size !== size),
  );
  if (other.length > 0)
    failed('files', `not the files that evidence.json names: ${other.map(({ name }) => name).join(', ')}`);
  else if (missing.length + added.length === 0 && sums.size === entries.size)
    held('files', `${entries.size} files, none missing and none added, as evidence.json names them`);
}

async function judgeSignatures(
  pkg: Package,
  sums: ReadonlyMap<string, string>,
  { keys }: VerifyPackageOptions,
  held: Say,
  failed: Say,
  checks: PackageCheck[],
): Promise<EvidenceKey | null> {
  // What cannot be read is said with the files, and has no digest to compare.
  const unread = [...pkg.entries.keys()].filter((name) => !sums.has(name));
  const open: Say = (check, text) =>
    void checks.push({ check, state: 'not_checked', text: `${text}: ${unread.join(', ')} cannot be read` });
  const listed = [...sums]
    .map(([name, sha256]) => ({ name, sha256 }))
    .filter(({ name }) => name !== 'evidence.sigstore.json');
  const expected = sumsText(listed.filter(({ name }) => name !== 'SHA256SUMS'));
  const written = (await readSafely(pkg, 'SHA256SUMS'))?.toString('utf8') ?? '';
  if (unread.length > 0 && sumFault(written, expected) === null)
    open('sums', 'SHA256SUMS names each other file with its digest');
  else if (written === expected) held('sums', 'SHA256SUMS names each file with its digest');
  else failed('sums', sumFault(written, expected) ?? 'SHA256SUMS names files that are not there');
  const pem = await readSafely(pkg, 'key.pub');
  let key: EvidenceKey;
  try {
    key = toEvidenceKey(pem?.toString('utf8') ?? '', 'key.pub');
  } catch (error) {
    if (!isIpoError(error)) throw error;
    failed('key', error.message);
    return null;
  }
  if (pem?.toString('utf8') !== key.pem || key.id !== pkg.document.generation.key_id)
    failed('key', 'key.pub is not the key that evidence.json names');
  await judgeSigned(pkg, key, listed, held, failed, unread.length > 0 ? open : null);
  if (keys.length > 0) {
    if (keys.some(({ id }) => id === key.id)) held('key', 'the key is one that was given');
    else failed('key', `signed with the key ${key.id}, which is not the one that was given`);
  }
  return key;
}

/** The signature of the document, and the statement over all files. */
async function judgeSigned(
  pkg: Package,
  key: EvidenceKey,
  listed: readonly { readonly name: string; readonly sha256: string }[],
  held: Say,
  failed: Say,
  open: Say | null,
): Promise<void> {
  const text = (await readSafely(pkg, 'evidence.json.sig'))?.toString('utf8') ?? '';
  const signature = Buffer.from(text, 'base64');
  if (`${signature.toString('base64')}\n` === text && holdsSignature(key, pkg.json, signature))
    held('signature', `evidence.json is signed by the key ${key.id}`);
  else failed('signature', 'the signature of evidence.json does not match');
  const bundle = readBundle((await readSafely(pkg, 'evidence.sigstore.json'))?.toString('utf8') ?? '', key);
  if (bundle.fault !== null) failed('statement', `evidence.sigstore.json: ${bundle.fault}`);
  else if (bundle.statement === statementText(inOrder(listed), predicateOf(pkg.document)))
    held('statement', 'the signed statement names all files with their digests');
  else if (open !== null) open('statement', 'the signed statement was not compared with the files');
  else failed('statement', 'the signed statement is about other files than these');
}

function sumFault(written: string, expected: string): string | null {
  const lines = new Set(written.split('\n'));
  const other = expected
    .split('\n')
    .filter((line) => !lines.has(line))
    .map((line) => line.slice(66));
  return other.length === 0 ? null : `SHA256SUMS does not match: ${other.join(', ')}`;
}

async function judgeRows(
  pkg: Package,
  verifying: Promise<RowsOutcome>,
  isKept: boolean,
  held: Say,
  failed: Say,
  checks: PackageCheck[],
): Promise<Verification | null> {
  const outcome = await verifying;
  if (outcome.kind === 'fault') {
    failed('rows', placed(outcome.fault));
    return null;
  }
  const { result } = outcome;
  const { ledger } = pkg.document;
  const faults = result.checks.filter(({ state }) => state === 'failed');
  if (faults.length > 0)
    failed('rows', faults.map(({ check, text }) => `${check.replaceAll('_', ' ')}: ${text}`).join('; '));
  else if (result.rows.count !== ledger.rows)
    failed('rows', `there are ${result.rows.count} rows, and evidence.json says ${ledger.rows}`);
  else if (result.rows.signed < result.rows.count)
    checks.push({
      check: 'rows',
      state: 'not_checked',
      text: `${result.rows.count - result.rows.signed} rows are not signed`,
    });
  else held('rows', `${result.rows.count} rows match the signed tree`);
  await judgeCheckpoint(pkg, result, isKept, held, failed, checks);
  return result;
}

async function judgeCheckpoint(
  pkg: Package,
  { tree }: Verification,
  isKept: boolean,
  held: Say,
  failed: Say,
  checks: PackageCheck[],
): Promise<void> {
  const text = await readSafely(pkg, 'checkpoint.txt');
  if (text === null) {
    const unsigned = 'the ledger of this package is not signed';
    if (tree !== null) failed('checkpoint', 'checkpoint.txt is missing');
    else checks.push({ check: 'checkpoint', state: 'not_checked', text: unsigned });
    return;
  }
  try {
    const { size, root } = readCheckpoint(text.toString('utf8'));
    if (tree === null || tree.size !== size || tree.root !== root)
      failed('checkpoint', 'checkpoint.txt is not the checkpoint of the rows in the package');
    else
      held(
        'checkpoint',
        isKept
          ? 'checkpoint.txt covers the rows of the package, and continues the checkpoint stored outside the service'
          : 'checkpoint.txt covers the rows of the package',
      );
  } catch (error) {
    if (!isIpoError(error)) throw error;
    failed('checkpoint', `checkpoint.txt: ${error.message}`);
  }
}

async function judgeTables(
  pkg: Package,
  rows: AsyncIterable<Uint8Array>,
  progress: VerifyPackageOptions['progress'],
  held: Say,
  failed: Say,
): Promise<void> {
  try {
    const sums = await tableSums(pkg, rows, progress);
    const other = [POPULATIONS.pods.file, POPULATIONS['break-glass'].file].filter(
      (file) => pkg.document.files.find(({ name }) => name === file)?.sha256 !== sums.get(file),
    );
    if (other.length > 0) failed('tables', `do not follow from the rows: ${other.join(', ')}`);
    else held('tables', 'pods.csv and break-glass.csv follow from the rows');
  } catch (error) {
    if (!isIpoError(error)) throw error;
    failed('tables', placed(error));
  }
}
