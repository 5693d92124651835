import { createSecureContext } from 'node:tls';
import type { Anchor } from '../../ledger/index.ts';
import { DIRECT, openConnector, type Outbound } from '../transport/index.ts';
import { AnchorError } from './anchor-error.ts';
import { send, TIMEOUT } from './send.ts';

/** Where anchors are is the operator's to say: beside the service, too. */
const ANYWHERE = { testLoopback: true, privateNetworks: 'allow', denied: [] } as const;

/** HttpAnchorOptions say where checkpoints are sent. */
export interface HttpAnchorOptions {
  /** `https://…`; plain HTTP only for this machine. */
  readonly url: string;
  /** Sent as bearer; null for none. */
  readonly token: string | null;
  /** PEM text of authorities to trust instead of those that Node brings. */
  readonly ca?: string;
  /** Through which proxy, and whom TLS trusts unless `ca` says; directly and the authorities of the system unless said. */
  readonly outbound?: Outbound | undefined;
}

/**
 * httpAnchor sends each checkpoint to an address with POST: the signed note as `text/plain`. Any answer of 200 to 299 takes it; 409
 * says that it conflicts with what stands there. What it keeps is never read.
 * Throws AnchorError `usage` for an address that is none, or would show the token on the way.
 */
export function httpAnchor({ url: address, token, ca, outbound = DIRECT }: HttpAnchorOptions): Anchor {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new AnchorError('usage', 'the address of an anchor is not valid', {
      hint: 'Write it as https://HOST/PATH',
    });
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw new AnchorError('usage', `the anchor ${url.host} would be called over plain HTTP`, {
      hint: 'Use https; plain HTTP is allowed only for this machine',
    });
  }
  const connect = openConnector({
    rules: ANYWHERE,
    timeoutMs: TIMEOUT,
    outbound: ca === undefined ? outbound : { ...outbound, secureContext: createSecureContext({ ca }) },
  });
  return {
    name: `http:${url.origin}${url.pathname}`,
    read: null,
    async publish({ note }) {
      const { status } = await send({
        method: 'POST',
        url,
        headers: {
          'content-type': 'text/plain; charset=utf-8',
          'user-agent': 'ipo',
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        },
        body: note,
        connect,
      });
      if (status >= 200 && status < 300) return;
      if (status === 409) {
        throw new AnchorError(
          'conflict',
          `${url.host} says that the checkpoint conflicts with what it keeps (status 409)`,
        );
      }
      if (status === 401 || status === 403)
        throw new AnchorError('forbidden', `${url.host} refuses our token (status ${status})`);
      const what =
        status >= 300 && status < 400
          ? 'redirects, and redirects are not followed'
          : 'does not take the checkpoint';
      throw new AnchorError('network', `${url.host} ${what} (status ${status})`);
    },
  };
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
