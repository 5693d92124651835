import { Agent, request } from 'undici';
import { isLoopback, printable } from '../../base/index.ts';
import type { Validators } from '../../catalogues/index.ts';
import {
  AddressRefused,
  openConnector,
  ProxyFault,
  proxyFaultOf,
  type Outbound,
} from '../transport/index.ts';
import { FeedError } from './feed-error.ts';
import type { FeedWords } from './words.ts';

/** FeedCall is one call to where a catalogue is published. */
export interface FeedCall {
  readonly url: URL;
  /** What to ask with whether anything is new; null to be given the whole. */
  readonly known: Validators | null;
  /** Bytes that are taken, as they come. */
  readonly max: number;
  readonly words: FeedWords;
  /** Milliseconds for everything, from the look-up of the name to the last byte. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Through which proxy, and whom TLS trusts; directly and the authorities of the system unless said. */
  readonly outbound?: Outbound | undefined;
}

/** Fetched is what came, as it came; null: nothing is new. */
export type Fetched = { readonly bytes: Buffer; readonly validators: Validators } | null;

/**
 * fetchFeed makes one call: no redirect, no retry, bounded in bytes and in time. Link-local addresses and services of metadata are never
 * called, whatever a name resolves to. Throws FeedError `network` or `too_large`.
 */
export async function fetchFeed(call: FeedCall): Promise<Fetched> {
  const { url, known, max, words, timeoutMs, signal, outbound } = call;
  const late = AbortSignal.timeout(timeoutMs);
  const rules = { testLoopback: isLoopback(url.hostname), privateNetworks: 'allow', denied: [] } as const;
  const agent = new Agent({
    connect: openConnector({ rules, timeoutMs, outbound }),
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  });
  try {
    const { statusCode, headers, body } = await request(url, {
      method: 'GET',
      headers: {
        accept: 'application/json',
        'accept-encoding': 'gzip',
        'user-agent': 'ipo',
        ...conditions(known),
      },
      dispatcher: agent,
      signal: AbortSignal.any([late, signal]),
    });
    if (statusCode === 304 && known !== null) return null;
    if (statusCode !== 200) throw refused(url, statusCode, textOf(headers['location']), words);
    const parts: Buffer[] = [];
    let size = 0;
    for await (const part of body as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > max)
        throw new FeedError(
          'too_large',
          placeOf(url),
          `${url.host} answers with more than ${max / 1_048_576} MiB`,
        );
      parts.push(part);
    }
    return {
      bytes: Buffer.concat(parts),
      validators: { etag: textOf(headers['etag']), lastModified: textOf(headers['last-modified']) },
    };
  } catch (error) {
    if (error instanceof FeedError) throw error;
    const what = late.aborted ? `did not answer in full within ${timeoutMs / 1000} seconds` : reasonOf(error);
    const hint = proxyFaultOf(error)?.hint ?? noWayOut(words);
    throw new FeedError('network', placeOf(url), `${url.host} ${what}`, hint, error);
  } finally {
    await agent.destroy();
  }
}

function conditions(known: Validators | null): Readonly<Record<string, string>> {
  const { etag = null, lastModified = null } = known ?? {};
  return {
    ...(etag !== null && { 'if-none-match': etag }),
    ...(lastModified !== null && { 'if-modified-since': lastModified }),
  };
}

function noWayOut({ setting, mount }: FeedWords): string {
  return `If this machine cannot reach it, set ${setting} to a file (file://${mount}NAME) or to off`;
}

/** A query may hold a token of a mirror, so that none is shown. */
function placeOf(url: URL): string {
  return `${url.origin}${url.pathname}`;
}

/** One value of a header, short enough to be sent back. */
function textOf(value: string | readonly string[] | undefined): string | null {
  return typeof value === 'string' && value.length <= 1024 ? value : null;
}

function refused(url: URL, status: number, location: string | null, { noun, setting }: FeedWords): FeedError {
  if (status >= 300 && status < 400 && status !== 304) {
    const to = location !== null && URL.canParse(location, url.href) ? new URL(location, url) : null;
    const where = to === null ? '' : ` to ${printable(placeOf(to))}`;
    return new FeedError(
      'network',
      placeOf(url),
      `${url.host} redirects${where} (status ${status}), and redirects are not followed`,
      `Set ${setting} to where the ${noun} is now`,
    );
  }
  return new FeedError(
    'network',
    placeOf(url),
    `${url.host} does not give the ${noun} (status ${status})`,
    `Check ${setting} with a browser`,
  );
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses connections',
  ENOTFOUND: 'is not a known host',
  EAI_AGAIN: 'cannot be looked up now',
  ECONNRESET: 'cut the connection',
  UND_ERR_SOCKET: 'cut the connection',
  UND_ERR_CONNECT_TIMEOUT: 'cannot be reached',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'has a certificate that no trusted authority signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'has a certificate that no trusted authority signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'has a certificate that no trusted authority signed',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'has a certificate that no trusted authority signed',
  CERT_HAS_EXPIRED: 'has a certificate that has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a certificate for another name',
};

function reasonOf(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof AddressRefused || at instanceof ProxyFault) return at.message;
    const first = at instanceof AggregateError ? (at.errors[0] as NodeJS.ErrnoException) : at;
    const { code = '' } = first as NodeJS.ErrnoException;
    if (REASONS[code] !== undefined) return REASONS[code];
  }
  const { name, code = name } = error as NodeJS.ErrnoException;
  return `cannot be called (${code})`;
}
