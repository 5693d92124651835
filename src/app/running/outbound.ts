import { proxyEnvironment, openProxyChoice, readProxy } from '../../adapters/proxy/index.ts';
import { readBounded } from '../../adapters/files/index.ts';
import {
  fetchThrough,
  openOutbound,
  readAuthorities,
  type Outbound,
} from '../../adapters/transport/index.ts';
import { IpoError } from '../../base/index.ts';
import type { OutboundSettings } from '../config/outbound.ts';

/** Certificates of some hundred authorities have less. */
const MAX_CA_BYTES = 4 * 1_048_576;

/** ServiceOutbound is how calls leave a service, and the programs that it runs. */
export interface ServiceOutbound {
  readonly outbound: Outbound;
  /** Variables by which a program of others calls through the proxy; none without a proxy. */
  readonly variables: Readonly<Record<string, string>>;
  /** PEM of the authorities of `outbound.caFile`; none without it. */
  readonly extra: readonly string[];
  /** Puts back how calls left before. */
  close(): void;
}

/**
 * openServiceOutbound reads the settings. Until it is closed, what libraries call by `fetch` leaves the same way. Throws `invalid_config`
 * for a `caFile` that is not all certificates, FileError for one that cannot be read.
 */
export async function openServiceOutbound(
  { proxy, noProxy, caFile }: OutboundSettings,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ServiceOutbound> {
  const apiServer = env['KUBERNETES_SERVICE_HOST'] ?? '';
  const extra = caFile === undefined ? [] : await readCaFile(caFile);
  const read = proxy === undefined ? null : readProxy(proxy.reveal());
  if (read !== null && 'fault' in read) throw new Error(`outbound.proxy ${read.fault}`); // the settings were checked
  const outbound = openOutbound(
    read === null ? null : openProxyChoice({ proxy: read.proxy, noProxy, apiServer }),
    extra,
  );
  return {
    outbound,
    extra,
    variables: proxy === undefined ? {} : proxyEnvironment({ address: proxy.reveal(), noProxy, apiServer }),
    close: fetchThrough(outbound),
  };
}

async function readCaFile(file: string): Promise<readonly string[]> {
  const authorities = readAuthorities(await readBounded(file, MAX_CA_BYTES));
  if (authorities !== null) return authorities;
  throw new IpoError('invalid_config', `${file}: outbound.caFile does not contain only certificates`, {
    hint: 'Each must be PEM: -----BEGIN CERTIFICATE-----; private keys and other PEM blocks do not belong in it',
  });
}
