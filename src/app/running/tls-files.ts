import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { readBounded } from '../../adapters/files/index.ts';
import { IpoError } from '../../base/index.ts';
import type { Settings } from '../config/settings.ts';

/** TlsPair is a certificate with its key, as PEM texts that belong together. */
export interface TlsPair {
  readonly cert: string;
  readonly key: string;
  /** When the certificate ends, in milliseconds. */
  readonly endsAt: number;
}

/** readTls reads the files of the certificate and holds that they belong together. Throws `invalid_config`, FileError. */
export async function readTls({ certFile, keyFile }: NonNullable<Settings['tls']>): Promise<TlsPair> {
  const [cert, key] = [await readBounded(certFile, 1_048_576), await readBounded(keyFile, 65_536)];
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(cert);
  } catch (error) {
    throw bad(`${certFile}: not a certificate`, 'It must be PEM: -----BEGIN CERTIFICATE-----', error);
  }
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    const isPair = !/mismatch/i.test(error instanceof Error ? error.message : '');
    throw isPair
      ? bad(`${keyFile}: not a usable private key`, 'It must be PEM and without a password', error)
      : bad(
          `${keyFile}: is not the key of the certificate in ${certFile}`,
          'Put the two that belong together',
          error,
        );
  }
  return { cert, key, endsAt: certificate.validToDate.getTime() };
}

function bad(message: string, hint: string, cause: unknown): IpoError {
  return new IpoError('invalid_config', message, { hint, cause });
}
