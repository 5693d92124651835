import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Faults, type Seen } from './faults.ts';
import { apiVersionOf, BUILT_IN, parsePath, type Kind, type Place } from './kinds.ts';
import { Objects, type Json, type Kept } from './objects.ts';
import { toKind } from './custom.ts';
import { StatusError } from './status-error.ts';
import { fieldsMatch, labelsMatch, serveWatch } from './watching.ts';
import type { Caller } from './webhooks.ts';
import { Writes } from './writes.ts';

/** FakeOptions say how the fake API server is opened. */
export interface FakeOptions {
  /** PEM; plain HTTP without. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Tokens that are known, with whom they stand for; everybody is an administrator without. */
  readonly tokens?: ReadonlyMap<string, Caller>;
  readonly now?: () => number;
  readonly bookmarkMs?: number;
  readonly maxWatchSeconds?: number;
}

const ADMIN: Caller = { username: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };

/** FakeApiServer is an API server on loopback, as far as the operator and kubectl's plain verbs use one. */
export class FakeApiServer {
  readonly faults = new Faults();
  readonly objects: Objects;
  readonly seen: Seen[] = [];
  /** What a SubjectAccessReview says no to, as `get pods`; null where nobody may ask. */
  denied: ReadonlySet<string> | null = new Set();
  readonly #options: FakeOptions;
  readonly #kinds: Kind[] = [...BUILT_IN];
  readonly #writes: Writes;
  readonly #watches = new Set<() => void>();
  #tokens: ReadonlyMap<string, Caller> | null;
  #server: Server | null = null;

  constructor(options: FakeOptions = {}) {
    this.#options = options;
    this.#tokens = options.tokens ?? null;
    this.objects = new Objects(options.now ?? (() => Date.now()));
    this.#writes = new Writes(this.objects, options.now ?? (() => Date.now()));
    // Every cluster has it, and is known by its UID.
    const namespaces = BUILT_IN.find(({ plural }) => plural === 'namespaces') as Kind;
    this.objects.create(namespaces, null, {
      ...{ apiVersion: 'v1', kind: 'Namespace' },
      metadata: { name: 'kube-system', labels: { 'kubernetes.io/metadata.name': 'kube-system' } },
    });
  }

  /** Watches that are open. */
  get watches(): number {
    return this.#watches.size;
  }

  /** Tokens that are known from now on. */
  setTokens(tokens: ReadonlyMap<string, Caller>): void {
    this.#tokens = tokens;
  }

  /** Puts an object there as it is, its status included, past admission. */
  seed(value: Json): Kept {
    const { apiVersion, kind: name } = value as { apiVersion: string; kind: string };
    const kind = this.kindOf(apiVersion, name);
    const { namespace } = value['metadata'] as { namespace?: string };
    return this.objects.create(kind, kind.namespaced ? (namespace ?? 'default') : null, value);
  }

  kindOf(apiVersion: string, name: string): Kind {
    const kind = this.#kinds.find((one) => apiVersionOf(one) === apiVersion && one.kind === name);
    if (kind === undefined) throw new Error(`the fake has no ${apiVersion} ${name}`);
    return kind;
  }

  /** Installs a CustomResourceDefinition. */
  define(definition: Json): void {
    const { kind, schema } = toKind(definition);
    this.#kinds.push(kind);
    this.#writes.schemas.set(kind, schema);
    this.objects.create(this.kindOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition'), null, definition);
  }

  async listen(port = 0): Promise<string> {
    const { tls } = this.#options;
    const handle = (request: IncomingMessage, response: ServerResponse): void =>
      void this.#answer(request, response);
    const server = tls === undefined ? createServer(handle) : createTlsServer({ ...tls }, handle);
    server.keepAliveTimeout = 60_000;
    server.on(tls === undefined ? 'connection' : 'secureConnection', (socket) => this.faults.opened(socket));
    this.#server = server as Server;
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Ends every watch, as a server does that restarts. */
  endWatches(): void {
    for (const end of this.#watches) end();
    this.#watches.clear();
  }

  async close(): Promise<void> {
    this.endWatches();
    this.faults.breakAll();
    await new Promise<void>((resolve) => {
      if (this.#server === null) resolve();
      else this.#server.close(() => resolve());
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const url = new URL(request.url ?? '/', 'http://fake');
      const seen: Seen = {
        method: request.method ?? '',
        path: url.pathname,
        query: url.searchParams,
        authorization: request.headers.authorization ?? null,
        agent: request.headers['user-agent'] ?? null,
        body: await readBody(request),
      };
      this.seen.push(seen);
      if (this.seen.length > 5_000) this.seen.shift();
      if (this.faults.takes(seen, response)) return;
      const caller = this.#callerOf(seen);
      const discovery = this.#discover(url.pathname);
      if (discovery !== null) {
        send(response, 200, discovery);
        return;
      }
      if (url.pathname === '/apis/authorization.k8s.io/v1/subjectaccessreviews') {
        send(response, 201, this.#review(seen.body as Json));
        return;
      }
      const place = parsePath(url.pathname, this.#kinds);
      if (place === null)
        throw new StatusError(404, 'NotFound', 'the server could not find the requested resource');
      await this.#serve(place, seen, request.headers['content-type'] ?? '', caller, response);
    } catch (error) {
      const status =
        error instanceof StatusError ? error : new StatusError(500, 'InternalError', String(error));
      if (status.retryAfter !== null) response.setHeader('retry-after', String(status.retryAfter));
      send(response, status.code, status.body);
    }
  }

  #review(review: Json): Json {
    if (this.denied === null) throw new StatusError(403, 'Forbidden', 'subjectaccessreviews is forbidden');
    const { resourceAttributes } = review['spec'] as { resourceAttributes: Record<string, string> };
    const { verb, resource, subresource } = resourceAttributes;
    const what = `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}`;
    return { ...review, status: { allowed: !this.denied.has(what) } };
  }

  #callerOf({ authorization }: Seen): Caller {
    if (this.#tokens === null) return ADMIN;
    const caller = this.#tokens.get(authorization?.replace(/^Bearer /, '') ?? '');
    if (caller === undefined) throw new StatusError(401, 'Unauthorized', 'Unauthorized');
    return caller;
  }

  async #serve(
    place: Place,
    seen: Seen,
    contentType: string,
    caller: Caller,
    response: ServerResponse,
  ): Promise<void> {
    const { kind, namespace, name } = place;
    if (seen.method === 'GET' && (seen.query.get('watch') === '1' || seen.query.get('watch') === 'true')) {
      const { bookmarkMs = 1_000, maxWatchSeconds = 3600 } = this.#options;
      const end = serveWatch(this.objects, place, seen.query, response, {
        bookmarkMs,
        maxSeconds: maxWatchSeconds,
      });
      this.#watches.add(end);
      response.on('close', () => this.#watches.delete(end));
      return;
    }
    if (seen.method === 'GET') {
      send(
        response,
        200,
        name === null ? this.#list(place, seen.query) : this.objects.get(kind, namespace, name),
      );
      return;
    }
    const { status, object, warnings } = await this.#writes.take(place, seen, contentType, caller);
    for (const warning of warnings)
      response.appendHeader('warning', `299 - "${warning.replaceAll('"', '\\"')}"`);
    send(response, status, object);
  }

  /** A page of a list: all pages are of the version of the first. */
  #list({ kind, namespace }: Place, query: URLSearchParams): Json {
    const limit = Number(query.get('limit') ?? 0);
    const [version = this.objects.version, start = 0] = (query.get('continue') ?? '')
      .split(' ')
      .filter(Boolean)
      .map(Number);
    if (version < this.objects.oldest)
      throw new StatusError(410, 'Expired', 'The provided continue parameter is too old');
    const all = this.objects
      .list(kind, namespace)
      .filter(
        (one) =>
          labelsMatch(one.metadata.labels, query.get('labelSelector')) &&
          fieldsMatch(one, query.get('fieldSelector')),
      );
    const items = limit > 0 ? all.slice(start, start + limit) : all.slice(start);
    const end = start + items.length;
    return {
      apiVersion: apiVersionOf(kind),
      kind: `${kind.kind}List`,
      metadata: {
        resourceVersion: String(version),
        ...(end < all.length && { continue: `${version} ${end}` }),
      },
      items,
    };
  }

  /** What kubectl asks to learn which kinds there are. */
  #discover(path: string): Json | null {
    if (path === '/version') return { major: '1', minor: '33', gitVersion: 'v1.33.0-fake' };
    if (path === '/api') return { kind: 'APIVersions', versions: ['v1'] };
    const groups = Map.groupBy(
      this.#kinds.filter(({ group }) => group !== ''),
      ({ group }) => group,
    );
    if (path === '/apis') {
      const told = [...groups].map(([name, [first]]) => {
        const version = { groupVersion: `${name}/${first?.version}`, version: first?.version };
        return { name, versions: [version], preferredVersion: version };
      });
      return { kind: 'APIGroupList', apiVersion: 'v1', groups: told };
    }
    const [, groupVersion = ''] = /^\/apis?\/(v1|[^/]+\/[^/]+)$/.exec(path) ?? [];
    const kinds = this.#kinds.filter((kind) => apiVersionOf(kind) === groupVersion);
    if (kinds.length === 0) return null;
    const verbs = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];
    const resources = kinds.flatMap((kind) => [
      {
        name: kind.plural,
        singularName: kind.kind.toLowerCase(),
        namespaced: kind.namespaced,
        kind: kind.kind,
        verbs,
      },
      ...(kind.hasStatus
        ? [
            {
              name: `${kind.plural}/status`,
              singularName: '',
              namespaced: kind.namespaced,
              kind: kind.kind,
              verbs,
            },
          ]
        : []),
    ]);
    return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources };
  }
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
  if (parts.length === 0) return null;
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8'));
  } catch {
    throw new StatusError(400, 'BadRequest', 'the body is not JSON');
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  if (response.headersSent) {
    response.end();
    return;
  }
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
