import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { openRawBytes, readBounded } from '../../adapters/files/index.ts';
import { byCodeUnit, IpoError, isIpoError, printable } from '../../base/index.ts';
import { MAX_EVIDENCE_BYTES, type Accepted } from '../../supply-chain/index.ts';
import { checkTrustRoot, openOwnVerifier } from './own-verifier.ts';
import type { FileProofs, FileProofsOptions } from './ports.ts';

/** Bytes of a list of sums, and how many bundles beside it are read. */
const MAX_SUMS = 1024 * 1024;
const MAX_BUNDLES = 32;

/**
 * readFileProofs reads a file, the list of sums and every Sigstore bundle beside the list (`<list>.….sigstore.json`), and verifies them.
 * Throws FileError, and `invalid_request` for a list that is none.
 */
export async function readFileProofs({
  file,
  sums: named,
  env,
  trustRoot,
}: FileProofsOptions): Promise<FileProofs> {
  const list = named ?? join(dirname(file), 'SHA256SUMS');
  if (trustRoot !== null) await checkTrustRoot(trustRoot);
  const sha256 = await hashOf(file);
  const text = await readBounded(list, MAX_SUMS).catch((error: unknown) => {
    throw named === null ? withoutSums(error) : error;
  });
  const bytes = Buffer.from(text);
  const sums = { name: basename(list), bytes };
  const listed = sumOf(text, basename(file), list);
  const signatures: Accepted['signatures'][number][] = [];
  const attestations: Accepted['attestations'][number][] = [];
  const problems: string[] = [];
  let unknown = false;
  const verifier = openOwnVerifier(env, trustRoot);
  try {
    for (const path of await bundlesOf(list)) {
      const bundle = Buffer.from(await readBounded(path, MAX_EVIDENCE_BYTES));
      const found = await verifier.verifyArtifact(bytes, bundle);
      if (found.kind === 'accepted') {
        const { signed, statement } = found;
        if (statement === null) signatures.push(...signed);
        else
          attestations.push(...signed.map((entry) => ({ ...entry, predicateType: statement.predicateType })));
        continue;
      }
      problems.push(`${path}: ${found.message}`);
      unknown ||= found.kind === 'unverifiable';
    }
  } finally {
    await verifier.close();
  }
  if (unknown) return { sha256, listed, sums, signatures: null, attestations: null, problems };
  return { sha256, listed, sums, signatures, attestations, problems };
}

function withoutSums(error: unknown): unknown {
  if (!isIpoError(error)) return error;
  const { code, message, place, cause } = error;
  const hint =
    'Put SHA256SUMS and its SHA256SUMS.*.sigstore.json beside the file, or name the list with --sums FILE';
  return new IpoError(code, message, { place, hint, cause });
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of await openRawBytes(file)) hash.update(bytes);
  return hash.digest('hex');
}

/** The sum of a file in a list as sha256sum writes it; null where it does not stand there. */
function sumOf(text: string, name: string, list: string): string | null {
  let found: string | null = null;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [, sum, file] = /^([0-9a-f]{64}) [ *](.+)$/.exec(line) ?? [];
    if (sum === undefined)
      throw new IpoError(
        'invalid_request',
        `${printable(list)} is not a list of sums as sha256sum writes it`,
      );
    if (file !== name) continue;
    if (found !== null && found !== sum)
      throw new IpoError('invalid_request', `${printable(list)} has two sums for ${printable(name)}`);
    found = sum;
  }
  return found;
}

async function bundlesOf(list: string): Promise<readonly string[]> {
  const start = `${basename(list)}.`;
  const names = (await readdir(dirname(list)))
    .filter((name) => name.startsWith(start) && name.endsWith('.sigstore.json'))
    .toSorted(byCodeUnit);
  if (names.length > MAX_BUNDLES)
    throw new IpoError(
      'invalid_request',
      `${printable(list)} has ${names.length} bundles beside it; at most ${MAX_BUNDLES} are read`,
    );
  return names.map((name) => join(dirname(list), name));
}
