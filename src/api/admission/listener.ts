import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { ReviewReply, ReviewTally } from '../../admission/index.ts';
import type { Log } from '../../base/index.ts';
import type { Timers } from '../../ledger/index.ts';
import { listenFault } from '../listen-fault.ts';
import { Callers, SENTENCES } from './callers.ts';
import { Connections } from './connections.ts';
import { Doors } from './doors.ts';
import { Intake } from './intake.ts';
import { LISTENER_LIMITS, type ListenerLimits } from './limits.ts';
import { readOn } from '../read-on.ts';

/** ServingCertificate is a certificate with those between it and its authority, and its key, as PEM texts. */
export interface ServingCertificate {
  readonly cert: string;
  readonly key: string;
}

/** ReviewerPort is what answers the bodies of calls; `Reviewer` is one. */
export interface ReviewerPort {
  /** Why reviews cannot be answered yet, or null. */
  unready(): string | null;
  review(bytes: Uint8Array): Promise<ReviewReply>;
  reviewOversized(ends: Uint8Array): Promise<ReviewReply>;
}

/** ListenerOptions are what a listener of the webhook is made of. */
export interface ListenerOptions {
  readonly reviewer: ReviewerPort;
  readonly tally: Pick<ReviewTally, 'shed'>;
  /** Null until there is one: handshakes fail, and the listener is not ready. */
  readonly certificate: ServingCertificate | null;
  readonly log: Log;
  readonly timers: Timers;
  /** Told of each answered review. */
  readonly observe?: (seconds: number) => void;
  readonly limits?: Partial<ListenerLimits>;
  /** By what the API server is known; anyone who reaches the port, unless given. */
  readonly callers?: Callers;
}

/** AdmissionListener is the port of the webhook. */
export interface AdmissionListener {
  /** Listens on an address; port 0 takes a free one. Gives the address taken. Throws `port_taken`. */
  listen(host: string, port: number): Promise<{ readonly host: string; readonly port: number }>;
  /** Takes another certificate for connections from now on; those that are open go on. */
  replaceCertificate(certificate: ServingCertificate): void;
  /** Takes over that callers are known by another authority, for connections from now on. */
  callersChanged(): void;
  /** Why no review should be sent here, or null. */
  unready(): string | null;
  /** Reviews that are being answered, those that were, and bytes of bodies that are held. */
  readonly load: { readonly reviews: number; readonly answered: number; readonly bytes: number };
  /**
   * Ends in order: not ready any more, while calls are still answered for `drainMs`; nothing new accepted; calls under way ended
   * within `graceMs`; whatever is still open closed.
   */
  close(drainMs: number, graceMs: number): Promise<void>;
}

/** A body that is turned away is read on up to this size, so that its connection can be used again. */
const READ_ON = 65_536;
const TOO_MANY = 'more reviews are under way than can be answered in time';

/**
 * openListener makes the listener of the webhook: HTTPS with HTTP/1.1. Calls beyond what it can answer are turned away with 429 and
 * `Retry-After`, on which the API server tries again; `/livez` always answers, `/readyz` unless it is stopping.
 */
export function openListener(options: ListenerOptions): AdmissionListener {
  return new Listener(options);
}

class Listener implements AdmissionListener {
  readonly #options: ListenerOptions;
  readonly #limits: ListenerLimits;
  readonly #server: Server;
  readonly #intake: Intake;
  readonly #connections: Connections;
  readonly #doors: Doors;
  readonly #callers: Callers;
  #certificate: ServingCertificate | null;
  #draining = false;
  #reviews = 0;
  #answered = 0;
  /** When this turn of the event loop began to take reviews, and how many it took. */
  #turnBegan = 0;
  #turnTaken = 0;
  /** The end of the last large body. */
  #large: Promise<unknown> = Promise.resolve();

  constructor(options: ListenerOptions) {
    this.#options = options;
    const limits = { ...LISTENER_LIMITS, ...options.limits };
    this.#limits = limits;
    this.#intake = new Intake(limits);
    this.#callers = options.callers ?? anyCaller(options.log);
    this.#certificate = options.certificate;
    this.#server = createServer(
      {
        ...options.certificate,
        ...this.#callers.tls,
        minVersion: 'TLSv1.2',
        ALPNProtocols: ['http/1.1'],
        handshakeTimeout: limits.handshakeTimeout,
        headersTimeout: limits.headersTimeout,
        requestTimeout: limits.requestTimeout,
        keepAliveTimeout: limits.keepAliveTimeout,
        connectionsCheckingInterval: limits.checkingInterval,
        maxHeaderSize: 16_384,
      },
      (request, response) => this.#serve(request, response),
    );
    this.#connections = new Connections(limits.connections);
    this.#connections.watch(this.#server);
    this.#doors = new Doors(this.#server);
    this.#server.on('tlsClientError', () => {}); // a handshake that failed is the client's to tell
  }

  get load(): AdmissionListener['load'] {
    return { reviews: this.#reviews, answered: this.#answered, bytes: this.#intake.held };
  }

  unready(): string | null {
    if (this.#draining) return 'the webhook is stopping';
    if (this.#certificate === null) return 'the webhook has no certificate yet';
    const why = this.#callers.unready();
    if (why !== null) return why;
    return this.#options.reviewer.unready();
  }

  async listen(host: string, port: number): Promise<{ readonly host: string; readonly port: number }> {
    try {
      const address = await this.#doors.listen(host, port);
      this.#doors.onError((error) => this.#options.log.error('the port of the webhook fails', { error }));
      return address;
    } catch (error) {
      throw listenFault(error, host, port, 'webhook.listen in the configuration');
    }
  }

  replaceCertificate(certificate: ServingCertificate): void {
    const { ca } = this.#callers.tls;
    this.#server.setSecureContext({ ...certificate, ...(ca !== undefined && { ca }), minVersion: 'TLSv1.2' });
    this.#certificate = certificate;
  }

  callersChanged(): void {
    if (this.#certificate !== null) this.replaceCertificate(this.#certificate);
  }

  async close(drainMs: number, graceMs: number): Promise<void> {
    const server = this.#server;
    this.#draining = true;
    if (!server.listening) return;
    await new Promise<void>((resolve) => this.#options.timers.after(drainMs, resolve));
    const closed = this.#doors.close();
    const cancel = this.#options.timers.after(graceMs, () => this.#connections.end());
    // A connection whose last answer has just gone out would otherwise be kept for its next request.
    const idle = setInterval(() => server.closeIdleConnections(), 50);
    await closed;
    cancel();
    clearInterval(idle);
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    if (request.url !== undefined && this.#callers.isReview(request.url)) {
      const fault = this.#callers.refuse(request);
      if (fault !== null) this.#turnAway(request, response, 403, SENTENCES[fault]);
      else if (request.method === 'POST') this.#take(request, response);
      else this.#turnAway(request, response, 405, 'a review comes with POST');
    } else if (request.url === '/livez') send(response, 200, 'text/plain', 'ok');
    else if (request.url === '/readyz') {
      const why = this.unready();
      send(response, why === null ? 200 : 503, 'text/plain', why ?? 'ok');
    } else this.#turnAway(request, response, 404, 'there is nothing here');
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    if (this.#isBusy()) {
      this.#shed(request, response, 'busy');
      return;
    }
    this.#intake.take(request, (taken) => {
      if (taken.kind === 'full') this.#shed(request, response, 'bytes');
      else if (this.#reviews >= this.#limits.reviews) {
        taken.release();
        this.#shed(request, response, 'busy');
      } else {
        this.#connections.works(request.socket);
        response.once('close', () => this.#connections.waits(request.socket));
        void this.#answer(taken, response);
      }
    });
  }

  /** Whether there is more than can be answered in time: by what waits for the ledger, or by what arrived all at once. */
  #isBusy(): boolean {
    if (this.#reviews >= this.#limits.reviews) return true;
    this.#turnTaken += 1;
    if (this.#turnTaken === 1) {
      this.#turnBegan = performance.now();
      setImmediate(() => {
        this.#turnTaken = 0;
      });
    }
    const { turn, turnReviews } = this.#limits;
    return this.#turnTaken > turnReviews && performance.now() - this.#turnBegan > turn;
  }

  async #answer(
    taken: { kind: string; bytes: Buffer; release(): void },
    response: ServerResponse,
  ): Promise<void> {
    const began = performance.now();
    this.#reviews += 1;
    try {
      const { bytes } = taken;
      const isSmall = bytes.length < this.#limits.largeBody;
      const review = (): Promise<ReviewReply> =>
        isSmall ? this.#options.reviewer.review(bytes) : this.#inTurn(bytes);
      const reply = await (taken.kind === 'oversized'
        ? this.#options.reviewer.reviewOversized(bytes)
        : review());
      if (this.#draining || taken.kind === 'oversized') response.setHeader('connection', 'close');
      if (reply.retryAfter !== null) response.setHeader('retry-after', reply.retryAfter);
      send(response, reply.status, reply.status === 200 ? 'application/json' : 'text/plain', reply.body);
    } catch (error) {
      this.#options.log.error('a review was not answered', { error });
      if (!response.headersSent) send(response, 500, 'text/plain', 'the review could not be answered');
    } finally {
      this.#reviews -= 1;
      this.#answered += 1;
      taken.release();
      this.#options.observe?.((performance.now() - began) / 1000);
    }
  }

  /** One after another, with turns of the event loop in between; one that had to wait for too long is turned away. */
  async #inTurn(bytes: Buffer): Promise<ReviewReply> {
    const before = this.#large;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#large = promise;
    const began = performance.now();
    await before;
    await new Promise((next) => setImmediate(next));
    try {
      if (performance.now() - began > this.#limits.largeWait) {
        this.#options.tally.shed('busy');
        return { status: 429, body: TOO_MANY, retryAfter: 1 };
      }
      return await this.#options.reviewer.review(bytes);
    } finally {
      resolve();
    }
  }

  #shed(request: IncomingMessage, response: ServerResponse, reason: 'busy' | 'bytes'): void {
    this.#options.tally.shed(reason);
    response.setHeader('retry-after', 1);
    this.#turnAway(request, response, 429, TOO_MANY);
  }

  /** Answers at once; a body of some size is not waited for, so its connection ends. */
  #turnAway(request: IncomingMessage, response: ServerResponse, status: number, sentence: string): void {
    if (this.#draining) response.setHeader('connection', 'close');
    readOn(request, response, READ_ON);
    send(response, status, 'text/plain', sentence);
  }
}

function anyCaller(log: Log): Callers {
  return new Callers({ path: false, certificate: false, names: [], now: () => 0, log, refused: () => {} });
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
