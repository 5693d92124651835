import type { CustomFetch } from 'openid-client';
import { Agent, fetch, type RequestInit } from 'undici';
import { openConnector, type Outbound } from '../transport/index.ts';

/** MAX_ANSWER is how many bytes an answer of the provider may have. */
const MAX_ANSWER = 1_048_576;

/** Milliseconds until a connection stands. */
const CONNECT_MS = 10_000;
/** Where the provider is is the operator's to say: on this machine, too. Link-local addresses are never called, whatever it says of itself. */
const ANYWHERE = { testLoopback: true, privateNetworks: 'allow', denied: [] } as const;

/**
 * openBoundedFetch gives what calls the provider: no redirect is followed (a secret would travel along), and an answer that grows
 * beyond its bound is cut off with an error.
 */
export function openBoundedFetch(outbound?: Outbound): CustomFetch {
  const dispatcher = new Agent({
    connect: openConnector({ rules: ANYWHERE, timeoutMs: CONNECT_MS, outbound }),
  });
  return async (url, options) => {
    const response = await fetch(url, { ...(options as RequestInit), redirect: 'manual', dispatcher });
    const { status, statusText, body } = response;
    const headers = [...response.headers];
    if (body === null) return new Response(null, { status, statusText, headers });
    let left = MAX_ANSWER;
    const bound = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        left -= chunk.length;
        if (left < 0) controller.error(new TypeError(`the answer has more than ${MAX_ANSWER} bytes`));
        else controller.enqueue(chunk);
      },
    });
    return new Response(body.pipeThrough(bound), { status, statusText, headers });
  };
}
