import type { LookupFunction } from 'node:net';
import { Client } from 'undici';
import type { Clock, Secret } from '../../base/index.ts';
import { TrackerError, type WriteGuard } from '../../trackers/index.ts';
import type { AddressRules } from './address.ts';
import { readBody } from './body.ts';
import { openConnector } from './connect.ts';
import { unreadable, type Asked } from './library.ts';
import { toAnswerError, toNetworkError, type Answer } from './outcome.ts';
import type { Outbound } from './outbound.ts';
import { TooLong } from './pages.ts';
import { openRedactor, toSaid } from './redact.ts';
import type { WriterQueue } from './writer-queue.ts';

/** Bytes of an answer, also once unpacked. */
const MAX_ANSWER = 1_048_576;
/** Milliseconds for a whole call, from the first look-up to the last byte. */
const TIMEOUT = 20_000;

/** TransportOptions say where a channel calls, and as whom. */
export interface TransportOptions {
  /** As parseBase made it. */
  readonly base: URL;
  /** Sent with every request, only to this host. Libraries of providers never see them. */
  readonly credential: Readonly<Record<string, Secret>>;
  /** Further secrets that no sentence may show, such as the token inside a Basic header. */
  readonly secrets: readonly Secret[];
  /** Sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly rules: AddressRules;
  readonly queue: WriterQueue;
  readonly clock: Clock;
  /** Asked right before the first byte of a write. */
  readonly guard: WriteGuard;
  /** What the provider says went wrong, from the text of an answer; empty when it says nothing. */
  readonly explain: (text: string) => string;
  readonly timeoutMs?: number | undefined;
  readonly lookup?: LookupFunction | undefined;
  /** Through which proxy, and whom TLS trusts; directly and the authorities of the system unless said. */
  readonly outbound?: Outbound | undefined;
}

/** Request is one call. A method other than GET is a write: one at a time, and never made twice. */
export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  /** Whole address, which must lie under the base. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Bytes of the answer, where more than 1 MiB is expected. */
  readonly maxBytes?: number | undefined;
}

/** Success is an answer of 200 to 299 that could be read. */
export type Success = Answer & { readonly text: string };

/** Transport makes calls to one host as one account. */
export interface Transport {
  readonly base: URL;
  /**
   * Makes one call: no redirect, no retry, 20 s at most, at most 1 MiB of answer. Gives answers of 200 to 299; throws AnswerError for
   * others and TrackerError where there is none.
   */
  send(request: Request): Promise<Success>;
  /** Makes a foreign text fit for one line of a sentence: without secrets, printable, cut. */
  said(text: string): string;
}

/** openTransport makes a transport; nothing is sent before the first call. */
export function openTransport(options: TransportOptions): Transport {
  const { base, rules, queue, clock, explain, timeoutMs = TIMEOUT, lookup, outbound } = options;
  const redact = openRedactor([...Object.values(options.credential), ...options.secrets]);
  const said = (text: string): string => toSaid(text, redact);
  const host = base.host;
  const connector = openConnector({ rules, timeoutMs, lookup, outbound });

  async function call({ method, url, headers, body, maxBytes = MAX_ANSWER }: Request): Promise<Answer> {
    const { pathname, search } = within(base, url);
    if (method !== 'GET' && !options.guard()) throw held(host);
    const cut = new AbortController();
    const timer = setTimeout(() => cut.abort(), timeoutMs);
    let connected = false;
    // A connection for each call: none is left half dead, so what was sent is known, and every call checks its address.
    const client = new Client(base.origin, {
      connect: (wanted, callback) => {
        connector(wanted, (...made) => {
          const [error, socket] = made;
          if (error === null && method !== 'GET' && !options.guard()) {
            socket.destroy();
            callback(held(host), null);
            return;
          }
          connected ||= error === null;
          callback(...made);
        });
      },
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
    try {
      const answer = await client.request({
        method,
        path: `${pathname}${search}`,
        headers: { ...headers, ...options.headers, ...revealed(options.credential) },
        body: body ?? null,
        signal: cut.signal,
        reset: true,
      });
      const flat = flatten(answer.headers);
      const read = await readBody(answer.body, flat['content-encoding'], maxBytes);
      const { statusCode: status } = answer;
      return read.kind === 'text'
        ? { status, headers: flat, text: read.text, why: null, tooLong: false }
        : { status, headers: flat, text: null, why: read.why, tooLong: read.tooLong };
    } catch (error) {
      const timedOut = cut.signal.aborted ? `did not answer within ${timeoutMs / 1000} s` : null;
      throw toNetworkError(error, { host, write: method !== 'GET', connected, timedOut });
    } finally {
      clearTimeout(timer);
      await client.destroy();
    }
  }

  async function judged(request: Request): Promise<Success> {
    const answer = await call(request);
    if (answer.status >= 200 && answer.status < 300) {
      if (answer.text !== null) return answer as Success;
      const asked = { host, write: request.method !== 'GET' };
      throw answer.tooLong ? tooLong(asked) : unreadable(asked, answer.why ?? '');
    }
    const error = toAnswerError(answer, {
      host,
      write: request.method !== 'GET',
      said: said(saidIn(answer.text, explain)),
      now: clock.now(),
      redact,
    });
    if (error.quietMs !== null) queue.hold(error.quietMs);
    throw error;
  }

  return {
    base,
    said,
    send: async (request) =>
      request.method === 'GET'
        ? queue.read(() => judged(request))
        : // Issues and comments notify people; closing does not, and is an update on two of the three.
          queue.write(() => judged(request), { notifies: request.method === 'POST' }),
  };
}

/** What the provider says went wrong; a page of a proxy says nothing of use. */
function saidIn(text: string | null, explain: TransportOptions['explain']): string {
  return text === null || /^\s*</.test(text) ? '' : explain(text);
}

/** The address as it is sent. One that does not lie under the base is a mistake of ours, and goes nowhere. */
function within(base: URL, url: string): URL {
  const wanted = new URL(url, base);
  const root = base.pathname.replace(/\/$/, '');
  const inside = wanted.pathname.startsWith(`${root}/`) && wanted.username === '' && wanted.password === '';
  if (wanted.origin === base.origin && inside) return wanted;
  throw new TrackerError(
    'address',
    `the address of a call is not below ${base.origin}${root}; the call was not made`,
    {
      happened: 'no',
    },
  );
}

function tooLong({ host, write }: Asked): TooLong {
  return new TooLong('unreadable', `${host} answers with more than is read`, {
    happened: write ? 'unknown' : 'no',
  });
}

function held(host: string): TrackerError {
  return new TrackerError(
    'stopped',
    `nothing was sent to ${host}, since this process is stopping or leads no more`,
    {
      happened: 'no',
    },
  );
}

function revealed(credential: Readonly<Record<string, Secret>>): Record<string, string> {
  return Object.fromEntries(Object.entries(credential).map(([name, secret]) => [name, secret.reveal()]));
}

function flatten(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
}
