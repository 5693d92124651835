import { createServer, connect, type Server } from 'node:tls';
import type { AddressInfo } from 'node:net';
import type { Log } from '../../src/base/index.ts';
import {
  certificateNames,
  OwnCertificates,
  type BundleStore,
  type CertificateMaker,
  type CertificateTimes,
  type KeptSecret,
  type SecretStore,
  type ServingPair,
} from '../../src/certificates/index.ts';

export const NAMES = certificateNames('ipo-webhook', 'ipo-system');
/** The name by which the API server calls. */
export const CALLED = 'ipo-webhook.ipo-system.svc';

/** SILENT is a log that keeps nothing. */
export const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** FakeSecret is a Secret with versions, as an API server keeps it. */
export class FakeSecret implements SecretStore {
  stored: KeptSecret | null = null;
  writes = 0;
  #version = 0;

  async read(): Promise<KeptSecret | null> {
    return this.stored;
  }

  async create(data: KeptSecret['data']): Promise<boolean> {
    if (this.stored !== null) return false;
    this.put(data);
    return true;
  }

  async replace(data: KeptSecret['data'], version: string): Promise<boolean> {
    if (this.stored?.version !== version) return false;
    this.put(data);
    return true;
  }

  put(data: KeptSecret['data']): void {
    this.writes += 1;
    this.stored = { data, version: String(++this.#version) };
  }
}

/** FakeBundles is a webhook configuration of two webhooks. */
export class FakeBundles implements BundleStore {
  live: string[] | null = ['', ''];
  writes = 0;

  async read(): Promise<readonly string[] | null> {
    return this.live;
  }

  async publish(pem: string): Promise<boolean> {
    if (this.live === null) return false;
    this.writes += 1;
    this.live = this.live.map(() => pem);
    return true;
  }
}

/** FakeCluster is what certificates are kept in, with a clock that the test sets. */
export class FakeCluster {
  readonly secret = new FakeSecret();
  readonly bundles = new FakeBundles();
  /** Certificates are held against the real time by whoever shakes hands. */
  at = Date.now();
  leads = true;
  readonly errors: string[] = [];

  own(maker: CertificateMaker, times?: CertificateTimes): OwnCertificates {
    return new OwnCertificates({
      secret: this.secret,
      bundles: this.bundles,
      maker,
      names: NAMES,
      isLeader: () => this.leads,
      clock: { now: () => this.at },
      log: { ...SILENT, error: (message) => void this.errors.push(message) },
      ...(times !== undefined && { times }),
    });
  }

  pair(): ServingPair | null {
    const { 'tls.crt': cert = '', 'tls.key': key = '' } = this.secret.stored?.data ?? {};
    return cert === '' ? null : { cert, key };
  }

  trusted(): string {
    return this.bundles.live?.[0] ?? '';
  }
}

/** openServer shows one certificate on loopback, and another once it is told. */
export async function openServer(pair: ServingPair): Promise<{ server: Server; port: number }> {
  const server = createServer({ ...pair }, (socket) => socket.end());
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, port: (server.address() as AddressInfo).port };
}

/** shake makes one whole handshake as an API server does, and gives the fault of it, or null. */
export function shake(port: number, ca: string): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, ca, servername: CALLED, rejectUnauthorized: true });
    const end = (fault: string | null): void => {
      socket.destroy();
      resolve(fault);
    };
    socket.once('secureConnect', () => end(null));
    socket.once('error', (error) => end(error.message));
  });
}

/** shakeOnce opens a server for one handshake. */
export async function shakeOnce(pair: ServingPair, ca: string): Promise<string | null> {
  const { server, port } = await openServer(pair);
  try {
    return await shake(port, ca);
  } finally {
    server.close();
  }
}
