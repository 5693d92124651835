import type { Api } from '../../api/index.ts';
import { DAY_MS, formatTime, type Log } from '../../base/index.ts';
import type { Settings } from '../config/settings.ts';
import { readTls, type TlsPair } from './tls-files.ts';

/**
 * renewing gives the job that reads the certificate's files again and takes what changed, for connections from then on. Files
 * that cannot be used leave the pair that is in use, and are told as the job's fault; so is an end that comes near, in the log.
 */
export function renewing(
  files: NonNullable<Settings['tls']>,
  first: TlsPair,
  api: () => Pick<Api, 'renewTls'> | null,
  log: Log,
  now: () => number = Date.now,
): () => Promise<void> {
  let inUse = first;
  return async () => {
    const read = await readTls(files);
    if (read.cert !== inUse.cert || read.key !== inUse.key) {
      api()?.renewTls(read);
      inUse = read;
      log.info('certificate renewed', { ends_at: formatTime(read.endsAt) });
    }
    const left = inUse.endsAt - now();
    const keys = { file: files.certFile, ends_at: formatTime(inUse.endsAt) };
    if (left <= 0) log.error('the certificate has ended; nobody can call the service', keys);
    else if (left < DAY_MS) log.warn('the certificate ends soon', keys);
  };
}
