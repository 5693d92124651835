import { request, type Dispatcher } from 'undici';
import type { Connection } from './connection.ts';
import { toFault, toNetworkFault } from './faults.ts';
import { ClusterError } from '../../cluster/index.ts';

/** Milliseconds for a whole call unless it says otherwise. */
const TIMEOUT = 15_000;
/** Bytes of an answer; a page of a list has some megabytes. */
const MAX_ANSWER = 64 * 1024 * 1024;
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
  /** Of objects their metadata alone, which the server can send without the rest. */
  readonly metadataOnly?: 'list' | 'object' | undefined;
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Opened is an answer whose body has not been read. */
export interface Opened {
  readonly body: Dispatcher.ResponseData['body'];
}

/** KubernetesApi calls the API server. Nothing is tried again here: who calls knows what that may mean. */
export class KubernetesApi {
  readonly #connection: Connection;
  readonly #agent: string;

  constructor(connection: Connection, version: string) {
    this.#connection = connection;
    this.#agent = `${MANAGER}/${version}`;
  }

  get namespace(): string | null {
    return this.#connection.namespace;
  }

  /** The object, list or Status that the server answers with. Throws ClusterError. */
  async call<T>(call: Call): Promise<T> {
    // What is left of a deadline is measured to the microsecond; timers take whole milliseconds alone.
    const timeout = AbortSignal.timeout(Math.max(0, Math.ceil(call.timeoutMs ?? TIMEOUT)));
    const signal = call.signal === undefined ? timeout : AbortSignal.any([timeout, call.signal]);
    const { body } = await this.open(call, signal);
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
