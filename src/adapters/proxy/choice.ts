import { isIP } from 'node:net';
import type { Proxy } from './address.ts';
import { readException, type Exception } from './exception.ts';

/** ProxyChoice gives the proxy through which a target is called; null where it is called directly. */
export type ProxyChoice = (host: string, port: number) => Proxy | null;

/** ProxyChoiceOptions say what is called how. */
export interface ProxyChoiceOptions {
  readonly proxy: Proxy;
  /** Entries as `readException` reads them. */
  readonly noProxy: readonly string[];
  /** Address or name of the cluster's API server, as the environment of a pod has it; empty outside of a cluster. */
  readonly apiServer: string;
}

/**
 * Names that are never called through a proxy. They are those of this machine, of the cluster (a proxy outside cannot reach it, and one
 * inside must not be used to reach the API server past the check of addresses), and of services that hand out a machine's credentials:
 * called directly, each is resolved and its address is checked.
 */
const ALWAYS_DIRECT: readonly RegExp[] = [
  /^[^.]*$/,
  /(?:^|\.)localhost$/,
  /(?:^|\.)svc(?:\.cluster\.local)?$/,
  /(?:^|\.)cluster\.local$/,
  /^kubernetes\.default(?:\.|$)/,
  /^metadata\.google\.internal$/,
  /^instance-data\.ec2\.internal$/,
];

/** openProxyChoice makes the choice. Throws RangeError for an entry of `noProxy` that cannot be read. */
export function openProxyChoice({ proxy, noProxy, apiServer }: ProxyChoiceOptions): ProxyChoice {
  const exceptions = noProxy.map((entry): Exception => {
    const read = readException(entry);
    if (read === null) throw new RangeError(`noProxy: ${entry} cannot be read`);
    return read;
  });
  const server = bareHost(apiServer);
  return (written, port) => {
    const host = bareHost(written);
    const isDirect =
      host === server ||
      (isIP(host) === 0 ? ALWAYS_DIRECT.some((name) => name.test(host)) : isLoopbackAddress(host)) ||
      exceptions.some((covers) => covers(host, port));
    return isDirect ? null : proxy;
  };
}

function isLoopbackAddress(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}

function bareHost(text: string): string {
  return text
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
}
