import { TrackerError } from '../../trackers/index.ts';
import type { Transport } from './transport.ts';

/** toFetch dresses a transport as `fetch`, for libraries that take one. It throws what the transport throws. */
export function toFetch(transport: Transport): typeof fetch {
  return async (input, init = {}) => {
    const url = input instanceof Request ? input.url : String(input);
    const method = (init.method ?? 'GET').toUpperCase();
    if (method !== 'GET' && method !== 'POST' && method !== 'PUT' && method !== 'PATCH')
      throw new TrackerError('invalid', `${method} is not a call that a channel makes`, { happened: 'no' });
    const { body } = init;
    const answer = await transport.send({
      method,
      url,
      headers: Object.fromEntries(new Headers(init.headers)),
      body: typeof body === 'string' ? body : undefined,
    });
    const { status, text, headers } = answer;
    const empty = status === 204 || status === 205;
    return new Response(empty ? null : text, {
      status,
      headers: Object.entries(headers).filter(
        ([name, value]) => value !== undefined && !/^content-(?:encoding|length)$/.test(name),
      ) as [string, string][],
    });
  };
}
