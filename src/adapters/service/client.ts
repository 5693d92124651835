import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RouteKey } from '../../accounts/index.ts';
import { parseServer } from './address.ts';
import { openConnections, type HttpsProxy } from './connections.ts';
import { fromProblem, toNetworkFault } from './faults.ts';
import { readBody } from './read-body.ts';
import { ServiceError } from './service-error.ts';

/** ServiceOptions say which service is called, and as whom. */
export interface ServiceOptions {
  /** Address, as parseServer takes it. */
  readonly server: string;
  /** Token or session secret; null calls as nobody. */
  readonly token: string | null;
  /** PEM text of authorities to trust instead of those that Node brings. */
  readonly ca?: string | undefined;
  /** Milliseconds until the head of an answer must be there; 300,000 unless said, since a replay may take its time. */
  readonly timeoutMs?: number;
  readonly userAgent?: string;
  /** Tunnels HTTPS; undefined for none. */
  readonly proxy?: HttpsProxy | undefined;
  /** How often a call is made again that found the service busy with others of its account; 30 times unless said. */
  readonly again?: number;
  /** Waits for this many milliseconds before a call is made again; by real time unless given. */
  readonly wait?: (ms: number, signal: AbortSignal | undefined) => Promise<unknown>;
}

/** ServiceRequest is what a call hands over; a parameter that is undefined is left out. */
export interface ServiceRequest {
  /** Values for `{name}` in the route's path. */
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes that the answer may have; 64 MiB unless said. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
}

/** ServiceAnswer is a successful answer. */
export interface ServiceAnswer<T> {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: T;
  /** The body as it came, byte for byte. */
  readonly text: string;
}

/** ServiceStream is an answer that is read as it comes; read it to its end, or leave the loop to cut it off. */
export interface ServiceStream {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * ServiceClient calls the routes of a service by their keys: `json('GET /policies/{name}', {params: {name}})`. An answer
 * of 400 and above, an unreachable service and an answer that cannot be read are thrown as ServiceError, with the code of
 * the service's problem; redirects are refused, so that a token goes nowhere else.
 */
export interface ServiceClient {
  readonly server: string;
  /** Calls a route that answers with JSON, or with nothing (`body` is then undefined). */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller says what the route answers with
  json<T = unknown>(key: RouteKey, request?: ServiceRequest): Promise<ServiceAnswer<T>>;
  /** Calls a route that answers with a text or bytes of another type. */
  text(key: RouteKey, request?: ServiceRequest): Promise<ServiceAnswer<string>>;
  /** Calls a route whose answer may be long. */
  stream(key: RouteKey, request?: ServiceRequest): Promise<ServiceStream>;
  close(): Promise<void>;
}

/** ANSWER_TIMEOUT is how many milliseconds an answer may be waited for: more than a replay may take, waiting included. */
export const ANSWER_TIMEOUT = 300_000;
const AGAIN = 30;
/** Seconds; one that may be made much later only is for a person to make. */
const LONGEST_WAIT = 10;
const MAX_BYTES = 64 * 1_048_576;

/** openServiceClient makes a client of a service; nothing is sent before the first call. Throws `usage` for an address. */
export function openServiceClient(options: ServiceOptions): ServiceClient {
  const server = parseServer(options.server);
  const { origin, pathname } = new URL(server);
  const prefix = `${pathname.replace(/\/$/, '')}/api/v1`;
  const wait = options.wait ?? ((ms, signal) => sleep(ms, undefined, { signal }));
  const connections = openConnections(origin, {
    timeoutMs: options.timeoutMs ?? ANSWER_TIMEOUT,
    ca: options.ca,
    proxy: options.proxy,
  });

  return {
    server,
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as declared
    json: async <T>(key: RouteKey, request: ServiceRequest = {}) => {
      const answer = await call(key, 'application/json', request);
      const text = await readBody(server, answer, request.maxBytes ?? MAX_BYTES);
      const { status, headers } = headOf(answer);
      const body = (text === '' ? undefined : parsed(server, status, text)) as T;
      return { status, headers, body, text };
    },
    text: async (key, request = {}) => {
      const answer = await call(key, '*/*', request);
      const text = await readBody(server, answer, request.maxBytes ?? MAX_BYTES);
      return { ...headOf(answer), body: text, text };
    },
    stream: async (key, request = {}) => {
      const answer = await call(key, '*/*', request);
      return { ...headOf(answer), body: faulting(server, answer) };
    },
    close: async () => connections.close(),
  };

  /** What reads, and an import, which is turned away before its body is read, has done nothing yet when the service is busy with others. */
  async function call(key: RouteKey, accept: string, request: ServiceRequest): Promise<IncomingMessage> {
    const mayAgain = key.startsWith('GET ') || key === 'POST /scans';
    for (let tries = 0; ; tries += 1)
      try {
        return await callOnce(key, accept, request);
      } catch (error) {
        const isBusy = error instanceof ServiceError && error.status === 429 && error.code === 'rate_limited';
        const { retryAfter = Infinity } = isBusy ? error : {};
        if (!mayAgain || tries >= (options.again ?? AGAIN) || retryAfter > LONGEST_WAIT) throw error;
        await wait(retryAfter * 1000, request.signal);
      }
  }

  async function callOnce(
    key: RouteKey,
    accept: string,
    { params = {}, query = {}, body, headers = {}, signal }: ServiceRequest,
  ): Promise<IncomingMessage> {
    const [method, path] = lineOf(key, params, query);
    let answer: IncomingMessage;
    try {
      answer = await connections.send({
        method,
        path: `${prefix}${path}`,
        headers: {
          accept,
          'user-agent': options.userAgent ?? 'ipo',
          ...(options.token !== null && { authorization: `Bearer ${options.token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        body: body === undefined ? null : JSON.stringify(body),
        signal,
      });
    } catch (error) {
      throw toNetworkFault(server, error);
    }
    const { status, headers: sent } = headOf(answer);
    if (status < 300) return answer;
    const { location, 'retry-after': after } = sent;
    const text = await readBody(server, answer, 1_048_576);
    if (status < 400) throw movedTo(server, status, location);
    throw fromProblem(server, status, text, /^\d{1,6}$/.test(after ?? '') ? Number(after) : undefined);
  }
}

/** Method, path and query of a call; every `{name}` of the path must have a value. */
function lineOf(
  key: RouteKey,
  params: NonNullable<ServiceRequest['params']>,
  query: NonNullable<ServiceRequest['query']>,
): readonly [method: string, path: string] {
  const [method = 'GET', path = '/'] = key.split(' ');
  const filled = path.replaceAll(/\{([a-z_]+)\}/gi, (_whole, name: string) => {
    const value = params[name];
    if (value === undefined || value === '') throw new Error(`no value is given for {${name}} of ${key}`);
    const text = encodeURIComponent(value);
    return text === '.' || text === '..' ? text.replaceAll('.', '%2E') : text;
  });
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    ),
  ).toString();
  return [method, `${filled}${search === '' ? '' : `?${search}`}`];
}

function parsed(server: string, status: number, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ServiceError('network', `${server} gave an answer that is not JSON`, {
      hint: 'Check that this is the address of the service, and check any proxy in front of it',
      status,
      cause: error,
    });
  }
}

function movedTo(server: string, status: number, location: string | undefined): ServiceError {
  return new ServiceError(
    'network',
    `${server} has moved to ${originOf(location)}; redirects are not followed`,
    {
      hint: 'Use the new address',
      status,
    },
  );
}

function originOf(location: string | undefined): string {
  try {
    return new URL(location ?? '').origin;
  } catch {
    return 'another path';
  }
}

function headOf({ statusCode, headers }: IncomingMessage): {
  status: number;
  headers: Record<string, string>;
} {
  const flat = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : (value ?? ''),
  ]);
  return { status: statusCode ?? 0, headers: Object.fromEntries(flat) as Record<string, string> };
}

async function* faulting(server: string, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw toNetworkFault(server, error);
  }
}
