import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Log } from '../base/index.ts';
import { send } from './answer.ts';
import type { Apart } from './apart.ts';
import { CostlyCalls } from './costly.ts';
import { refusalOf, writeRefusal } from './faults.ts';
import { MAX_BODY, SERVER_LIMITS, type Limits } from './limits.ts';
import { listenFault } from './listen-fault.ts';
import type { InEffect, WrittenPolicy } from './in-effect.ts';
import { Paths } from './paths.ts';
import type { PlaceLimits } from './places.ts';
import { openRefusals, type Refusals } from './refuse.ts';
import { readBodies, register, type RouteDeps } from './register.ts';
import type { Route, RouteAnswer } from './route.ts';
import { SECURITY_HEADERS, STRICT_TRANSPORT } from './security-headers.ts';
import type { SignIn } from './sign-in.ts';
import { UntrustedProxies } from './untrusted-proxies.ts';

/** Probe is a path beside `/api/v1` that anybody may read: health, readiness, metrics. */
export interface Probe {
  readonly path: string;
  handle(): Promise<RouteAnswer>;
}

/** ServedCall is one answered request, for the log and the metrics. `route` is its pattern, or null when none was met. */
export interface ServedCall {
  readonly method: string;
  readonly route: string | null;
  readonly status: number;
  readonly seconds: number;
}

/** ApiOptions are what the frame of the API is made of. */
export interface ApiOptions {
  readonly routes: readonly Route[];
  readonly probes?: readonly Probe[];
  readonly signIn: SignIn;
  readonly log: Log;
  readonly observe?: (call: ServedCall) => void;
  /** PEM texts; absent: plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** Whether clients reach the service by HTTPS, by ourselves or by a proxy. */
  readonly https?: boolean;
  /** Addresses and networks whose `X-Forwarded-For` is believed. */
  readonly trustedProxies?: readonly string[];
  /** Told of requests that others pass on. */
  readonly proxies?: UntrustedProxies;
  /** Brings what was written, and is durable, into effect here before its answer leaves. It never rejects. */
  readonly inEffect?: (written: WrittenPolicy | null) => Promise<InEffect>;
  /** Makes costly calls elsewhere; absent: they are made here, as all others. */
  readonly apart?: Apart;
  /** Other bounds than PLACE_LIMITS. */
  readonly places?: Partial<PlaceLimits>;
  /** Other bounds than SERVER_LIMITS. */
  readonly limits?: Partial<Limits>;
}

/** Api is the server, listening once told to. */
export interface Api {
  /** Listens on an address; port 0 takes a free one. Gives the address taken. Throws `port_taken`. */
  listen(host: string, port: number): Promise<{ readonly host: string; readonly port: number }>;
  /** Answers a request without a network, for tests. */
  readonly inject: FastifyInstance['inject'];
  /** Takes other certificates for connections from now on. */
  renewTls(tls: { readonly cert: string; readonly key: string }): void;
  /** Stops accepting, lets requests under way end for this many milliseconds, then closes whatever is open. */
  close(graceMs: number): Promise<void>;
}

/**
 * openApi makes the server of the given routes. Throws for a route that the table of access does not have, and for one
 * that is given twice: nobody could say who may call it.
 */
export function openApi(options: ApiOptions): Api {
  const { log, tls } = options;
  const limits = { ...SERVER_LIMITS, ...options.limits };
  const paths = new Paths();
  const believes = (options.trustedProxies ?? []).length > 0;
  const costly = new CostlyCalls({ apart: options.apart, limits: options.places });
  const proxies = options.proxies ?? new UntrustedProxies({ now: () => 0, log });
  const headers = {
    ...SECURITY_HEADERS,
    ...((options.https ?? tls !== undefined) && { 'strict-transport-security': STRICT_TRANSPORT }),
  };
  const { refuse, sendProblem } = openRefusals(log, headers);
  const app = openFrame(options, limits, headers, refuse);

  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ ...headers, 'x-request-id': request.id });
  });
  app.addHook('onResponse', async (request, reply) => observe(options, request, reply));
  readBodies(app);

  const deps: RouteDeps = {
    app,
    paths,
    costly,
    proxies,
    believes,
    signIn: options.signIn,
    inEffect: options.inEffect,
  };
  for (const route of options.routes) register(deps, route);
  for (const probe of options.probes ?? []) {
    paths.add(probe.path, ['GET', 'HEAD']);
    app.route({
      method: ['GET', 'HEAD'],
      url: probe.path,
      handler: async (_request, reply) => send(reply, await probe.handle()),
    });
  }
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0] ?? '';
    sendProblem(reply, refusalOf(request.method, path, paths.methodsOf(path), request.id));
  });
  app.setErrorHandler((error, request, reply) => refuse(request, reply, error));

  return {
    inject: app.inject.bind(app) as FastifyInstance['inject'],
    listen: async (host, port) => {
      try {
        await app.listen({ host, port });
      } catch (error) {
        throw listenFault(error, host, port, '--listen HOST:PORT, or listen in the configuration');
      }
      const address = app.server.address();
      return typeof address === 'object' && address !== null
        ? { host: address.address, port: address.port }
        : { host, port };
    },
    renewTls: (renewed) => {
      if ('setSecureContext' in app.server && typeof app.server.setSecureContext === 'function')
        app.server.setSecureContext({ ...renewed, minVersion: 'TLSv1.2' });
    },
    close: async (graceMs) => {
      const end = setTimeout(() => app.server.closeAllConnections(), graceMs);
      // A connection whose last answer has just gone out would otherwise be kept for its next request.
      const idle = setInterval(() => app.server.closeIdleConnections(), 50);
      try {
        await app.close();
      } finally {
        clearTimeout(end);
        clearInterval(idle);
      }
    },
  };
}

/** The server itself, without routes. */
function openFrame(
  { tls, trustedProxies }: ApiOptions,
  limits: Limits,
  headers: Readonly<Record<string, string>>,
  refuse: Refusals['refuse'],
): FastifyInstance {
  const http = {
    headersTimeout: limits.headersTimeout,
    connectionsCheckingInterval: limits.checkingInterval,
    maxHeaderSize: limits.maxHeaderBytes,
  };
  const app = fastify({
    ...(tls === undefined ? { http } : { https: { ...http, ...tls, minVersion: 'TLSv1.2' as const } }),
    logger: false,
    bodyLimit: MAX_BODY,
    requestTimeout: limits.requestTimeout,
    keepAliveTimeout: limits.keepAliveTimeout,
    connectionTimeout: limits.idleTimeout,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    exposeHeadRoutes: false,
    trustProxy: trustedProxies !== undefined ? [...trustedProxies] : false,
    genReqId: () => randomUUID(),
    routerOptions: { maxParamLength: 300, caseSensitive: true },
    frameworkErrors: (error, request, reply) => refuse(request, reply, error),
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) =>
      writeRefusal(error, socket, headers),
  }) as unknown as FastifyInstance;
  app.server.maxHeadersCount = limits.maxHeaders;
  app.server.maxConnections = limits.maxConnections;
  return app;
}

/** Tells the log and the metrics of an answered request. */
function observe({ log, observe: told }: ApiOptions, request: FastifyRequest, reply: FastifyReply): void {
  const { method } = request;
  const route = request.routeOptions.url ?? null;
  const seconds = Math.round(reply.elapsedTime) / 1000;
  told?.({ method, route, status: reply.statusCode, seconds });
  log.debug('request answered', {
    request_id: request.id,
    method,
    route,
    status: reply.statusCode,
    seconds,
    address: request.ip,
  });
}
