import { createHash, X509Certificate } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { gunzipSync } from 'node:zlib';
import type { Clock, Log } from '../../base/index.ts';
import { parseEvent, type DetectorEvent, type EventQueue } from '../../runtime/index.ts';
import { Doors } from '../admission/doors.ts';
import { listenFault } from '../listen-fault.ts';
import { readOn } from '../read-on.ts';

/** DROP_REASONS are why an event that came is not kept. */
const DROP_REASONS = ['queue_full', 'too_large', 'unreadable', 'unauthorised', 'storage'] as const;

/** DropReason is one of them. */
export type DropReason = (typeof DROP_REASONS)[number];

/** DetectorDoor is what the listener shows and which callers it accepts, as PEM texts. */
export interface DetectorDoor {
  readonly cert: string;
  readonly key: string;
  /** The authority of the detector's certificates. */
  readonly ca: string;
  /** Certificates that are accepted, by their keys. */
  readonly clients: readonly string[];
}

/** DetectorTally counts what comes. */
export interface DetectorTally {
  kept(event: DetectorEvent): void;
  dropped(reason: DropReason): void;
}

/** DetectorListenerOptions are what the listener is made of. */
export interface DetectorListenerOptions {
  readonly queue: Pick<EventQueue, 'take' | 'hasRoom'>;
  readonly door: DetectorDoor;
  readonly tally: DetectorTally;
  readonly clock: Clock;
  readonly log: Log;
}

/** DetectorListener is the port of the detector. */
export interface DetectorListener {
  /** Listens; port 0 takes a free one. Throws `port_taken`. */
  listen(host: string, port: number): Promise<{ readonly host: string; readonly port: number }>;
  /** Takes other certificates for connections from now on; those of callers that are no longer accepted are closed. */
  replace(door: DetectorDoor): void;
  /** Takes nothing new; ends once what is under way is answered, and closes the rest after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/** Where events are posted, and how long their bodies may be: a relay adds fields. */
const PATHS: ReadonlyMap<string, number> = new Map([
  ['/', 65_536],
  ['/falco', 65_536],
  ['/falcosidekick', 262_144],
]);
/** A body that is turned away is read on up to this size, so that its connection can be used again. */
const READ_ON = 1_048_576;
/** Falco keeps one for each node. */
const MOST_CONNECTIONS = 2_000;
/** Which callers are accepted is judged here and counted: Node would end the connection without a word. */
const TLS = {
  minVersion: 'TLSv1.3',
  maxVersion: 'TLSv1.3',
  requestCert: true,
  rejectUnauthorized: false,
} as const;

/**
 * openDetectorListener makes the listener of the runtime detector: HTTPS with TLS 1.3, where only certificates that it knows by their keys
 * are accepted. An event is answered with 200 once it is durable; with 429 and `Retry-After` where too many wait.
 */
export function openDetectorListener(options: DetectorListenerOptions): DetectorListener {
  return new Listener(options);
}

class Listener implements DetectorListener {
  readonly #options: DetectorListenerOptions;
  readonly #server: Server;
  readonly #doors: Doors;
  /** Connections of callers that are accepted. */
  readonly #sockets = new Set<TLSSocket>();
  #pins: ReadonlySet<string>;
  #closing = false;
  #open = 0;

  constructor(options: DetectorListenerOptions) {
    const { door, tally } = options;
    this.#options = options;
    this.#pins = pinsOf(door);
    this.#server = createServer(
      {
        ...TLS,
        cert: door.cert,
        key: door.key,
        ca: door.ca,
        ALPNProtocols: ['http/1.1'],
        handshakeTimeout: 5_000,
        headersTimeout: 5_000,
        requestTimeout: 10_000,
        keepAliveTimeout: 120_000,
        connectionsCheckingInterval: 1_000,
        maxHeaderSize: 16_384,
      },
      (request, response) => this.#serve(request, response),
    );
    this.#doors = new Doors(this.#server);
    // Before the handshake, which costs more than an event.
    this.#server.prependListener('connection', (socket: Socket) => {
      if (this.#open >= MOST_CONNECTIONS) {
        tally.dropped('queue_full');
        socket.destroy();
        return;
      }
      this.#open += 1;
      socket.once('close', () => {
        this.#open -= 1;
      });
    });
    this.#server.on('tlsClientError', (error: NodeJS.ErrnoException) => {
      // One that only went away, as a probe does, is nobody who was refused.
      if (error.code?.startsWith('ERR_SSL_') === true) tally.dropped('unauthorised');
    });
    this.#server.prependListener('secureConnection', (socket: TLSSocket) => {
      if (!this.#isKnown(socket)) {
        tally.dropped('unauthorised');
        socket.destroy();
        return;
      }
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  async listen(host: string, port: number): Promise<{ readonly host: string; readonly port: number }> {
    try {
      const address = await this.#doors.listen(host, port);
      this.#doors.onError((error) => this.#options.log.error('the port of the detector fails', { error }));
      return address;
    } catch (error) {
      throw listenFault(error, host, port, 'integrations.port in the configuration');
    }
  }

  replace(door: DetectorDoor): void {
    const { cert, key, ca } = door;
    this.#pins = pinsOf(door);
    this.#server.setSecureContext({ cert, key, ca, minVersion: TLS.minVersion, maxVersion: TLS.maxVersion });
    for (const socket of this.#sockets) if (!this.#isKnown(socket)) socket.destroy();
  }

  async close(graceMs: number): Promise<void> {
    this.#closing = true;
    const closed = this.#doors.close();
    const idle = setInterval(() => this.#server.closeIdleConnections(), 50);
    const late = setTimeout(() => this.#server.closeAllConnections(), graceMs);
    await closed;
    clearInterval(idle);
    clearTimeout(late);
  }

  /** Its authority, its end and its purpose were checked with the handshake; its key is checked here. */
  #isKnown(socket: TLSSocket): boolean {
    return socket.authorized && this.#pins.has(pinOf(socket.getPeerX509Certificate()));
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    // What a caller sent with its handshake is here before its connection ends.
    if (!this.#sockets.has(request.socket as TLSSocket)) {
      request.socket.destroy();
      return;
    }
    const limit = PATHS.get(request.url ?? '');
    if (this.#closing) response.setHeader('connection', 'close');
    if (limit === undefined) this.#turnAway(request, response, 404, 'there is nothing here');
    else if (request.method !== 'POST') this.#turnAway(request, response, 405, 'an event comes with POST');
    else if (Number(request.headers['content-length'] ?? 0) > limit) {
      this.#drop(request, response, 'too_large', 413, `the event has more than ${limit} bytes`);
    } else this.#read(request, response, limit);
  }

  #read(request: IncomingMessage, response: ServerResponse, limit: number): void {
    const receivedAt = this.#options.clock.now();
    const pieces: Buffer[] = [];
    let bytes = 0;
    request.on('data', (piece: Buffer) => {
      bytes += piece.length;
      if (bytes <= limit) pieces.push(piece);
      else if (!response.headersSent)
        this.#drop(request, response, 'too_large', 413, `the event has more than ${limit} bytes`);
    });
    request.on('error', () => {}); // the client went away before its event was here
    request.on('end', () => {
      if (response.headersSent) return;
      const body = inflated(Buffer.concat(pieces), request.headers['content-encoding'], limit);
      if (typeof body === 'string') this.#drop(request, response, 'unreadable', 400, body);
      else void this.#take(body, receivedAt, request, response);
    });
  }

  async #take(
    body: Buffer,
    receivedAt: number,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { queue } = this.#options;
    // Under too much load reading an event is what costs, so what is not kept is not read.
    if (!queue.hasRoom(body.length)) return this.#shed(request, response);
    const event = parseEvent(body.toString('utf8'), receivedAt);
    if ('fault' in event)
      return this.#drop(request, response, 'unreadable', 400, `this is not an event: ${event.fault}`);
    const taken = queue.take({ event, receivedAt }, body.length);
    if (taken === null) return this.#shed(request, response);
    if ((await taken) === 'storage') {
      response.setHeader('retry-after', 1);
      this.#drop(request, response, 'storage', 503, 'the event could not be kept');
      return;
    }
    this.#options.tally.kept(event);
    send(response, 200, 'ok');
  }

  #shed(request: IncomingMessage, response: ServerResponse): void {
    response.setHeader('retry-after', 1);
    this.#drop(request, response, 'queue_full', 429, 'more events wait than can be kept in time');
  }

  #drop(
    request: IncomingMessage,
    response: ServerResponse,
    reason: DropReason,
    status: number,
    sentence: string,
  ): void {
    this.#options.tally.dropped(reason);
    this.#turnAway(request, response, status, sentence);
  }

  #turnAway(request: IncomingMessage, response: ServerResponse, status: number, sentence: string): void {
    if (!request.complete) readOn(request, response, READ_ON);
    send(response, status, sentence);
  }
}

/** The bytes of a body, or why they cannot be read. Falco sends gzip where `compress_uploads` is on. */
function inflated(body: Buffer, encoding: string | undefined, limit: number): Buffer | string {
  if (encoding === undefined || encoding === 'identity') return body;
  if (encoding !== 'gzip') return 'a body comes as it is, or as gzip';
  try {
    return gunzipSync(body, { maxOutputLength: limit });
  } catch {
    return `the body is not gzip of at most ${limit} bytes`;
  }
}

function pinsOf({ clients }: DetectorDoor): ReadonlySet<string> {
  return new Set(clients.map((pem) => pinOf(new X509Certificate(pem))));
}

/** SHA-256 of the public key: another certificate of the same authority has another. */
function pinOf(certificate: X509Certificate | undefined): string {
  if (certificate === undefined) return '';
  return createHash('sha256')
    .update(certificate.publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64');
}

function send(response: ServerResponse, status: number, text: string): void {
  if (response.destroyed) return;
  response.writeHead(status, { 'content-type': 'text/plain', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}
