import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sha256Hex } from '../src/base/index.ts';
import { issueCertificate, parseRequest, type CertificateBody } from '../src/licence/index.ts';
import { toSigner } from '../src/ledger/index.ts';

/** FakeLicenceOptions say how a fake licence service begins. */
export interface FakeLicenceOptions {
  /** Port on loopback; a free one unless given. */
  readonly port?: number;
  /** The one licence key that it takes. */
  readonly key?: string;
  /** Milliseconds; the real time unless given. */
  readonly now?: () => number;
}

/** FakeLicence is a licence service on loopback that issues a certificate for its one key. */
export interface FakeLicence {
  readonly url: string;
  readonly key: string;
  /** The key that certificates are signed with, for `licence.publicKeys`. */
  readonly publicKey: string;
  /** Ceilings of the next certificate. */
  ceiling: CertificateBody['ceiling'];
  /** Days until it ends; null for one without an end. */
  days: number | null;
  /** Answers with this instead: a status, or a text that is not a certificate. */
  fault: number | string | null;
  /** What to change in the next certificate before it is signed. */
  change: (body: CertificateBody) => CertificateBody;
  /** Requests that were answered, by their cluster. */
  readonly asked: { readonly clusterId: string; readonly at: number }[];
  close(): Promise<void>;
}

const DAY = 86_400_000;
/** Bytes of a request. */
const MAX_BODY = 64 * 1024;

/** startFakeLicence starts one. `POST /v1/certificates` with the key as bearer and an activation request as JSON. */
export async function startFakeLicence(options: FakeLicenceOptions = {}): Promise<FakeLicence> {
  const { key = 'fake-licence-key', now = () => Date.now() } = options;
  const { privateKey } = generateKeyPairSync('ed25519');
  const signer = toSigner('fake-licences', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  const server = createServer((request, response) => {
    void answer(request, response).catch(() => end(response, 500, 'the fake failed'));
  });
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST' || request.url !== '/v1/certificates')
      return end(response, 404, 'no such path');
    if (request.headers.authorization !== `Bearer ${key}`) return end(response, 401, 'unknown licence key');
    const asked = parseRequest(await bodyOf(request));
    fake.asked.push({ clusterId: asked.cluster_id, at: now() });
    if (typeof fake.fault === 'number') return end(response, fake.fault, 'as it was told to');
    if (fake.fault !== null) return end(response, 200, fake.fault);
    const at = now();
    const body: CertificateBody = {
      ...{ id: `fake-${fake.asked.length}`, customer: 'Fake Customer', key_id: sha256Hex(key).slice(0, 16) },
      ...{ cluster_id: asked.cluster_id, ceiling: fake.ceiling, issued_at: timeOf(at) },
      not_after: fake.days === null ? null : timeOf(at + fake.days * DAY),
      request_id: asked.request_id,
    };
    return end(response, 200, issueCertificate(fake.change(body), signer));
  };
  await new Promise<void>((done) => server.listen(options.port ?? 0, '127.0.0.1', done));
  const fake: FakeLicence = {
    ...{ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key, publicKey: signer.vkey },
    ...{ ceiling: { nodes: 10, image_names: 100, clusters: 1 }, days: 365, fault: null, asked: [] },
    change: (body) => body,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
  return fake;
}

function end(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(text);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MAX_BODY) throw new Error('the request is too large');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function timeOf(at: number): string {
  return new Date(at).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
