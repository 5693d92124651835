import type { Readable } from 'node:stream';
import { JSON_TYPE, toBytes } from './answer.ts';
import type { ApartCall } from './apart.ts';
import { joined } from './body-blocks.ts';
import { parseJsonBody } from './json-body.ts';
import type { Route } from './route.ts';
import { validated } from './validate.ts';

/** ApartAnswer is an answer with its body as bytes, or as a stream of them. */
export interface ApartAnswer {
  readonly status: number;
  readonly type: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Uint8Array | Readable;
}

/**
 * answerApart makes a call of one of the routes where it was handed to: a body is read and held against its schema there, and the answer
 * written as JSON. Throws what the route throws, `invalid_request` for the body.
 */
export async function answerApart(
  route: Route,
  { params, query, body, principal, path, acceptEncoding }: ApartCall,
  signal: AbortSignal,
): Promise<ApartAnswer> {
  const parsed = body === null ? undefined : parseJsonBody(joined(body));
  const answer = await route.handle({
    params,
    query,
    principal,
    path,
    signal,
    body: validated('body', route.body, parsed),
    headers: acceptEncoding === null ? {} : { 'accept-encoding': acceptEncoding },
    address: '',
    secret: null,
  });
  const { status = 200, type = JSON_TYPE, headers = {}, stream, json } = answer;
  return {
    status,
    type,
    headers,
    body: stream ?? toBytes(answer.body, json, answer.type) ?? new Uint8Array(),
  };
}
