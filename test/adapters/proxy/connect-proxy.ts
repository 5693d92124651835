import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { openProxyChoice, readProxy, type Proxy } from '../../../src/adapters/proxy/index.ts';
import { openOutbound, type Outbound } from '../../../src/adapters/transport/index.ts';

/** PASSWORD is that of the proxy, which must show nowhere. */
export const PASSWORD = 'canary p@ss/word%';

/** ConnectProxy is a small proxy on loopback that opens tunnels, and remembers for whom. */
export interface ConnectProxy {
  /** With user name and password, where it asks for them. */
  readonly address: string;
  readonly port: number;
  /** `HOST:PORT` of every CONNECT, in their order. */
  readonly targets: string[];
  /** What it answers instead of opening a tunnel; undefined: it opens one. */
  status: number | undefined;
}

/** startProxy starts one that ends with the test. It leads each name that `routes` has to a port of this machine, and knows no other. */
export async function startProxy(
  t: TestContext,
  routes: Readonly<Record<string, number>>,
  { login = false, secure = null as Pair | null } = {},
): Promise<ConnectProxy> {
  const server: Server = secure === null ? createServer() : (createSecureServer(secure) as Server);
  server.on('request', (_, response) => response.writeHead(405).end());
  const sockets = new Set<Socket>();
  server.on('connect', (request: IncomingMessage, client: Socket) => {
    const target = request.url ?? '';
    made.targets.push(target);
    sockets.add(client);
    client.on('error', () => undefined);
    const port = routes[target];
    const isKnown = !login || request.headers['proxy-authorization'] === basic;
    const status = made.status ?? (isKnown ? (port === undefined ? 502 : 200) : 407);
    if (status !== 200 || port === undefined) {
      client.end(`HTTP/1.1 ${status} No\r\nContent-Length: 5\r\n\r\nsorry`);
      return;
    }
    const upstream = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.pipe(upstream).pipe(client);
    });
    sockets.add(upstream);
    upstream.on('error', () => client.destroy());
    client.on('close', () => upstream.destroy());
  });
  const port = await listen(t, server, sockets);
  const basic = `Basic ${Buffer.from(`ipo:${PASSWORD}`).toString('base64')}`;
  const user = login ? `ipo:${encodeURIComponent(PASSWORD)}@` : '';
  const scheme = secure === null ? 'http' : 'https';
  const made: ConnectProxy = {
    address: `${scheme}://${user}127.0.0.1:${port}`,
    ...{ port, targets: [], status: undefined },
  };
  return made;
}

/** Pair is a certificate of its own authority, with its key. */
export interface Pair {
  readonly cert: string;
  readonly key: string;
}

/** makePair makes a certificate for `*.proxied.test` and 127.0.0.1 that no system trusts. */
export function makePair(): Pair {
  const folder = mkdtempSync(join(tmpdir(), 'ipo-proxied-'));
  try {
    const [cert, key] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
    const subject = ['-subj', '/CN=proxied', '-addext', 'subjectAltName=DNS:*.proxied.test,IP:127.0.0.1'];
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
    execFileSync('openssl', ['req', '-x509', ...kind, ...subject, '-keyout', key, '-out', cert], {
      stdio: 'ignore',
    });
    return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** startTarget starts an HTTPS server on loopback that ends with the test, and gives its port. */
export async function startTarget(t: TestContext, pair: Pair, answer: RequestListener): Promise<number> {
  const server = createSecureServer(pair, answer);
  server.on('tlsClientError', () => undefined);
  return listen(t, server as Server, new Set());
}

async function listen(t: TestContext, server: Server, sockets: Set<Socket>): Promise<number> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** proxyAt reads an address that is known to be one. */
export function proxyAt(address: string): Proxy {
  const read = readProxy(address);
  if ('fault' in read) throw new Error(read.fault);
  return read.proxy;
}

/** outboundBy gives an Outbound through a proxy, which trusts further authorities. */
export function outboundBy(
  address: string | null,
  extra: readonly string[] = [],
  noProxy: readonly string[] = [],
): Outbound {
  const choice =
    address === null ? null : openProxyChoice({ proxy: proxyAt(address), noProxy, apiServer: '' });
  return openOutbound(choice, extra);
}
