import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { RegistryError } from '../../image/index.ts';
import type { Lines } from './connect.ts';
import { isCutOff, toNetworkError } from './faults.ts';
import type { Hosts } from './hosts.ts';
import { PER_HOST, TOTAL } from './limits.ts';
import { Places } from './places.ts';

/** HttpCall is one call to one address. */
export interface HttpCall {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** A long one is made again for each try; its time counts from the last piece that was sent. */
  readonly body?: string | (() => AsyncIterable<Uint8Array>) | undefined;
  /** Bytes that are taken of an answer of 200; of any other 64 KiB are looked at. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** HttpAnswer is what came. */
export interface HttpAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Every `WWW-Authenticate`, as one list. */
  readonly bytes: Buffer;
}

const MAX_FAULT_BODY = 64 * 1024;

/** CallerOptions are what calls are made with. */
export interface CallerOptions {
  readonly hosts: Hosts;
  readonly lines: Lines;
  readonly userAgent: string;
  /** Milliseconds for one call. */
  readonly callMs: number;
}

/**
 * Caller makes single calls: over https, or plain HTTP where the host may be called so; to checked addresses; bounded in time and bytes;
 * this many at once. It follows nothing, and makes a call once more only where a connection that was kept had ended meanwhile.
 */
export class Caller {
  readonly #options: CallerOptions;
  readonly #places = new Places(PER_HOST, TOTAL);

  constructor(options: CallerOptions) {
    this.#options = options;
  }

  /** Throws RegistryError. */
  async call(call: HttpCall): Promise<HttpAnswer> {
    const { url, signal } = call;
    const reach = this.#options.hosts.reachOf(url.host);
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && reach.plainHttp))
      throw new RegistryError(
        'refused',
        `${url.host} would be called over plain HTTP, which is not allowed for it`,
        {
          remedy: 'allow_plain_http',
          hint: 'Allow plain HTTP for this registry (plainHttp) where that is meant',
        },
      );
    const leave = await this.#places.enter(url.host, signal);
    try {
      try {
        return await this.#once(call, this.#options.lines.of(reach));
      } catch (error) {
        // A refresh token must not be sent twice: its second use can end it.
        if (call.method === 'POST' || !isCutOff(error) || signal.aborted) throw error;
        return await this.#once(call, this.#options.lines.of(reach));
      }
    } catch (error) {
      if (signal.aborted) throw signal.reason instanceof Error ? signal.reason : error;
      throw toNetworkError(error, url.host);
    } finally {
      leave();
    }
  }

  async #once(
    { method, url, headers, body, maxBytes, signal }: HttpCall,
    dispatcher: Dispatcher,
  ): Promise<HttpAnswer> {
    const { callMs, userAgent } = this.#options;
    const cut = new AbortController();
    const onAbort = (): void => cut.abort(signal.reason);
    const timer = setTimeout(() => cut.abort(late(url.host, callMs)), callMs);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    try {
      const answer = await dispatcher.request({
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method,
        // Packed bytes are not those of a digest.
        headers: { 'user-agent': userAgent, 'accept-encoding': 'identity', ...headers },
        body: typeof body === 'function' ? Readable.from(sending(body(), timer)) : (body ?? null),
        signal: cut.signal,
      });
      const flat = flatten(answer.headers);
      const isGood = answer.statusCode >= 200 && answer.statusCode < 300;
      const bytes = await read(
        answer.body,
        flat,
        isGood ? maxBytes : MAX_FAULT_BODY,
        isGood,
        url.host,
        method,
      );
      return { status: answer.statusCode, headers: flat, bytes };
    } catch (error) {
      if (cut.signal.aborted && cut.signal.reason instanceof Error) throw cut.signal.reason;
      throw error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    }
  }
}

/** What is sent, while the timer of its call begins again with each piece. */
async function* sending(
  pieces: AsyncIterable<Uint8Array>,
  timer: NodeJS.Timeout,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const piece of pieces) {
    timer.refresh();
    yield piece;
  }
}

/** The body of an answer. Of an answer that is a fault, what is too long is left out. */
async function read(
  body: Dispatcher.ResponseData['body'],
  headers: HttpAnswer['headers'],
  max: number,
  isGood: boolean,
  host: string,
  method: string,
): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  const said = Number(headers['content-length']);
  if (isGood && method !== 'HEAD') {
    const packed = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
    let fault: RegistryError | null = null;
    if (said > max) fault = tooLarge(host, max);
    else if (packed !== 'identity' && packed !== '')
      fault = new RegistryError(
        'unreadable',
        `${host} compresses its answer, although the request does not accept that`,
      );
    if (fault !== null) {
      body.on('error', () => undefined).destroy();
      throw fault;
    }
  }
  for await (const part of body as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > max) {
      if (isGood) throw tooLarge(host, max); // leaving the loop ends the stream
      break;
    }
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function tooLarge(host: string, max: number): RegistryError {
  const shown = max >= 1_048_576 ? `${Math.floor(max / 1_048_576)} MiB` : `${max} bytes`;
  return new RegistryError('too_large', `${host} answers with more than ${shown}`);
}

function late(host: string, ms: number): RegistryError {
  return new RegistryError('unavailable', `${host} did not answer in full within ${ms / 1000} seconds`, {
    remedy: 'reach',
  });
}

function flatten(headers: Dispatcher.ResponseData['headers']): HttpAnswer['headers'] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
}
