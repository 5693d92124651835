import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { apiVersionOf, type Kind } from './kinds.ts';
import { StatusError } from './status-error.ts';

/** Json is any object of JSON. */
export type Json = Record<string, unknown>;

/** Meta is the metadata of an object as the fake keeps it. */
export interface Meta {
  name: string;
  namespace?: string;
  uid: string;
  resourceVersion: string;
  generation: number;
  creationTimestamp: string;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  managedFields?: Json[];
  [more: string]: unknown;
}

/** Kept is an object that the fake keeps. */
export interface Kept extends Json {
  metadata: Meta;
}

/** Change is one event of the watch window. */
export interface Change {
  readonly kind: Kind;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: Kept;
  /** What it was, of `MODIFIED`. */
  readonly before: Kept | null;
  readonly version: number;
}

/** Objects is the fake's etcd: objects with one counter of versions, and the changes that watches are fed from. */
export class Objects {
  readonly #kept = new Map<string, Map<string, Kept>>();
  readonly #changes: Change[] = [];
  readonly #watchers = new Set<(change: Change) => void>();
  #version = 1000;
  #oldest = 1000;
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  get version(): number {
    return this.#version;
  }

  /** The first version that a watch can still begin after. */
  get oldest(): number {
    return this.#oldest;
  }

  list(kind: Kind, namespace: string | null): Kept[] {
    const all = [...(this.#kept.get(kind.plural + kind.group)?.entries() ?? [])];
    return all
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, object]) => object)
      .filter(({ metadata }) => namespace === null || metadata.namespace === namespace);
  }

  find(kind: Kind, namespace: string | null, name: string): Kept | null {
    return this.#of(kind).get(keyOf(namespace, name)) ?? null;
  }

  get(kind: Kind, namespace: string | null, name: string): Kept {
    const found = this.find(kind, namespace, name);
    if (found !== null) return found;
    throw new StatusError(
      404,
      'NotFound',
      `${kind.plural}${kind.group === '' ? '' : `.${kind.group}`} "${name}" not found`,
    );
  }

  /** Makes an object; what it would be, with its name and uid, comes from `draft`, which webhooks were asked about. */
  create(kind: Kind, namespace: string | null, value: Json): Kept {
    return this.add(kind, namespace, this.draft(kind, namespace, value));
  }

  /** An object as it would be made, with what the server fills in before admission. */
  draft(kind: Kind, namespace: string | null, value: Json): Kept {
    const given = (value['metadata'] ?? {}) as Partial<Meta> & { generateName?: string };
    const name =
      given.name ?? (given.generateName === undefined ? '' : given.generateName + randomUUID().slice(0, 5));
    if (!/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name))
      throw new StatusError(422, 'Invalid', `metadata.name: Invalid value: "${name}"`);
    const { resourceVersion: _, uid: __, ...rest } = given;
    const metadata: Meta = {
      ...rest,
      name,
      ...(namespace !== null && { namespace }),
      uid: randomUUID(),
      resourceVersion: '',
      generation: 1,
      creationTimestamp: new Date(this.#now()).toISOString().replace(/\.\d+Z$/, 'Z'),
    };
    return { ...value, apiVersion: apiVersionOf(kind), kind: kind.kind, metadata };
  }

  /** Keeps a draft. */
  add(kind: Kind, namespace: string | null, draft: Kept): Kept {
    const { name } = draft.metadata;
    if (this.find(kind, namespace, name) !== null)
      throw new StatusError(409, 'AlreadyExists', `${kind.plural} "${name}" already exists`);
    return this.#keep(kind, 'ADDED', draft);
  }

  /** Puts a new state in the place of an old one; one that says the same changes nothing. */
  replace(kind: Kind, before: Kept, after: Json): Kept {
    const given = (after['metadata'] ?? {}) as Partial<Meta>;
    if (
      given.resourceVersion !== undefined &&
      given.resourceVersion !== '' &&
      given.resourceVersion !== before.metadata.resourceVersion
    )
      throw new StatusError(
        409,
        'Conflict',
        `Operation cannot be fulfilled on ${kind.plural} "${before.metadata.name}": the object has been modified; please apply your changes to the latest version and try again`,
      );
    if (given.uid !== undefined && given.uid !== before.metadata.uid)
      throw new StatusError(
        409,
        'Conflict',
        `Precondition failed: UID in precondition: ${given.uid}, UID in object meta: ${before.metadata.uid}`,
      );
    const { name, namespace, uid, creationTimestamp, generation, resourceVersion } = before.metadata;
    const changed = !isDeepStrictEqual(withoutMeta(before), withoutMeta(after));
    const metadata = {
      ...given,
      name,
      ...(namespace !== undefined && { namespace }),
      uid,
      creationTimestamp,
      resourceVersion,
      generation: generation + (changed ? 1 : 0),
    };
    const next = { ...after, apiVersion: apiVersionOf(kind), kind: kind.kind, metadata } as Kept;
    const { managedFields: _, ...meta } = metadata as Meta;
    const { managedFields: __, ...metaBefore } = before.metadata;
    if (isDeepStrictEqual({ ...next, metadata: meta }, { ...before, metadata: metaBefore })) return before;
    return this.#keep(kind, 'MODIFIED', next);
  }

  remove(kind: Kind, object: Kept): Kept {
    this.#of(kind).delete(keyOf(object.metadata.namespace ?? null, object.metadata.name));
    return this.#record(kind, 'DELETED', object);
  }

  /** Calls with each change; gives how to end that. */
  follow(take: (change: Change) => void): () => void {
    this.#watchers.add(take);
    return () => void this.#watchers.delete(take);
  }

  since(version: number, kind: Kind): Change[] {
    return this.#changes.filter((change) => change.version > version && change.kind === kind);
  }

  /** Forgets the changes so far, as etcd's compaction does. */
  compact(): void {
    this.#changes.length = 0;
    this.#oldest = this.#version;
  }

  #of(kind: Kind): Map<string, Kept> {
    const key = kind.plural + kind.group;
    let objects = this.#kept.get(key);
    if (objects === undefined) this.#kept.set(key, (objects = new Map()));
    return objects;
  }

  #keep(kind: Kind, type: 'ADDED' | 'MODIFIED', object: Kept): Kept {
    const kept = this.#record(kind, type, object);
    this.#of(kind).set(keyOf(kept.metadata.namespace ?? null, kept.metadata.name), kept);
    return kept;
  }

  #record(kind: Kind, type: Change['type'], object: Kept): Kept {
    this.#version += 1;
    const made: Kept = {
      ...object,
      metadata: { ...object.metadata, resourceVersion: String(this.#version) },
    };
    const before =
      type === 'MODIFIED'
        ? (this.#of(kind).get(keyOf(made.metadata.namespace ?? null, made.metadata.name)) ?? null)
        : null;
    const change = { kind, type, object: made, before, version: this.#version };
    this.#changes.push(change);
    if (this.#changes.length > 20_000) this.#oldest = this.#changes.shift()?.version ?? this.#oldest;
    for (const take of this.#watchers) take(change);
    return made;
  }
}

function keyOf(namespace: string | null, name: string): string {
  return namespace === null ? name : `${namespace}/${name}`;
}

const NOT_DESIRED = new Set(['metadata', 'status', 'apiVersion', 'kind']);

function withoutMeta(object: Json): Json {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !NOT_DESIRED.has(key)));
}
