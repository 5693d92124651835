import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { ACCESS, SHARED } from '../accounts/index.ts';
import type { Log } from '../base/index.ts';
import { send } from './answer.ts';
import type { Apart } from './apart.ts';
import { joined, readBlocks } from './body-blocks.ts';
import { CostlyCalls } from './costly.ts';
import { refusalOf, toSent, writeRefusal } from './faults.ts';
import { parseJsonBody } from './json-body.ts';
import { MAX_BODY, SERVER_LIMITS, type Limits } from './limits.ts';
import { listenFault } from './listen-fault.ts';
import { decides, IN_EFFECT_HEADER, toInEffect, type InEffect, type WrittenPolicy } from './in-effect.ts';
import { holdAccept, producedBy } from './negotiate.ts';
import { Paths, splitKey, toPattern } from './paths.ts';
import type { PlaceLimits } from './places.ts';
import type { SentProblem } from './problems.ts';
import type { Route, RouteAnswer } from './route.ts';
import { SECURITY_HEADERS, STRICT_TRANSPORT } from './security-headers.ts';
import { admit, type Admitted, type SignIn } from './sign-in.ts';
import { UntrustedProxies } from './untrusted-proxies.ts';
import { validated } from './validate.ts';

/** Marks routes whose bodies are read apart. */
const APART = 'ipo-apart';

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
  const http = {
    headersTimeout: limits.headersTimeout,
    connectionsCheckingInterval: limits.checkingInterval,
    maxHeaderSize: limits.maxHeaderBytes,
  };
  const app: FastifyInstance = fastify({
    ...(tls === undefined ? { http } : { https: { ...http, ...tls, minVersion: 'TLSv1.2' as const } }),
    logger: false,
    bodyLimit: MAX_BODY,
    requestTimeout: limits.requestTimeout,
    keepAliveTimeout: limits.keepAliveTimeout,
    connectionTimeout: limits.idleTimeout,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    exposeHeadRoutes: false,
    trustProxy: options.trustedProxies !== undefined ? [...options.trustedProxies] : false,
    genReqId: () => randomUUID(),
    routerOptions: { maxParamLength: 300, caseSensitive: true },
    frameworkErrors: (error, request, reply) => void refuse(request, reply, error),
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) =>
      writeRefusal(error, socket, headers),
  }) as unknown as FastifyInstance;
  app.server.maxHeadersCount = limits.maxHeaders;
  app.server.maxConnections = limits.maxConnections;

  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ ...headers, 'x-request-id': request.id });
  });
  app.addHook('onResponse', async (request, reply) => {
    const { method } = request;
    const route = request.routeOptions.url ?? null;
    const seconds = Math.round(reply.elapsedTime) / 1000;
    options.observe?.({ method, route, status: reply.statusCode, seconds });
    log.debug('request answered', {
      request_id: request.id,
      method,
      route,
      status: reply.statusCode,
      seconds,
      address: request.ip,
    });
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', async (request: FastifyRequest, payload: Readable) => {
    const { bodyLimit, config } = request.routeOptions as { bodyLimit: number; config: object };
    const { 'content-length': length } = request.headers;
    const blocks = await readBlocks(payload, length === undefined ? null : Number(length), bodyLimit);
    if (blocks.length === 0) return undefined;
    return APART in config && config[APART] === true ? blocks : parseJsonBody(joined(blocks));
  });

  for (const route of options.routes) register(route);
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
  app.setErrorHandler((error, request, reply) => void refuse(request, reply, error));

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

  function register(route: Route): void {
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
        const admitted = await admit(route.key, request, options.signIn);
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
          admissions.set(request, await admit(route.key, request, options.signIn));
        const { principal, secret } = admissions.get(request) ?? { principal: null, secret: null };
        const params = validated('params', route.params, request.params);
        const query = validated('query', route.query, request.query);
        const path = `${request.method} ${request.url.split('?')[0] ?? ''}`;
        const address = clientOf(request);
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
        if (options.inEffect !== undefined && decides(route.key)) {
          const effect = await options.inEffect(answer.written ?? null);
          reply.header(IN_EFFECT_HEADER.toLowerCase(), toInEffect(effect));
        }
        return send(reply, answer);
      },
    });
  }

  /** Through a proxy that nobody told us to believe, everybody has one address. */
  function clientOf(request: FastifyRequest): string {
    const isPassedOn = proxies.note(request);
    return isPassedOn && !believes ? `${SHARED}${request.ip}` : request.ip;
  }

  async function refuse(request: FastifyRequest, reply: FastifyReply, error: unknown): Promise<void> {
    const sent = toSent(error, request.id);
    const keys = {
      request_id: request.id,
      method: request.method,
      route: request.routeOptions?.url ?? null,
      status: sent.status,
      code: sent.problem.code,
    };
    if (reply.raw.destroyed) log.debug('request left', keys); // nobody is told any more
    else if (sent.status === 503) log.warn('request failed', { ...keys, error });
    else if (sent.status >= 500) log.error('request failed', { ...keys, error });
    else log.info('request refused', keys);
    if (reply.sent) return;
    for (const [name, value] of Object.entries(headers)) reply.header(name, value);
    sendProblem(reply, sent);
  }

  function sendProblem(reply: FastifyReply, { status, problem, headers }: SentProblem): void {
    const bytes = Buffer.from(JSON.stringify(problem), 'utf8');
    reply
      .code(status)
      .headers(headers)
      .header('content-length', bytes.length)
      .type('application/problem+json')
      .send(reply.request.method === 'HEAD' ? '' : bytes);
  }
}
