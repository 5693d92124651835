import type { KubernetesApi } from './api.ts';
import { statusFault, toNetworkFault } from './faults.ts';
import { ClusterError } from '../../cluster/index.ts';
import type { KubeObject } from './resources.ts';

/** WatchEvent is one line of a watch. */
export interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: T;
}

/** WatchOptions say what is watched, and from which version on. */
export interface WatchOptions {
  readonly path: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly resourceVersion: string;
  /** Seconds after which the server ends the watch. */
  readonly timeoutSeconds: number;
  readonly what: string;
  readonly metadataOnly?: boolean | undefined;
  readonly signal: AbortSignal;
  /** Called once the server has accepted the watch. */
  readonly onOpen: () => void;
}

/** The longest object that etcd takes by default has 1.5 MiB; with what the API server adds to it. */
const MAX_LINE = 8 * 1024 * 1024;
const LINE_FEED = 0x0a;

/**
 * watch gives the events of one watch as they come, until the server ends it. The reader sets the pace: what it has not taken stays in the
 * socket, and nothing is buffered but the line that is being read. An event that is not JSON, or longer than it may be, ends the watch with
 * an error instead of being passed over. An `ERROR` event is thrown as ClusterError, `gone` for a version that the server keeps no more.
 */
export async function* watch<T extends KubeObject>(
  api: KubernetesApi,
  options: WatchOptions,
): AsyncGenerator<WatchEvent<T>> {
  const { path, query, resourceVersion, timeoutSeconds, what, signal, onOpen } = options;
  const { body } = await api.open(
    {
      method: 'GET',
      path,
      query: { ...query, watch: 1, allowWatchBookmarks: true, resourceVersion, timeoutSeconds },
      what,
      metadataOnly: options.metadataOnly === true ? 'object' : undefined,
    },
    signal,
  );
  onOpen();
  try {
    for await (const line of lines(body as AsyncIterable<Buffer>, what)) {
      const event = parseEvent<T>(line, what);
      if (event !== null) yield event;
    }
  } catch (cause) {
    throw toNetworkFault(cause, what);
  } finally {
    // A reader that stops early leaves no connection behind.
    body.destroy();
  }
}

function parseEvent<T>(line: Buffer, what: string): WatchEvent<T> | null {
  let event: { readonly type?: unknown; readonly object?: unknown };
  try {
    event = JSON.parse(line.toString('utf8')) as typeof event;
  } catch (cause) {
    throw new ClusterError('unreadable', `${what}: an event is not JSON`, { cause });
  }
  const { type, object } = event;
  if (type === 'ERROR') throw statusFault(object, what);
  if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED' && type !== 'BOOKMARK') return null;
  if (typeof object !== 'object' || object === null)
    throw new ClusterError('unreadable', `${what}: an event has no object`);
  return { type, object: object as T };
}

/** Split on bytes, so that a name in UTF-8 that two chunks share stays whole. */
async function* lines(body: AsyncIterable<Buffer>, what: string): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
      parts.push(chunk.subarray(from, end));
      const line = parts.length === 1 ? (parts[0] ?? chunk) : Buffer.concat(parts);
      parts = [];
      size = 0;
      from = end + 1;
      if (line.length > 0) yield line;
    }
    if (from >= chunk.length) continue;
    size += chunk.length - from;
    if (size > MAX_LINE) throw new ClusterError('unreadable', `${what}: an event has more than 8 MiB`);
    parts.push(chunk.subarray(from));
  }
  // What stands behind the last line feed was cut off with the connection; the next watch brings it again.
}
