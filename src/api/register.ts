import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ACCESS, SHARED } from '../accounts/index.ts';
import { send } from './answer.ts';
import { joined, readBlocks } from './body-blocks.ts';
import type { CostlyCalls } from './costly.ts';
import { decides, IN_EFFECT_HEADER, toInEffect, type InEffect, type WrittenPolicy } from './in-effect.ts';
import { parseJsonBody } from './json-body.ts';
import { MAX_BODY } from './limits.ts';
import { holdAccept, producedBy } from './negotiate.ts';
import { splitKey, toPattern, type Paths } from './paths.ts';
import type { Route } from './route.ts';
import { admit, type Admitted, type SignIn } from './sign-in.ts';
import type { UntrustedProxies } from './untrusted-proxies.ts';
import { validated } from './validate.ts';

/** Marks routes whose bodies are read apart. */
const APART = 'ipo-apart';

/** RouteDeps are what routes are registered with. */
export interface RouteDeps {
  readonly app: FastifyInstance;
  readonly paths: Paths;
  readonly costly: CostlyCalls;
  readonly proxies: UntrustedProxies;
  /** Whether somebody's `X-Forwarded-For` is believed. */
  readonly believes: boolean;
  readonly signIn: SignIn;
  readonly inEffect: ((written: WrittenPolicy | null) => Promise<InEffect>) | undefined;
}

/** readBodies has bodies of JSON read, and no others. */
export function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', async (request: FastifyRequest, payload: Readable) => {
    const { bodyLimit, config } = request.routeOptions as { bodyLimit: number; config: object };
    const { 'content-length': length } = request.headers;
    const blocks = await readBlocks(payload, length === undefined ? null : Number(length), bodyLimit);
    if (blocks.length === 0) return undefined;
    return APART in config && config[APART] === true ? blocks : parseJsonBody(joined(blocks));
  });
}

/** register adds a route. Throws for one that the table of access does not have. */
export function register(deps: RouteDeps, route: Route): void {
  const { app, paths, costly, signIn, inEffect } = deps;
  if (!Object.hasOwn(ACCESS, route.key)) throw new Error(`${route.key} is not in the table of access`);
  const { method, path } = splitKey(route.key);
  const pattern = toPattern(path);
  const methods = method === 'GET' ? ['GET', 'HEAD'] : [method];
  const produced = producedBy(route);
  paths.add(pattern, methods);
  const admissions = new WeakMap<FastifyRequest, Admitted>();
  app.route({
    method: methods,
    url: pattern,
    bodyLimit: route.maxBody ?? MAX_BODY,
    config: { [APART]: costly.isApart(route) },
    onRequest: async (request, reply) => {
      const admitted = await admit(route.key, request, signIn);
      admissions.set(request, admitted);
      holdAccept(request.headers.accept, produced);
      await costly.enter(route, admitted.principal, request, reply);
    },
    handler: async (request, reply) => {
      const gone = new AbortController();
      reply.raw.once('close', () => {
        if (!reply.raw.writableFinished) gone.abort();
      });
      // A body may take a minute to arrive: a caller that lost its rights meanwhile is refused.
      if (request.body !== undefined && admissions.get(request)?.principal !== null)
        admissions.set(request, await admit(route.key, request, signIn));
      const { principal, secret } = admissions.get(request) ?? { principal: null, secret: null };
      const params = validated('params', route.params, request.params);
      const query = validated('query', route.query, request.query);
      const path = `${request.method} ${request.url.split('?')[0] ?? ''}`;
      const address = clientOf(deps, request);
      const call = { params, query, principal, path, signal: gone.signal };
      const answer = await costly.make(route, request, call, () =>
        route.handle({
          ...call,
          secret,
          address,
          headers: request.headers,
          body: validated('body', route.body, request.body),
        }),
      );
      if (inEffect !== undefined && decides(route.key)) {
        const effect = await inEffect(answer.written ?? null);
        reply.header(IN_EFFECT_HEADER.toLowerCase(), toInEffect(effect));
      }
      return send(reply, answer);
    },
  });
}

/** Through a proxy that nobody told us to believe, everybody has one address. */
function clientOf({ proxies, believes }: RouteDeps, request: FastifyRequest): string {
  const isPassedOn = proxies.note(request);
  return isPassedOn && !believes ? `${SHARED}${request.ip}` : request.ip;
}
