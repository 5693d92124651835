import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { digestOf, type Ending } from './images.ts';

/** Asked is one request as the registry got it. */
export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly authorization: string | undefined;
  readonly body: string;
}

/** Answering answers a request itself, where it gives true. */
export type Answering = (asked: Asked, response: ServerResponse) => boolean;

/** FakeRegistry is a registry on loopback that keeps what is pushed, and what it was asked. */
export interface FakeRegistry {
  readonly host: string;
  readonly url: string;
  readonly asked: Asked[];
  /** Requests since the last time that it was called. */
  since(): Asked[];
  /** Put before what it would answer. */
  answering: Answering | null;
  /** Whether it has the referrers API. */
  referrers: boolean;
  readonly manifests: Map<string, { readonly type: string; readonly bytes: Buffer }>;
  readonly blobs: Map<string, Buffer>;
}

/** startFakeRegistry starts one that ends with the test. */
export async function startFakeRegistry(
  t: Ending,
  tls?: { readonly cert: string; readonly key: string },
): Promise<FakeRegistry> {
  let last = 0;
  const listener: RequestListener = (request, response) => {
    void bodyOf(request).then((body) => answer(request, body, response));
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  const answer = (request: IncomingMessage, body: Buffer, response: ServerResponse): void => {
    const { method = '', url = '' } = request;
    const asked = { method, url, authorization: request.headers.authorization, body: body.toString('utf8') };
    fake.asked.push(asked);
    if (fake.answering?.(asked, response) === true) return;
    const path = new URL(url, 'http://registry').pathname;
    const list = /^\/v2\/(.+?)\/tags\/list$/.exec(path)?.[1];
    if (list !== undefined) {
      const own = [...fake.manifests.keys()].filter(
        (key) => key.startsWith(`${list} `) && !key.includes(':'),
      );
      return json(response, { name: list, tags: own.map((key) => key.slice(list.length + 1)) });
    }
    const parts = /^\/v2\/(.+?)\/(manifests|blobs|referrers)\/(.+)$/.exec(path);
    if (parts === null) return fault(response, 404, 'NAME_UNKNOWN');
    const [, name = '', kind = '', rest = ''] = parts;
    if (kind === 'blobs') return blobs(fake, request, name, rest, body, response);
    if (kind === 'referrers') return referrers(fake, name, rest, response);
    if (method === 'PUT') {
      const digest = digestOf(body);
      const kept = { type: request.headers['content-type'] ?? '', bytes: body };
      fake.manifests.set(`${name} ${digest}`, kept).set(`${name} ${rest}`, kept);
      response.writeHead(201, { 'docker-content-digest': digest }).end();
      return;
    }
    const found = fake.manifests.get(`${name} ${rest}`);
    if (found === undefined) return fault(response, 404, 'MANIFEST_UNKNOWN', method);
    if (method === 'DELETE') {
      for (const [key, { bytes }] of fake.manifests)
        if (key.startsWith(`${name} `) && bytes.equals(found.bytes)) fake.manifests.delete(key);
      response.writeHead(202).end();
      return;
    }
    response.writeHead(200, {
      'content-type': found.type,
      'content-length': found.bytes.length,
      'docker-content-digest': digestOf(found.bytes),
    });
    response.end(method === 'HEAD' ? undefined : found.bytes);
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const fake: FakeRegistry = {
    host: `127.0.0.1:${port}`,
    url: `http${tls === undefined ? '' : 's'}://127.0.0.1:${port}`,
    ...{ asked: [], answering: null, referrers: true, manifests: new Map(), blobs: new Map() },
    since: () => fake.asked.slice(last, (last = fake.asked.length)),
  };
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return fake;
}

/** fault answers with an error as registries have it. */
export function fault(response: ServerResponse, status: number, code: string, method = 'GET'): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(
    method === 'HEAD' ? undefined : JSON.stringify({ errors: [{ code, message: code.toLowerCase() }] }),
  );
}

/** json answers with a document. */
export function json(
  response: ServerResponse,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
}

function blobs(
  fake: FakeRegistry,
  { method = '', url = '', headers }: IncomingMessage,
  name: string,
  rest: string,
  body: Buffer,
  response: ServerResponse,
): void {
  if (method === 'POST') {
    response.writeHead(202, { location: `/v2/${name}/blobs/uploads/1` }).end();
    return;
  }
  if (method === 'PUT') {
    const digest = new URL(url, fake.url).searchParams.get('digest') ?? '';
    if (digest.startsWith('sha256:') && digest !== digestOf(body))
      return fault(response, 400, 'DIGEST_INVALID');
    fake.blobs.set(`${name} ${digest}`, body);
    response.writeHead(201).end();
    return;
  }
  const found = fake.blobs.get(`${name} ${rest}`);
  if (found === undefined) return fault(response, 404, 'BLOB_UNKNOWN', method);
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
  const part = from === undefined ? found : found.subarray(Number(from), Number(to) + 1);
  response
    .writeHead(from === undefined ? 200 : 206, {
      'content-type': 'application/octet-stream',
      'content-length': part.length,
    })
    .end(part);
}

function referrers(fake: FakeRegistry, name: string, digest: string, response: ServerResponse): void {
  if (!fake.referrers) {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found\n');
    return;
  }
  const found = new Map<string, object>();
  for (const [key, { type, bytes }] of fake.manifests) {
    const value = JSON.parse(bytes.toString('utf8')) as {
      subject?: { digest?: string };
      artifactType?: string;
      config?: { mediaType: string };
      annotations?: object;
    };
    const own = digestOf(bytes);
    if (!key.startsWith(`${name} `) || value.subject?.digest !== digest) continue;
    const { artifactType = value.config?.mediaType, annotations } = value;
    found.set(own, { mediaType: type, digest: own, size: bytes.length, artifactType, annotations });
  }
  const type = 'application/vnd.oci.image.index.v1+json';
  json(
    response,
    { schemaVersion: 2, mediaType: type, manifests: [...found.values()] },
    { 'content-type': type },
  );
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
  return Buffer.concat(parts);
}
