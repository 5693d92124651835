import type { ServerResponse } from 'node:http';
import { apiVersionOf, type Place } from './kinds.ts';
import type { Change, Kept, Objects } from './objects.ts';
import { StatusError } from './status-error.ts';

/** labelsMatch holds labels against a selector of equalities, as `a=b,c!=d,e`. */
export function labelsMatch(
  labels: Readonly<Record<string, string>> | undefined,
  selector: string | null,
): boolean {
  if (selector === null || selector === '') return true;
  return selector.split(',').every((one) => {
    const [, key = '', not, value] = /^([^!=]+)(?:(!)?==?(.*))?$/.exec(one) ?? [];
    if (value === undefined) return key in (labels ?? {});
    return (labels?.[key] === value) !== (not === '!');
  });
}

/** fieldsMatch holds an object against a selector of `metadata.name` and `metadata.namespace`. */
export function fieldsMatch({ metadata }: Kept, selector: string | null): boolean {
  if (selector === null || selector === '') return true;
  return selector.split(',').every((one) => {
    const [path, value] = one.split('=');
    return (
      (path === 'metadata.name'
        ? metadata.name
        : path === 'metadata.namespace'
          ? metadata.namespace
          : undefined) === value
    );
  });
}

/** WatchRules are how the fake treats watches. */
export interface WatchRules {
  /** Milliseconds between bookmarks. */
  readonly bookmarkMs: number;
  /** Most seconds that a watch lasts, whatever is asked. */
  readonly maxSeconds: number;
}

/** serveWatch answers a watch: what happened since the version that is named, and what happens from now on. */
export function serveWatch(
  objects: Objects,
  place: Place,
  query: URLSearchParams,
  response: ServerResponse,
  rules: WatchRules,
): () => void {
  const { kind, namespace } = place;
  const asked = query.get('resourceVersion') ?? '';
  const from = asked === '' || asked === '0' ? null : Number(asked);
  if (from !== null && !Number.isInteger(from))
    throw new StatusError(400, 'BadRequest', `Invalid value: "${asked}"`);
  response.writeHead(200, { 'content-type': 'application/json' });
  response.flushHeaders();
  const send = (type: string, object: unknown): void =>
    void response.write(`${JSON.stringify({ type, object })}\n`);
  if (from !== null && from < objects.oldest) {
    send(
      'ERROR',
      new StatusError(410, 'Expired', `too old resource version: ${from} (${objects.oldest})`).body,
    );
    response.end();
    return () => {};
  }
  const wanted = (object: Kept): boolean =>
    (namespace === null || object.metadata.namespace === namespace) &&
    (place.name === null || object.metadata.name === place.name) &&
    labelsMatch(object.metadata.labels, query.get('labelSelector')) &&
    fieldsMatch(object, query.get('fieldSelector'));
  // An object that comes to match a selector is added, and one that no longer does is deleted.
  const tell = ({ type, object, before, kind: of }: Change): void => {
    if (of !== kind) return;
    const was = before !== null && wanted(before);
    if (wanted(object)) send(type === 'MODIFIED' && !was ? 'ADDED' : type, object);
    else if (was) send('DELETED', object);
  };
  if (from === null)
    for (const object of objects.list(kind, namespace)) if (wanted(object)) send('ADDED', object);
  if (from !== null) for (const change of objects.since(from, kind)) tell(change);
  const unfollow = objects.follow(tell);
  const bookmark = (): void => {
    if (query.get('allowWatchBookmarks') === 'true')
      send('BOOKMARK', {
        apiVersion: apiVersionOf(kind),
        kind: kind.kind,
        metadata: { resourceVersion: String(objects.version), creationTimestamp: null },
      });
  };
  const timer = setInterval(bookmark, rules.bookmarkMs);
  const seconds = Math.min(Number(query.get('timeoutSeconds') ?? 1800), rules.maxSeconds);
  const end = (): void => {
    clearInterval(timer);
    clearTimeout(over);
    unfollow();
    response.end();
  };
  const over = setTimeout(() => {
    bookmark();
    end();
  }, seconds * 1000);
  response.on('close', end);
  return end;
}
