import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { IpoError } from '../base/index.ts';
import { parseListen, type Settings } from './settings.ts';

/**
 * probeHealth asks the service of these settings on this machine whether it lives. Throws `unavailable`. The certificate is
 * not held against a name: it is for the public one, and the answer tells nothing.
 */
export async function probeHealth(
  { listen, tls }: Pick<Settings, 'listen' | 'tls'>,
  timeoutMs = 4_000,
): Promise<void> {
  const { host, port } = parseListen(listen) ?? { host: '127.0.0.1', port: 0 };
  const address = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  const options = { host: address, port, path: '/healthz', timeout: timeoutMs, rejectUnauthorized: false };
  const status = await new Promise<number>((resolve, reject) => {
    const request = (tls === undefined ? httpRequest : httpsRequest)(options, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on('timeout', () => request.destroy(new Error('no answer in time')));
    request.on('error', reject);
    request.end();
  }).catch((error: unknown) => {
    throw new IpoError('unavailable', `the service does not answer on ${listen}`, { cause: error });
  });
  if (status !== 200) throw new IpoError('unavailable', `the service answers with ${status} on ${listen}`);
}
