import { generateKeyPairSync } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isIpoError, IpoError, type Log } from '../../base/index.ts';
import { readBounded } from '../../adapters/files/index.ts';

/** SigningKey says of a key of the service how it is made, and what is said of it. */
interface SigningKey {
  /** `the key of the ledger`. */
  readonly what: string;
  /** PKCS #8 PEM of a new one. */
  make(): string;
  /** Why a new one must not take the place of one that is missing, and what to do. */
  readonly missing: { readonly message: string; readonly hint: string };
}

const LEDGER_KEY: SigningKey = {
  what: 'the key of the ledger',
  make: () => generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  missing: {
    message: 'the key that signed the ledger is not there',
    hint: 'Restore it from its backup; a new key would start another log, and stored checkpoints would not match it',
  },
};

const EVIDENCE_KEY: SigningKey = {
  what: 'the key of evidence packages',
  make: () =>
    generateKeyPairSync('ec', { namedCurve: 'P-256' })
      .privateKey.export({ type: 'pkcs8', format: 'pem' })
      .toString(),
  missing: {
    message: 'the key that signed evidence packages is not there',
    hint: 'Put it back from its backup. To change to a new key on purpose, make one there: openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out FILE',
  },
};

/**
 * openLedgerKey gives the key that signs checkpoints, as PKCS #8 PEM. The first start makes it, only for its owner. Once something is
 * signed a missing key is an error: another key would be another log, which no kept checkpoint proves. Throws `key_missing`, `unwritable`,
 * FileError.
 */
export function openLedgerKey(file: string, isSigned: () => Promise<boolean>, log: Log): Promise<string> {
  return openKey(LEDGER_KEY, file, isSigned, log);
}

/** openEvidenceKey gives the key that signs evidence packages, as PEM, in the same way. Throws `key_missing`, `unwritable`, FileError. */
export function openEvidenceKey(file: string, isSigned: () => Promise<boolean>, log: Log): Promise<string> {
  return openKey(EVIDENCE_KEY, file, isSigned, log);
}

async function openKey(
  key: SigningKey,
  file: string,
  isSigned: () => Promise<boolean>,
  log: Log,
): Promise<string> {
  try {
    const pem = await readBounded(file, 16_384);
    const { mode } = await stat(file);
    if (process.platform !== 'win32' && (mode & 0o007) !== 0) {
      log.warn(`${key.what} may be read by everybody on this machine`, {
        file,
        hint: `chmod 600 ${file}`,
      });
    }
    return pem;
  } catch (error) {
    if (!isIpoError(error) || (error.cause as NodeJS.ErrnoException | undefined)?.code !== 'ENOENT')
      throw error;
  }
  if (await isSigned())
    throw new IpoError('key_missing', `${file}: ${key.missing.message}`, { hint: key.missing.hint });
  const pem = key.make();
  try {
    const handle = await open(file, 'wx', 0o600);
    try {
      await handle.writeFile(pem);
      await handle.sync();
    } finally {
      await handle.close();
    }
    const directory = await open(dirname(file), 'r');
    try {
      await directory.sync();
    } finally {
      await directory.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new IpoError('unwritable', `${file}: ${key.what} cannot be written (${code ?? 'unknown fault'})`, {
      hint: 'Make its directory writable for this user, or mount a key that is there already',
      cause: error,
    });
  }
  log.info(`${key.what} was made; back it up, it cannot be made again`, { file });
  return pem;
}
