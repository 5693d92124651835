import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { BareRows, type BareRow } from './bare-rows.ts';

/** Certificate is what a server shows, as PEM texts. */
interface Certificate {
  readonly cert: string;
  readonly key: string;
}

const HEAD = '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"';
const FIXED = `${HEAD}00000000-0000-4000-8000-000000000000","allowed":true}}`;

/** serveFixed answers every call with a fixed body over `node:https`. Gives its port. */
export function serveFixed(certificate: Certificate): Promise<number> {
  return serve(certificate, (request, response) => {
    request.resume();
    request.on('end', () => answer(response, FIXED));
  });
}

/** What of a review the bare server reads. */
interface Review {
  readonly request: {
    readonly uid: string;
    readonly namespace: string;
    readonly name: string;
    readonly object: { readonly spec: { readonly containers: readonly { readonly image: string }[] } };
  };
}

/**
 * serveRow is the "bare row": a `node:https` server that parses a review with `JSON.parse` and makes one SQLite row of it durable in one
 * commit with what arrived in the same turn of the event loop, and answers after it. Gives its port.
 */
export function serveRow(certificate: Certificate, folder: string): Promise<number> {
  const rows = new BareRows(join(folder, 'bare.db'));
  let waiting: { readonly row: BareRow; readonly response: ServerResponse }[] = [];
  const commit = (): void => {
    const group = waiting;
    waiting = [];
    rows.append(group.map(({ row }) => row));
    for (const { row, response } of group) answer(response, `${HEAD}${row.uid}","allowed":${row.allowed}}}`);
  };
  return serve(certificate, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const row = rowOf(Buffer.concat(chunks));
      if (waiting.push({ row, response }) === 1) setImmediate(commit);
    });
  });
}

/** rowOf parses the body of a call into its row. */
export function rowOf(body: Buffer): BareRow {
  const { request } = JSON.parse(body.toString('utf8')) as Review;
  const { uid, namespace, name, object } = request;
  return {
    ...{ at: Date.now(), uid, namespace, pod: name },
    image: object.spec.containers[0]?.image ?? '',
    allowed: true,
  };
}

function answer(response: ServerResponse, body: string): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

async function serve(
  certificate: Certificate,
  act: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<number> {
  const server = createServer(certificate, act);
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
