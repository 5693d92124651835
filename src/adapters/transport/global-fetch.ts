import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { openConnector } from './connect.ts';
import type { Outbound } from './outbound.ts';

/** Milliseconds until a connection stands. */
const CONNECT_MS = 10_000;
/** What libraries call is the operator's to say, and may be on this machine. */
const ANYWHERE = { testLoopback: true, privateNetworks: 'allow', denied: [] } as const;

/**
 * fetchThrough lets what calls `fetch` in this process by itself (the client of TUF repositories takes no connection from us) leave by an
 * Outbound. Gives what puts back how it was.
 */
export function fetchThrough(outbound: Outbound): () => void {
  if (outbound.proxyOf === null && outbound.secureContext === undefined) return () => undefined;
  const before = getGlobalDispatcher();
  const agent = new Agent({ connect: openConnector({ rules: ANYWHERE, timeoutMs: CONNECT_MS, outbound }) });
  setGlobalDispatcher(agent);
  return () => {
    setGlobalDispatcher(before);
    void agent.destroy();
  };
}
