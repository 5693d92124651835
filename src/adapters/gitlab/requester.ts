import type { Transport } from '../transport/index.ts';
import { unreadable } from '../transport/index.ts';

/** Asking is a call as Gitbeaker makes it. */
interface Asking {
  readonly searchParams?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
}

/** Given is an answer as Gitbeaker takes it. */
interface Given<T> {
  readonly body: T;
  readonly headers: Record<string, string>;
  readonly status: number;
}

type Ask = <T>(endpoint: string, asking?: Asking) => Promise<Given<T>>;

/** Requester is how Gitbeaker makes its calls; only what a channel does is there. */
export interface Requester {
  readonly get: Ask;
  readonly post: Ask;
  readonly put: Ask;
  readonly patch: Ask;
  readonly delete: Ask;
}

/** Bytes of an answer that holds one issue: a description may have a million characters. */
const ONE_ISSUE = 8 * 1_048_576;

/**
 * openRequester makes Gitbeaker's calls over our transport, in the place of its own requester, which repeats a call up to ten times and
 * keeps limits of its own. `url` is the address that Gitbeaker's resource stands under.
 */
export function openRequester(transport: Transport, url: string): Requester {
  const root = url.replace(/\/+$/, '');

  function asks(method: 'GET' | 'POST' | 'PUT'): Ask {
    return async <T>(endpoint: string, { searchParams = {}, body }: Asking = {}): Promise<Given<T>> => {
      const query = new URLSearchParams(
        Object.entries(searchParams).flatMap(([name, value]): [string, string][] =>
          value === undefined || value === null ? [] : [[snake(name), String(value as string | number)]],
        ),
      ).toString();
      const single = method !== 'GET' || searchParams['perPage'] === 1 || /\/issues\/\d+$/.test(endpoint);
      const { status, headers, text } = await transport.send({
        method,
        url: `${root}/${endpoint}${query === '' ? '' : `?${query}`}`,
        ...(body !== undefined && {
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(renamed(body as Readonly<Record<string, unknown>>)),
        }),
        maxBytes: single ? ONE_ISSUE : undefined,
      });
      const known = Object.entries(headers).filter(
        (entry): entry is [string, string] => entry[1] !== undefined,
      );
      const asked = { host: transport.base.host, write: method !== 'GET' };
      try {
        return { status, headers: Object.fromEntries(known), body: JSON.parse(text) as T };
      } catch (error) {
        throw unreadable(asked, 'no JSON', error);
      }
    };
  }

  const never: Ask = async () => {
    throw new Error('a channel makes no such call');
  };
  return { get: asks('GET'), post: asks('POST'), put: asks('PUT'), patch: never, delete: never };
}

function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Field names of a body as the API has them; values stay as they are. */
function renamed(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [snake(name), value]));
}
