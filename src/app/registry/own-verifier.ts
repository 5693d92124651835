import { join } from 'node:path';
import { readBounded } from '../../adapters/files/index.ts';
import {
  MAX_TRUST_ROOT_BYTES,
  openTrustFile,
  openTufTrust,
  openVerifier,
  parseTrustRoot,
  PUBLIC_MIRROR,
  type OpenVerifier,
} from '../../adapters/sigstore/index.ts';
import type { Clock, Log } from '../../base/index.ts';

/** A command tells what it found out in its own words. */
const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** checkTrustRoot reads the file that somebody names: it is to be there, even where no signature turns out to need it. */
export async function checkTrustRoot(file: string): Promise<void> {
  parseTrustRoot(Buffer.from(await readBounded(file, MAX_TRUST_ROOT_BYTES)), file);
}

/** openOwnVerifier opens the verification of one command: by a trust root in a file, or that of Sigstore, kept in the cache of the user. */
export function openOwnVerifier(
  env: Readonly<Record<string, string | undefined>>,
  trustRoot: string | null,
): OpenVerifier {
  const clock: Clock = { now: () => Date.now() };
  const cachePath = join(env['XDG_CACHE_HOME'] || join(env['HOME'] ?? '', '.cache'), 'ipo', 'sigstore');
  return openVerifier({
    trust:
      trustRoot === null
        ? openTufTrust({ mirror: PUBLIC_MIRROR, rootPath: null, cachePath, clock, log: SILENT })
        : openTrustFile(trustRoot, clock),
    log: SILENT,
    entry: null, // one command verifies a few signatures: a thread would take longer to start
  });
}
