import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import type { ProxyChoice } from '../proxy/index.ts';

/** Outbound is how the connections of a process leave it. */
export interface Outbound {
  /** Null where everything is called directly. */
  readonly proxyOf: ProxyChoice | null;
  /** PEM of every trusted authority; undefined for those of the system. */
  readonly authorities: readonly string[] | undefined;
  /** The same, ready for use: reading them takes longer than a connection. */
  readonly secureContext: SecureContext | undefined;
}

/** DIRECT calls everything directly and trusts the authorities of the system. */
export const DIRECT: Outbound = { proxyOf: null, authorities: undefined, secureContext: undefined };

/** openOutbound makes an Outbound that trusts `extra` authorities (PEM) beside those of the system. */
export function openOutbound(proxyOf: ProxyChoice | null, extra: readonly string[]): Outbound {
  if (extra.length === 0) return { ...DIRECT, proxyOf };
  const authorities = [...getCACertificates('default'), ...extra];
  return { proxyOf, authorities, secureContext: createSecureContext({ ca: authorities }) };
}
