import { Agent, request, type buildConnector } from 'undici';
import { AddressRefused, proxyFaultOf } from '../transport/index.ts';
import { AnchorError } from './anchor-error.ts';

/** Milliseconds for a whole call: the next checkpoint tries again. */
export const TIMEOUT = 10_000;
/** Bytes of an answer that are read. */
const MAX_ANSWER = 1024 * 1024;

/** Call is one request to an anchor. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** How a connection is made: with options of TLS, or by a function that makes it. */
  readonly connect?: buildConnector.BuildOptions | buildConnector.connector;
}

/** Answered is an answer, whatever its status. */
export interface Answered {
  readonly status: number;
  readonly text: string;
}

/**
 * send makes one call, bounded in time and size. Redirects are not followed, since the credential would go along: they are answers like any
 * other. Throws AnchorError `network`, which names only the host.
 */
export async function send({ method, url, headers, body, connect = {} }: Call): Promise<Answered> {
  // An agent for the call: one a minute needs no pool, and a certificate that was renewed is read again.
  const agent = new Agent({ connect });
  try {
    const { statusCode: status, body: answer } = await request(url, {
      method,
      headers,
      body: body ?? null,
      dispatcher: agent,
      signal: AbortSignal.timeout(TIMEOUT),
    });
    const parts: Buffer[] = [];
    let size = 0;
    for await (const part of answer as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > MAX_ANSWER) throw new AnchorError('network', `${url.host} answers with more than 1 MiB`);
      parts.push(part);
    }
    return { status, text: Buffer.concat(parts).toString('utf8') };
  } catch (cause) {
    if (cause instanceof AnchorError) throw cause;
    const closed = proxyFaultOf(cause);
    if (closed !== null)
      throw new AnchorError('network', `${url.host} ${closed.message}`, { hint: closed.hint, cause });
    throw new AnchorError('network', `${url.host} ${reasonOf(cause)}`, { cause });
  } finally {
    await agent.destroy();
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof AddressRefused) return error.message;
  const { name, code = '' } = error as NodeJS.ErrnoException;
  if (name === 'TimeoutError') return `did not answer within ${TIMEOUT / 1000} seconds`;
  const reasons: Readonly<Record<string, string>> = {
    ECONNREFUSED: 'refuses connections',
    ENOTFOUND: 'is not a known host',
    EAI_AGAIN: 'cannot be looked up now',
    ECONNRESET: 'cut the connection',
    UND_ERR_SOCKET: 'cut the connection',
    UND_ERR_CONNECT_TIMEOUT: 'cannot be reached',
    DEPTH_ZERO_SELF_SIGNED_CERT: 'has a certificate that no trusted authority signed',
    SELF_SIGNED_CERT_IN_CHAIN: 'has a certificate that no trusted authority signed',
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'has a certificate that no trusted authority signed',
    CERT_HAS_EXPIRED: 'has a certificate that has expired',
    ERR_TLS_CERT_ALTNAME_INVALID: 'has a certificate for another name',
  };
  return reasons[code] ?? `cannot be called (${code === '' ? name : code})`;
}
