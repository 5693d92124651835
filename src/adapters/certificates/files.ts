import { open } from 'node:fs/promises';
import type { ServingSource } from '../../certificates/index.ts';
import { IpoError } from '../../base/index.ts';

const MAX_BYTES = 1_048_576;

/** CertificateFileError says which file cannot be read; no message holds what is in it. */
class CertificateFileError extends IpoError {
  override readonly name = 'CertificateFileError';
}

/**
 * certificateFiles reads a serving certificate from files, as a Secret is mounted: cert-manager writes it, or a person. Null while either
 * is not there. Both are read until they stayed the same, as a mount changes between two reads. Throws CertificateFileError.
 */
export function certificateFiles(certFile: string, keyFile: string): ServingSource {
  const both = async () => ({ cert: await readFile(certFile), key: await readFile(keyFile) });
  return {
    async read() {
      let before = await both();
      for (let attempts = 0; attempts < 3; attempts += 1) {
        const { cert, key } = await both();
        if (cert === null || key === null) return null;
        if (cert === before.cert && key === before.key) return { cert, key };
        before = { cert, key };
      }
      throw new CertificateFileError('unreadable', `${certFile}: changes while it is read`);
    },
  };
}

async function readFile(path: string): Promise<string | null> {
  try {
    const handle = await open(path, 'r');
    try {
      const { size } = await handle.stat();
      if (size > MAX_BYTES) throw new CertificateFileError('too_large', `${path}: more than 1 MiB`);
      return await handle.readFile('utf8');
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof CertificateFileError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    throw new CertificateFileError('unreadable', `${path}: cannot be read (${code ?? 'unknown fault'})`, {
      hint: 'Let the service read it: for a Secret, fsGroup 65532 and mode 0440',
      cause: error,
    });
  }
}
