import { setTimeout as sleep } from 'node:timers/promises';
import { request, type Dispatcher } from 'undici';
import type { Connection } from './connection.ts';
import { isPutOff, toFault, toNetworkFault } from './faults.ts';
import { ClusterError } from '../../cluster/index.ts';

/** Milliseconds for a whole call unless it says otherwise. */
const TIMEOUT = 15_000;
/** Bytes of an answer; a page of a list has some megabytes. */
const MAX_ANSWER = 64 * 1024 * 1024;
/** Attempts of a call that the server puts off, and milliseconds that it is waited for each time at most. */
const ATTEMPTS = 6;
const LONGEST_WAIT = 10_000;
/** MANAGER is the operator's name as a manager of fields. */
export const MANAGER = 'image-policy-operator';

/** PATCHES are the kinds of patch that are sent. */
const PATCHES = {
  apply: 'application/apply-patch+yaml',
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
} as const;

/** Call is one request to the API server. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  /** Kind of a PATCH. */
  readonly patch?: keyof typeof PATCHES;
  /** What is called, for people. */
  readonly what: string;
  /** Of objects only their metadata, which the server can send without the rest. */
  readonly metadataOnly?: 'list' | 'object' | undefined;
  readonly timeoutMs?: number | undefined;
  /** Leaves it to the caller to make a call again that the server puts off. */
  readonly once?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Opened is an answer whose body has not been read. */
export interface Opened {
  readonly body: Dispatcher.ResponseData['body'];
}

/**
 * KubernetesApi calls the API server. Where it says by `Retry-After` (429, 503) that it did not take a call, as while the storage of a new
 * definition is made ready, the call is made again within its time. Nothing else is: who calls knows what that may mean.
 */
export class KubernetesApi {
  readonly #connection: Connection;
  readonly #agent: string;
  readonly #wait: (ms: number, signal: AbortSignal) => Promise<unknown>;

  /** `wait` waits this many milliseconds; real time unless given. */
  constructor(
    connection: Connection,
    version: string,
    wait: (ms: number, signal: AbortSignal) => Promise<unknown> = (ms, signal) =>
      sleep(ms, undefined, { signal, ref: false }),
  ) {
    this.#wait = wait;
    this.#connection = connection;
    this.#agent = `${MANAGER}/${version}`;
  }

  get namespace(): string | null {
    return this.#connection.namespace;
  }

  /** The object, list or Status that the server answers with. Throws ClusterError. */
  async call<T>(call: Call): Promise<T> {
    // What is left of a deadline is measured to the microsecond; timers take only whole milliseconds.
    const ms = Math.max(0, Math.ceil(call.timeoutMs ?? TIMEOUT));
    const timeout = AbortSignal.timeout(ms);
    const signal = call.signal === undefined ? timeout : AbortSignal.any([timeout, call.signal]);
    const { body } = await this.#openLater(call, signal, performance.now() + ms);
    const text = await readBounded(body, call.what);
    try {
      return JSON.parse(text) as T;
    } catch (cause) {
      throw new ClusterError('unreadable', `${call.what}: the answer is not JSON`, { cause });
    }
  }

  /** As `call`, and null for an object that is not there. */
  async find<T>(call: Call): Promise<T | null> {
    try {
      return await this.call<T>(call);
    } catch (error) {
      if (error instanceof ClusterError && error.fault === 'not_found') return null;
      throw error;
    }
  }

  /** Opens the answer of a call that the server may put off. */
  async #openLater(call: Call, signal: AbortSignal, until: number): Promise<Opened> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.open(call, signal);
      } catch (error) {
        if (call.once === true || !isPutOff(error) || attempt >= ATTEMPTS) throw error;
        // Spread, so that those who were put off together do not come back together.
        const wait = error.retryAfter * 1000 * (1 + Math.random() / 4);
        if (wait > LONGEST_WAIT || performance.now() + wait >= until) throw error;
        try {
          await this.#wait(wait, signal);
        } catch {
          throw error;
        }
      }
    }
  }

  /** Opens an answer that is read as it comes. */
  async open(call: Call, signal: AbortSignal): Promise<Opened> {
    const { method, path, query = {}, body, patch, what } = call;
    const url = new URL(this.#connection.server + path);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value));
    let answer: Dispatcher.ResponseData;
    try {
      answer = await request(url, {
        method,
        dispatcher: await this.#connection.dispatcher(),
        headers: {
          ...(await this.#connection.headers()),
          accept: acceptOf(call.metadataOnly),
          'user-agent': this.#agent,
          ...(body !== undefined && {
            'content-type': patch === undefined ? 'application/json' : PATCHES[patch],
          }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal,
      });
    } catch (cause) {
      throw toNetworkFault(cause, what);
    }
    if (answer.statusCode >= 200 && answer.statusCode < 300) return { body: answer.body };
    if (answer.statusCode === 401) this.#connection.refused();
    const text = await readBounded(answer.body, what).catch(() => '');
    const retryAfter = answer.headers['retry-after'];
    throw toFault(answer.statusCode, text, what, typeof retryAfter === 'string' ? retryAfter : undefined);
  }

  close(): Promise<void> {
    return this.#connection.close();
  }
}

function acceptOf(metadataOnly: Call['metadataOnly']): string {
  if (metadataOnly === undefined) return 'application/json';
  const kind = metadataOnly === 'list' ? 'PartialObjectMetadataList' : 'PartialObjectMetadata';
  return `application/json;as=${kind};g=meta.k8s.io;v=v1,application/json`;
}

async function readBounded(body: Dispatcher.ResponseData['body'], what: string): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of body as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > MAX_ANSWER) throw new ClusterError('unreadable', `${what}: the answer has more than 64 MiB`);
      parts.push(part);
    }
  } catch (cause) {
    throw toNetworkFault(cause, what);
  }
  return Buffer.concat(parts, size).toString('utf8');
}
