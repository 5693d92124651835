import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { IpoError } from '../../base/index.ts';

/** HttpsProxy is a proxy that tunnels HTTPS, as `HTTPS_PROXY` and `NO_PROXY` name it. */
export interface HttpsProxy {
  readonly url: string;
  /** Hosts that are reached without it, separated by commas. */
  readonly except: string;
}

/** ConnectionOptions say how connections to a service are made; times in milliseconds. */
export interface ConnectionOptions {
  /** Bound on the time that nothing comes from the service. */
  readonly timeoutMs: number;
  readonly ca: string | undefined;
  readonly proxy: HttpsProxy | undefined;
}

/** Sent is one request as it goes out. */
export interface Sent {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly signal: AbortSignal | undefined;
}

/** Connections carry requests to one service and nowhere else: no redirect is followed. */
export interface Connections {
  /** Gives the answer once its head is there; its body is read by the caller, or destroyed. Throws what the network met. */
  send(request: Sent): Promise<IncomingMessage>;
  close(): void;
}

/** How long a connection may take to come about. */
const CONNECT_MS = 15_000;

/**
 * openConnections makes the connections to a service, with only the modules of Node, which a command loads in no time. Only HTTPS goes
 * through a proxy, as a tunnel that the proxy cannot read. Throws `usage` for a proxy that is none.
 */
export function openConnections(origin: string, { timeoutMs, ca, proxy }: ConnectionOptions): Connections {
  const { hostname, port, protocol } = new URL(origin);
  const isTls = protocol === 'https:';
  const pool = { keepAlive: true, maxSockets: 4, timeout: timeoutMs };
  const agent = isTls
    ? new HttpsAgent({
        ...pool,
        ...(ca !== undefined && { ca }),
        ...(proxy !== undefined && { proxyEnv: toProxyEnv(proxy) }),
      })
    : new HttpAgent(pool);
  return {
    close: () => agent.destroy(),
    send: ({ method, path, headers, body, signal }) =>
      new Promise((resolve, reject) => {
        const request = (isTls ? httpsRequest : httpRequest)({
          // Not as one address: that would take a step of `%2E%2E` as one back.
          host: hostname.replace(/^\[(.*)\]$/, '$1'),
          port,
          path,
          agent,
          method,
          headers: {
            ...headers,
            ...(body !== null && { 'content-length': String(Buffer.byteLength(body)) }),
          },
          ...(signal !== undefined && { signal }),
        });
        let answer: IncomingMessage | null = null;
        const fail = (code: string): void =>
          void (answer ?? request).destroy(Object.assign(new Error(code), { code }));
        request.setTimeout(timeoutMs, () => fail(answer === null ? 'ANSWER_TIMEOUT' : 'BODY_TIMEOUT'));
        const connecting = setTimeout(() => fail('CONNECT_TIMEOUT'), Math.min(timeoutMs, CONNECT_MS));
        request.on('socket', (socket) => {
          if (!socket.connecting) clearTimeout(connecting);
          else socket.once(isTls ? 'secureConnect' : 'connect', () => clearTimeout(connecting));
        });
        request.on('close', () => clearTimeout(connecting));
        request.on('error', reject);
        request.on('response', (response) => {
          answer = response;
          resolve(response);
        });
        request.end(body ?? undefined);
      }),
  };
}

function toProxyEnv({ url, except }: HttpsProxy): { HTTPS_PROXY: string; NO_PROXY: string } {
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? url : `http://${url}`;
  if (!URL.canParse(whole) || !/^https?:$/.test(new URL(whole).protocol)) {
    throw new IpoError('usage', 'HTTPS_PROXY is not the address of a proxy', {
      hint: 'Write it as http://HOST:PORT',
    });
  }
  return { HTTPS_PROXY: whole, NO_PROXY: except };
}
