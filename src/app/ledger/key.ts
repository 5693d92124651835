import { generateKeyPairSync } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isIpoError, IpoError, type Log } from '../../base/index.ts';
import { readBounded } from '../../adapters/files/index.ts';

/**
 * openLedgerKey gives the key that signs checkpoints, as PKCS #8 PEM. The first start makes it, only for its owner. Once something is
 * signed a missing key is an error: another key would be another log, which no kept checkpoint proves. Throws `key_missing`, `unwritable`,
 * FileError.
 */
export async function openLedgerKey(
  file: string,
  isSigned: () => Promise<boolean>,
  log: Log,
): Promise<string> {
  try {
    const pem = await readBounded(file, 16_384);
    const { mode } = await stat(file);
    if (process.platform !== 'win32' && (mode & 0o007) !== 0) {
      log.warn('the key of the ledger may be read by everybody on this machine', {
        file,
        hint: `chmod 600 ${file}`,
      });
    }
    return pem;
  } catch (error) {
    if (!isIpoError(error) || (error.cause as NodeJS.ErrnoException | undefined)?.code !== 'ENOENT')
      throw error;
  }
  if (await isSigned()) {
    throw new IpoError('key_missing', `${file}: the key that signed the ledger is not there`, {
      hint: 'Put it back from its backup; a new key would be another log, which no kept checkpoint proves',
    });
  }
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
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
    throw new IpoError(
      'unwritable',
      `${file}: the key of the ledger cannot be written (${code ?? 'unknown fault'})`,
      {
        hint: 'Make its directory writable for this user, or mount a key that is there already',
        cause: error,
      },
    );
  }
  log.info('a key for the ledger was made; back it up, it cannot be made again', { file });
  return pem;
}
