import { connect } from 'node:net';
import { readProxy } from '../../adapters/proxy/index.ts';
import type { Secret } from '../../base/index.ts';

/** A proxy of one's own network answers sooner. */
const ANSWER_MS = 3_000;

/** proxyFault gives why a proxy cannot be reached, without its password; null where it can, or none is set. */
export async function proxyFault(proxy: Secret | undefined): Promise<string | null> {
  if (proxy === undefined) return null;
  const read = readProxy(proxy.reveal());
  if ('fault' in read) return `its address ${read.fault}`;
  const { origin, name } = read.proxy;
  const { hostname, port, protocol } = new URL(origin);
  const taken = {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (protocol === 'https:' ? 443 : 80),
  };
  return new Promise((resolve) => {
    const socket = connect({ ...taken, timeout: ANSWER_MS });
    const settle = (fault: string | null): void => {
      socket.destroy();
      resolve(fault);
    };
    socket.once('connect', () => settle(null));
    socket.once('timeout', () => settle(`${name} does not answer within ${ANSWER_MS / 1000} s`));
    socket.once('error', (error: NodeJS.ErrnoException) => settle(`${name}: ${error.code ?? error.message}`));
  });
}
