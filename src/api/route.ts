import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { Principal, RouteKey } from '../accounts/index.ts';
import type { WrittenPolicy } from './in-effect.ts';

/** RouteInput is a request whose parts have passed their schemas. */
export interface RouteInput<P, Q, B> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** Null on routes that are open to everybody and were called by nobody signed in. */
  readonly principal: Principal | null;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Method and path as it was called, for the audit log. */
  readonly path: string;
  /** Address of the client. */
  readonly address: string;
  /** The secret that came as cookie or bearer, or null. */
  readonly secret: string | null;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
}

/** RouteAnswer is what a handler gives back; `body` is sent as JSON unless it is bytes, text with a `type`, or a stream. */
export interface RouteAnswer {
  readonly status?: number;
  readonly body?: unknown;
  /** Media type of a body that is not a JSON value. */
  readonly type?: string;
  /** JSON text that is sent as it stands, byte for byte. */
  readonly json?: string;
  readonly stream?: Readable;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** The policy that the call has written; where it has. */
  readonly written?: WrittenPolicy;
}

/** Answered documents one status of a route. `schema` absent: no JSON body. */
export interface Answered {
  readonly description: string;
  readonly schema?: z.ZodType;
  /** Media type where it is not `application/json`. */
  readonly type?: string;
  /** Further media types that it may have, as the call asks for. */
  readonly otherTypes?: readonly string[];
  /** What its headers say, by their names. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * WORKS are the kinds of costly calls, which are made apart from the loop that answers everybody: `read` reads long lists and writes them
 * as JSON, `export` streams what may have any length, `import` takes a long body and writes what it says.
 */
const WORKS = ['read', 'export', 'import'] as const;

/** Work is one of WORKS. */
export type Work = (typeof WORKS)[number];

/** Route is one operation of the service. Who may call it stands in `accounts/access.ts`. */
export interface Route<
  P extends z.ZodType = z.ZodType,
  Q extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
> {
  /** Method and path under `/api/v1`, as in the table of access: `GET /policies/{name}`. */
  readonly key: RouteKey;
  /** Unique name of the operation in the OpenAPI document: `listPolicies`. */
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** Bytes that a body may have; 1 MiB unless said. */
  readonly maxBody?: number;
  /** A call that may cost much is made apart from the loop, within the places of its account; absent: it never does. */
  readonly work?: Work;
  /** By status; errors that every route may answer are added by the server. */
  readonly answers: Readonly<Record<number, Answered>>;
  handle(input: RouteInput<z.output<P>, z.output<Q>, z.output<B>>): Promise<RouteAnswer> | RouteAnswer;
}

/** route checks a route's types where it is written and gives it with its types forgotten, for a list of routes. */
export function route<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
  definition: Route<P, Q, B>,
): Route {
  return definition as unknown as Route;
}
