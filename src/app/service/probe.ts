import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { IpoError } from '../../base/index.ts';
import { parseListen, type Settings } from '../config/settings.ts';

/** By what address this machine reaches what listens on all of its own. */
const OWN = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);

/**
 * probeHealth asks the service of these settings on this machine whether it lives: its webhook, where it has one, since that is a process
 * of its own and the daemon starts the others again. Throws `unavailable`. The certificate is not held against a name: it is for the
 * public one, and the answer tells nothing.
 */
export async function probeHealth(
  { listen: api, tls, webhook }: Pick<Settings, 'listen' | 'tls' | 'webhook'>,
  timeoutMs = 4_000,
): Promise<void> {
  const listen = webhook.listen ?? api;
  const isTls = webhook.listen !== undefined || tls !== undefined;
  const path = webhook.listen === undefined ? '/healthz' : '/livez';
  const { host, port } = parseListen(listen) ?? { host: '127.0.0.1', port: 0 };
  const address = OWN.get(host) ?? host;
  const options = { host: address, port, path, timeout: timeoutMs, rejectUnauthorized: false };
  const status = await new Promise<number>((resolve, reject) => {
    const request = (isTls ? httpsRequest : httpRequest)(options, (response) => {
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
